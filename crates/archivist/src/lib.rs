//! What programs ask of an archive: the command line and the server ask the same, and get the same.
//!
//! ```text
//! text of a file ── entries ──> Archive ── history, changes, comparison, judged, fleet, metrics ──> documents of `report`
//! ```

#![forbid(unsafe_code)]

mod changed;
mod compared;
mod entries;
mod error;
mod fleet;
mod history;
mod judged;
mod kept;
mod measured;
mod uploaded;

pub use changed::{Changing, changed};
pub use compared::{Order, compared};
pub use entries::{NamedEntry, Tried, entries, entry, rename, write, write_each};
pub use error::ArchivistError;
pub use fleet::Latest;
pub use history::{history, readable_history};
pub use judged::{Judgement, Judgements, findings};
pub use kept::{experiments, read, text_of};
pub use measured::metrics;
pub use uploaded::Upload;
