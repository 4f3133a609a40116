//! The contents of a study: the runs that a document's figures are about, and their claims in terms of results.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_document::{FigureId, FittedTo};
use zerohop_machine::{NodeId, Settings};

use crate::{Amount, Difference, FigureGrade, Place};

/// Published figures of a machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    /// Name of the study, as typed after `zerohop reproduce`.
    pub name: String,
    /// Summary of the study, in one sentence.
    pub title: String,
    /// The machine: the name of a built-in one, or the path to a machine file.
    pub machine: String,
    /// Properties of the machine that were assumed because the document does not state them.
    pub assumed: Vec<String>,
    /// The published document.
    pub document: Publication,
    /// Settings of the machine in each variant; the first has none.
    pub variants: Vec<Settings>,
    pub runs: Vec<Run>,
    /// Figures and sections of the document, in its order.
    pub passages: Vec<Passage>,
}

/// A published document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Publication {
    /// Title of the document.
    pub title: String,
    /// Publisher of the document.
    pub publisher: String,
    /// Number or address of the document.
    pub number: String,
    /// Date of the document, as far as it is known.
    pub date: String,
}

/// A run of an experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Name of the run in the study.
    pub name: String,
    /// Command as typed after `zerohop run`, without `--on` and `--set`.
    pub command: String,
    /// Rank of the run's machine in [`Study::variants`].
    pub variant: usize,
}

/// A figure or a section of the document.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// Name of the passage in the study, by which machine files refer to it: `fig-7`.
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
    /// Claims of the passage. Not empty.
    pub claims: Vec<Claim>,
}

/// A claim of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    pub what: String,
    /// The claim in terms of results.
    pub assertion: Assertion,
}

/// A claim in terms of results.
#[derive(Debug, Clone, PartialEq)]
pub enum Assertion {
    Value {
        /// Place of the value in the results.
        place: Place,
        published: Amount,
        /// The tolerance of a prediction; always present unless the passage is fitted.
        tolerance: Option<Difference>,
    },
    /// A value as a share of another, in percent.
    Ratio {
        of: Place,
        to: Place,
        published: Amount,
        /// The tolerance, as of a value.
        tolerance: Option<Difference>,
    },
    /// A theoretical peak, which needs no run.
    Peak {
        /// The part that has the peak.
        of: Peak,
        /// Rank in [`Study::variants`] of its machine.
        variant: usize,
        published: Amount,
        /// The tolerance, as of a value.
        tolerance: Option<Difference>,
    },
    /// Every place of a rank is below every place of the next. At least two ranks, none empty.
    Order { ascending: Vec<Vec<Place>> },
    /// All places have the same value. At least two.
    Equal {
        places: Vec<Place>,
        /// Maximum excess of the largest over the smallest value.
        tolerance: Difference,
    },
    /// The gap between one place and another shrinks from run to run.
    Shrinking {
        /// For each gap and each run, the place above and the place below. At least one gap and two runs.
        gaps: Vec<Vec<[Place; 2]>>,
    },
}

/// A part that has a theoretical peak.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Peak {
    /// One direction of a link, or both.
    Link {
        name: String,
        /// 1 or 2.
        directions: u8,
    },
    /// The memory channels of a node.
    Memory(NodeId),
}

impl Assertion {
    /// Whether it is about a single value, rather than about an order, an equality or a trend.
    pub const fn is_value(&self) -> bool {
        match self {
            Self::Value { .. } | Self::Ratio { .. } | Self::Peak { .. } => true,
            Self::Order { .. } | Self::Equal { .. } | Self::Shrinking { .. } => false,
        }
    }

    /// Ranks of the runs that it concerns, in the order in which it names them, each once.
    pub fn runs(&self) -> Vec<usize> {
        let places: Vec<&Place> = match self {
            Self::Value { place, .. } => vec![place],
            Self::Ratio { of, to, .. } => vec![of, to],
            Self::Peak { .. } => Vec::new(),
            Self::Order { ascending } => ascending.iter().flatten().collect(),
            Self::Equal { places, .. } => places.iter().collect(),
            Self::Shrinking { gaps } => gaps.iter().flatten().flatten().collect(),
        };
        let mut runs = Vec::new();
        for place in places {
            if !runs.contains(&place.run) {
                runs.push(place.run);
            }
        }
        runs
    }
}

impl Study {
    /// The command of the run of that rank, as typed after `zerohop run`, without `--on`.
    pub fn typed(&self, run: usize) -> String {
        let run = &self.runs[run];
        let settings = self.variants[run.variant].iter();
        let set = settings.map(|setting| match setting.value.contains(char::is_whitespace) {
            true => format!(" --set '{setting}'"),
            false => format!(" --set {setting}"),
        });
        std::iter::once(run.command.clone()).chain(set).collect()
    }

    /// Figures that this study lacks although a parameter was fitted to them.
    pub fn unknown_figures<'f>(&'f self, fitted_to: &'f FittedTo) -> impl Iterator<Item = &'f FigureId> {
        let of_this = fitted_to.figures.iter().filter(|figure| figure.study == self.name);
        of_this.filter(|figure| self.passages.iter().all(|passage| passage.id != figure.figure))
    }

    /// The runs, in the order in which [`reproduce`](crate::reproduce) takes the results.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }
}
