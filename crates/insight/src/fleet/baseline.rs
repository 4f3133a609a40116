//! What is usual on each kind of machine, to check a single node against it later.

use std::collections::{BTreeMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_result::{Coordinates, Measure};
use zerohop_statistics::median;

use super::Fact;
use super::analysis::Fleet;
use super::columns::{Column, columns};
use super::judged::{share, told};
use super::observation::Observation;
use super::roster::Roster;
use super::scope::{Scope, ScopeOf};

/// Version of the format of [`Baseline`]. Raised when a reader of the old format would misread it.
pub const BASELINE_VERSION: u32 = 1;

/// What is usual on each kind of machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Baseline {
    /// [`BASELINE_VERSION`] of the writer.
    pub schema_version: u32,
    /// The kinds.
    pub kinds: Vec<BaselineKind>,
}

/// What is usual on a kind of machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BaselineKind {
    /// What such machines have in common.
    pub kind: Vec<Fact>,
    /// How many there were.
    pub nodes: usize,
    /// The share of the sound ones that these bounds would call bad: counted, not assumed.
    pub false_alarms: f64,
    /// What is usual, for each family of values.
    pub values: Vec<BaselineValue>,
}

/// What is usual for a family of values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BaselineValue {
    /// The family.
    pub scope: Scope,
    /// The loss from which on a node is bad, as a share.
    pub bound: f64,
    /// What is usual at each place, in the unit of the measure.
    pub places: Vec<UsualPlace>,
}

/// What is usual at a place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UsualPlace {
    /// Its coordinates.
    pub at: Coordinates,
    /// The median over the nodes, in the unit of the measure.
    pub usual: f64,
}

/// A family of values of one node, held against a baseline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckedValue {
    /// The family.
    pub scope: Scope,
    /// What is usual: the median over the places that the node has.
    pub usual: f64,
    /// What the node shows.
    pub found: f64,
    /// What a program loses, as a share; below zero if the node is better.
    pub loss: f64,
    /// The loss from which on a node is bad.
    pub bound: f64,
}

impl CheckedValue {
    /// Whether it is bad.
    pub fn is_bad(&self) -> bool {
        self.loss >= self.bound
    }
}

/// Why a node cannot be checked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unchecked {
    /// The baseline has no such machine.
    #[error("the baseline has no kind of machine like this one ({machine})")]
    NoKind {
        /// What it is.
        machine: String,
    },
    /// It has none of the values.
    #[error("no value of the baseline was measured")]
    NoValue,
}

impl Baseline {
    /// That of a fleet that was analysed.
    pub fn of(roster: &Roster, fleet: &Fleet) -> Self {
        let groups =
            fleet.file.groups.iter().zip(&fleet.members).filter(|(group, _)| group.not_judged.is_none());
        let kinds = groups.map(|(group, members)| {
            let bad: HashSet<usize> =
                group.bad.iter().filter_map(|bad| roster.number_of(&bad.node)).collect();
            let columns = columns(roster, members);
            let families: Vec<&Column> = columns.iter().filter(|column| column.scope.is_family()).collect();
            let bounds: Vec<f64> = families.iter().map(|family| told(family, families.len())).collect();
            let mut alarms = HashSet::new();
            for (family, bound) in families.iter().zip(&bounds) {
                let below =
                    family.entries.iter().filter(|entry| share(family.crowd.center - entry.value) >= *bound);
                alarms.extend(below.map(|entry| entry.member).filter(|member| !bad.contains(member)));
            }
            let values =
                families.iter().zip(bounds).map(|(family, bound)| value(&family.scope, bound, &columns));
            BaselineKind {
                kind: group.kind.clone(),
                nodes: members.len(),
                false_alarms: alarms.len() as f64 / (members.len() - bad.len()).max(1) as f64,
                values: values.filter(|value| !value.places.is_empty()).collect(),
            }
        });
        Self { schema_version: BASELINE_VERSION, kinds: kinds.collect() }
    }

    /// A node's values, held against its kind.
    ///
    /// # Errors
    /// When there is no such kind, or none of its values.
    pub fn check(&self, node: &Observation) -> Result<Vec<CheckedValue>, Unchecked> {
        let shown = |fact: &Fact| node.facts.iter().find(|own| own.name == fact.name).map(|own| &own.value);
        let differs = |fact: &Fact| shown(fact).is_some_and(|own| *own != fact.value);
        let Some(kind) = self.kinds.iter().find(|kind| !kind.kind.iter().any(differs)) else {
            let named = self.kinds.iter().flat_map(|kind| &kind.kind).filter_map(shown);
            let named: Vec<&str> = named.map(String::as_str).collect();
            let mut machine: Vec<&str> = named;
            machine.dedup();
            return Err(Unchecked::NoKind { machine: machine.join(", ") });
        };
        let mut own: BTreeMap<(&str, Measure, &Coordinates), f64> = BTreeMap::new();
        for observed in &node.values {
            let place = &observed.place;
            own.insert(
                (place.experiment.as_str(), place.measure, &place.at),
                f64::from(observed.value.value),
            );
        }
        let checked: Vec<CheckedValue> = kind.values.iter().filter_map(|value| value.checked(&own)).collect();
        if checked.is_empty() { Err(Unchecked::NoValue) } else { Ok(checked) }
    }
}

fn value(family: &Scope, bound: f64, columns: &[Column]) -> BaselineValue {
    let cells = columns.iter().filter(|column| column.scope.is_cell() && column.scope.family() == *family);
    let places = cells.filter_map(|column| match &column.scope.of {
        ScopeOf::Cell(at) => Some(UsualPlace { at: at.clone(), usual: column.shown(column.usual) }),
        _ => None,
    });
    BaselineValue { scope: family.clone(), bound, places: places.collect() }
}

impl BaselineValue {
    /// `None` if the node has none of the places.
    fn checked(&self, own: &BTreeMap<(&str, Measure, &Coordinates), f64>) -> Option<CheckedValue> {
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
