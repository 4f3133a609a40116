//! The result of comparing a model with published figures.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_document::FittedTo;
use zerohop_units::counted;

use crate::{Amount, Difference, FigureGrade, Interval, Publication};

/// Version of the format of [`ReproductionFile`]. Raised when a reader of the old format would misread it.
pub const REPRODUCTION_VERSION: u32 = 3;

/// Model predictions for one or more studies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReproductionFile {
    /// [`REPRODUCTION_VERSION`] of the program that wrote the file.
    pub schema_version: u32,
    /// The reproductions, in the order in which the studies were requested.
    pub reproductions: Vec<Reproduction>,
}

impl ReproductionFile {
    /// A file with these reproductions.
    pub const fn new(reproductions: Vec<Reproduction>) -> Self {
        Self { schema_version: REPRODUCTION_VERSION, reproductions }
    }

    /// The worst verdict on any claim that counts, of any seed: [`Verdict::Ok`] where all hold.
    pub fn verdict(&self) -> Verdict {
        let verdicts = || self.reproductions.iter().map(Reproduction::verdict);
        [Verdict::Off, Verdict::CannotTell]
            .into_iter()
            .find(|worst| verdicts().any(|verdict| verdict == *worst))
            .unwrap_or(Verdict::Ok)
    }
}

/// A study, with a model's prediction for each of its claims.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reproduction {
    /// Name of the study.
    pub study: String,
    /// Summary of the study, in one sentence.
    pub title: String,
    /// Properties of the machine that were assumed because the document does not state them: `wired links`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<String>,
    /// The published document.
    pub document: Publication,
    /// Name of the machine that was simulated.
    pub machine: String,
    /// Summary of the machine, in one sentence.
    pub machine_title: String,
    /// Figures and sections of the document, in its order.
    pub passages: Vec<OutcomeOfPassage>,
    /// Parameters of the machine file that were fitted to published measurements.
    pub fitted_parameters: Vec<FittedParameter>,
    /// Counts of claims by grade.
    pub totals: Totals,
    /// Number of seeds that everything was simulated with, if more than one. Values are those of the first seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeds: Option<u32>,
}

/// A figure or a section of the document, with the findings on its claims.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutcomeOfPassage {
    /// Name of the passage in the study.
    pub id: String,
    /// Label in the document: `Fig. 7`, `A.2.1`.
    pub label: String,
    /// Pages of the document; empty if it has none.
    pub pages: String,
    /// Subject of the passage.
    pub about: String,
    /// Significance of agreement with the passage.
    pub grade: FigureGrade,
    /// Reason for the grade.
    pub reason: String,
    /// The claims, with their findings.
    pub rows: Vec<Row>,
}

/// A claim with its finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// Description of the claim.
    pub what: String,
    /// Commands of the runs that the claim concerns, as typed after `zerohop run`.
    pub runs: Vec<String>,
    /// The published and the modeled values.
    pub finding: Finding,
    /// Whether the published and the modeled values agree.
    pub verdict: Verdict,
    /// Number of seeds with each verdict, if there were several seeds and the claim counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_seeds: Option<VerdictsOverSeeds>,
}

/// Number of seeds with each verdict on a claim.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VerdictsOverSeeds {
    /// The claim holds.
    pub ok: u32,
    /// The claim does not hold.
    pub off: u32,
    /// The intervals do not allow a verdict.
    pub cannot_tell: u32,
}

/// Whether the published and the modeled values agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// They agree within the tolerance.
    Ok,
    /// They do not agree within the tolerance.
    Off,
    /// The limit of the tolerance is within the interval of the model's value.
    CannotTell,
    /// The model was fitted to the claim, so it does not count.
    Fitted,
}

/// The published and the modeled values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Finding {
    /// A value.
    Value {
        /// Published value.
        published: Amount,
        /// Value of the model.
        model: Amount,
        /// Interval of the model's value, if it has noise.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        interval: Option<Interval>,
        /// Deviation of the model's value from the published one; positive if the model's is higher.
        error: Difference,
        /// The tolerance; absent if the value was fitted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tolerance: Option<Difference>,
    },
    /// An order: all values of each rank are below all values of the next.
    Order {
        /// Ranks in ascending order, as published.
        ranks: Vec<Vec<Standing>>,
    },
    /// Amounts that are equal.
    Equal {
        /// The amounts.
        standings: Vec<Standing>,
        /// Excess of the largest over the smallest amount.
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

/// Value of the model at one place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Standing {
    /// Name of the place in the study.
    pub place: String,
    /// Value of the model.
    pub model: Amount,
    /// Interval of the value, if it has noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
}

/// Difference between two places in each run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Gap {
    /// The higher place.
    pub above: String,
    /// The lower place.
    pub below: String,
    /// Gap in each run, in the order of the runs; negative if the order is reversed.
    pub model: Vec<Amount>,
    /// Interval of each gap; empty if the gaps have no noise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intervals: Vec<Interval>,
}

