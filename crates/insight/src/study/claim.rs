//! What a study says: which runs a document's figures are about, and what they claim in terms of results.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_machine::{NodeId, Settings};

use crate::{Amount, Difference, Place};

/// What a document published of a machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    /// Its name, as typed after `zerohop reproduce`.
    pub name: String,
    /// One sentence on it.
    pub title: String,
    /// The machine: the name of a built-in one, or the path of a machine file.
    pub machine: String,
    /// Where it was published.
    pub document: Document,
    /// How the machine is set, each way once. First as it is.
    pub variants: Vec<Settings>,
    /// What has to be run.
    pub runs: Vec<Run>,
    /// The document's figures and sections, in its order.
    pub passages: Vec<Passage>,
}

/// A published document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// Its title.
    pub title: String,
    /// Who published it.
    pub publisher: String,
    /// Its number or address.
    pub number: String,
    /// When, as far as it says.
    pub date: String,
}

/// A run of an experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// What the study calls it.
    pub name: String,
    /// What is typed after `zerohop run`, without `--on` and `--set`.
    pub command: String,
    /// Rank in [`Study::variants`] of the machine that it is done on.
    pub variant: usize,
}

/// A figure or a section of the document.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// `Fig. 7`, `A.2.1`.
    pub label: String,
    /// Other places of the document that say the same. A machine that was fitted to one of them was fitted to this.
    pub also: Vec<String>,
    /// Pages of the document; empty where it has none.
    pub pages: String,
    /// What it is about.
    pub about: String,
    /// Whether models may be fitted to it. It then counts for nothing.
    pub fitted: bool,
    /// What it says. Not empty.
    pub claims: Vec<Claim>,
}

/// Something that a document says.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// In words.
    pub what: String,
    /// In terms of results.
    pub assertion: Assertion,
}

/// A claim in terms of results.
#[derive(Debug, Clone, PartialEq)]
pub enum Assertion {
    /// A number.
    Value {
        /// Where it is in the results.
        place: Place,
        /// The number.
        published: Amount,
        /// How far a prediction may be from it; always there unless the passage is fitted.
        tolerance: Option<Difference>,
    },
    /// A number as a share of another, in percent.
    Ratio {
        /// What is divided.
        of: Place,
        /// By what.
        to: Place,
        /// The share.
        published: Amount,
        /// As of a value.
        tolerance: Option<Difference>,
    },
    /// A theoretical peak, which takes no run.
    Peak {
        /// Of what.
        of: Peak,
        /// Rank in [`Study::variants`] of the machine that it is of.
        variant: usize,
        /// The number.
        published: Amount,
        /// As of a value.
        tolerance: Option<Difference>,
    },
    /// Every place of a rank lies below every place of the next. At least two ranks, none empty.
    Order {
        /// The ranks.
        ascending: Vec<Vec<Place>>,
    },
    /// All places have the same number. At least two.
    Equal {
        /// The places.
        places: Vec<Place>,
        /// How far the largest may lie above the smallest.
        tolerance: Difference,
    },
    /// How far a place lies above another shrinks from run to run.
    Shrinking {
        /// For each gap and each run, the place above and the place below. At least one gap and two runs.
        gaps: Vec<Vec<[Place; 2]>>,
    },
}

/// What has a theoretical peak.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Peak {
    /// One direction of a link, or both.
    Link {
        /// Its name.
        name: String,
        /// 1 or 2.
        directions: u8,
    },
    /// The memory channels of a node.
    Memory(NodeId),
}

impl Assertion {
    /// Ranks of the runs that it is about, in the order in which it names them, each once.
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
    /// What is typed after `zerohop run` for the run of that rank, without `--on`.
    pub fn typed(&self, run: usize) -> String {
        let run = &self.runs[run];
        let settings = self.variants[run.variant].iter();
        let set = settings.map(|setting| match setting.value.contains(char::is_whitespace) {
            true => format!(" --set '{setting}'"),
            false => format!(" --set {setting}"),
        });
        std::iter::once(run.command.clone()).chain(set).collect()
    }

    /// What has to be run, in the order in which [`reproduce`](crate::reproduce) takes the results.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }
}
