//! How parameters of a machine's model were fitted to what was measured on the machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_result::{Coordinates, ExperimentName, Measure, Origin};

/// Version of the form of [`CalibrationFile`]. Raised when a reader of the old form would misread it.
pub const CALIBRATION_VERSION: u32 = 1;

/// How parameters of a machine were fitted to a result, and what the model may be trusted for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CalibrationFile {
    /// [`CALIBRATION_VERSION`] of the writer.
    pub schema_version: u32,
    /// The machine that was fitted, before.
    pub machine: String,
    /// Where the values come from.
    pub origin: Origin,
    /// What shows that the result does not come from this machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<String>,
    /// What was fitted, in this order.
    pub fitted: Vec<Fitted>,
    /// Values that do not fit the others of their kind: factors follow them less than those.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outliers: Vec<Outlier>,
    /// What was not, and why.
    pub unfitted: Vec<Unfitted>,
    /// How well the fitted model agrees with the values.
    pub checks: Vec<Check>,
    /// Every value beside the model's.
    pub values: Vec<CalibratedValue>,
}

/// Parameters that were fitted by one factor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fitted {
    /// The values that they were fitted to.
    pub stage: Stage,
    /// Their paths in the machine file.
    pub paths: Vec<String>,
    /// Their values before.
    pub before: Vec<String>,
    /// Their values now.
    pub after: Vec<String>,
    /// The factor between them.
    pub factor: f64,
    /// How far it may be off, as a share: what the intervals of the values that it was fitted to allow, and how far these disagree with one
    /// another, and what the other factors are off by for the same reasons.
    pub error: f64,
    /// Whether the factor is at the end of what was tried: then something else is different about the machine.
    pub at_bound: bool,
}

/// Parameters that were not fitted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Unfitted {
    /// The values that would show them.
    pub stage: Stage,
    /// Their paths in the machine file; none if the file has no such parameter.
    pub paths: Vec<String>,
    /// Why.
    pub why: Why,
}

/// Why parameters were not fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The result has no such values.
    NoValues,
    /// The values do not depend on them: something else limits.
    NoEffect,
    /// Within the intervals of the values, and with what other factors may be off by, the factor may be almost anything.
    WeakEffect,
    /// Values that others are fitted to depend on them as well: the two cannot be told apart.
    Confounded,
    /// The machine file has no such parameter.
    NoParameter,
}

/// How a value was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Parameters were fitted to it.
    Used,
    /// It is of the same kind as those, and was held out of the fit that the checks are about. The model in the file is fitted to it too.
    HeldOut,
    /// It is of another kind.
    Other,
}

/// How well the model that was fitted to half of the values agrees with values of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// The experiment.
    pub experiment: ExperimentName,
    /// How its values were used.
    pub role: Role,
    /// The number of values.
    pub values: usize,
    /// The median of their errors, as shares of the values, without sign.
    pub median: f64,
    /// The largest of them.
    pub worst: f64,
}

/// A value beside the model's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CalibratedValue {
    /// Its experiment.
    pub experiment: ExperimentName,
    /// Its coordinates.
    pub at: Coordinates,
    /// Its measure.
    pub measure: Measure,
    /// As it was measured, in the measure's unit.
    pub measured: f64,
    /// As the model was before, if it could run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<f64>,
    /// As the model that was fitted to half of the values is.
    pub half: f64,
    /// As the fitted model is.
    pub model: f64,
    /// How it was used.
    pub role: Role,
}

impl CalibratedValue {
    /// How far the model is off, as a share of the measured value.
    pub fn error(&self) -> f64 {
        self.model / self.measured - 1.0
    }
}

/// A value that does not fit the others of its kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outlier {
    /// Its experiment.
    pub experiment: ExperimentName,
    /// Its coordinates.
    pub at: Coordinates,
    /// Its measure.
    pub measure: Measure,
    /// As it was measured, in the measure's unit.
    pub measured: f64,
    /// As the fitted model is.
    pub model: f64,
}

impl Outlier {
    /// How far the measured value is off, as a share of the model's.
    pub fn excess(&self) -> f64 {
        self.measured / self.model - 1.0
    }
}

/// A step of a calibration. Later steps hardly change what earlier ones were fitted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The idle latency of each node's own memory.
    LocalLatency,
    /// The idle latency of other nodes' memory.
    RemoteLatency,
    /// The read bandwidth of each node's own memory.
    LocalBandwidth,
    /// The read bandwidth of other nodes' memory.
    RemoteBandwidth,
    /// Bandwidths of reads and writes together.
    Mixes,
    /// Latency under load.
    LoadedLatency,
}

impl Stage {
    /// All, in their order.
    pub const ALL: [Self; 6] = [
        Self::LocalLatency,
        Self::RemoteLatency,
        Self::LocalBandwidth,
        Self::RemoteBandwidth,
        Self::Mixes,
        Self::LoadedLatency,
    ];

    /// The experiment whose values it needs.
    pub const fn experiment(self) -> ExperimentName {
        ExperimentName::known(match self {
            Self::LocalLatency | Self::RemoteLatency => "latency-matrix",
            Self::LocalBandwidth | Self::RemoteBandwidth => "bandwidth-matrix",
            Self::Mixes => "mixes",
            Self::LoadedLatency => "loaded-latency",
        })
    }

    pub const fn words(self) -> &'static str {
        match self {
            Self::LocalLatency => "local idle latency",
            Self::RemoteLatency => "remote idle latency",
            Self::LocalBandwidth => "local read bandwidth",
            Self::RemoteBandwidth => "remote read bandwidth",
            Self::Mixes => "reads and writes together",
            Self::LoadedLatency => "latency under load",
        }
    }
}
