//! Usual values for each kind of machine, to check a single node against later.

use std::collections::{BTreeMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use zerohop_result::Coordinates;

use super::analysis::Fleet;
use super::columns::{Column, FEWEST, columns};
use super::parts::Parts;
use super::roster::Roster;
use super::scope::{Scope, ScopeOf};
use super::verdicts::{share, told};
use zerohop_compare::Fact;

/// Version of the format of [`Baseline`]. Raised when a reader of the old format would misread it.
pub const BASELINE_VERSION: u32 = 2;

/// Usual values for each kind of machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Baseline {
    /// [`BASELINE_VERSION`] of the program that wrote the file.
    pub schema_version: u32,
    /// SHA-256 of the rest of the file, to detect changed or truncated files.
    pub digest: String,
    /// Kinds of machine.
    pub kinds: Vec<BaselineKind>,
}

/// Usual values for one kind of machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BaselineKind {
    /// Facts that define the kind and do not break: processor, packages, NUMA nodes.
    pub kind: Vec<Fact>,
    /// Usual amount of each part that can fail: what most of the machines have, as far as they show it.
    pub parts: Parts,
    /// Number of machines.
    pub nodes: usize,
    /// Share of the good machines that these bounds would mark as bad; counted, not assumed.
    pub false_alarms: f64,
    /// Usual values, for each family of values.
    pub values: Vec<BaselineValue>,
}

/// Usual values for one family.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BaselineValue {
    /// Family of values.
    pub scope: Scope,
    /// Loss from which a node counts as bad, as a share.
    pub bound: f64,
    /// Usual value at each place, in the unit of the measure.
    pub places: Vec<UsualPlace>,
}

/// Usual value at one place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UsualPlace {
    /// Coordinates of the place.
    pub at: Coordinates,
    /// Median over the nodes, in the unit of the measure.
    pub usual: f64,
    /// Number of nodes with a value at the place; load points, for example, are reached by chance.
    pub nodes: usize,
}

/// Reason why a text is not a baseline.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BaselineError {
    /// It is something else, or damaged.
    #[error("is not a baseline: {0}")]
    Malformed(String),
    /// Another version wrote it.
    #[error("has `schema_version` {0}, but this version of zerohop reads {BASELINE_VERSION}")]
    OtherVersion(u64),
    /// The text was changed after it was written.
    #[error("was changed after it was written: its `digest` does not match its content")]
    Changed,
    /// A number in it cannot be.
    #[error("is not a baseline: {0}")]
    Impossible(String),
}

impl Baseline {
    /// Baseline of an analyzed fleet; with this bound for all values, or with the bounds that the spread of the nodes allows.
    pub fn of(roster: &Roster, fleet: &Fleet, bound: Option<f64>) -> Self {
        let groups =
            fleet.file.groups.iter().zip(&fleet.members).filter(|(group, _)| group.not_judged.is_none());
        let kinds = groups.map(|(group, members)| {
            let numbers = |nodes: &mut dyn Iterator<Item = &String>| -> HashSet<usize> {
                nodes.filter_map(|node| roster.number_of(node)).collect()
            };
            let bad = numbers(&mut group.bad.iter().map(|bad| &bad.node));
            let short = group.bad.iter().filter(|bad| !bad.lost.is_empty()).map(|bad| &bad.node);
            let columns = columns(roster, members, &numbers(&mut short.into_iter()));
            let families: Vec<&Column> = columns.iter().filter(|column| column.scope.is_family()).collect();
            let allowed = |family: &&Column| bound.unwrap_or_else(|| told(family, families.len(), 1));
            let bounds: Vec<f64> = families.iter().map(allowed).collect();
            let mut alarms = HashSet::new();
            for (family, bound) in families.iter().zip(&bounds) {
                let below =
                    family.entries.iter().filter(|entry| share(family.crowd.center - entry.value) >= *bound);
                alarms.extend(below.map(|entry| entry.member).filter(|member| !bad.contains(member)));
            }
            let values =
                families.iter().zip(bounds).map(|(family, bound)| value(&family.scope, bound, &columns));
            let sound: Vec<usize> = members.iter().copied().filter(|member| !bad.contains(member)).collect();
            BaselineKind {
                kind: common_kind(roster, if sound.is_empty() { members } else { &sound }),
                parts: group.parts.clone(),
                nodes: members.len(),
                false_alarms: alarms.len() as f64 / sound.len().max(1) as f64,
                values: values.filter(|value| !value.places.is_empty()).collect(),
            }
        });
        let kinds = kinds.filter(|kind| !kind.values.is_empty()).collect();
        let mut baseline = Self { schema_version: BASELINE_VERSION, digest: String::new(), kinds };
        baseline.digest = baseline.content_digest();
        baseline
    }