/// A fitted parameter of a machine file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FittedParameter {
    /// Path of the parameter in the machine file.
    pub path: String,
    /// Value of the parameter, as written in the machine file.
    pub value: String,
    /// Figures that the parameter was fitted to.
    pub fitted_to: FittedTo,
}

/// Counts of claims by grade.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Totals {
    /// Values that the model predicts.
    pub predicted: GradeTotals,
    /// Orders, equalities and trends that the model could have contradicted.
    pub ordering: GradeTotals,
    /// Claims that follow from the spec sheet or from the structure of the model.
    pub identity: GradeTotals,
    /// Claims that the model was fitted to. They do not count.
    pub fitted: u32,
    /// Number of fitted parameters.
    pub fitted_parameters: u32,
}

/// Claims of one grade.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GradeTotals {
    /// Number of claims.
    pub claims: u32,
    /// Number of claims that do not hold.
    pub off: u32,
    /// Number of claims that the intervals do not decide.
    #[serde(default)]
    pub cannot_tell: u32,
}

impl GradeTotals {
    pub const fn hold(self) -> u32 {
        self.claims - self.off - self.cannot_tell
    }
}

impl Totals {
    /// The worst verdict on all claims but those to which the model was fitted.
    pub fn verdict(self) -> Verdict {
        let grades = [self.predicted, self.ordering, self.identity];
        if grades.iter().any(|grade| grade.off > 0) {
            Verdict::Off
        } else if grades.iter().any(|grade| grade.cannot_tell > 0) {
            Verdict::CannotTell
        } else {
            Verdict::Ok
        }
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
            let of = |verdict| passage.rows.iter().filter(|row| row.verdict == verdict).count() as u32;
            grade.off += of(Verdict::Off);
            grade.cannot_tell += of(Verdict::CannotTell);
        }
        totals
    }
}

impl Reproduction {
    /// The worst verdict on any claim that counts, of any seed.
    pub fn verdict(&self) -> Verdict {
        let over_seeds =
            || self.passages.iter().flat_map(|passage| &passage.rows).filter_map(|row| row.over_seeds);
        if over_seeds().any(|verdicts| verdicts.off > 0) {
            Verdict::Off
        } else if self.totals.verdict() == Verdict::Ok
            && over_seeds().any(|verdicts| verdicts.cannot_tell > 0)
        {
            Verdict::CannotTell
        } else {
            self.totals.verdict()
        }
    }

    /// The first of these, with how often each verdict came out in all of them: they are of one study, with different seeds.
    pub fn over_seeds(each: Vec<Self>) -> Option<Self> {
        let count = each.len() as u32;
        let mut each = each.into_iter();
        let mut first = each.next()?;
        let counted = |row: &Row| VerdictsOverSeeds::default().with(row.verdict);
        for row in first.passages.iter_mut().flat_map(|passage| &mut passage.rows) {
            row.over_seeds = counted(row);
        }
        for other in each {
            let rows = first.passages.iter_mut().flat_map(|passage| &mut passage.rows);
            for (row, other) in rows.zip(other.passages.iter().flat_map(|passage| &passage.rows)) {
                row.over_seeds = row.over_seeds.and_then(|verdicts| verdicts.with(other.verdict));
            }
        }
        first.seeds = Some(count);
        Some(first)
    }

    /// Claims that hold with every seed, and all claims that count.
    pub fn with_every_seed(&self) -> (u32, u32) {
        let over_seeds =
            self.passages.iter().flat_map(|passage| &passage.rows).filter_map(|row| row.over_seeds);
        over_seeds.fold((0, 0), |(hold, all), verdicts| {
            (hold + u32::from(verdicts.off + verdicts.cannot_tell == 0), all + 1)
        })
    }
}

impl VerdictsOverSeeds {
    /// With one more verdict; `None` if the claim does not count.
    const fn with(mut self, verdict: Verdict) -> Option<Self> {
        match verdict {
            Verdict::Ok => self.ok += 1,
            Verdict::Off => self.off += 1,
            Verdict::CannotTell => self.cannot_tell += 1,
            Verdict::Fitted => return None,
        }
        Some(self)
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
}

/// Whether every place of one rank is below every place of the next.
pub fn is_below(lower: &[Standing], upper: &[Standing]) -> bool {
    lower.iter().all(|low| upper.iter().all(|high| low.model < high.model))
}

impl Verdict {
    /// Name of the verdict in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Off => "off",
            Self::CannotTell => "cannot tell",
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
            let open = match of.cannot_tell {
                0 => String::new(),
                open => format!(" ({open} undecided)"),
            };
            format!("{} of {} {}{open}", of.hold(), of.claims, if of.claims == 1 { one } else { several })
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
