//! What comes out: cells with coordinates, each an estimate with its interval, its evidence and its raw samples.
//!
//! Every experiment has the same form, so that tables, files, comparisons and pictures are written once. Where the
//! numbers come from is one field of the file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_machine::Machine;
use zerohop_units::{Bytes, Seconds};
use zerohop_workload::{EngineDescription, InstructionSet, Origin, Pages, Warning};

use crate::{Axis, Cell, Cells, Coordinate, Coordinates, ExperimentName, Measure, UnknownField};

/// Version of the result file's form. Raised when a reader of the old form would go wrong.
pub const SCHEMA_VERSION: u32 = 2;

/// A result file: one machine, one engine, one or more experiments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResultFile {
    /// [`SCHEMA_VERSION`] of the writer.
    pub schema_version: u32,
    /// The writer (`zerohop 0.1.0`).
    pub produced_by: String,
    /// When it began, RFC 3339; absent where an engine takes no real time into account, so that its results are the same
    /// whenever they are computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// When it ended, RFC 3339; absent while it runs, and where `started_at` is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// Whether all of it is here.
    pub completion: Completion,
    /// Where its numbers come from.
    pub origin: Origin,
    /// What did it.
    pub engine: EngineDescription,
    /// The machine it was done on.
    pub machine: Machine,
    /// How it was done.
    pub settings: Settings,
    /// In the order in which they ran.
    pub experiments: Vec<ExperimentResult>,
    /// What concerns all of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// What was read and has no place in these types, to be written again.
    #[serde(skip)]
    pub unknown: Vec<UnknownField>,
}

/// Whether a result is whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Completion {
    /// Everything planned was done.
    Complete,
    /// The user or a signal stopped it.
    Interrupted,
    /// It is still being written, or its writer died.
    Running,
}

/// How experiments were done: what was asked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Settings {
    /// `quick`, `full` or `custom`.
    pub effort: String,
    /// Pages of buffers.
    pub pages: Pages,
    /// Buffer of each worker or node, where the user fixed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Bytes>,
    /// Instruction set, where the user fixed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction_set: Option<InstructionSet>,
    /// Hardware prefetchers that were switched off for it, as the processor's maker calls them; those that are not
    /// named were left as they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prefetchers_off: Vec<String>,
    /// What decided all that was left to chance: the order of measurements, and in a model all that is random.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Half width of the confidence interval that was asked for, relative to the median.
    pub interval: f64,
    /// Confidence of intervals, 0 to 1.
    pub confidence: f64,
}

/// One experiment's result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExperimentResult {
    /// Which.
    pub experiment: ExperimentName,
    /// Whether all its cells are here.
    pub completion: Completion,
    /// How long it took: in a model, the simulated time of its samples.
    pub elapsed: Seconds,
    /// What was measured. Two cells may share coordinates if they differ in measure.
    pub cells: Cells,
    /// What concerns all its cells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

impl ExperimentResult {
    /// The cell at these coordinates with this measure.
    pub fn cell(&self, at: &Coordinates, measure: Measure) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.measure == measure && cell.at == *at)
    }

    /// Every place along an axis that some cell has, ascending, numbers before words.
    pub fn places(&self, axis: Axis) -> Vec<&Coordinate> {
        let mut places: Vec<_> = self.cells.iter().filter_map(|cell| cell.at.get(axis)).collect();
        places.sort();
        places.dedup();
        places
    }
}
