//! What advice is for: a goal, and the kind of programs that run.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Goal of settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    /// Bandwidth: bytes per second.
    Bandwidth,
    /// Latency: time per access.
    Latency,
    /// Low power, without losing more performance than necessary.
    Power,
}

/// Data placement of a workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WorkloadKind {
    /// Each thread keeps its data on its own node.
    NumaAware,
    /// Data is anywhere: all on the node of the thread that started, or spread over the machine.
    NumaUnaware,
    /// Programs of both kinds.
    Mixed,
}

/// A word that is no goal or no kind of workload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid value `{word}` (expected one of {})", known.join(", "))]
pub struct UnknownWord {
    word: String,
    known: Vec<&'static str>,
}

impl Goal {
    pub const ALL: [Self; 3] = [Self::Bandwidth, Self::Latency, Self::Power];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Bandwidth => "bandwidth",
            Self::Latency => "latency",
            Self::Power => "power",
        }
    }

    /// In words, for help.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Bandwidth => "more bytes per second",
            Self::Latency => "less time per access",
            Self::Power => "less power, at the same speed if possible",
        }
    }
}

impl WorkloadKind {
    pub const ALL: [Self; 3] = [Self::NumaAware, Self::NumaUnaware, Self::Mixed];

    pub const fn name(self) -> &'static str {
        match self {
            Self::NumaAware => "numa-aware",
            Self::NumaUnaware => "numa-unaware",
            Self::Mixed => "mixed",
        }
    }

    /// In words, for help.
    pub const fn words(self) -> &'static str {
        match self {
            Self::NumaAware => "each thread keeps its data on its own node",
            Self::NumaUnaware => "data is on one node, or on arbitrary nodes",
            Self::Mixed => "programs of both kinds",
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for WorkloadKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Goal {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        let found = Self::ALL.into_iter().find(|goal| goal.name() == word);
        found.ok_or_else(|| UnknownWord { word: word.to_owned(), known: Self::ALL.map(Self::name).to_vec() })
    }
}

impl FromStr for WorkloadKind {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == word);
        found.ok_or_else(|| UnknownWord { word: word.to_owned(), known: Self::ALL.map(Self::name).to_vec() })
    }
}
