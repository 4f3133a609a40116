//! What can be wrong with a query, and with a result it is asked of.

use crate::query::{Over, Relation};
use crate::{Axis, Measure};

/// Why a text is no query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseQueryError {
    /// A quotation mark is not closed.
    #[error("a quotation mark is not closed")]
    Unclosed,
    /// It begins with no measure.
    #[error("it names no measure (expected one of {})", Measure::ALL.map(Measure::name).join(", "))]
    NoMeasure,
    /// A word that means nothing here.
    #[error(
        "`{word}` means nothing here (expected AXIS=PLACE, {} or {})",
        Relation::ALL.map(Relation::word).join(", "),
        Over::ALL.map(Over::name).join(", ")
    )]
    Unknown {
        /// Which.
        word: String,
    },
    /// No cell has such an axis.
    #[error("there is no axis `{axis}` (there are {})", Axis::ALL.map(Axis::name).join(", "))]
    NoAxis {
        /// Which.
        axis: String,
    },
    /// An axis, a distance or what is made of cells is named twice.
    #[error("`{word}` comes after another of its kind")]
    Twice {
        /// The second.
        word: String,
    },
}

/// Why a result has no value for a query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoValue {
    /// No cell matches.
    #[error("it has no {measure} at {at} ({there})")]
    Absent {
        /// The measure in words.
        measure: &'static str,
        /// The coordinates that were looked for.
        at: String,
        /// What there is instead.
        there: String,
    },
    /// Several cells match.
    #[error("it has more than one {measure} at {at}: {there}")]
    Ambiguous {
        /// The measure in words.
        measure: &'static str,
        /// The coordinates that were looked for.
        at: String,
        /// Where the cells stand that match.
        there: String,
    },
}
