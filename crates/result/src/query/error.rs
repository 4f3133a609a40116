//! Errors in a query, and in applying it to a result.

use crate::query::{Over, Relation};
use crate::{Axis, Measure};

/// Reason why a text is not a query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseQueryError {
    /// A quotation mark is not closed.
    #[error("unclosed quotation mark")]
    Unclosed,
    /// The query is empty.
    #[error("it contains no measure (expected one of {})", Measure::ALL.map(Measure::name).join(", "))]
    NoMeasure,
    /// The first word is not a measure.
    #[error("`{word}` is not a measure (expected one of {})", Measure::ALL.map(Measure::name).join(", "))]
    UnknownMeasure { word: String },
    /// A word has no meaning in a query.
    #[error(
        "invalid word `{word}` (expected AXIS=PLACE, {} or {})",
        Relation::ALL.map(Relation::word).join(", "),
        Over::ALL.map(Over::name).join(", ")
    )]
    Unknown {
        /// The word or axis.
        word: String,
    },
    /// No cell has such an axis.
    #[error("no axis `{axis}` (the axes are {})", Axis::ALL.map(Axis::name).join(", "))]
    NoAxis {
        /// The word or axis.
        axis: String,
    },
    /// An axis, a distance or a reduction is named twice.
    #[error("`{word}` repeats a choice that the query already makes")]
    Twice { word: String },
}

/// Reason why a result has no value for a query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoValue {
    #[error("it has no {measure} at {at} ({there})")]
    Absent {
        /// The measure in words.
        measure: &'static str,
        /// The coordinates in the query.
        at: String,
        /// The coordinates that exist instead.
        there: String,
    },
    #[error("it has more than one {measure} at {at}: {there}")]
    Ambiguous {
        /// The measure in words.
        measure: &'static str,
        /// The coordinates in the query.
        at: String,
        /// The coordinates of the matching cells.
        there: String,
    },
}
