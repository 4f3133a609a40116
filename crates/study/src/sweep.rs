//! Sweeps: how results depend on a machine's settings. Each of many points gives a row of values.
//!
//! ```text
//! sweep file or command line ──> Sweep ── points ──> (someone runs each) ──> results ── Sweep::numbers ──> Outcome
//! Question + Outcomes ── SweepResult::new ──> columns, rows, the best and the Pareto front
//! ```

mod file;
mod headline;
mod pareto;
mod points;
mod question;
mod result;
mod run;
mod selection;

use schemars::Schema;
use schemars::generate::SchemaSettings;
use zerohop_machine::Machine;
use zerohop_result::{Catalogue, ExperimentResult};

pub use file::{SweepElement, SweepFile, SweepFileError};
pub use headline::headlines;
pub use pareto::Merit;
pub use points::{Dimension, ParseDimensionError, Points, PointsError};
pub use question::{Number, Outcome, Sweep};
pub use result::{Column, PointOutcome, Question, SWEEP_VERSION, SweepResult, SweepRow};
pub use run::SweepRun;
pub use selection::{ParseSelectionError, Reported, Selection};

/// The largest number of notes that a point keeps. Further notes are counted.
const NOTES: usize = 3;

impl Sweep {
    /// The outcome of a point: from the results of its runs, in their order, or from the reason why there are none.
    /// `machine` has the point's settings. Values that a result lacks are left out.
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
            let reported = if self.measures.is_empty() {
                headlines(result, machine, experiments)
            } else {
                let of_run = self.measures.iter().filter(|selection| selection.run == run);
                of_run.filter_map(|selection| selection.number(result, machine)).collect()
            };
            let of_result = result.warnings.iter().map(ToString::to_string);
            let of_cells = reported.iter().flat_map(|reported| &reported.warnings).map(ToString::to_string);
            for warning in of_cells.chain(of_result) {
                if !warnings.contains(&warning) {
                    warnings.push(warning);
                }
            }
            numbers.extend(reported.into_iter().filter(|reported| reported.value.is_finite()).map(
                |reported| Number {
                    run,
                    what: reported.what,
                    measure: reported.measure,
                    value: reported.value.value,
                    low: reported.value.low,
                    high: reported.value.high,
                },
            ));
        }
        let further = warnings.len().saturating_sub(NOTES);
        warnings.truncate(NOTES);
        if numbers.is_empty() && results.iter().any(Result::is_err) {
            return Outcome::Failed { reason: joined(&warnings, further), bug: false };
        }
        Outcome::Done { numbers, warnings, further }
    }
}

/// Notes as one text, with the number of those left out.
fn joined(notes: &[String], further: usize) -> String {
    let left_out = (further > 0).then(|| format!("and {further} more"));
    notes.iter().cloned().chain(left_out).collect::<Vec<_>>().join("; ")
}

/// The JSON Schema (draft 2020-12) of a sweep's file.
pub fn sweep_schema() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<file::SweepTable>()
}
