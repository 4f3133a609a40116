//! The numbers of a document and where they come from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::figure::FittedTo;

/// A number in a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Parameter {
    /// Path of the parameter: table and key, joined by dots (`wire.ht1000.capacity`).
    pub path: String,
    /// Value as written, with its unit.
    pub value: String,
    /// Source of the value: a document, a data sheet, a reasoned choice.
    pub source: String,
    /// Figures that the value was fitted to, if it was.
    pub fitted: Option<FittedTo>,
    /// Grade of the evidence for the value.
    pub grade: Grade,
}

/// Grade of the evidence for a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// The source of the number or its table is a document.
    Documented,
    /// The source says that the number was measured.
    Measured,
    /// The number was chosen to reproduce a published figure.
    Fitted,
    /// The source says that the number was assumed.
    Assumed,
    /// The number has only the source of the whole file, which may not contain it.
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

/// A key of a declared table, with its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KeyValue {
    /// Table and key, joined by dots.
    pub path: String,
    /// Value as written, or the default; absent if the key was omitted and has no default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Whether the document contains the key. Other keys have their default, or no value at all.
    pub written: bool,
}
