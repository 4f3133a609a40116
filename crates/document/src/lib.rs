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

mod by_name;
mod declaration;
mod declared_key;
mod fields;
mod figure;
mod list;
mod number;
mod parameter;
mod problems;
mod quantity;
mod reader;
mod serde_values;
mod suggest;
mod tables;
mod text;
mod text_problem;
mod tree;
mod write;

pub use by_name::{ByName, ByText, Named, is_name};
pub use declaration::{Declaration, KeyDeclaration, Sort, plain_schema, sentence, word_schema};
pub use declared_key::{Bounded, Bounds, Defaulted, Key};
pub use figure::{FigureId, FittedTo, ParseFigureIdError};
pub use list::List;
pub use number::Number;
pub use parameter::{Grade, KeyValue, Parameter};
pub use problems::{Problems, Span};
pub use quantity::{Bits, FractionalBytes, Quantity, Share, integer};
pub use reader::{At, Read, Reader, list, read};
pub use serde_values::Plain;
pub use suggest::suggest;
pub use text::{Names, Text};
pub use text_problem::{TextProblem, write_problems};
pub use tree::{Content, Entry, SCOPE, SCOPE_FILE, SOURCE, VALUE, Value, parse, read_typed};
pub use write::{bare, inline, key, names, quoted};

/// What the macros' expansion names.
#[doc(hidden)]
pub mod macros {
    pub use schemars::{JsonSchema, Schema, SchemaGenerator};
    pub use serde::ser::SerializeMap;
    pub use serde::{Serialize, Serializer};
    pub use serde_json::Value as JsonValue;
}
