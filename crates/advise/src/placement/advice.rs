//! Advice on the placement of a program.

use schemars::JsonSchema;
use serde::Serialize;
use zerohop_workload::Origin;

use super::candidate::Candidate;
use super::figure::Figure;
use super::lines::Line;
use super::program::Program;

/// Version of the form of advice on placement. It is raised when a reader of the old form would misread the new one.
pub const PLACEMENT_VERSION: u32 = 1;

/// Advice on the placement of a program.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PlacementAdvice {
    /// [`PLACEMENT_VERSION`] of the writer.
    pub schema_version: u32,
    /// The machine's name.
    pub machine: String,
    /// Where the figures come from.
    pub origin: Origin,
    /// The result that they come from, if one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The program.
    pub program: Program,
    /// The number of placements that were computed; of those that differ only in the names of like nodes, one.
    pub searched: usize,
    /// Whether these are all of their kinds, or those that a search by steps came across.
    pub exhaustive: bool,
    /// The placements that matter, the best first.
    pub alternatives: Vec<Alternative>,
    /// How many times as good the best one is as what Linux does without advice.
    pub over_default: Margin,
    /// How many times as good the best one is as the worst.
    pub over_worst: Margin,
    /// Why, a sentence each.
    pub reasons: Vec<Reason>,
    /// What the figures cannot show, a sentence each.
    pub unknown: Vec<String>,
    /// What to type for the best one.
    pub lines: Vec<Line>,
}

/// A placement that matters, and what the program achieves there.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Alternative {
    /// Why it is here: `best`, `default`, `worst`, …
    pub names: Vec<String>,
    /// The placement.
    pub placement: Candidate,
    /// The same in words.
    pub words: String,
    /// What the program achieves: GB/s, or ns of a load.
    pub figure: Figure,
    /// How many times as good it is as the default.
    pub over_default: f64,
    /// The share of accesses that go to another node than the thread's.
    pub remote_share: f64,
    /// The busiest part of the machine, if it limits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
}

/// How many times as good one placement is as another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Margin {
    /// The ratio, with its interval.
    pub times: Figure,
    /// Whether the interval excludes 1.
    pub is_certain: bool,
}

/// Why a placement is the best.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Reason {
    /// The sentence.
    pub text: String,
    /// The rule's source, if it is somebody's rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

impl PlacementAdvice {
    pub fn best(&self) -> &Alternative {
        // There is always one.
        &self.alternatives[0]
    }

    /// The placement of that name, if it is among those that matter.
    pub fn named(&self, name: &str) -> Option<&Alternative> {
        self.alternatives.iter().find(|one| one.names.iter().any(|own| own == name))
    }
}
