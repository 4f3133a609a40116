//! The output of other memory benchmarks, read as results.
//!
//! [`import`] takes a text, finds the formats that it contains, and returns results that every verb can use. Each format is a
//! file in `formats/`, listed once in `formats.rs`.
//!
//! ```text
//! text ── pages, hosts, lines ──> formats/* ── blocks of values ──> harvest (runs) ── finish ──> results, and the lines that nobody read
//! ```
//!
//! Where a tool measures the same as an experiment of zerohop, its values get that experiment's name and coordinates, so that they can
//! be compared. Everything else has a kind of its own (`kinds.rs`). Nothing is dropped silently: lines that no format
//! understands are listed, and values that cannot be true carry a warning.

#![forbid(unsafe_code)]

mod attribution;
mod bits;
mod bound;
mod cells;
mod checker;
mod commands;
mod coordinates;
mod decimals;
mod decode;
mod documents;
mod error;
mod facts;
mod format;
mod formats;
mod harvest;
mod host_part;
mod hosts;
mod implausible;
mod import;
mod imported;
mod joined_lines;
mod kinds;
mod labels;
mod lines;
mod logs;
mod mail;
mod marks;
mod markup;
mod number;
mod outliers;
mod page;
mod problem;
mod redundancy;
mod result_builder;
mod sample;
mod screen;
mod strings;
mod structured;
mod sweep;
mod truncation;
mod typed_tables;
mod unread_tools;

pub use decode::decode;
pub use error::ImportError;
pub use formats::{Format, metrics_schema};
pub use import::{Hints, import, import_hosts};
pub use imported::{HostWithoutValues, Import, Imported, Unread, UnreadLines};
pub use kinds::KINDS;
