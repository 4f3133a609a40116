//! Outcome of a condition's test.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_machine::NodeId;

use crate::finding::{Evidence, Size};

/// Whether a condition holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TestOutcome {
    /// It does: once for each place where it does. Not empty.
    Holds(Vec<Match>),
    No,
    /// Unknown, because of this missing data, in words.
    Unknown(String),
}

/// A place where a condition holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Match {
    /// Values for the names in braces in the rule's texts: `node`, `pair`, …
    pub(crate) names: BTreeMap<&'static str, String>,
    /// The nodes that it is about; none if it is about the machine.
    pub(crate) nodes: BTreeSet<NodeId>,
    /// The figures that show it, the most telling first.
    pub(crate) evidence: Vec<Evidence>,
    /// Size of the loss.
    pub(crate) size: Option<Size>,
    /// Standard deviation of the reference value, as a share. `None` if no size distinguishes the causes.
    pub(crate) error: Option<f64>,
    /// Margin relative to the threshold; 1 is at the threshold.
    pub(crate) margin: f64,
    /// Whether intervals leave no doubt; `None` where values have none.
    pub(crate) apart: Option<bool>,
    /// The number of comparable others.
    pub(crate) sisters: Option<usize>,
}

impl Match {
    /// A match that is a plain fact, with these names.
    pub(crate) fn fact<const N: usize>(names: [(&'static str, String); N]) -> Self {
        Self { names: names.into(), margin: f64::INFINITY, ..Self::default() }
    }

    /// Copy of the match about these nodes.
    pub(crate) fn about(mut self, nodes: impl IntoIterator<Item = NodeId>) -> Self {
        self.nodes.extend(nodes);
        self
    }

    /// Whether it may be about the same part of the machine as another one.
    pub(crate) fn concerns(&self, other: &Self) -> bool {
        self.nodes.is_empty() || other.nodes.is_empty() || !self.nodes.is_disjoint(&other.nodes)
    }

    /// Copy of the match with a line of evidence in words.
    pub(crate) fn shown_by(mut self, words: impl Into<String>) -> Self {
        self.evidence.push(Evidence {
            words: words.into(),
            experiment: None,
            at: None,
            measure: None,
            value: None,
        });
        self
    }
}

impl TestOutcome {
    /// Holds if there are any.
    pub(crate) fn of(matches: Vec<Match>) -> Self {
        if matches.is_empty() { Self::No } else { Self::Holds(matches) }
    }

    /// Outcome without matches whose intervals overlap with the reference value: these decide nothing.
    pub(crate) fn decided(self) -> Self {
        let Self::Holds(places) = self else { return self };
        let (open, clear): (Vec<Match>, Vec<Match>) =
            places.into_iter().partition(|place| place.apart == Some(false));
        match open.first() {
            Some(first) if clear.is_empty() => {
                let shown = first.evidence.first().map_or("", |shown| shown.words.as_str());
                Self::Unknown(format!("narrower intervals: the compared ones overlap ({shown})"))
            }
            _ => Self::Holds(clear),
        }
    }

    /// Holds in this one place.
    pub(crate) fn one(place: Match) -> Self {
        Self::Holds(vec![place])
    }
}
