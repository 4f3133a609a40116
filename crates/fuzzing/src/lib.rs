//! What every parser promises of any text, and texts to hold it to that.
//!
//! A [`Target`] is a parser with its promise: it returns something sound, or an error with words, and never panics. The fuzz targets in
//! `fuzz/` check it with texts that libFuzzer looks for, which takes a nightly compiler; the tests of this crate check it with
//! [mutations](Mutations) of stored inputs.

#![forbid(unsafe_code)]

mod mutations;
mod target;

pub use mutations::Mutations;
pub use target::Target;
