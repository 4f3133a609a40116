//! Result files: cells with coordinates, each an estimate with its interval, its evidence and its raw samples.
//!
//! All experiments share one form, so that code for tables, files, comparisons and charts is written once. One field of
//! the file states where its values come from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_machine::Machine;
use zerohop_units::{Bytes, Seconds};
use zerohop_workload::{EngineDescription, InstructionSet, Origin, Pages, Warning};

use crate::{
    Axis, Cell, Cells, Coordinate, Coordinates, ExperimentName, Measure, Run, Timestamp, UnknownField,
};

/// Version of the result file's form. It is raised when a reader of the old form would misread the new one.
pub const SCHEMA_VERSION: u32 = 2;

/// A result file: one machine, one engine, one or more experiments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResultFile {
    /// [`SCHEMA_VERSION`] of the writer.
    pub schema_version: u32,
    /// The writer (`zerohop 0.1.0`).
    pub produced_by: String,
    /// When it began. Whatever zerohop measured has it; absent where an engine does not depend on real time, so that its results
    /// are the same whenever they are computed, and where another tool does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it ended; absent while it runs, and where `started_at` is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
    /// Which run it comes from, and which host it ran on; absent in imported results, and while a model computes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Run>,
    /// Whether it is complete.
    pub completion: Completion,
    /// Where its values come from.
    pub origin: Origin,
    /// The engine that ran the experiments.
    pub engine: EngineDescription,
    /// The machine they ran on.
    pub machine: Machine,
    /// How they ran.
    pub settings: MeasuringSettings,
    /// The experiments, in the order in which they ran.
    pub experiments: Vec<ExperimentResult>,
    /// Warnings about the file as a whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// What these types do not have, kept to be written again: fields of later versions, and the whole of texts that are held in a plain form.
    #[serde(skip)]
    pub unknown: Vec<UnknownField>,
}

/// Whether a result is complete.
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

/// How experiments were run, as requested.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MeasuringSettings {
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
    /// Hardware prefetchers that were turned off, as the processor vendor names them; those that are not
    /// named were left unchanged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prefetchers_off: Vec<String>,
    /// The seed of everything random: the order of measurements and, in a model, its random choices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Requested half width of the confidence interval, relative to the median.
    pub interval: f64,
    /// Confidence of intervals, 0 to 1.
    pub confidence: f64,
}

/// One experiment's result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExperimentResult {
    /// Its name.
    pub experiment: ExperimentName,
    /// Whether it has all its cells.
    pub completion: Completion,
    /// How long it took; in a model, the simulated time of its samples.
    pub elapsed: Seconds,
    /// What was measured. Two cells may share coordinates if they differ in measure.
    pub cells: Cells,
    /// Warnings about all its cells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

impl ExperimentResult {
    /// The cell at these coordinates with this measure.
    pub fn cell(&self, at: &Coordinates, measure: Measure) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.measure == measure && cell.at == *at)
    }

    /// All places of cells along an axis, ascending, numbers before words.
    pub fn places(&self, axis: Axis) -> Vec<&Coordinate> {
        let mut places: Vec<_> = self.cells.iter().filter_map(|cell| cell.at.get(axis)).collect();
        places.sort();
        places.dedup();
        places
    }
}
