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

/// Advice on the settings of a machine, with reasons.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettingsAdvice {
    /// [`ADVICE_VERSION`] of the program that wrote the file.
    pub schema_version: u32,
    /// Goal of the settings.
    pub goal: Goal,
    /// Workload of the machine.
    pub workload: WorkloadKind,
    /// Name of the machine; absent if only dumps were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// Present settings of the machine, if its file states them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<Setting>,
    /// Vendor whose spelling is used, by the name of its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vendor: Option<String>,
    /// Performance of the machine's model with the present settings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub now: Vec<ProbeReading>,
    /// Changes that the model can express, the best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// The best changes combined, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<Together>,
    /// Recommendations of documents for settings that the model cannot express.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub documented: Vec<DocumentedAdvice>,
    /// Linux settings of the machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub system: Vec<SystemSetting>,
    /// Firmware settings, for each dump.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bios: Vec<BiosState>,
    /// Differences between two dumps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<BiosDifference>,
    /// Notes on the advice as a whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Value of a probe with the present settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProbeReading {
    /// Name of the probe.
    pub probe: String,
    /// Description of the probe.
    pub words: String,
    /// Command, as typed after `zerohop run`.
    pub command: String,
    /// Measure of the value, with the unit.
    pub measure: Measure,
    /// Value of the probe; absent if the model gives none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<Reading>,
}

/// Several changes combined.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Together {
    /// Ids of the changed settings, with their new values.
    pub changes: Vec<(String, String)>,
    /// Effect of the changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
}

/// Recommendation of a document for a setting that the model cannot express.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentedAdvice {
    /// Id of the setting.
    pub kind: String,
    /// Name of the setting.
    pub title: String,
    /// The recommended value.
    pub value: String,
    /// Meaning of the value.
    pub meaning: String,
    /// Reason for the recommendation.
    pub why: String,
    /// The document that recommends the value.
    pub source: String,
    /// Caution before the setting is changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caution: Option<String>,
    /// Instructions to read and change the setting.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remedies: Vec<Remedy>,
}

/// A Linux setting of the machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SystemSetting {
    /// Id of the setting.
    pub kind: String,
    /// Name of the setting.
    pub title: String,
    /// Present value, as the kernel shows it.
    pub now: String,
    /// Recommended value; absent if the documents recommend none for this goal, or it is set already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommended: Option<String>,
    /// Reason for the recommendation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Documentation of the setting.
    pub source: String,
    /// Caution before the setting is changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caution: Option<String>,
    /// Commands that change the setting.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// Whether the commands take effect only at the next boot.
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
