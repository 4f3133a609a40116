//! A change of a setting, and what it is worth.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::effect::Effect;
use super::goal::Goal;
use super::remedy::Remedy;

/// Verdict of the model on a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// The change is better by more than its error.
    Gain,
    /// The change is neither better nor worse.
    Same,
    /// The change is worse by more than its error.
    Loss,
    /// The model gives no values.
    Unknown,
    /// The machine does not allow the change.
    Refused,
}

impl Standing {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gain => "gain",
            Self::Same => "same",
            Self::Loss => "loss",
            Self::Unknown => "unknown",
            Self::Refused => "refused",
        }
    }
}

/// A change of a setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// Id of the setting.
    pub kind: String,
    /// Name of the setting.
    pub title: String,
    /// Present value, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// New value.
    pub to: String,
    /// Meaning of the new value.
    pub meaning: String,
    /// Verdict of the model.
    pub standing: Standing,
    /// Overall effect of the change: the geometric mean over the probes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
    /// Effect on each probe, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub probes: BTreeMap<String, Effect>,
    /// Effect of the setting on memory.
    pub why: String,
    /// Caution before the setting is changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caution: Option<String>,
    /// Whether the change saves power.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub saves_power: bool,
    /// Documents that recommend the change for this goal and workload, with their reasons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recommended_by: Vec<Recommendation>,
    /// Documents that recommend the present value instead: then the change is not advised, regardless of its effect in the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub advised_against_by: Vec<Recommendation>,
    /// Reason why the machine refuses the change, or omissions of the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Instructions to read and change the setting.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remedies: Vec<Remedy>,
}

/// A document that recommends a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Recommendation {
    /// Reason for the recommendation.
    pub why: String,
    /// The document.
    pub source: String,
}

impl Change {
    /// Whether it is worth making: a gain that no document contradicts; for power, also what costs nothing.
    pub fn is_advised(&self, goal: Goal) -> bool {
        let is_worth = match goal {
            Goal::Power => matches!(self.standing, Standing::Gain | Standing::Same),
            Goal::Bandwidth | Goal::Latency => self.standing == Standing::Gain,
        };
        is_worth && self.advised_against_by.is_empty()
    }
}
