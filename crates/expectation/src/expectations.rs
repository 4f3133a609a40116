//! Expectations: the types that others read.

use std::collections::HashMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_machine::NodeId;
use zerohop_result::{Coordinates, ExperimentName, Measure, Origin};

use super::kind::Kind;
use super::reading::Reading;

/// Version of the form of [`Expectations`]. It is raised when a reader of the old form would misread the new one.
pub const EXPECTATIONS_VERSION: u32 = 1;

/// Expected values for the cells of a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Expectations {
    /// [`EXPECTATIONS_VERSION`] of the program that wrote the file.
    pub schema_version: u32,
    /// Origin of the result.
    pub origin: Origin,
    /// Name of the result's machine.
    pub machine: String,
    /// Knowledge about the machine from sources other than the result's cells.
    pub knowledge: Knowledge,
    /// Cells with an expected value, in the order of the result.
    pub cells: Vec<ExpectedCell>,
    /// Possible values of facts that determine bandwidth: one entry for each value of each fact that was tried, and for each node if the fact can
    /// differ between nodes.
    pub readings: Vec<Reading>,
    /// Cells without an expected value.
    pub without: Vec<Unexpected>,
    /// Breakdown of each node's bandwidth, if a model predicts it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waterfalls: Vec<Waterfall>,
}

/// Expected cells by their places in a result, for fast access to many of them.
pub type ByPlace<'a> = HashMap<(&'a ExperimentName, Measure, &'a Coordinates), &'a ExpectedCell>;

/// Knowledge about a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Knowledge {
    /// A model of the machine.
    Model {
        /// Name of the machine file or template, with the stated properties.
        machine: String,
        /// Summary of the model, in one sentence.
        title: String,
        /// Whether the user stated the machine; otherwise it was identified from the result.
        stated: bool,
        /// Number of lanes of a link between packages, if the file states it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lanes: Option<u32>,
        /// Assumed properties that affect the values, one sentence each.
        assumed: Vec<String>,
        /// Signs that the result is from another machine, one sentence each.
        doubts: Vec<String>,
    },
    /// DIMMs of the machine, without a model of its processor.
    Dimms {
        /// Reason why there is no model.
        reason: String,
    },
    /// Nothing is known.
    Nothing {
        /// The reason.
        reason: String,
    },
}

/// A cell with an expected value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExpectedCell {
    /// The experiment.
    pub experiment: ExperimentName,
    /// The measure; its unit applies to all values here.
    pub measure: Measure,
    /// The coordinates of the cell.
    pub at: Coordinates,
    /// The kind of value.
    pub kind: Kind,
    /// The value in the result.
    pub value: f64,
    /// Expected value and its interval.
    pub expected: Expectation,
    /// Position of the value relative to the expectation.
    pub standing: Standing,
}

/// Expected value of a cell, in the unit of its measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Expectation {
    /// The expected value.
    pub value: f64,
    /// Lower end of the interval: nine of ten machines with this description are not below it.
    pub low: f64,
    /// Upper end of the interval: nine of ten machines with this description are not above it.
    pub high: f64,
    /// Basis of the expectation.
    pub basis: Basis,
    /// The calculation, or the basis of the comparison, in one short phrase.
    pub reason: String,
    /// Whether predictions of this kind were validated against measured machines, and against those of this generation if any are published. If not,
    /// the interval is only a guess, and the cell is never marked.
    pub validated: bool,
}

/// Basis of an expectation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// A machine file with parameters of this very machine.
    Machine,
    /// A template of the machine's generation, and its spec sheet.
    Template,
    /// The machine's DIMMs and their technology.
    Dimms,
    /// Comparable cells of the same result.
    Sisters,
}

/// Position of a value relative to its expectation, with the value's own interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// The intervals overlap.
    AsExpected,
    /// The intervals do not overlap, and the value is worse.
    Worse,
    /// The intervals do not overlap, and the value is better.
    Better,
    /// The intervals do not overlap, but the best-fitting value of an assumed fact explains the difference.
    Explained {
        /// Index of the reading in [`Expectations::readings`].
        reading: usize,
    },
    /// No conclusion: the measured value is doubtful, or predictions of this kind were never validated.
    Open,
}

