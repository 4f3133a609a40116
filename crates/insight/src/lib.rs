//! Interprets results: how far a model's results are from published figures of the machine, which of several results is
//! better, cell by cell and in the mean, what the values of a result should be, and how results depend on a machine's settings.
//!
//! ```text
//! study file ── Study::parse ──> Study ── runs ──> (someone runs them) ──> results ── reproduce ──> Reproduction
//! ```
//!
//! Everything here is a pure function. The caller reads the files and runs the experiments.

#![forbid(unsafe_code)]

pub mod expectation;
pub mod fleet;

mod amount;
mod calibration;
mod changes;
mod compare;
mod comparison;
mod deviation;
mod doctor;
mod grade;
mod history;
mod index;
mod known;
mod newest;
mod odd_ones;
mod place;
mod quiet;
mod reproduce;
mod reproduction;
mod simulated;
mod size_steps;
mod study;
mod sweep;
mod validation;
mod whereabouts;

pub use amount::{Amount, Difference, ParseAmountError};
pub use calibration::{
    CALIBRATION_VERSION, CalibratedValue, CalibrationFile, Check, Fitted, Outlier, Role, Stage, Unfitted, Why,
};
pub use changes::{
    CHANGES_VERSION, Change, ChangedRun, ChangedTrait, ChangedValue, ChangesFile, Drift, MachineChanges,
    NamedValue, Unsettled, changes, tells,
};
pub use compare::{CompareError, Configuration, Numbering, compare};
pub use comparison::{
    Alignment, AlignmentReason, COMPARISON_VERSION, CellScore, ComparedCell, ComparedNumber, ComparisonFile,
    Contrast, ExperimentScore, Explanation, NamedOrigin, NodePair, Ranked, Ratio, Score, Shift, Smallest,
    Tendency, Unmatched, Whole,
};
pub use deviation::{Deviation, deviations, usual_of_comparable};
pub use doctor::{
    Absence, Check as HostCheck, Cure, DOCTOR_VERSION, DoctorReport, PrefetcherAccess, Probed,
    Standing as HostStanding,
};
pub use grade::FigureGrade;
pub use history::{TraitChange, trait_changes};
pub use index::index;
pub use odd_ones::{Comparable, OddOnes, apart, odd_ones};
pub use place::Place;
pub use quiet::is_quiet;
pub use reproduce::{ReproduceError, Undecided, reproduce, undecided};
pub use reproduction::{
    Finding, FittedParameter, Gap, GradeTotals, OutcomeOfPassage, REPRODUCTION_VERSION, Reproduction,
    ReproductionFile, Row, Standing, Totals, Verdict, VerdictsOverSeeds, is_below,
};
pub use simulated::Interval;
pub use size_steps::{SizeCurve, SizeStep, size_curves};
pub use study::{Assertion, Claim, Passage, Peak, Publication, Run, Study, StudyError, study_schema};
pub use sweep::{
    Column, Dimension, Merit, Number, Outcome, ParseDimensionError, ParseSelectionError, PointOutcome,
    Points, PointsError, Question, SWEEP_VERSION, Selection, Sweep, SweepElement, SweepFile, SweepFileError,
    SweepResult, SweepRow, SweepRun, sweep_schema,
};
pub use validation::{Errors, NamedErrors, VALIDATION_VERSION, Validation};
pub use whereabouts::{
    PartOfMemory, PlacementCost, Rate, Remedy, WHEREABOUTS_VERSION, Whereabouts, WhereaboutsFile, Whose,
};
