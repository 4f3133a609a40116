//! What comes out of holding results against one another.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_result::{Coordinates, ExperimentName, Measure, Origin};

/// Version of the form of [`ComparisonFile`]. Raised when a reader of the old form would go wrong.
pub const COMPARISON_VERSION: u32 = 1;

/// Results beside the first of them: how often as good each is, cell by cell and in the mean.
///
/// Every ratio is that of what is good: bandwidth over the base's, the base's latency over its own. More than 1 is better.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparisonFile {
    /// [`COMPARISON_VERSION`] of the writer.
    pub schema_version: u32,
    /// Name of the result that all others are held against.
    pub base: String,
    /// Where the numbers of each result come from, in the order in which they were given.
    #[serde(default)]
    pub origins: Vec<NamedOrigin>,
    /// All results, the base among them, the best mean first.
    pub ranking: Vec<Ranked>,
    /// Cells that all results have, in the order of the base.
    pub cells: Vec<ComparedCell>,
    /// What is not in all of them.
    pub unmatched: Vec<Unmatched>,
    /// What else is different, and may be why numbers are.
    pub differences: Vec<Contrast>,
}

/// Where the numbers of a result come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NamedOrigin {
    /// The result's name.
    pub name: String,
    /// Its origin.
    pub origin: Origin,
    /// Its machine.
    pub machine: String,
}

/// A result in the order of their means.
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

/// What a result is worth in one experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExperimentScore {
    /// Which experiment.
    pub experiment: ExperimentName,
    /// Over its cells.
    pub score: Score,
}

/// Ratios of cells, summed up.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Score {
    /// Geometric mean of the ratios, and how far it may be off.
    pub mean: Ratio,
    /// Cells.
    pub cells: usize,
    /// Of these, those that are better for certain, and those that are worse.
    pub better: usize,
    /// See `better`.
    pub worse: usize,
}

/// How often as good, with its interval: from the one's lower end over the other's upper end to the one's upper end over
/// the other's lower end. A mean's interval is the mean of these: no errors are taken to cancel.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ratio {
    /// The ratio.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// What a ratio's interval says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tendency {
    /// All of it is above 1.
    Better,
    /// 1 is in it.
    Same,
    /// All of it is below 1.
    Worse,
}

impl Ratio {
    /// Of a result to itself.
    pub const ONE: Self = Self { value: 1.0, low: 1.0, high: 1.0 };

    /// What its interval says.
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
    /// Of which experiment.
    pub experiment: ExperimentName,
    /// Where it stands.
    pub at: Coordinates,
    /// What it is.
    pub measure: Measure,
    /// The base's number, in the measure's unit.
    pub base: f64,
    /// One for each other result, in the order in which they were given.
    pub others: Vec<ComparedNumber>,
}

/// A number beside the base's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedNumber {
    /// Name of the result.
    pub name: String,
    /// The number, in the measure's unit.
    pub value: f64,
    /// How often as good as the base's.
    pub ratio: Ratio,
    /// What the ratio's interval says.
    pub tendency: Tendency,
}

/// Cells of an experiment that some result has and another has not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Unmatched {
    /// Which experiment.
    pub experiment: ExperimentName,
    /// Name of the result that has them.
    pub only_in: String,
    /// Names of those that have not.
    pub missing_in: Vec<String>,
    /// How many.
    pub cells: usize,
    /// Where some of them stand.
    pub examples: Vec<Coordinates>,
    /// Why, as far as it can be told.
    pub reason: String,
}

/// Something that is not the same in two results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Contrast {
    /// What: `machine`, `effort`, `seed`, …
    pub what: String,
    /// What it is in the base.
    pub base: String,
    /// Name of the other result.
    pub name: String,
    /// What it is there.
    pub other: String,
}
