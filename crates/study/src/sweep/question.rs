//! The question of a sweep, and the outcome of a point.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_result::Measure;

use super::points::Points;
use super::run::SweepRun;
use super::selection::Selection;

/// Definition of a sweep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sweep {
    /// The machine: the name of a built-in one, or the path to a machine file.
    pub machine: String,
    /// Settings of the machine at each point.
    pub points: Points,
    /// The runs at each point.
    pub runs: Vec<SweepRun>,
    /// Measures to report; by default the headline measures of each experiment.
    pub measures: Vec<Selection>,
    /// Faults injected at every point, as typed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
}

/// A value of a point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Number {
    /// Rank of the run in [`Sweep::runs`].
    pub run: usize,
    /// Selection among the run's values of this measure; empty if there is only one.
    pub what: String,
    /// Measure of the value, with the unit.
    pub measure: Measure,
    /// The value, in the unit of the measure.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// The outcome of a point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Done {
        /// Values of the point, in the order of the runs.
        numbers: Vec<Number>,
        /// Warnings about the values, each once, up to a limit.
        warnings: Vec<String>,
        /// Number of further warnings.
        #[serde(default)]
        further: usize,
    },
    /// The machine file refuses this combination of settings.
    Refused { reason: String },
    /// The point could not be computed.
    Failed {
        reason: String,
        /// Whether the reason is a bug.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        bug: bool,
    },
}

impl Sweep {
    /// Whether a saved outcome can belong to this sweep; an outcome that no sweep can produce is not trusted.
    pub fn admits(&self, point: usize, outcome: &Outcome) -> bool {
        let possible = |number: &Number| {
            number.run < self.runs.len()
                && number.value.is_finite()
                && number.low <= number.value
                && number.value <= number.high
        };
        let numbers = match outcome {
            Outcome::Done { numbers, .. } => numbers.as_slice(),
            Outcome::Refused { .. } | Outcome::Failed { .. } => &[],
        };
        point < self.points.count() && numbers.iter().all(possible)
    }
}
