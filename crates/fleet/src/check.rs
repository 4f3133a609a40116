//! Check of one node against the usual values of its kind of machine.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use zerohop_machine::Machine;
use zerohop_result::{Completion, Coordinates, Measure, ResultFile};
use zerohop_statistics::median;

use super::baseline::{Baseline, BaselineKind, BaselineValue, UsualPlace};
use super::observation::{Observation, Observed};
use super::parts::{Build, NOT_SHOWN, Shortfall};
use super::scope::{Scope, ScopeOf, listed};
use super::verdicts::share;
use zerohop_compare::Fact;

/// A node compared with a baseline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Checked {
    /// Number of nodes of its kind in the baseline.
    pub nodes: usize,
    /// Parts of which the node has less than usual: these alone make it bad.
    pub lost: Vec<Shortfall>,
    /// Values of the node, by family.
    pub values: Vec<CheckedValue>,
}

/// A family of values of one node, compared with a baseline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckedValue {
    pub scope: Scope,
    /// Usual value: the median over the places that the node has.
    pub usual: f64,
    /// Value of the node.
    pub found: f64,
    /// Loss of a program, as a share; below zero if the node is better.
    pub loss: f64,
    /// The loss from which on a node is bad.
    pub bound: f64,
}

impl Checked {
    /// Whether the node is bad.
    pub fn is_bad(&self) -> bool {
        !self.lost.is_empty() || self.values.iter().any(CheckedValue::is_bad)
    }
}

impl CheckedValue {
    /// Whether it is bad.
    pub fn is_bad(&self) -> bool {
        self.loss >= self.bound
    }
}

/// Reason why a node cannot be checked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unchecked {
    /// The baseline has no such machine.
    #[error("the baseline has no kind of machine like this one ({machine})")]
    NoKind { machine: String },
    /// It differs from the machines of the baseline in what does not break.
    #[error("this machine differs from those of the baseline: {differences}")]
    Differs { differences: String },
    /// It has none of the values.
    #[error("no value of the baseline was measured")]
    NoValue,
    /// The node has no usable value for some families of the baseline.
    #[error("no usable value for {} of {of} bounds of the baseline: {}", .families.len(), listed(.families))]
    Missing {
        /// These families and values.
        families: Vec<Scope>,
        /// Number of families in the baseline.
        of: usize,
    },
    /// The measurement is incomplete.
    #[error("{why}")]
    Unfinished { why: &'static str },
    /// Something failed before anything could be judged.
    #[error("{why}")]
    Failed { why: String },
}

impl Baseline {
    /// Checks a machine's parts before anything is measured. `None` if none are lost.
    ///
    /// # Errors
    /// If the baseline has no such machine.
    pub fn check_parts(&self, machine: &Machine) -> Result<Option<Checked>, Unchecked> {
        let build = Build::of(machine);
        let kind = self.nearest(&build)?;
        let lost = build.parts.short_of(&kind.parts);
        if !lost.is_empty() {
            return Ok(Some(Checked { nodes: kind.nodes, lost, values: Vec::new() }));
        }
        kind.is_like(&build).map(|()| None)
    }

    /// Checks a node's parts and values against its kind.
    ///
    /// # Errors
    /// If there is no such kind, none of its values, or the result is incomplete.
    pub fn check(&self, result: &ResultFile) -> Result<Checked, Unchecked> {
        let node = Observation::of(String::new(), result);
        let unfinished = match result.completion {
            Completion::Complete => None,
            Completion::Interrupted => Some("the result was interrupted"),
            Completion::Running => Some("the run of the result has not finished"),
        };
        self.check_observation(&node, unfinished)
    }

    pub(super) fn check_observation(
        &self,
        node: &Observation,
        unfinished: Option<&'static str>,
    ) -> Result<Checked, Unchecked> {
        let kind = self.nearest(&node.build)?;
        let lost = node.build.parts.short_of(&kind.parts);
        let is_like = kind.is_like(&node.build);
        let values = match is_like {
            Ok(()) if unfinished.is_none() => kind.checked(node),
            _ => Vec::new(),
        };
        let checked = Checked { nodes: kind.nodes, lost, values };
        if checked.is_bad() {
            return Ok(checked);
        }
        is_like?;
        if let Some(why) = unfinished {
            return Err(Unchecked::Unfinished { why });
        }
        if checked.values.is_empty() {
            return Err(Unchecked::NoValue);
        }
        match kind.missing(node, &checked.values) {
            families if families.is_empty() => Ok(checked),
            families => Err(Unchecked::Missing { families, of: kind.values.len() }),
        }
    }

    /// The kind that a machine is of; of several, the one that is nearest to it. Parts get lost and do not come by themselves: a kind that
    /// has more of them is nearer than one that has less.
    fn nearest(&self, build: &Build) -> Result<&BaselineKind, Unchecked> {
        let kinds = || self.kinds.iter().filter(|kind| kind.same_processor(build));
        if kinds().next().is_none() {
            let machine: Vec<&str> = build.kind.iter().map(|fact| fact.value.as_str()).take(1).collect();
            return Err(Unchecked::NoKind { machine: machine.concat() });
        }
        let of_packages = kinds().filter(|kind| kind.same_packages(build));
        let rank = |kind: &&BaselineKind| {
            let beyond = build.parts.beyond(&kind.parts).len();
            (!kind.differences(build).is_empty(), beyond, build.parts.distance(&kind.parts))
        };
        let nearest = of_packages.min_by(|one, other| {
            let (one, other) = (rank(one), rank(other));
            (one.0, one.1).cmp(&(other.0, other.1)).then(one.2.total_cmp(&other.2))
        });
        nearest.ok_or_else(|| {
            let differences = kinds().next().map(|kind| kind.differences(build).join(", "));
            Unchecked::Differs { differences: differences.unwrap_or_default() }
        })
    }
}

