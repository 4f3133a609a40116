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
    /// [`PLACEMENT_VERSION`] of the program that wrote the file.
    pub schema_version: u32,
    /// Name of the machine.
    pub machine: String,
    /// Origin of the values.
    pub origin: Origin,
    /// Name of the result that the values come from, if one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The program.
    pub program: Program,
    /// Number of placements that were computed; placements that differ only in the names of equivalent nodes count once.
    pub searched: usize,
    /// Whether all such placements were computed, or only those found by a stepwise search.
    pub exhaustive: bool,
    /// Relevant placements, the best first.
    pub alternatives: Vec<Alternative>,
    /// Ratio of the best placement to the default of Linux.
    pub over_default: Margin,
    /// Ratio of the best placement to the worst one.
    pub over_worst: Margin,
    /// Reasons, one sentence each.
    pub reasons: Vec<Reason>,
    /// Limitations of the values, one sentence each.
    pub unknown: Vec<String>,
    /// Commands and settings for the best placement.
    pub lines: Vec<Line>,
}

/// A relevant placement, and the performance of the program under it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Alternative {
    /// Names of the placement's roles: `best`, `default`, `worst`, …
    pub names: Vec<String>,
    /// The placement.
    pub placement: Candidate,
    /// The placement in words.
    pub words: String,
    /// Performance of the program: bandwidth in GB/s, or latency of a load in ns.
    pub figure: Figure,
    /// Ratio to the default placement.
    pub over_default: f64,
    /// Share of accesses to another node than the thread's, 0 to 1.
    pub remote_share: f64,
    /// Busiest part of the machine, if it is the bottleneck.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
}

/// Ratio of the performance of two placements.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Margin {
    /// The ratio, with its interval.
    pub times: Figure,
    /// Whether the interval excludes 1.
    pub is_certain: bool,
}

/// Reason why a placement is the best.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Reason {
    /// The sentence.
    pub text: String,
    /// Source of the rule, if the reason is a published rule.
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
