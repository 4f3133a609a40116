//! Many machines that should be alike: which are bad, by how much, and what they have in common.
//!
//! ```text
//! results ── Observation ──> Roster ── groups ──> columns (a value of each machine) ── judged ──> deficits, modes ── relations ──> FleetFile
//! ```
//!
//! Everything takes time with the number of values: a machine is held against the model of its group, never against each of the others.

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

/// What was found in a fleet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FleetFile {
    /// [`FLEET_VERSION`] of the writer.
    pub schema_version: u32,
    /// Groups of machines that should be alike, the largest first.
    pub groups: Vec<FleetGroup>,
    /// Nodes that were asked for a result, and gave none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unanswered: Vec<Unanswered>,
    /// What was left out or is in doubt.
    pub notes: Vec<FleetNote>,
}

impl FleetFile {
    /// Whether a node is bad.
    pub fn has_bad(&self) -> bool {
        self.groups.iter().any(|group| !group.bad.is_empty())
    }

    /// Whether something is not known of some nodes: they gave no result, have nothing to be held against, or are spread in two so that
    /// nothing is usual.
    pub fn leaves_open(&self) -> bool {
        let is_open = |group: &FleetGroup| {
            group.not_judged.is_some() || !group.not_compared.is_empty() || !group.modes.is_empty()
        };
        self.groups.iter().any(is_open)
            || !self.unanswered.is_empty()
            || self.notes.iter().any(|note| note.leaves_open)
    }
}

/// A node that was asked for a result, and gave none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unanswered {
    /// Its name.
    pub node: String,
    /// Why.
    pub why: String,
}

/// Something that was left out, or is in doubt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FleetNote {
    /// What it is: `2 copies of another result: left out`.
    pub words: String,
    /// The files or nodes that it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub about: Vec<String>,
    /// Whether it leaves open how nodes are.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub leaves_open: bool,
}

/// Machines that should be alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FleetGroup {
    /// What they have in common, as facts and their values.
    pub kind: Vec<Fact>,
    /// How many they are.
    pub nodes: usize,
    /// The facts in which some differ from the rest although machines of a kind should agree, with the nodes.
    pub odd: Vec<Odd>,
    /// What most of them have of each part that may break.
    #[serde(default)]
    pub parts: Parts,
    /// What is usual: one value for each family of values.
    pub usual: Vec<Usual>,
    /// The bad ones, those that lose most first.
    pub bad: Vec<BadNode>,
    /// Values that are spread in two.
    pub modes: Vec<TwoModes>,
    /// What the bad ones have and the others have not, what explains most first.
    pub relations: Vec<Relation>,
    /// Why none of them is judged, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_judged: Option<String>,
    /// Those that lack values that most others have, unless they are bad by what they show.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_compared: Vec<NotCompared>,
    /// The machines of the group.
    #[serde(default)]
    pub members: Vec<FleetMember>,
    /// The families of values in which machines lose most, with the value of each machine.
    #[serde(default)]
    pub distributions: Vec<Distribution>,
}

/// A machine that lacks values that most others of its group have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NotCompared {
    /// Its name.
    pub node: String,
    /// What it has no usable value of: families, and single values that nothing that works has. Empty if it has nothing that others have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lacks: Vec<Scope>,
}

/// A machine of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FleetMember {
    /// Its name.
    pub node: String,
    /// Where it stands: its fact `rack`, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rack: Option<String>,
    /// Its report, as an address relative to this file, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
}

/// A value of each machine of a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Distribution {
    /// Of which values.
    pub scope: Scope,
    /// The values in the unit of the measure, in the order of the group's members; `null` for a machine without one.
    pub values: Vec<Option<f64>>,
}

/// Some machines of a group differ in what a kind of machine has in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Odd {
    /// What they have.
    pub fact: Fact,
    /// What most of the group has.
    pub usual: String,
    /// Which they are.
    pub nodes: Vec<String>,
}

/// What is usual in a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Usual {
    /// Of which values.
    pub scope: Scope,
    /// Their median over the group, in the unit of the measure.
    pub value: f64,
    /// How far nodes that are not bad differ, as a standard deviation, as a share.
    pub spread: f64,
    /// The smallest loss of such values as a whole that is told from this spread, as a share: no node is named for less.
    pub told: f64,
    /// How many nodes have such values.
    pub nodes: usize,
}

/// A bad node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BadNode {
    /// Its name.
    pub node: String,
    /// What a program loses that uses all of the worst kind of its memory accesses, as a share: `0.25` is a quarter slower.
    pub loss: f64,
    /// The parts of which it has less than is usual: it is bad by these even if it loses nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<Shortfall>,
    /// Where it loses, the most first.
    pub deficits: Vec<Deficit>,
    /// Since when, as far as its earlier results tell; absent where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Since>,
}

/// Where a node is worse than its group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Deficit {
    /// Which values.
    pub scope: Scope,
    /// The node's, in the unit of the measure.
    pub found: f64,
    /// What is usual.
    pub usual: f64,
    /// What a program loses, as a share.
    pub loss: f64,
    /// The probability that a good node shows as much by chance.
    pub chance: f64,
}

/// Values that are spread in two.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TwoModes {
    /// Which values.
    pub scope: Scope,
    /// What the better nodes show, in the unit of the measure.
    pub better: f64,
    /// What the worse ones show.
    pub worse: f64,
    /// The worse ones.
    pub nodes: Vec<String>,
    /// What these have and the others have not, what explains most first.
    pub relations: Vec<Relation>,
}

/// Something that bad nodes have and others have not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Relation {
    /// What it is.
    pub fact: Fact,
    /// Whether it is that they have something else.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without: bool,
    /// How many of the bad nodes are so, and how many these are.
    pub bad: (usize, usize),
    /// How many of the other nodes are so, and how many these are.
    pub others: (usize, usize),
    /// The probability that it is so by chance, by Fisher's exact test, of this fact alone.
    pub chance: f64,
    /// The share of the bad nodes that are so, less that of the others: 1 if it explains everything.
    pub effect: f64,
    /// Other facts of the very same nodes, between which nothing decides.
    pub same: Vec<Fact>,
}

#[cfg(test)]
mod tests;
