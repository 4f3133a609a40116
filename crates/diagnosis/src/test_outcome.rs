//! What a test of a condition found.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_machine::NodeId;

use crate::finding::{Evidence, Size};

/// Whether a condition holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TestOutcome {
    /// It does: once for each place where it does. Not empty.
    Holds(Vec<Match>),
    No,
    /// That is not known. What is missing, in words.
    Unknown(String),
}

/// A place where a condition holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Match {
    /// What words of the rule name in braces: `node`, `pair`, …
    pub(crate) names: BTreeMap<&'static str, String>,
    /// The nodes that it is about; none if it is about the machine.
    pub(crate) nodes: BTreeSet<NodeId>,
    /// The figures that show it, the most telling first.
    pub(crate) evidence: Vec<Evidence>,
    /// How much it costs.
    pub(crate) size: Option<Size>,
    /// How far the value that it was compared with may be off, as a share: a standard deviation. `None` if no size tells causes apart.
    pub(crate) error: Option<f64>,
    /// How far beyond its threshold it is; 1 is at the threshold.
    pub(crate) margin: f64,
    /// Whether intervals leave no doubt; `None` where values have none.
    pub(crate) apart: Option<bool>,
    /// The number of comparable others.
    pub(crate) sisters: Option<usize>,
}

impl Match {
    /// One that is a plain fact, with these names.
    pub(crate) fn fact<const N: usize>(names: [(&'static str, String); N]) -> Self {
        Self { names: names.into(), margin: f64::INFINITY, ..Self::default() }
    }

    /// The same, about these nodes.
    pub(crate) fn about(mut self, nodes: impl IntoIterator<Item = NodeId>) -> Self {
        self.nodes.extend(nodes);
        self
    }

    /// Whether it may be about the same part of the machine as another one.
    pub(crate) fn concerns(&self, other: &Self) -> bool {
        self.nodes.is_empty() || other.nodes.is_empty() || !self.nodes.is_disjoint(&other.nodes)
    }

    /// The same with a line of evidence in words.
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

    /// The same without places whose intervals overlap with what they are compared with: these decide nothing.
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