impl BaselineKind {
    fn same_processor(&self, build: &Build) -> bool {
        self.kind.first() == build.kind.first()
    }

    fn same_packages(&self, build: &Build) -> bool {
        self.differing(build).all(|(own, _)| own.name != "packages")
    }

    /// The facts in which a machine differs although they do not break; what one side does not show is not compared.
    fn differing<'a>(&'a self, build: &'a Build) -> impl Iterator<Item = (&'a Fact, &'a Fact)> {
        let both = self
            .kind
            .iter()
            .filter_map(|usual| Some((build.kind.iter().find(|own| own.name == usual.name)?, usual)));
        both.filter(|(own, usual)| {
            own.value != usual.value && own.value != NOT_SHOWN && usual.value != NOT_SHOWN
        })
    }

    fn differences(&self, build: &Build) -> Vec<String> {
        let words = |(own, usual): (&Fact, &Fact)| {
            format!("{} {} here, {} in the baseline", own.value, own.name, usual.value)
        };
        self.differing(build).map(words).collect()
    }

    /// Whether values of such a machine can be held against those of this kind.
    fn is_like(&self, build: &Build) -> Result<(), Unchecked> {
        let more = build.parts.beyond(&self.parts);
        let more = more.into_iter().map(|one| format!("machines of the baseline have {one}"));
        let differences: Vec<String> = self.differences(build).into_iter().chain(more).collect();
        if differences.is_empty() {
            return Ok(());
        }
        Err(Unchecked::Differs { differences: differences.join(", ") })
    }

    /// What a node has no usable value of: families, and single values that nothing that works has.
    fn missing(&self, node: &Observation, checked: &[CheckedValue]) -> Vec<Scope> {
        let known: BTreeSet<&Scope> = checked.iter().map(|one| &one.scope).collect();
        let doubtful = by_place(&node.doubtful);
        let of = |value: &BaselineValue| {
            let family = &value.scope;
            if !known.contains(family) || node.gaps.contains(family) {
                // What is in doubt and as usual is no reason to doubt the node.
                let is_usual = value.checked(&doubtful).is_some_and(|checked| !checked.is_bad());
                return if is_usual { Vec::new() } else { vec![family.clone()] };
            }
            let cell = |place: &UsualPlace| Scope { of: ScopeOf::Cell(place.at.clone()), ..family.clone() };
            let cells = value.places.iter().filter(|_| !node.gaps.is_empty()).map(cell);
            cells.filter(|cell| node.gaps.contains(cell)).collect()
        };
        self.values.iter().flat_map(of).collect()
    }

    fn checked(&self, node: &Observation) -> Vec<CheckedValue> {
        let own = by_place(&node.values);
        let known = self.values.iter().filter(|value| value.is_known(&own, self.nodes));
        known.filter_map(|value| value.checked(&own)).collect()
    }
}

/// Values as logarithms, by their places.
type ByPlace<'a> = BTreeMap<(&'a str, Measure, &'a Coordinates), f64>;

fn by_place(values: &[Observed]) -> ByPlace<'_> {
    let mut by_place = ByPlace::new();
    for Observed { place, value } in values {
        by_place.insert((place.experiment.as_str(), place.measure, &place.at), f64::from(value.value));
    }
    by_place
}

impl BaselineValue {
    /// Whether a node has at least half of the places that most of these many nodes have.
    fn is_known(&self, own: &ByPlace<'_>, nodes: usize) -> bool {
        let (experiment, measure) = (self.scope.experiment.as_str(), self.scope.measure);
        let common: Vec<&UsualPlace> = self.places.iter().filter(|place| 2 * place.nodes > nodes).collect();
        let held = common.iter().filter(|place| own.contains_key(&(experiment, measure, &place.at))).count();
        2 * held >= common.len()
    }

    /// `None` if the node has none of the places.
    fn checked(&self, own: &ByPlace<'_>) -> Option<CheckedValue> {
        let (experiment, measure) = (self.scope.experiment.as_str(), self.scope.measure);
        let sign = if measure.larger_is_better() { 1.0 } else { -1.0 };
        let found = self.places.iter().filter_map(|place| {
            let found = own.get(&(experiment, measure, &place.at))?;
            Some((sign * libm::log(place.usual), *found))
        });
        let found: Vec<(f64, f64)> = found.collect();
        let usual = median(found.iter().map(|(usual, _)| *usual))?;
        let below = median(found.iter().map(|(usual, found)| usual - found))?;
        Some(CheckedValue {
            scope: self.scope.clone(),
            usual: libm::exp(sign * usual),
            found: libm::exp(sign * (usual - below)),
            loss: share(below),
            bound: self.bound,
        })
    }
}
