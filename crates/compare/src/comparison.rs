//! The result of a comparison.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_result::{Coordinates, ExperimentName, Measure, Origin};

/// Version of the format of [`ComparisonFile`]. Raised when a reader of the old format would misread it.
pub const COMPARISON_VERSION: u32 = 1;

/// A comparison of results with the first of them: how many times as good each is, cell by cell and in the mean.
///
/// Every ratio has the better value on top: bandwidth over the base's, or the base's latency over the result's. Above 1
/// is better.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparisonFile {
    /// [`COMPARISON_VERSION`] of the writer.
    pub schema_version: u32,
    /// Name of the base, with which all other results are compared.
    pub base: String,
    /// The origin of each result, in the order in which they were given.
    #[serde(default)]
    pub origins: Vec<NamedOrigin>,
    /// How results are numbered differently from the base. Coordinates of cells are those of the base.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alignments: Vec<Alignment>,
    /// All results, the base among them, the best mean first.
    pub ranking: Vec<Ranked>,
    /// How results differ from the base as a whole, and wherever a place differs from the rest of the machine.
    #[serde(default)]
    pub shifts: Vec<Shift>,
    /// Number of cells of virtual machines that are compared with their CPUs placed otherwise than most of the time in some result, because only
    /// so were they placed alike in all.
    #[serde(default, skip_serializing_if = "is_none")]
    pub other_placings: usize,
    /// Cells that all results have, in the order of the base.
    pub cells: Vec<ComparedCell>,
    /// Cells that not all of them have.
    pub unmatched: Vec<Unmatched>,
    /// Other differences, which may explain different values.
    pub differences: Vec<Contrast>,
}

/// The origin of a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NamedOrigin {
    /// The result's name.
    pub name: String,
    /// Its origin.
    pub origin: Origin,
    /// Its machine.
    pub machine: String,
}

/// Which nodes of a result are compared with which of the base, where it is not by their numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Alignment {
    /// The result's name.
    pub name: String,
    /// All nodes, in the order of the base.
    pub nodes: Vec<NodePair>,
    /// Why.
    pub reason: AlignmentReason,
}

/// Nodes that are compared with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodePair {
    /// The base's.
    pub base: u32,
    /// The other result's.
    pub other: u32,
}

/// Why nodes are not compared by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AlignmentReason {
    /// Only so do their CPUs, memory, packages and distances agree.
    Topology,
    /// These agree in several ways, but the values only so.
    Values,
}

/// A result's place in the ranking.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ranked {
    /// Its name.
    pub name: String,
    /// Over all cells.
    pub overall: Score,
    /// Over the cells of each experiment, in the order of the base.
    pub experiments: Vec<ExperimentScore>,
    /// Its worst cell's ratio.
    pub worst: f64,
    /// The smallest changes against the base that could have been found; absent for the base, and where no cell decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smallest: Option<Smallest>,
}

/// A result's score in one experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExperimentScore {
    /// The experiment.
    pub experiment: ExperimentName,
    /// Over its cells.
    pub score: Score,
}

/// Ratios of cells, summed up.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Score {
    /// Geometric mean of the ratios, with its interval.
    pub mean: Ratio,
    /// Number of cells that decide: those whose value may be wrong do not.
    pub cells: usize,
    /// Number of cells that do not decide.
    #[serde(default, skip_serializing_if = "is_none")]
    pub doubtful: usize,
    /// Number of these that are certainly better; `worse` counts those that are certainly worse.
    pub better: usize,
    /// See `better`.
    pub worse: usize,
}

/// How a result differs from the base in many cells at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Shift {
    /// Name of the result.
    pub name: String,
    /// Which cells it is about.
    pub whole: Whole,
    /// How many times as good these cells are, in the geometric mean; those of a place, relative to all other cells.
    pub ratio: Ratio,
    /// Whether that is certain.
    pub tendency: Tendency,
    /// The probability of such a shift by chance anywhere among those that were looked for.
    pub p: f64,
    /// Number of cells.
    pub cells: usize,
}

