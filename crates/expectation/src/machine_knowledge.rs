//! Knowledge of the caller about a machine: a model of it, and models with other values of facts that cannot be seen.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_machine_file::Hardware;
use zerohop_result::ExperimentResult;

/// A model of the machine that a result comes from.
#[derive(Debug, Clone)]
pub struct Known<'a> {
    /// The machine, with facts as they are known or assumed.
    pub hardware: &'a Hardware,
    /// Results of the model for the experiments of the result.
    pub results: &'a [ExperimentResult],
    /// Whether the user stated the machine; otherwise the result shows it.
    pub stated: bool,
    /// Signs that the result is from another machine, in addition to those in the result and the model.
    pub doubts: Vec<String>,
    /// The same machine with other values of facts that determine bandwidth.
    pub alternatives: Vec<Alternative>,
}

/// The model with another value of a fact.
#[derive(Debug, Clone)]
pub struct Alternative {
    pub fact: Fact,
    /// Source of the value in [`Known::hardware`].
    pub known: Stated,
    /// The value in [`Known::hardware`].
    pub nominal: u32,
    pub value: u32,
    /// Largest value on such a machine.
    pub most: u32,
    /// Name of the counted parts (`UPI links`).
    pub noun: String,
    /// Results of the model.
    pub results: Vec<ExperimentResult>,
}

/// A fact that determines a machine's bandwidths and that no operating system shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fact {
    /// Number of links of a socket that are wired to other sockets, and up.
    Links,
    /// Number of memory channels of a socket that hold a DIMM, and work.
    Channels,
}

/// Source of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stated {
    /// The user stated it, or the machine shows it.
    Known,
    /// The fact was not stated: the default of a template was used.
    Assumed,
}

impl Fact {
    pub const ALL: [Self; 2] = [Self::Links, Self::Channels];

    /// Name of the fact in templates and in options of machine files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Links => "links",
            Self::Channels => "channels",
        }
    }
}
