//! Results as people and programs read them: pages for the terminal, JSON, CSV, pictures, and the output form of
//! Intel's Memory Latency Checker.
//!
//! Rendering is one call: [`render`] shows a [`Document`] in a [`Form`]. A document is a file in `document/`, which names what
//! it can be shown as; a form that suits any document is a file beside this one. All of it is pure functions to text or bytes.
//! Whether a host measured a result or a model computed it changes a few words and no layout.
//!
//! ```text
//! Document ── render ──> page, JSON, CSV, Parquet, SVG, MLC, Markdown, …
//! ExperimentResult ── layout ──> Sheets (rows, columns, cells) ──> terminal, svg
//! ```

#![forbid(unsafe_code)]

pub mod json;
pub mod terminal;

mod csv;
mod description;
mod document;
mod fabric;
mod finding;
mod form;
mod hardware_form;
mod headline;
mod layout;
mod markdown;
mod measure;
mod mlc;
mod number;
mod origin;
#[cfg(feature = "parquet")]
mod parquet;
mod peak;
mod place;
mod printable;
mod rank;
mod relation;
mod render;
mod sheet;
mod svg;
mod table;
mod trust;
mod wrap;

pub use document::{Experiment, LinkLoad, MachineCheck, MachineList, Studies, Survey};
pub use form::Form;
pub use mlc::NotMlc;
pub use render::{Document, RenderError, Rendered, Views, forms, render};
pub use svg::NoLoad;
