//! The model in a web page.
//!
//! ```text
//! page ── question, as JSON ──> Explorer ── app, experiment, model ──> report ── answer, as JSON ──> page
//! ```
//!
//! A page asks which machines there are, what one of them looks like, and what an experiment on it would measure. The answer is the
//! document that the command line gives for the same command, to the last digit, and the same pictures and tables. The page itself is
//! one file ([`ExplorerPage`]), with this crate inside as WebAssembly.

#![forbid(unsafe_code)]

mod answer;
mod base;
#[cfg(target_arch = "wasm32")]
pub mod bindings;
mod check;
mod command_line;
mod commands;
mod embedded_files;
mod explorer;
mod faults;
mod page;
mod placed;
mod progress;
mod question;
mod refusal;
mod reproduction;
mod subject;

pub use commands::experiment;
pub use explorer::Explorer;
pub use page::{CarriedResult, ExplorerPage, Module, Start, Tab};
pub use progress::Progress;
pub use subject::Subject;