/// What many cells have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Whole {
    /// All cells.
    Everything,
    /// All latencies and other times.
    Times,
    /// All bandwidths.
    Rates,
    /// The CPUs of a node.
    CpusOf {
        /// The node.
        node: u32,
    },
    /// The memory of a node, whoever uses it.
    MemoryOf {
        /// The node.
        node: u32,
    },
    /// The memory of a node, used by its own CPUs.
    LocalMemoryOf {
        /// The node.
        node: u32,
    },
    /// Two nodes, in both directions.
    Between {
        /// The nodes, the lower number first.
        nodes: [u32; 2],
    },
}

/// The smallest changes that a comparison could have found, as shares: of all cells together, and of one typical cell among all.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Smallest {
    /// Of all cells together.
    pub whole: f64,
    /// Of one cell.
    pub cell: f64,
}

/// How many times as good, with its 95 % interval, which allows for drift between runs. The interval of a mean allows for errors that cells
/// have in common.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ratio {
    /// The ratio.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The verdict on a cell or a shift, at a risk of 5 % of being wrong anywhere on an unchanged machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tendency {
    /// It is better.
    Better,
    /// It cannot be told.
    Same,
    /// It is worse.
    Worse,
}

impl Ratio {
    /// The ratio of a result to itself.
    pub const ONE: Self = Self { value: 1.0, low: 1.0, high: 1.0 };

    /// Whether it is at least `least`: certainly, certainly not, or nobody knows. What is no number is not.
    pub fn reaches(self, least: f64) -> Option<bool> {
        if self.low >= least {
            Some(true)
        } else if self.high < least || !self.value.is_finite() {
            Some(false)
        } else {
            None
        }
    }
}

/// What is known about a cell of a result compared with the base.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellScore {
    /// How many times as good.
    pub ratio: Ratio,
    /// Whether that is certain.
    pub tendency: Tendency,
    /// Whether a value may be wrong, so that it decides nothing.
    pub doubtful: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_none(count: &usize) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

/// A cell that all results have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedCell {
    /// Its experiment.
    pub experiment: ExperimentName,
    /// Its coordinates.
    pub at: Coordinates,
    /// Its measure.
    pub measure: Measure,
    /// The base's value, in the measure's unit.
    pub base: f64,
    /// One for each other result, in the order in which they were given.
    pub others: Vec<ComparedNumber>,
}

/// A value compared with the base's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedNumber {
    /// Name of the result.
    pub name: String,
    /// The value, in the measure's unit.
    pub value: f64,
    /// How many times as good as the base's.
    pub ratio: Ratio,
    /// Whether it is certainly better or worse, given how many cells are compared.
    pub tendency: Tendency,
    /// The false discovery rate at which this difference would just be called one.
    #[serde(default)]
    pub p: f64,
    /// Whether a warning says that its value or the base's may be wrong: it decides nothing.
    #[serde(default, skip_serializing_if = "is_false")]
    pub doubtful: bool,
}

impl ComparedNumber {
    /// What is known about it.
    pub fn score(&self) -> CellScore {
        CellScore { ratio: self.ratio, tendency: self.tendency, doubtful: self.doubtful }
    }
}

/// Cells of an experiment that one result has and another does not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Unmatched {
    /// The experiment.
    pub experiment: ExperimentName,
    /// Name of the result that has them.
    pub only_in: String,
    /// Names of those that do not.
    pub missing_in: Vec<String>,
    /// Names of those among them that do have the cells, but with a value or an interval of which no ratio can be formed:
    /// a bandwidth of zero, for example.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unusable_in: Vec<String>,
    /// Number of cells.
    pub cells: usize,
    /// Coordinates of some of them.
    pub examples: Vec<Coordinates>,
    /// The reason, as far as it is known.
    pub reason: String,
}

/// A difference between two results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Contrast {
    /// The subject: `machine`, `effort`, `seed`, …
    pub what: String,
    /// Its value in the base.
    pub base: String,
    /// Name of the other result.
    pub name: String,
    /// Its value there.
    pub other: String,
    /// Whether it can explain the cells that changed; absent if none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explains: Option<Explanation>,
}

/// Whether a difference of two machines or runs can explain the values that changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Explanation {
    /// Its size and direction suit the changes.
    Fits,
    /// It can change such values; by how much is not known.
    Possible,
    /// It acts in the direction of the changes, but they are larger than it accounts for.
    TooSmall,
    /// It cannot change such values, or only in the other direction.
    No,
}
