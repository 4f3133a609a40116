//! What is asked of a machine, and what becomes of a point.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_result::Measure;

use super::points::Points;
use super::run::SweepRun;
use super::selection::Selection;

/// What is asked of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sweep {
    /// The machine: the name of a built-in one, or the path of a machine file.
    pub machine: String,
    /// How it is set, point by point.
    pub points: Points,
    /// What is run at each point.
    pub runs: Vec<SweepRun>,
    /// What of the runs is told; what matters most of each experiment, where nothing is said.
    pub measures: Vec<Selection>,
}

/// A number of a point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Number {
    /// Rank of the run in [`Sweep::runs`].
    pub run: usize,
    /// Which of the run's numbers of this measure; empty where there is one.
    pub what: String,
    /// What it is, and its unit.
    pub measure: Measure,
    /// The number, in the measure's unit.
    pub value: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end of its interval.
    pub high: f64,
}

/// What became of a point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was computed.
    Done {
        /// Its numbers, in the order of the runs.
        numbers: Vec<Number>,
        /// What makes them doubtful, each once.
        warnings: Vec<String>,
    },
    /// The machine file says that these settings do not go together.
    Refused {
        /// Why not.
        reason: String,
    },
    /// It could not be computed.
    Failed {
        /// Why not.
        reason: String,
    },
}

impl Sweep {
    /// Whether an outcome that was kept can be one of this point: what no sweep makes is not to be trusted.
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
