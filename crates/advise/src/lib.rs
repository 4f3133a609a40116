//! What to change on a machine.

#![forbid(unsafe_code)]

pub mod placement;
