//! Advice: where a program's threads and memory belong, and what to set on a machine.

#![forbid(unsafe_code)]

pub mod placement;
pub mod settings;
