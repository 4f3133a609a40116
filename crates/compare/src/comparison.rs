//! The result of a comparison.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_result::{Coordinates, ExperimentName, Measure, Origin};

/// Version of the format of [`ComparisonFile`]. Raised when a reader of the old format would misread it.
pub const COMPARISON_VERSION: u32 = 1;

/// A comparison of results with a base, the first result: the ratio of each to the base, cell by cell and as a mean.
///
/// Every ratio has the better value on top: bandwidth over the base's, or the base's latency over the result's. Above 1 is better.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparisonFile {
    /// [`COMPARISON_VERSION`] of the program that wrote the file.
    pub schema_version: u32,
    /// Name of the base, which all other results are compared with.
    pub base: String,
    /// Origin of each result, in the order given.
    #[serde(default)]
    pub origins: Vec<NamedOrigin>,
    /// Differences in node numbering between results and the base. Coordinates of cells are those of the base.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alignments: Vec<Alignment>,
    /// All results including the base, the best mean first.
    pub ranking: Vec<Ranked>,
    /// Differences between a result and the base as a whole, and of places that differ from the rest of the machine.
    #[serde(default)]
    pub shifts: Vec<Shift>,
    /// Number of cells of virtual machines that are compared under a placement of their CPUs that is not the most frequent one in some result,
    /// because no other placement occurs in all results.
    #[serde(default, skip_serializing_if = "is_none")]
    pub other_placings: usize,
    /// Cells that are in all results, in the order of the base.
    pub cells: Vec<ComparedCell>,
    /// Cells that are missing in some results.
    pub unmatched: Vec<Unmatched>,
    /// Other differences, which may explain different values.
    pub differences: Vec<Contrast>,
}

/// The origin of a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NamedOrigin {
    /// Name of the result.
    pub name: String,
    /// Origin of the values.
    pub origin: Origin,
    /// Name of the machine.
    pub machine: String,
}

/// Mapping of a result's nodes to those of the base, if they are not compared by number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Alignment {
    /// Name of the result.
    pub name: String,
    /// All nodes, in the order of the base.
    pub nodes: Vec<NodePair>,
    /// Reason for the mapping.
    pub reason: AlignmentReason,
}

/// A pair of nodes that are compared with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodePair {
    /// Node of the base.
    pub base: u32,
    /// Node of the other result.
    pub other: u32,
}

/// Reason why nodes are not compared by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AlignmentReason {
    /// CPUs, memory, packages and distances agree only under this mapping.
    Topology,
    /// These agree under several mappings, but the values agree only under this one.
    Values,
}

/// Position of a result in the ranking.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ranked {
    /// Name of the result.
    pub name: String,
    /// Score over all cells.
    pub overall: Score,
    /// Score for each experiment, in the order of the base.
    pub experiments: Vec<ExperimentScore>,
    /// Ratio of the worst cell.
    pub worst: f64,
    /// Smallest changes from the base that could have been detected; absent for the base, and if no cell is decisive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smallest: Option<Smallest>,
}

/// A result's score in one experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExperimentScore {
    /// The experiment.
    pub experiment: ExperimentName,
    /// Score over the cells of the experiment.
    pub score: Score,
}

/// Summary of the ratios of cells.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Score {
    /// Geometric mean of the ratios, with its interval.
    pub mean: Ratio,
    /// Number of decisive cells: cells whose value may be wrong are excluded.
    pub cells: usize,
    /// Number of cells that are excluded.
    #[serde(default, skip_serializing_if = "is_none")]
    pub doubtful: usize,
    /// Number of decisive cells that are certainly better; `worse` counts those that are certainly worse.
    pub better: usize,
    /// See `better`.
    pub worse: usize,
}

/// A difference between a result and the base that affects many cells at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Shift {
    /// Name of the result.
    pub name: String,
    /// The affected cells.
    pub whole: Whole,
    /// Geometric mean of the ratios of these cells; for a place, relative to all other cells.
    pub ratio: Ratio,
    /// Whether the shift is certain.
    pub tendency: Tendency,
    /// Probability of such a shift by chance anywhere among the groups of cells that were tested.
    pub p: f64,
    /// Number of cells.
    pub cells: usize,
}

