//! Since when a node is bad: the last step for the worse of the values in which it loses most.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_result::{History, Timestamp};

use super::scope::Scope;
use zerohop_compare::{ChangedTrait, ChangedValue, NamedValue, changes, tells};

/// Steps that are smaller are no fault of a node: a fleet names losses from 5 % on.
const LEAST: f64 = 0.03;

/// Time since when a node is bad.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Since {
    /// Start time of the last result that was not worse; absent if all results are as bad as the latest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// Start time of the first result that was worse.
    pub from: Timestamp,
    /// Whether enough results confirm it; otherwise another result is needed.
    pub certain: bool,
    /// Changes of the machine between the two results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traits: Vec<ChangedTrait>,
}

impl Since {
    /// Since when these values of a node with this history are as bad as they are; `None` where too few of its results count, or do not say when they began.
    pub fn of(Scope { experiment, measure, .. }: &Scope, history: &History) -> Option<Self> {
        let is_worst =
            |value: &NamedValue| value.experiment == experiment.as_str() && value.measure == *measure;
        let found = changes(history, LEAST);
        let counting = || history.runs.iter().filter(|run| run.listed.unusable.is_none());
        let began = |rank: usize| counting().nth(rank)?.listed.began_at;
        let of_worst =
            |values: &[ChangedValue]| values.iter().find(|one| is_worst(&one.value)).map(|one| one.better);
        let last = found.changes.iter().rev().find_map(|change| Some((change, of_worst(&change.values)?)));
        if let Some((step, false)) = last {
            let (until, from) = (step.before.began_at, step.after.began_at?);
            return Some(Self { until, from, certain: true, traits: step.traits.clone() });
        }
        let unsettled = found.unsettled.iter().filter(|one| !one.better && is_worst(&one.value));
        if let Some(runs) = unsettled.map(|one| one.runs).max() {
            let first = found.runs.checked_sub(runs)?;
            let until = first.checked_sub(1).and_then(began);
            return Some(Self { until, from: began(first)?, certain: false, traits: Vec::new() });
        }
        if last.is_some() {
            // It got better, and is bad all the same.
            return None;
        }
        let from = began(0)?;
        tells(&found).then_some(Self { until: None, from, certain: true, traits: Vec::new() })
    }
}
