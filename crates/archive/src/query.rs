//! Queries of an archive, shared by the command line and the server.
//!
//! ```text
//! text of a file ── entries ──> Archive ── history, changes, comparison, judged, fleet, metrics ──> documents of `report`
//! ```

mod changes;
mod comparison;
mod error;
mod files;
mod findings;
mod fleet;
mod history;
mod metrics;
mod stored_result;
mod upload;

pub use changes::{Changing, changed};
pub use comparison::{Order, compared};
pub use error::QueryError;
pub use files::{NamedEntry, Tried, entries, entry, rename, write, write_each};
pub use findings::{FindingsByResult, StoredFindings, findings};
pub use fleet::LatestResults;
pub use history::{history, readable_history};
pub use metrics::metrics;
pub use stored_result::{experiments, read, text_of};
pub use upload::Upload;