    /// Reads the baseline from a text.
    ///
    /// # Errors
    /// If the text is no baseline that this version reads, was changed since it was written, or has an invalid number.
    pub fn read(text: &str) -> Result<Self, BaselineError> {
        let malformed = |error: serde_json::Error| BaselineError::Malformed(error.to_string());
        let value: Value = serde_json::from_str(text).map_err(malformed)?;
        match value.get("schema_version").and_then(Value::as_u64) {
            Some(version) if version == u64::from(BASELINE_VERSION) => {}
            Some(other) => return Err(BaselineError::OtherVersion(other)),
            None => return Err(BaselineError::Malformed("it has no `schema_version`".to_owned())),
        }
        let baseline: Self = serde_json::from_value(value).map_err(malformed)?;
        baseline.kinds.iter().try_for_each(BaselineKind::validate).map_err(BaselineError::Impossible)?;
        if baseline.kinds.is_empty() {
            return Err(BaselineError::Impossible("it has no kind of machine".to_owned()));
        }
        if baseline.digest != baseline.content_digest() {
            return Err(BaselineError::Changed);
        }
        Ok(baseline)
    }

    pub fn text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// The SHA-256 of all but the digest, whatever blanks the text has.
    fn content_digest(&self) -> String {
        let content = serde_json::to_vec(&(self.schema_version, &self.kinds)).unwrap_or_default();
        Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl BaselineKind {
    /// Says what is wrong with a number that no baseline has.
    fn validate(&self) -> Result<(), String> {
        let Self { nodes, false_alarms, values, parts, .. } = self;
        if *nodes < FEWEST {
            return Err(format!("`nodes` is {nodes}, but at least {FEWEST} are required"));
        }
        if !(0.0..=1.0).contains(false_alarms) {
            return Err(format!("`false_alarms` is {false_alarms}, but a share must be 0 to 1"));
        }
        if parts.0.values().any(|amount| *amount == 0) {
            return Err("`parts` has a part with amount 0".to_owned());
        }
        if values.is_empty() {
            return Err("a kind has no values".to_owned());
        }
        for BaselineValue { scope, bound, places } in values {
            if !(*bound > 0.0 && *bound < 1.0) {
                return Err(format!(
                    "the `bound` of {scope} is {bound}, but a loss must be above 0 and below 1"
                ));
            }
            if places.is_empty() {
                return Err(format!("{scope} has no `places`"));
            }
            if let Some(wrong) = places.iter().find(|place| !place.usual.is_normal() || place.usual < 0.0) {
                return Err(format!(
                    "`usual` of {scope} is {} at {}, which no machine has",
                    wrong.usual, wrong.at
                ));
            }
        }
        Ok(())
    }
}

/// What most of these machines are that does not break.
fn common_kind(roster: &Roster, members: &[usize]) -> Vec<Fact> {
    let mut counts: BTreeMap<&[Fact], usize> = BTreeMap::new();
    members.iter().for_each(|number| *counts.entry(&roster.members[*number].build.kind).or_default() += 1);
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(kind, _)| kind.to_vec()).unwrap_or_default()
}

fn value(family: &Scope, bound: f64, columns: &[Column]) -> BaselineValue {
    let cells = columns.iter().filter(|column| column.scope.is_cell() && column.scope.family() == *family);
    let places = cells.filter_map(|column| match &column.scope.of {
        ScopeOf::Cell(at) => Some(UsualPlace {
            at: at.clone(),
            usual: column.shown(column.usual),
            nodes: column.entries.len(),
        }),
        _ => None,
    });
    BaselineValue { scope: family.clone(), bound, places: places.collect() }
}
