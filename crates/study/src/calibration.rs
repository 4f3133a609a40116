//! Fit of a machine model's parameters to measurements of the machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_result::{Coordinates, ExperimentName, Measure, Origin};

/// Version of the form of [`CalibrationFile`]. Raised when a reader of the old form would misread it.
pub const CALIBRATION_VERSION: u32 = 1;

/// A fit of a machine's parameters to a result, with checks of the fitted model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CalibrationFile {
    /// [`CALIBRATION_VERSION`] of the program that wrote the file.
    pub schema_version: u32,
    /// Name of the machine before the fit.
    pub machine: String,
    /// Origin of the values.
    pub origin: Origin,
    /// Signs that the result is not from this machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<String>,
    /// Fitted parameters, in the order of fitting.
    pub fitted: Vec<Fitted>,
    /// Values that do not fit the others of their kind: they have less weight in the fit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outliers: Vec<Outlier>,
    /// Parameters that were not fitted, with the reasons.
    pub unfitted: Vec<Unfitted>,
    /// Agreement of the fitted model with the values.
    pub checks: Vec<Check>,
    /// Each measured value, with the model's values.
    pub values: Vec<CalibratedValue>,
}

/// Parameters that were fitted by one factor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fitted {
    /// The step of the calibration, which determines the values fitted to.
    pub stage: Stage,
    /// Paths of the parameters in the machine file.
    pub paths: Vec<String>,
    /// Values of the parameters before the fit.
    pub before: Vec<String>,
    /// Values of the parameters after the fit.
    pub after: Vec<String>,
    /// Factor from the old to the new values.
    pub factor: f64,
    /// Relative error of the factor, as a share: from the intervals of the values, their disagreement, and the errors of other factors from the same
    /// causes.
    pub error: f64,
    /// Whether the factor is at a bound of the range tried: then the machine differs in something else.
    pub at_bound: bool,
}

/// Parameters that were not fitted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Unfitted {
    /// The step of the calibration whose values would determine the parameters.
    pub stage: Stage,
    /// Paths of the parameters in the machine file; empty if the file has no such parameter.
    pub paths: Vec<String>,
    /// The reason.
    pub why: Why,
}

/// Reason why parameters were not fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The result has no such values.
    NoValues,
    /// The values do not depend on the parameters: something else limits them.
    NoEffect,
    /// The intervals of the values and the errors of other factors allow almost any factor.
    WeakEffect,
    /// Values that other parameters are fitted to depend on these as well: the two effects cannot be separated.
    Confounded,
    /// The machine file has no such parameter.
    NoParameter,
}

/// Use of a value in the fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Parameters were fitted to it.
    Used,
    /// It is of the same kind as the values used, and was held out of the fit that is checked. The model in the file is fitted to it too.
    HeldOut,
    /// It is of another kind.
    Other,
}

/// Agreement of the values of one kind with the model fitted to half of the values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// The experiment.
    pub experiment: ExperimentName,
    /// Use of the experiment's values in the fit.
    pub role: Role,
    /// Number of values.
    pub values: usize,
    /// Median error, as a share of the value, without sign.
    pub median: f64,
    /// Largest error, as a share of the value, without sign.
    pub worst: f64,
}

/// A measured value with the model's values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CalibratedValue {
    /// Experiment of the value.
    pub experiment: ExperimentName,
    /// Coordinates of the value.
    pub at: Coordinates,
    /// Measure of the value.
    pub measure: Measure,
    /// Measured value, in the unit of the measure.
    pub measured: f64,
    /// Value of the model before the fit, if it could run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<f64>,
    /// Value of the model fitted to half of the values.
    pub half: f64,
    /// Value of the fitted model.
    pub model: f64,
    /// Use of the value in the fit.
    pub role: Role,
}

impl CalibratedValue {
    /// Relative error of the model, as a share of the measured value.
    pub fn error(&self) -> f64 {
        self.model / self.measured - 1.0
    }
}

/// A value that does not fit the others of its kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outlier {
    /// Experiment of the value.
    pub experiment: ExperimentName,
    /// Coordinates of the value.
    pub at: Coordinates,
    /// Measure of the value.
    pub measure: Measure,
    /// Measured value, in the unit of the measure.
    pub measured: f64,
    /// Value of the fitted model.
    pub model: f64,
}

impl Outlier {
    /// Relative error of the measured value, as a share of the model's.
    pub fn excess(&self) -> f64 {
        self.measured / self.model - 1.0
    }
}

/// A step of a calibration. Later steps hardly affect the values that earlier steps were fitted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Idle latency of each node's own memory.
    LocalLatency,
    /// Idle latency of other nodes' memory.
    RemoteLatency,
    /// Read bandwidth of each node's own memory.
    LocalBandwidth,
    /// Read bandwidth of other nodes' memory.
    RemoteBandwidth,
    /// Bandwidths of mixed reads and writes.
    Mixes,
    /// Loaded latency.
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
