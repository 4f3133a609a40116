//! Expected value for each cell of a result, with the reason.
//!
//! ```text
//! result ──┐
//! machine ─┼─ expect ──> Expectations: a value with an interval, its basis and its reason for each cell,
//! models ──┘                           and readings of facts that nobody stated ("fits 2 of 3 links")
//! ```
//!
//! Knowledge is used in this order: a model of the machine, either stated by the user or identified from the result ([`Known`]), the machine's
//! DIMMs, and last the comparable cells of the same result. If there is none, nothing is expected, and [`Expectations::without`] gives the reason.
//!
//! Models are run by the caller: this module only reads results. Intervals come from the validated errors of predictions from spec sheets
//! ([`KnownErrors`]).

#![forbid(unsafe_code)]

mod comparable_cells;
mod comparable_pairs;
mod curve;
mod deviation;
mod dimms;
mod errors_by_kind;
mod expect;
mod expectations;
mod kind;
mod known_errors;
mod machine_knowledge;
mod model_prediction;
mod model_values;
mod odd_ones;
mod reading;
mod reason;
mod size_steps;
mod standing;
mod waterfall;

pub use comparable_pairs::{ComparablePairs, Couple};
pub use curve::{Curve, Curves};
pub use deviation::{Deviation, deviations, usual_of_comparable};
pub use expect::{doubts, expect, streaming_twin};
pub use expectations::{
    Basis, ByPlace, EXPECTATIONS_VERSION, Expectation, Expectations, ExpectedCell, Knowledge, Standing,
    Unexpected, Waterfall,
};
pub use kind::{Kind, is_predictable};
pub use known_errors::{KnownErrors, KnownErrorsError};
pub use machine_knowledge::{Alternative, Fact, Known, Stated};
pub use model_values::{ModelValue, model_values};
pub use odd_ones::{Comparable, OddOnes, apart, odd_ones};
pub use reading::{ReadCell, Reading};
pub use size_steps::{SizeCurve, SizeStep, size_curves};
