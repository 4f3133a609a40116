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
    /// All results, the base among them, the best mean first.
    pub ranking: Vec<Ranked>,
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
    /// Number of cells.
    pub cells: usize,
    /// Number of these that are certainly better; `worse` counts those that are certainly worse.
    pub better: usize,
    /// See `better`.
    pub worse: usize,
}

/// How many times as good, with its interval: from the one's lower end over the other's upper end to the one's upper
/// end over the other's lower end. A mean's interval is the mean of these: errors are not assumed to cancel.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ratio {
    /// The ratio.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The verdict of a ratio's interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tendency {
    /// The whole interval is above 1.
    Better,
    /// The interval contains 1.
    Same,
    /// The whole interval is below 1.
    Worse,
}

impl Ratio {
    /// The ratio of a result to itself.
    pub const ONE: Self = Self { value: 1.0, low: 1.0, high: 1.0 };

    /// The verdict of its interval.
    pub fn tendency(self) -> Tendency {
        if self.low > 1.0 {
            Tendency::Better
        } else if self.high < 1.0 {
            Tendency::Worse
        } else {
            Tendency::Same
        }
    }
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
    /// The verdict of the ratio's interval.
    pub tendency: Tendency,
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
}
