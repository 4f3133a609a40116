//! A change of a setting, and what it is worth.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::effect::Effect;
use super::goal::Goal;
use super::remedy::Remedy;

/// How a change stands by the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Better, beyond its error.
    Gain,
    /// Neither.
    Same,
    /// Worse, beyond its error.
    Loss,
    /// The model gives no values.
    Unknown,
    /// The machine does not allow it.
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
    /// The setting's id.
    pub kind: String,
    /// Its name.
    pub title: String,
    /// Its value now, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Its value then.
    pub to: String,
    /// What that value means.
    pub meaning: String,
    /// How it stands by the model.
    pub standing: Standing,
    /// What it is worth: the geometric mean over the probes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
    /// What it does to each probe, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub probes: BTreeMap<String, Effect>,
    /// What the setting does to memory.
    pub why: String,
    /// What to know before it is changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caution: Option<String>,
    /// Whether it saves power.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub saves_power: bool,
    /// Documents that recommend it for this goal and these programs: why, and which.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recommended_by: Vec<Recommendation>,
    /// Documents that recommend the present value instead: then the change is not advised, whatever the model gives it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub advised_against_by: Vec<Recommendation>,
    /// Why the machine refuses it, or what the model had to leave out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// How it is read and set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remedies: Vec<Remedy>,
}

/// A document that recommends a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Recommendation {
    /// Why.
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
