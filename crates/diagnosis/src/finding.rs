//! What a diagnosis says: plain data, which any program can read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_result::{Coordinates, ExperimentName, Grade, Measure, Origin};

/// Version of the form of a diagnosis.
pub const DIAGNOSIS_VERSION: u32 = 1;

/// The diagnoses of some results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DiagnosisFile {
    /// [`DIAGNOSIS_VERSION`] of the writer.
    pub schema_version: u32,
    /// One for each result, in their order.
    pub diagnoses: Vec<Diagnosis>,
    /// Machines of an archive whose latest result could not be judged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_judged: Vec<NotJudged>,
}

/// A machine whose latest result could not be judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotJudged {
    /// The machine's name.
    pub machine: String,
    /// Why not.
    pub reason: String,
}

/// What the rules say about one result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Diagnosis {
    /// The result: its file.
    pub result: String,
    /// The machine's name.
    pub machine: String,
    /// Where the result comes from.
    pub origin: Origin,
    /// What was found, the worst first.
    pub findings: Vec<Finding>,
    /// The rules that do not apply: what they look for is not there.
    pub passed: Vec<String>,
    /// The rules that cannot tell, and why.
    pub untold: Vec<Untold>,
    /// What its values decide, if they were measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Why the measurement is not good enough to judge the machine, if it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfit: Option<String>,
    /// What is worse than it should be although no rule says why, if nothing was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unexplained: Option<String>,
}

/// The verdict on the measurement of a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// What it is good for.
    pub grade: Grade,
    /// What it resolves, what to use it for, and why, in words.
    pub reason: String,
    /// What to do about it, if there is anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

/// How bad something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Note,
    /// It may cost performance, or hide what does.
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

/// How sure a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// Another explanation is likely enough to look for.
    Low,
    /// Likely.
    Medium,
    /// Hardly anything else explains it.
    High,
}

impl Confidence {
    pub const fn words(self) -> &'static str {
        match self {
            Self::Low => "not sure",
            Self::Medium => "fairly sure",
            Self::High => "sure",
        }
    }
}

/// Something that a rule found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The rule.
    pub rule: String,
    /// How bad it is.
    pub severity: Severity,
    /// What it is, in one sentence.
    pub title: String,
    /// What shows it, the most telling first.
    pub evidence: Vec<Evidence>,
    /// How much it costs, if that can be said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Size>,
    /// How sure it is.
    pub confidence: Confidence,
    /// Why it is that sure.
    pub why: String,
    /// Its causes, the most likely first.
    pub causes: Vec<NamedCause>,
    /// What to do about it, one sentence each.
    pub remedies: Vec<String>,
    /// What would settle it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Where the rule comes from.
    pub source: String,
    /// Rules whose findings this one explains, and which are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub explains: Vec<String>,
}

/// A figure or a fact that shows something.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// In words.
    pub words: String,
    /// The experiment of its cell, if it is a figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experiment: Option<ExperimentName>,
    /// The coordinates of the cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Coordinates>,
    /// What the cell measures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measure: Option<Measure>,
    /// Its value, in the measure's unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
}

/// How much something costs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Size {
    /// What is measured.
    pub measure: Measure,
    /// What it is, in the measure's unit.
    pub found: f64,
    /// What it would be without.
    pub expected: f64,
    /// How much worse it is, as a share of what it would be: above zero.
    pub loss: f64,
}

/// A possible cause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NamedCause {
    /// In words.
    pub words: String,
    /// How likely it is among the causes of this finding, 0 to 1.
    pub likelihood: f64,
    /// How well what was found fits it, 0 to 1, if the rule says what it leaves of a bandwidth: the rest of its likelihood is how often it
    /// happens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fit: Option<f64>,
    /// What tells it from the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tells: Option<String>,
}

/// A rule that cannot tell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Untold {
    /// The rule.
    pub rule: String,
    /// What is missing.
    pub missing: String,
    /// What was not tested, and what tests it, if whoever reads a page should know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_tested: Option<String>,
}

impl Size {
    /// What was found instead of what was expected.
    pub fn new(measure: Measure, found: f64, expected: f64) -> Self {
        Self { measure, found, expected, loss: (found / expected - 1.0).abs() }
    }
}

/// A cause this many times as likely as the next one is not called the right one.
const DECIDED: f64 = 1.5;

/// Nor is one that happens more often, if what was found fits another one as well, and that is not this many times less likely.
const REMOTE: f64 = 5.0;

/// The likeliest cause and another one, if what was found does not decide between them.
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
    /// The likeliest cause and another one, if what was found does not decide between them.
    pub fn undecided(&self) -> Option<[&NamedCause; 2]> {
        undecided(&self.causes)
    }
}

impl Diagnosis {
    /// The findings that say that something is wrong: faults and warnings.
    pub fn alarms(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.severity > Severity::Note)
    }

    /// What was not tested, and what tests it.
    pub fn not_tested(&self) -> impl Iterator<Item = &str> {
        self.untold.iter().filter_map(|untold| untold.not_tested.as_deref())
    }

    /// The number of rules that could tell.
    pub const fn told(&self) -> usize {
        self.passed.len() + self.findings.len()
    }

    /// Whether a machine without a fault may have one: the measurement is not good enough, most values are worse than they should be and
    /// nothing says why, or no rule can tell anything of it.
    pub const fn cannot_tell(&self) -> bool {
        self.unfit.is_some() || self.unexplained.is_some() || self.told() == 0
    }

    /// Whether any finding is a fault.
    pub fn has_fault(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Fault)
    }
}
