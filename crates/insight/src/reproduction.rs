//! The result of comparing a model with published figures.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_machine::FittedTo;
use zerohop_units::counted;

use crate::{Amount, Difference, FigureGrade, Publication};

/// Version of the format of [`ReproductionFile`]. Raised when a reader of the old format would misread it.
pub const REPRODUCTION_VERSION: u32 = 2;

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
    pub document: Publication,
    /// Name of the machine that was simulated.
    pub machine: String,
    /// One sentence on it.
    pub machine_title: String,
    /// The document's figures and sections, in its order.
    pub passages: Vec<OutcomeOfPassage>,
    /// Parameters of the machine file that were fitted to published measurements.
    pub fitted_parameters: Vec<FittedParameter>,
    /// Counts of claims by grade.
    pub totals: Totals,
}

/// A figure or a section, with the findings on its claims.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutcomeOfPassage {
    /// Its name in the study.
    pub id: String,
    /// `Fig. 7`, `A.2.1`.
    pub label: String,
    /// Pages of the document; empty where it has none.
    pub pages: String,
    /// What it is about.
    pub about: String,
    /// What agreement with it proves.
    pub grade: FigureGrade,
    /// Why it has this grade.
    pub reason: String,
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

/// Whether the published and the modeled values agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// They agree within the tolerance.
    Ok,
    /// They do not.
    Off,
    /// The model was fitted to it: it does not count.
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
    pub fitted_to: FittedTo,
}

/// Counts of claims by grade.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Totals {
    /// Values that the model predicts.
    pub predicted: GradeTotals,
    /// Orders, equalities and trends that it could have contradicted.
    pub ordering: GradeTotals,
    /// What follows from the spec sheet or from how the model is built.
    pub identity: GradeTotals,
    /// Claims to which the model was fitted. They count for nothing.
    pub fitted: u32,
    /// Parameters that were fitted.
    pub fitted_parameters: u32,
}

/// Claims of one grade.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GradeTotals {
    /// All of them.
    pub claims: u32,
    /// Those that do not hold.
    pub off: u32,
}

impl GradeTotals {
    /// Claims that hold.
    pub const fn hold(self) -> u32 {
        self.claims - self.off
    }
}

impl Totals {
    /// Whether all claims hold but those to which the model was fitted.
    pub const fn all_reproduced(self) -> bool {
        self.predicted.off == 0 && self.ordering.off == 0 && self.identity.off == 0
    }

    /// Counts rows and parameters.
    pub(crate) fn count(passages: &[OutcomeOfPassage], parameters: &[FittedParameter]) -> Self {
        let mut totals = Self { fitted_parameters: parameters.len() as u32, ..Self::default() };
        for passage in passages {
            let grade = match passage.grade {
                FigureGrade::Predicted => &mut totals.predicted,
                FigureGrade::Ordering => &mut totals.ordering,
                FigureGrade::Identity => &mut totals.identity,
                FigureGrade::Fitted => {
                    totals.fitted += passage.rows.len() as u32;
                    continue;
                }
            };
            grade.claims += passage.rows.len() as u32;
            grade.off += passage.rows.iter().filter(|row| row.verdict == Verdict::Off).count() as u32;
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
    pub(crate) fn shrinks(&self) -> bool {
        self.model.windows(2).all(|pair| pair[1] < pair[0])
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

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How many claims of each grade hold, and how much was fitted. Grades without claims are left out.
impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let grades = [
            (self.predicted, "prediction", "predictions"),
            (self.ordering, "ordering", "orderings"),
            (self.identity, "identity", "identities"),
        ];
        let claimed = grades.into_iter().filter(|(of, ..)| of.claims > 0);
        let counts = claimed.map(|(of, one, several)| {
            format!("{} of {} {}", of.hold(), of.claims, if of.claims == 1 { one } else { several })
        });
        let counts: Vec<String> = counts.collect();
        if !counts.is_empty() {
            write!(f, "{} hold; ", counts.join(", "))?;
        }
        let values = counted(self.fitted as usize, "published value");
        let parameters = counted(self.fitted_parameters as usize, "parameter");
        write!(f, "{values} and {parameters} fitted")
    }
}
