//! TOML that people write: machine files, studies, sweeps.
//!
//! A text is parsed into a tree of [`Value`]s, each with its place in its file. Trees can be merged, and are then read as tables
//! that [`tables!`] and [`words!`] declare: keys, types, units, bounds and words are written down once, for the reader, for the
//! JSON Schema and for documentation. All that is wrong is collected in [`Problems`] and printed where it stands, with a caret
//! and a hint.
//!
//! ```text
//! text ── parse ──> Value ── Reader::root ──> declared tables ──> checked by the caller, which knows what they mean
//!                     └───────────── Problems ─────────────┘
//! ```

#![forbid(unsafe_code)]

mod parameter;
mod problems;
mod read;
mod suggest;
mod text_problem;
mod tree;
mod write;

pub use parameter::{Grade, Parameter};
pub use problems::{Place, Problems};
pub use read::{
    At, Bits, Count, FractionalBytes, Level, Names, Number, Part, Parts, Quantity, Read, Reader, Share, Text,
    integer, is_name, list, loosen,
};
pub use suggest::suggest;
pub use text_problem::TextProblem;
pub use tree::{Content, Entry, SCOPE, SCOPE_FILE, SOURCE, VALUE, Value, parse, read_typed};
pub use write::{inline, key, names, quoted};