/// Breakdown of the read bandwidth of a node's cores from its own memory, in GB/s. Each value is the remainder after one more loss.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Waterfall {
    /// The node.
    pub node: NodeId,
    /// Theoretical bandwidth: channels times transfer rate.
    pub theoretical: f64,
    /// Bandwidth after refreshes, turnarounds and other overheads of the channels.
    pub sustained: f64,
    /// Bandwidth that the model expects of the node's cores: they may have too few lines in flight for all channels, or a narrow link.
    pub expected: f64,
    /// Bandwidth in the result.
    pub found: f64,
    /// Position of the measured bandwidth relative to the expected one.
    pub standing: Standing,
}

/// Cells of an experiment without an expected value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unexpected {
    /// The experiment.
    pub experiment: ExperimentName,
    /// Number of cells.
    pub cells: usize,
    /// The reason.
    pub reason: String,
}

impl Expectations {
    /// The expectation for the cell of this experiment with this measure at these coordinates.
    pub fn at(
        &self,
        experiment: &ExperimentName,
        measure: Measure,
        at: &Coordinates,
    ) -> Option<&ExpectedCell> {
        self.cells
            .iter()
            .find(|cell| cell.measure == measure && cell.at == *at && cell.experiment == *experiment)
    }

    /// All cells by their places.
    pub fn by_place(&self) -> ByPlace<'_> {
        self.cells.iter().map(|cell| ((&cell.experiment, cell.measure, &cell.at), cell)).collect()
    }

    /// The readings of facts, grouped by fact and node.
    pub fn readings(&self) -> &[Reading] {
        &self.readings
    }

    /// The readings that fit better than the assumed ones: at most one for each fact and node.
    pub fn telling(&self) -> impl Iterator<Item = &Reading> {
        self.readings.iter().filter(|reading| reading.fits_best && !reading.nominal)
    }

    /// The cells that are worse or better than expected, and that no reading explains, the farthest from the expected interval
    /// first.
    pub fn deviating(&self) -> Vec<&ExpectedCell> {
        let mut cells: Vec<&ExpectedCell> = self.cells.iter().filter(|cell| cell.deviates()).collect();
        cells.sort_by(|one, other| other.distance().total_cmp(&one.distance()));
        cells
    }

    /// Whether nothing is expected of any cell.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Number of judged cells that are as expected, and number of all judged cells.
    pub fn as_expected(&self) -> (usize, usize) {
        let judged = self.cells.iter().filter(|cell| cell.standing != Standing::Open);
        let inside = judged.clone().filter(|cell| cell.standing == Standing::AsExpected);
        (inside.count(), judged.count())
    }
}

impl ExpectedCell {
    /// Whether it is worse or better than expected.
    pub const fn deviates(&self) -> bool {
        matches!(self.standing, Standing::Worse | Standing::Better)
    }

    /// Relative deviation from the expected value, as a share: below zero if the value is smaller.
    pub fn deviation(&self) -> f64 {
        self.value / self.expected.value - 1.0
    }

    /// Distance from the nearer end of the expected interval, as the logarithm of a ratio; zero inside.
    pub fn distance(&self) -> f64 {
        let Expectation { low, high, .. } = self.expected;
        if self.value < low {
            libm::log(low / self.value)
        } else if self.value > high {
            libm::log(self.value / high)
        } else {
            0.0
        }
    }
}

impl Basis {
    pub const fn words(self) -> &'static str {
        match self {
            Self::Machine => "machine file",
            Self::Template => "template",
            Self::Dimms => "DIMMs",
            Self::Sisters => "comparable cells",
        }
    }
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.words())
    }
}

impl Standing {
    /// The standing in words; empty if the value is unremarkable.
    pub const fn words(self) -> &'static str {
        match self {
            Self::AsExpected => "as expected",
            Self::Worse => "worse",
            Self::Better => "better",
            Self::Explained { .. } => "explained",
            Self::Open => "open",
        }
    }
}
