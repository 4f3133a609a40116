//! The numbers of a document and where they come from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::figure::FittedTo;

/// One number of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Parameter {
    /// Where it stands: table and key, joined by dots (`wire.ht1000.capacity`).
    pub path: String,
    /// As it is written, with its unit.
    pub value: String,
    /// Where it comes from: a document, a data sheet, a reasoned choice.
    pub source: String,
    /// What it was fitted to, if it was.
    pub fitted: Option<FittedTo>,
    /// How well it is founded.
    pub grade: Grade,
}

/// How well a number is founded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// Its own source, or that of its table, is a document.
    Documented,
    /// Its source says that it was measured.
    Measured,
    /// It was chosen to reproduce a published figure.
    Fitted,
    /// Its source says that it was assumed.
    Assumed,
    /// It has no source but that of the whole file: nothing says that this number stands there.
    Unattributed,
}

impl Grade {
    /// All, the best founded first.
    pub const ALL: [Self; 5] =
        [Self::Documented, Self::Measured, Self::Fitted, Self::Assumed, Self::Unattributed];

    /// How the source of a number begins for which nothing is published.
    const ASSUMED: &str = "assumed";
    /// How the source of a number begins that whoever wrote the file has measured.
    const MEASURED: &str = "measured";

    /// That of a number with this source, which may be that of the whole file, and which may have been fitted.
    pub(crate) fn new(source: &str, is_of_file: bool, is_fitted: bool) -> Self {
        match () {
            () if is_fitted => Self::Fitted,
            () if source.starts_with(Self::ASSUMED) => Self::Assumed,
            () if source.starts_with(Self::MEASURED) => Self::Measured,
            () if is_of_file => Self::Unattributed,
            () => Self::Documented,
        }
    }

    /// What a number of this grade is.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Documented => "documented",
            Self::Measured => "measured",
            Self::Fitted => "fitted to published measurements",
            Self::Assumed => "assumed",
            Self::Unattributed => "with only the file's source",
        }
    }
}

/// A key of a declared table, and the value that it has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KeyValue {
    /// Table and key, joined by dots.
    pub path: String,
    /// As it is written, or its default; absent if it was left out and has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Whether the document has it. What it does not have has its default, or no value at all.
    pub written: bool,
}