/// Property that many cells share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Whole {
    /// All cells.
    Everything,
    /// All latencies and other times.
    Times,
    /// All bandwidths.
    Rates,
    /// Cells whose initiator is the node.
    CpusOf {
        /// The node.
        node: u32,
    },
    /// Cells whose target is the node.
    MemoryOf {
        /// The node.
        node: u32,
    },
    /// Cells whose initiator and target are the node.
    LocalMemoryOf {
        /// The node.
        node: u32,
    },
    /// Cells between two nodes, in both directions.
    Between {
        /// The nodes, the lower number first.
        nodes: [u32; 2],
    },
}

/// Smallest changes that a comparison could have detected, as shares: of all cells together, and of one typical cell.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Smallest {
    /// Smallest change of all cells together.
    pub whole: f64,
    /// Smallest change of one cell.
    pub cell: f64,
}

/// A ratio with its 95 % interval, which includes drift between runs. The interval of a mean includes errors that cells have in common.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ratio {
    /// The ratio.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// Verdict on a cell or a shift, with a risk of 5 % of any wrong verdict on an unchanged machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tendency {
    /// Better than the base.
    Better,
    /// No certain difference.
    Same,
    /// Worse than the base.
    Worse,
}

impl Ratio {
    /// The ratio of a result to itself.
    pub const ONE: Self = Self { value: 1.0, low: 1.0, high: 1.0 };

    /// Whether the ratio is at least `least`: certainly, certainly not (also if it is not finite), or unknown.
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

/// Score of a cell of a result against the base.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellScore {
    /// Ratio to the base.
    pub ratio: Ratio,
    /// Whether that is certain.
    pub tendency: Tendency,
    /// Whether a value may be wrong. If so, it is excluded from all verdicts.
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
    /// Experiment of the cell.
    pub experiment: ExperimentName,
    /// Coordinates of the cell.
    pub at: Coordinates,
    /// Measure of the cell.
    pub measure: Measure,
    /// Value of the base, in the unit of the measure.
    pub base: f64,
    /// One value for each other result, in the order given.
    pub others: Vec<ComparedNumber>,
}

/// A value compared with the base.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedNumber {
    /// Name of the result.
    pub name: String,
    /// The value, in the unit of the measure.
    pub value: f64,
    /// Ratio to the base.
    pub ratio: Ratio,
    /// Whether the value is certainly better or worse, given the number of cells compared.
    pub tendency: Tendency,
    /// False discovery rate at which this difference would just be significant.
    #[serde(default)]
    pub p: f64,
    /// Whether a warning says that this value or the base's may be wrong. If so, it is excluded from all verdicts.
    #[serde(default, skip_serializing_if = "is_false")]
    pub doubtful: bool,
}

impl ComparedNumber {
    /// Score of the value.
    pub fn score(&self) -> CellScore {
        CellScore { ratio: self.ratio, tendency: self.tendency, doubtful: self.doubtful }
    }
}

/// Cells of an experiment that some results have and others lack.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Unmatched {
    /// The experiment.
    pub experiment: ExperimentName,
    /// Name of the result that has the cells.
    pub only_in: String,
    /// Names of the results that lack the cells.
    pub missing_in: Vec<String>,
    /// Names of the results in `missing_in` that do have the cells, but with a value or an interval that allows no ratio: a bandwidth of zero, for
    /// example.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unusable_in: Vec<String>,
    /// Number of cells.
    pub cells: usize,
    /// Coordinates of some of the cells.
    pub examples: Vec<Coordinates>,
    /// The reason, if known.
    pub reason: String,
}

/// A difference between two results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Contrast {
    /// Subject of the difference: `machine`, `effort`, `seed`, …
    pub what: String,
    /// Value in the base.
    pub base: String,
    /// Name of the other result.
    pub name: String,
    /// Value in the other result.
    pub other: String,
    /// Whether the difference can explain the cells that changed; absent if none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explains: Option<Explanation>,
}

/// Whether a difference between machines or runs can explain the values that changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Explanation {
    /// Size and direction fit the changes.
    Fits,
    /// The difference can change such values, by an unknown amount.
    Possible,
    /// The direction fits, but the changes are larger than the difference accounts for.
    TooSmall,
    /// The difference cannot change such values, or only in the other direction.
    No,
}
