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

/// What the cells of a result should be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Expectations {
    /// [`EXPECTATIONS_VERSION`] of the writer.
    pub schema_version: u32,
    /// Where the result comes from.
    pub origin: Origin,
    /// The name of its machine.
    pub machine: String,
    /// What is known about the machine, apart from the result's own cells.
    pub knowledge: Knowledge,
    /// The cells of which something is expected, in the order of the result.
    pub cells: Vec<ExpectedCell>,
    /// What facts that decide may be: one entry for each value of each fact that was tried, and for each node where a fact may
    /// differ between nodes.
    pub readings: Vec<Reading>,
    /// Cells of which nothing is expected.
    pub without: Vec<Unexpected>,
    /// Where the bandwidth of each node goes, if a model says what it should be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waterfalls: Vec<Waterfall>,
}

/// Expected cells by their places in a result, for whoever looks for many of them.
pub type ByPlace<'a> = HashMap<(&'a ExperimentName, Measure, &'a Coordinates), &'a ExpectedCell>;

/// What is known about a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Knowledge {
    /// A model of the machine.
    Model {
        /// The name of its machine file or template, with what was stated.
        machine: String,
        /// One sentence on it.
        title: String,
        /// Whether the user stated it; otherwise the machine shows it of itself.
        stated: bool,
        /// Lanes of a link between packages, if its file states them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lanes: Option<u32>,
        /// What nobody stated and what matters, one sentence each.
        assumed: Vec<String>,
        /// Signs that the result comes from another machine, one sentence each.
        doubts: Vec<String>,
    },
    /// The machine's DIMMs, without a model of its processor.
    Dimms {
        /// Why there is no model.
        reason: String,
    },
    /// Nothing.
    Nothing {
        /// Why.
        reason: String,
    },
}

/// A cell of which something is expected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExpectedCell {
    /// The experiment.
    pub experiment: ExperimentName,
    /// The measure; its unit is that of all values here.
    pub measure: Measure,
    /// The coordinates of the cell.
    pub at: Coordinates,
    /// The kind of value.
    pub kind: Kind,
    /// The value in the result.
    pub value: f64,
    /// What it should be.
    pub expected: Expectation,
    /// Where the value stands.
    pub standing: Standing,
}

/// What a value should be, in the unit of its measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Expectation {
    /// The expected value.
    pub value: f64,
    /// Nine of ten machines of which so much is known are not below it.
    pub low: f64,
    /// Nor above this.
    pub high: f64,
    /// What it rests on.
    pub basis: Basis,
    /// The arithmetic, or what it was compared with: one short phrase.
    pub reason: String,
    /// Whether predictions of this kind were ever held against measured machines, and held for those of this generation, if any was
    /// published. If not, the interval is only a guess, and the cell is never marked.
    pub validated: bool,
}

/// What an expectation rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// A described machine: its file has parameters of this very machine.
    Machine,
    /// A template of its generation and its spec sheet.
    Template,
    /// Its DIMMs and their technology.
    Dimms,
    /// Comparable cells of the same result.
    Sisters,
}

/// Where a value stands, its own interval included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// The intervals overlap.
    AsExpected,
    /// The intervals are apart, and the value is worse.
    Worse,
    /// The intervals are apart, and the value is better.
    Better,
    /// The intervals are apart, but a fact that nobody stated explains it: the best reading of that fact.
    Explained {
        /// Rank of the reading in [`Expectations::readings`].
        reading: usize,
    },
    /// Nothing can be concluded: the measured value is doubtful, or predictions of this kind were never validated.
    Open,
}

/// Where the read bandwidth of a node's cores from its own memory goes, in GB/s. Each value is what is left after one more cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Waterfall {
    /// The node.
    pub node: NodeId,
    /// Channels times rate.
    pub theoretical: f64,
    /// After what refreshes, turnarounds and other overheads of the channels take.
    pub sustained: f64,
    /// What the model expects of the node's cores: they may have too few lines in flight for all channels, or a narrow link.
    pub expected: f64,
    /// In the result.
    pub found: f64,
    /// Where this stands beside what is expected.
    pub standing: Standing,
}

/// Cells of an experiment of which nothing is expected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unexpected {
    /// The experiment.
    pub experiment: ExperimentName,
    /// How many of its cells.
    pub cells: usize,
    /// Why.
    pub reason: String,
}

impl Expectations {
    /// What is expected of the cell of this experiment with this measure at these coordinates.
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

    /// The readings of facts, those of one fact and node side by side.
    pub fn readings(&self) -> &[Reading] {
        &self.readings
    }

    /// The readings that fit better than what was taken for granted: one for a fact and node at most.
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

    /// How many cells that can be judged are as expected, and how many there are.
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

    /// How far the value is from the expected one, as a share of it: below zero where it is smaller.
    pub fn deviation(&self) -> f64 {
        self.value / self.expected.value - 1.0
    }

    /// How far it is beyond the nearer end of the expected interval, as a ratio's logarithm; zero inside.
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
    /// In words; empty where nothing stands out.
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
