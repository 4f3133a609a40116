//! Results as people and programs read them: pages for the terminal, JSON, CSV, pictures, and the output form of
//! Intel's Memory Latency Checker.
//!
//! Everything here is a pure function from a result or a machine to text. Whether a host measured the result or a model
//! computed it changes a few words and no layout.
//!
//! ```text
//! ExperimentResult ── layout ──> Sheets (rows, columns, cells) ──> terminal, svg
//! ```

#![forbid(unsafe_code)]

pub mod csv;
pub mod json;
pub mod markdown;
pub mod mlc;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod svg;
pub mod terminal;

mod description;
mod fabric;
mod finding;
mod hardware_form;
mod headline;
mod layout;
mod measure;
mod number;
mod origin;
mod peak;
mod place;
mod printable;
mod rank;
mod relation;
mod sheet;
mod trust;
mod wrap;
