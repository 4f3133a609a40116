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
    /// [`SCHEMA_VERSION`] of the program that wrote the file.
    pub schema_version: u32,
    /// Program and version that wrote the file (`zerohop 0.1.0`).
    pub produced_by: String,
    /// Start time of the run. Present in all measurements by zerohop; absent for engines that do not depend on real time, so that their results are
    /// reproducible, and for other tools that do not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// End time of the run; absent while it is running, and if `started_at` is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
    /// The run and its host; absent in imported results, and while a model computes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Run>,
    /// Whether the result is complete.
    pub completion: Completion,
    /// Origin of the values.
    pub origin: Origin,
    /// The engine that ran the experiments.
    pub engine: EngineDescription,
    /// The machine that the experiments ran on.
    pub machine: Machine,
    /// Settings of the measurement.
    pub settings: MeasuringSettings,
    /// The experiments, in the order of execution.
    pub experiments: Vec<ExperimentResult>,
    /// Warnings about the file as a whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// Data that this version has no types for, kept so that it can be written again: fields of later versions, and the full source of texts that are
    /// stored in a plain form.
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
    /// The run is in progress, or the process that wrote the file died.
    Running,
}

/// Settings of the experiments, as requested.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MeasuringSettings {
    /// `quick`, `full` or `custom`.
    pub effort: String,
    /// Requested page size of buffers.
    pub pages: Pages,
    /// Buffer size per worker or node, in bytes, if the user set it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Bytes>,
    /// Instruction set, if the user set it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction_set: Option<InstructionSet>,
    /// Hardware prefetchers that were turned off, as the processor vendor names them; the others were left unchanged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prefetchers_off: Vec<String>,
    /// Random seed for the order of measurements and, in a model, for its random choices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Requested half width of the confidence interval, relative to the median.
    pub interval: f64,
    /// Confidence level of intervals, 0 to 1.
    pub confidence: f64,
}

/// One experiment's result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExperimentResult {
    /// Name of the experiment.
    pub experiment: ExperimentName,
    /// Whether the experiment has all of its cells.
    pub completion: Completion,
    /// Duration of the experiment; in a model, the simulated time of its samples.
    pub elapsed: Seconds,
    /// The measured values. Two cells may have the same coordinates if their measures differ.
    pub cells: Cells,
    /// Warnings about all cells of the experiment.
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
