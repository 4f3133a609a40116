//! Questions asked of models: published figures reproduced, validation, and sweeps over a machine's settings.
//!
//! ```text
//! study file ── Study::parse ──> Study ── runs ──> (the caller runs them) ──> results ── reproduce ──> Reproduction
//! sweep file ── Sweep::parse ──> Question ── points ──> (the caller runs them) ──> results ──> SweepResult
//! ```
//!
//! Everything here is a pure function. The caller reads the files and runs the experiments.

#![forbid(unsafe_code)]

mod amount;
mod calibration;
mod grade;
mod model_value;
mod named_coordinates;
mod place;
mod reproduce;
mod reproduction;
mod study;
mod sweep;
mod validation;

pub use amount::{Amount, Difference, ParseAmountError};
pub use calibration::{
    CALIBRATION_VERSION, CalibratedValue, CalibrationFile, Check, Fitted, Outlier, Role, Stage, Unfitted, Why,
};
pub use grade::FigureGrade;
pub use model_value::Interval;
pub use place::Place;
pub use reproduce::{ReproduceError, Undecided, reproduce, undecided};
pub use reproduction::{
    Finding, FittedParameter, Gap, GradeTotals, OutcomeOfPassage, REPRODUCTION_VERSION, Reproduction,
    ReproductionFile, Row, Standing, Totals, Verdict, VerdictsOverSeeds, is_below,
};
pub use study::{Assertion, Claim, Passage, Peak, Publication, Run, Study, StudyError, study_schema};
pub use sweep::{
    Column, Dimension, Merit, Number, Outcome, ParseDimensionError, ParseSelectionError, PointOutcome,
    Points, PointsError, Question, Reported, SWEEP_VERSION, Selection, Sweep, SweepElement, SweepFile,
    SweepFileError, SweepResult, SweepRow, SweepRun, headlines, sweep_schema,
};
pub use validation::{Errors, NamedErrors, VALIDATION_VERSION, Validation};
