//! The result of comparing a model with published figures.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_machine::Parameter;

use crate::{Amount, Difference, Document};

/// Version of the format of [`ReproductionFile`]. Raised when a reader of the old format would misread it.
pub const REPRODUCTION_VERSION: u32 = 1;

/// Model predictions for one or more studies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReproductionFile {
    /// [`REPRODUCTION_VERSION`] of the writer.
    pub schema_version: u32,
    /// The reproductions, in the order in which the studies were requested.
    pub reproductions: Vec<Reproduction>,
}

impl ReproductionFile {
    /// A file with these reproductions.
    pub const fn new(reproductions: Vec<Reproduction>) -> Self {
        Self { schema_version: REPRODUCTION_VERSION, reproductions }
    }

    /// Whether every prediction of every study holds.
    pub fn all_reproduced(&self) -> bool {
        self.reproductions.iter().all(|reproduction| reproduction.totals.all_reproduced())
    }
}

/// A study, with a model's prediction for each of its claims.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reproduction {
    /// Name of the study.
    pub study: String,
    /// One sentence on it.
    pub title: String,
    /// Where it was published.
    pub document: Document,
    /// Name of the machine that was simulated.
    pub machine: String,
    /// One sentence on it.
    pub machine_title: String,
    /// The document's figures and sections, in its order.
    pub passages: Vec<OutcomeOfPassage>,
    /// Parameters of the machine file that were fitted to published measurements.
    pub fitted_parameters: Vec<FittedParameter>,
    /// Counts of claims by verdict.
    pub totals: Totals,
}

/// A figure or a section, with the findings on its claims.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutcomeOfPassage {
    /// `Fig. 7`, `A.2.1`.
    pub label: String,
    /// Pages of the document; empty where it has none.
    pub pages: String,
    /// What it is about.
    pub about: String,
    /// Whether the model was fitted to it.
    pub basis: Basis,
    /// One for each claim.
    pub rows: Vec<Row>,
}

/// One claim, with its finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// What is claimed, in words.
    pub what: String,
    /// The commands of the runs that it concerns, as typed after `zerohop run`.
    pub runs: Vec<String>,
    /// The published and the modeled values.
    pub finding: Finding,
    /// Whether they agree.
    pub verdict: Verdict,
}

/// Whether a model was fitted to a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The model's parameters were, or may have been, fitted to it: agreement is no evidence.
    Fitted,
    /// The model was not fitted to it.
    Predicted,
}

/// Whether the published and the modeled values agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Predicted, and within its tolerance.
    Ok,
    /// Predicted, and not within its tolerance.
    Off,
    /// Fitted: does not count.
    Fitted,
}

/// The published and the modeled values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Finding {
    /// A value.
    Value {
        /// In the document.
        published: Amount,
        /// From the model.
        model: Amount,
        /// How far the model is above the document.
        error: Difference,
        /// The tolerance; absent if it was fitted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tolerance: Option<Difference>,
    },
    /// An order: all of each rank is below all of the next.
    Order {
        /// Ascending as published.
        ranks: Vec<Vec<Standing>>,
    },
    /// Amounts that are the same.
    Equal {
        /// The amounts.
        standings: Vec<Standing>,
        /// How far the largest is above the smallest.
        spread: Difference,
        /// The tolerance.
        tolerance: Difference,
    },
    /// Gaps that shrink from run to run.
    Shrinking {
        /// Each gap.
        gaps: Vec<Gap>,
    },
}

/// The model's value at one place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Standing {
    /// Its name in the study.
    pub place: String,
    /// The model's value.
    pub model: Amount,
}

/// How far one place is above another, run by run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Gap {
    /// The higher place.
    pub above: String,
    /// The lower place.
    pub below: String,
    /// The gap in each run, in their order; negative if the order is reversed.
    pub model: Vec<Amount>,
}

/// A parameter of a machine file that was fitted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FittedParameter {
    /// Its path in the machine file.
    pub path: String,
    /// As it is written there.
    pub value: String,
    /// What it was fitted to.
    pub fitted_to: String,
}

/// Counts of claims by verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Totals {
    /// Claims to which the model was not fitted.
    pub predicted: u32,
    /// Of these, those that are not within their tolerance.
    pub off: u32,
    /// Claims to which the model was fitted.
    pub fitted: u32,
    /// Parameters that were fitted.
    pub fitted_parameters: u32,
}

impl Totals {
    /// Whether every prediction holds.
    pub const fn all_reproduced(self) -> bool {
        self.off == 0
    }

    /// Predictions that are within their tolerance.
    pub const fn reproduced(self) -> u32 {
        self.predicted - self.off
    }

    /// Counts rows and parameters.
    pub(crate) fn count(passages: &[OutcomeOfPassage], parameters: &[FittedParameter]) -> Self {
        let mut totals = Self { fitted_parameters: parameters.len() as u32, ..Self::default() };
        for row in passages.iter().flat_map(|passage| &passage.rows) {
            match row.verdict {
                Verdict::Ok => totals.predicted += 1,
                Verdict::Off => {
                    totals.predicted += 1;
                    totals.off += 1;
                }
                Verdict::Fitted => totals.fitted += 1,
            }
        }
        totals
    }
}

impl Finding {
    /// The name of its kind in results.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Value { .. } => "value",
            Self::Order { .. } => "order",
            Self::Equal { .. } => "equal",
            Self::Shrinking { .. } => "shrinking",
        }
    }

    /// Whether the published and the modeled values agree. A value without a tolerance always agrees.
    pub(crate) fn agrees(&self) -> bool {
        match self {
            Self::Value { error, tolerance, .. } => {
                tolerance.is_none_or(|tolerance| error.is_within(tolerance))
            }
            Self::Order { ranks } => ranks.windows(2).all(|pair| is_below(&pair[0], &pair[1])),
            Self::Equal { spread, tolerance, .. } => spread.is_within(*tolerance),
            Self::Shrinking { gaps } => gaps.iter().all(Gap::shrinks),
        }
    }
}

/// Whether every place of one rank is below every place of the next.
pub fn is_below(lower: &[Standing], upper: &[Standing]) -> bool {
    lower.iter().all(|low| upper.iter().all(|high| low.model < high.model))
}

impl Gap {
    /// Whether it is smaller in each run than in the one before.
    pub fn shrinks(&self) -> bool {
        self.model.windows(2).all(|pair| pair[1] < pair[0])
    }
}

impl From<&Parameter> for FittedParameter {
    fn from(parameter: &Parameter) -> Self {
        Self {
            path: parameter.path.clone(),
            value: parameter.value.clone(),
            fitted_to: parameter.fitted.clone().unwrap_or_default(),
        }
    }
}

impl Basis {
    /// Its name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fitted => "fitted",
            Self::Predicted => "predicted",
        }
    }
}

impl Verdict {
    /// Its name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Off => "off",
            Self::Fitted => "fitted",
        }
    }
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
