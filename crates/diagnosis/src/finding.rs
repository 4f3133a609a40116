//! Output of a diagnosis: plain data that any program can read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_result::{Coordinates, ExperimentName, Grade, Measure, Origin};

/// Version of the form of a diagnosis.
pub const DIAGNOSIS_VERSION: u32 = 1;

/// Diagnoses of one or more results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DiagnosisFile {
    /// [`DIAGNOSIS_VERSION`] of the program that wrote the file.
    pub schema_version: u32,
    /// One diagnosis for each result, in the order of the results.
    pub diagnoses: Vec<Diagnosis>,
    /// Machines of an archive whose latest result could not be diagnosed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_judged: Vec<NotJudged>,
}

/// A machine whose latest result could not be diagnosed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotJudged {
    /// Name of the machine.
    pub machine: String,
    /// The reason.
    pub reason: String,
}

/// Diagnosis of one result by all rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Diagnosis {
    /// File name of the result.
    pub result: String,
    /// Name of the machine.
    pub machine: String,
    /// Origin of the result.
    pub origin: Origin,
    /// Findings, worst first.
    pub findings: Vec<Finding>,
    /// Rules that ran and found nothing.
    pub passed: Vec<String>,
    /// Rules that could not be decided, with the reasons.
    pub untold: Vec<Untold>,
    /// Verdict on the quality of the measurement; absent if the result was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Reason why the measurement is not good enough to judge the machine; absent if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfit: Option<String>,
    /// Values that are worse than expected without a rule to explain them, if there are no findings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unexplained: Option<String>,
}

/// Verdict on the quality of a measurement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// Grade of the measurement.
    pub grade: Grade,
    /// Resolution of the measurement, its suitable uses, and the reason, in words.
    pub reason: String,
    /// Advice for a better measurement, if there is any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Informational; nothing is wrong.
    Note,
    /// It may cost performance, or hide something that does.
    Warning,
    /// It costs performance.
    Fault,
}

impl Severity {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Fault => "fault",
        }
    }
}

/// Confidence in a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// Another explanation is likely enough to check.
    Low,
    /// The finding is likely.
    Medium,
    /// Almost nothing else explains the evidence.
    High,
}

impl Confidence {
    pub const fn words(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// A finding of a rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Name of the rule.
    pub rule: String,
    /// Severity of the finding.
    pub severity: Severity,
    /// Summary in one sentence.
    pub title: String,
    /// Evidence, the most significant first.
    pub evidence: Vec<Evidence>,
    /// Cost of the finding, if it can be quantified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Size>,
    /// Confidence in the finding.
    pub confidence: Confidence,
    /// Reason for the confidence.
    pub why: String,
    /// Possible causes, the most likely first.
    pub causes: Vec<NamedCause>,
    /// Remedies, one sentence each.
    pub remedies: Vec<String>,
    /// Next step that would confirm the cause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Source of the rule.
    pub source: String,
    /// Rules whose findings are explained by this one and therefore omitted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub explains: Vec<String>,
}

/// A value or a fact that supports a finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// Text of the evidence.
    pub words: String,
    /// Experiment of the cell, if the evidence is a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experiment: Option<ExperimentName>,
    /// Coordinates of the cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Coordinates>,
    /// Measure of the cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measure: Option<Measure>,
    /// Value of the cell, in the unit of the measure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
}

/// Size of a performance loss.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Size {
    /// The measure.
    pub measure: Measure,
    /// Measured value, in the unit of the measure.
    pub found: f64,
    /// Value expected without the problem, in the unit of the measure.
    pub expected: f64,
    /// Relative loss, as a share of the expected value; above zero.
    pub loss: f64,
}

/// A possible cause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NamedCause {
    /// Description of the cause.
    pub words: String,
    /// Likelihood among the causes of this finding, 0 to 1.
    pub likelihood: f64,
    /// Fit between the finding and the cause, 0 to 1, if the rule states the bandwidth that the cause leaves; the rest of the likelihood is the
    /// frequency of the cause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fit: Option<f64>,
    /// Observation that distinguishes this cause from the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tells: Option<String>,
}

/// A rule that could not be decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Untold {
    /// Name of the rule.
    pub rule: String,
    /// Missing data.
    pub missing: String,
    /// Aspect that was not tested, and the test for it, if readers of a report should know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_tested: Option<String>,
}

impl Size {
    /// Size of the loss from `expected` to `found`.
    pub fn new(measure: Measure, found: f64, expected: f64) -> Self {
        Self { measure, found, expected, loss: (found / expected - 1.0).abs() }
    }
}

/// A cause this many times as likely as the next one is not called the right one.
const DECIDED: f64 = 1.5;

/// Nor is one that happens more often, if what was found fits another one as well, and that is not this many times less likely.
const REMOTE: f64 = 5.0;

/// The most likely cause and another one, if the finding does not decide between them.
pub(crate) fn undecided(causes: &[NamedCause]) -> Option<[&NamedCause; 2]> {
    let (first, others) = causes.split_first()?;
    let fits_as_well = |other: &NamedCause| match (first.fit, other.fit) {
        (Some(first), Some(other)) => first < DECIDED * other,
        _ => false,
    };
    let is_open = |other: &&NamedCause| {
        let times = if fits_as_well(other) { REMOTE } else { DECIDED };
        first.likelihood < times * other.likelihood
    };
    others.iter().find(is_open).map(|other| [first, other])
}

impl Finding {
    /// The most likely cause and another one, if the finding does not decide between them.
    pub fn undecided(&self) -> Option<[&NamedCause; 2]> {
        undecided(&self.causes)
    }
}

impl Diagnosis {
    /// The findings that say that something is wrong: faults and warnings.
    pub fn alarms(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.severity > Severity::Note)
    }

    /// Aspects that were not tested, and the tests for them.
    pub fn not_tested(&self) -> impl Iterator<Item = &str> {
        self.untold.iter().filter_map(|untold| untold.not_tested.as_deref())
    }

    /// Number of rules that could be decided.
    pub const fn told(&self) -> usize {
        self.passed.len() + self.findings.len()
    }

    /// Whether a machine without findings may still have a fault: the measurement is not good enough, most values are unexplainedly worse than
    /// expected, or no rule could be decided.
    pub const fn cannot_tell(&self) -> bool {
        self.unfit.is_some() || self.unexplained.is_some() || self.told() == 0
    }

    /// Whether any finding is a fault.
    pub fn has_fault(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Fault)
    }
}
