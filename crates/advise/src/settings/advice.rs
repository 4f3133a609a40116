//! Advice on settings, as a document.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_machine::Setting;
use zerohop_workload::Measure;

use super::bios::{BiosDifference, BiosState};
use super::change::{Change, Standing};
use super::effect::Effect;
use super::goal::{Goal, WorkloadKind};
use super::probe::Reading;
use super::remedy::Remedy;

/// Version of the format of [`SettingsAdvice`]. Raised when a reader of the old format would misread it.
pub const ADVICE_VERSION: u32 = 1;

/// What to set on a machine, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettingsAdvice {
    /// [`ADVICE_VERSION`] of the writer.
    pub schema_version: u32,
    /// What should become better.
    pub goal: Goal,
    /// The programs that run.
    pub workload: WorkloadKind,
    /// The machine; absent if only dumps were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// How the machine is set now, where its file says so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<Setting>,
    /// The vendor whose spelling is used, by the name of its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vendor: Option<String>,
    /// What the model of the machine reaches now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub now: Vec<ProbeReading>,
    /// Changes that the model expresses, the best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// The best changes together, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<Together>,
    /// What documents recommend of settings that the model does not express.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub documented: Vec<DocumentedAdvice>,
    /// Settings of Linux on this machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub system: Vec<SystemSetting>,
    /// What firmware is set to, for each dump.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bios: Vec<BiosState>,
    /// What differs between two dumps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<BiosDifference>,
    /// What to know about all of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What a probe gives on the machine as it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProbeReading {
    /// The probe.
    pub probe: String,
    /// What it stands for.
    pub words: String,
    /// What is typed after `zerohop run`.
    pub command: String,
    /// Its measure, with the unit.
    pub measure: Measure,
    /// Its value; absent if the model gives none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<Reading>,
}

/// Several changes at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Together {
    /// The settings that are changed, by id, and their new values.
    pub changes: Vec<(String, String)>,
    /// What they are worth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
}

/// What a document recommends of a setting that the model does not express.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentedAdvice {
    /// The setting's id.
    pub kind: String,
    /// Its name.
    pub title: String,
    /// The recommended value.
    pub value: String,
    /// What that value means.
    pub meaning: String,
    /// Why.
    pub why: String,
    /// The document.
    pub source: String,
    /// What to know before it is changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caution: Option<String>,
    /// How it is read and set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remedies: Vec<Remedy>,
}

/// A setting of Linux on the machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SystemSetting {
    /// The setting's id.
    pub kind: String,
    /// Its name.
    pub title: String,
    /// As the kernel shows it.
    pub now: String,
    /// The recommended value; absent if the documents recommend none for this goal, or it is set already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommended: Option<String>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Where that is documented.
    pub source: String,
    /// What to know before it is changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caution: Option<String>,
    /// Commands that set it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// Whether they take effect only at the next boot.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reboot: bool,
}

impl SettingsAdvice {
    /// Advice that says nothing yet.
    pub fn new(goal: Goal, workload: WorkloadKind) -> Self {
        Self {
            schema_version: ADVICE_VERSION,
            goal,
            workload,
            machine: None,
            set: Vec::new(),
            vendor: None,
            now: Vec::new(),
            changes: Vec::new(),
            together: None,
            documented: Vec::new(),
            system: Vec::new(),
            bios: Vec::new(),
            differences: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Changes that stand so, in their order.
    pub fn standing(&self, standing: Standing) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(move |change| change.standing == standing)
    }
}
