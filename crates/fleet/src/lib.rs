//! Fleets: many machines that should be alike. The analysis finds the bad ones, their losses, and the facts that they have in common.
//!
//! ```text
//! results ── Observation ──> Roster ── groups ──> columns (a value of each machine) ── judged ──> deficits, modes ── relations ──> FleetFile
//! ```
//!
//! Run time grows with the number of values: a machine is compared with the model of its group, never with each of the others.

#![forbid(unsafe_code)]

mod analysis;
mod baseline;
mod check;
mod columns;
mod doubtful;
mod groups;
mod modes;
mod observation;
mod onset;
mod parts;
mod picture_data;
mod relations;
mod roster;
mod scope;
mod verdicts;

pub use analysis::{Fleet, analyse};
pub use baseline::{BASELINE_VERSION, Baseline, BaselineError, BaselineKind, BaselineValue, UsualPlace};
pub use check::{Checked, CheckedValue, Unchecked};
pub use groups::{GroupBy, UnknownFact};
pub use observation::Observation;
pub use onset::Since;
pub use parts::{Part, Parts, Shortfall};
pub use roster::{Added, Roster};
pub use scope::{Scope, ScopeOf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_compare::Fact;

/// Version of the format of [`FleetFile`]. Raised when a reader of the old format would misread it.
pub const FLEET_VERSION: u32 = 1;

/// Findings about a fleet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FleetFile {
    /// [`FLEET_VERSION`] of the program that wrote the file.
    pub schema_version: u32,
    /// Groups of machines that should be alike, the largest first.
    pub groups: Vec<FleetGroup>,
    /// Nodes that were asked for a result but did not return one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unanswered: Vec<Unanswered>,
    /// Omissions and doubts.
    pub notes: Vec<FleetNote>,
}

impl FleetFile {
    /// Whether a node is bad.
    pub fn has_bad(&self) -> bool {
        self.groups.iter().any(|group| !group.bad.is_empty())
    }

    /// Whether the state of some nodes is unknown: they gave no result, have nothing to be compared with, or fall into two modes without a usual
    /// value.
    pub fn leaves_open(&self) -> bool {
        let is_open = |group: &FleetGroup| {
            group.not_judged.is_some() || !group.not_compared.is_empty() || !group.modes.is_empty()
        };
        self.groups.iter().any(is_open)
            || !self.unanswered.is_empty()
            || self.notes.iter().any(|note| note.leaves_open)
    }
}

/// A node that was asked for a result but did not return one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unanswered {
    /// Name of the node.
    pub node: String,
    /// The reason.
    pub why: String,
}

/// A note on an omission or a doubt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FleetNote {
    /// Text of the note: `2 copies of another result: left out`.
    pub words: String,
    /// Files or nodes that the note applies to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub about: Vec<String>,
    /// Whether the state of nodes remains open because of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub leaves_open: bool,
}

/// Machines that should be alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FleetGroup {
    /// Facts that the machines have in common, with their values.
    pub kind: Vec<Fact>,
    /// Number of machines.
    pub nodes: usize,
    /// Facts that should agree within a kind but differ on some machines, with these nodes.
    pub odd: Vec<Odd>,
    /// Usual amount of each part that can fail: what most of the machines have.
    #[serde(default)]
    pub parts: Parts,
    /// Usual values: one for each family of values.
    pub usual: Vec<Usual>,
    /// Bad nodes, the largest loss first.
    pub bad: Vec<BadNode>,
    /// Values with two modes.
    pub modes: Vec<TwoModes>,
    /// Facts that distinguish the bad nodes from the others, the best explanation first.
    pub relations: Vec<Relation>,
    /// Reason why no machine of the group is judged, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_judged: Option<String>,
    /// Machines that lack values that most others have, unless the values they do have show them to be bad.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_compared: Vec<NotCompared>,
    /// Machines of the group.
    #[serde(default)]
    pub members: Vec<FleetMember>,
    /// Families of values with the largest losses, with the value of each machine.
    #[serde(default)]
    pub distributions: Vec<Distribution>,
}

/// A machine that lacks values that most others of its group have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NotCompared {
    /// Name of the node.
    pub node: String,
    /// Scopes without a usable value: families, and single values outside the range of a working machine. Empty if the machine has none of the
    /// values that others have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lacks: Vec<Scope>,
}

/// A machine of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FleetMember {
    /// Name of the node.
    pub node: String,
    /// Location of the machine: its fact `rack`, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rack: Option<String>,
    /// Address of the machine's report relative to this file, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
}

/// Values of one scope for each machine of a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Distribution {
    /// Scope of the values.
    pub scope: Scope,
    /// Values in the unit of the measure, in the order of the group's members; `null` for a machine without one.
    pub values: Vec<Option<f64>>,
}

/// A fact in which some machines differ from the rest of their group although it defines the kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Odd {
    /// The fact, as it is on these machines.
    pub fact: Fact,
    /// Usual value in the group.
    pub usual: String,
    /// Nodes that differ.
    pub nodes: Vec<String>,
}

/// Usual value in a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Usual {
    /// Scope of the values.
    pub scope: Scope,
    /// Median over the group, in the unit of the measure.
    pub value: f64,
    /// Spread of nodes that are not bad: relative standard deviation, as a share.
    pub spread: f64,
    /// Smallest loss that can be distinguished from this spread, as a share, over all such values of a node; nodes with a smaller loss are not named.
    pub told: f64,
    /// Number of nodes with such values.
    pub nodes: usize,
}

/// A bad node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BadNode {
    /// Name of the node.
    pub node: String,
    /// Loss of a program that uses only the worst kind of the node's memory accesses, as a share: `0.25` is a quarter slower.
    pub loss: f64,
    /// Parts that are fewer or smaller than usual: they make the node bad even without a loss.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<Shortfall>,
    /// Losses, the largest first.
    pub deficits: Vec<Deficit>,
    /// Time since when the node is bad, from its earlier results; absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Since>,
}

/// A scope in which a node is worse than its group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Deficit {
    /// Scope of the values.
    pub scope: Scope,
    /// Value of the node, in the unit of the measure.
    pub found: f64,
    /// Usual value, in the unit of the measure.
    pub usual: f64,
    /// Loss of a program, as a share.
    pub loss: f64,
    /// Probability that a good node shows such a loss by chance.
    pub chance: f64,
}

/// Values with two modes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TwoModes {
    /// Scope of the values.
    pub scope: Scope,
    /// Value of the better nodes, in the unit of the measure.
    pub better: f64,
    /// Value of the worse nodes, in the unit of the measure.
    pub worse: f64,
    /// The worse nodes.
    pub nodes: Vec<String>,
    /// Facts that distinguish the worse nodes from the others, the best explanation first.
    pub relations: Vec<Relation>,
}

/// A fact that distinguishes bad nodes from others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Relation {
    /// The fact.
    pub fact: Fact,
    /// Whether the bad nodes are the ones without the fact: they have another value.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without: bool,
    /// Number of bad nodes that match, and number of all bad nodes.
    pub bad: (usize, usize),
    /// Number of other nodes that match, and number of all other nodes.
    pub others: (usize, usize),
    /// Probability of this distribution by chance, by Fisher's exact test, for this fact alone.
    pub chance: f64,
    /// Share of the bad nodes that match, minus the share of the others: 1 if the fact explains everything.
    pub effect: f64,
    /// Other facts with exactly the same nodes, which cannot be distinguished from this one.
    pub same: Vec<Fact>,
}

#[cfg(test)]
mod tests;
