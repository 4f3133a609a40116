//! Sweeps: what would a machine do if it were set otherwise? Many points, a row of numbers for each.
//!
//! ```text
//! sweep file or command line ──> Sweep ── points ──> (someone runs each) ──> results ── Sweep::numbers ──> Outcome
//! Question + Outcomes ── SweepResult::new ──> columns, rows, the best and those that nothing betters
//! ```

mod file;
mod headline;
mod merit;
mod points;
mod result;
mod selection;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use zerohop_machine::Machine;
use zerohop_result::{Catalogue, ExperimentResult, Measure};

pub use file::{Part, SweepFile, SweepFileError};
pub use merit::Merit;
pub use points::{Dimension, MOST_POINTS, ParseDimensionError, Points, PointsError};
pub use result::{Column, PointOutcome, Question, SWEEP_VERSION, SweepResult, SweepRow};
pub use selection::{ParseSelectionError, Selection};

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

/// A run of an experiment at each point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SweepRun {
    /// What the sweep calls it.
    pub name: String,
    /// What is typed after `zerohop run`, without `--on`.
    pub command: String,
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

/// Notes that a point has at most: the rest is counted.
const NOTES: usize = 3;

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

    /// What became of a point, from the results of its runs in their order, or from why there is none. `machine` is the
    /// machine as it is set there. A number that a result does not have is left out.
    pub fn outcome(
        &self,
        results: &[Result<ExperimentResult, String>],
        machine: &Machine,
        experiments: Catalogue,
    ) -> Outcome {
        let mut numbers = Vec::new();
        let mut warnings: Vec<String> = Vec::new();
        for (run, result) in results.iter().enumerate() {
            let result = match result {
                Ok(result) => result,
                Err(reason) => {
                    warnings.push(reason.clone());
                    continue;
                }
            };
            let told = if self.measures.is_empty() {
                headline::numbers(result, machine, experiments)
            } else {
                let of_run = self.measures.iter().filter(|selection| selection.run == run);
                of_run.filter_map(|selection| selection.number(result, machine)).collect()
            };
            let of_result = result.warnings.iter().map(ToString::to_string);
            for warning in told.iter().flat_map(|told| told.warnings.clone()).chain(of_result) {
                if !warnings.contains(&warning) {
                    warnings.push(warning);
                }
            }
            numbers.extend(told.into_iter().filter(|told| told.value.is_finite()).map(|told| Number {
                run,
                what: told.what,
                measure: told.measure,
                value: told.value.value,
                low: told.value.low,
                high: told.value.high,
            }));
        }
        if warnings.len() > NOTES {
            let more = warnings.split_off(NOTES).len();
            warnings.push(format!("and {more} more"));
        }
        if numbers.is_empty() && results.iter().any(Result::is_err) {
            return Outcome::Failed { reason: warnings.join("; ") };
        }
        Outcome::Done { numbers, warnings }
    }
}

/// The JSON Schema (draft 2020-12) of a sweep's file.
pub fn sweep_schema() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<file::Written>()
}
