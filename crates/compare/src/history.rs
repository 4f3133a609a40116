//! Changes of a machine between its results.

use zerohop_result::{HistoricRun, Trait};

/// A fact about a machine that was another one in the result before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraitChange {
    /// The rank of the first result that has it.
    pub run: usize,
    /// Name of the fact (`firmware`).
    pub what: String,
    /// Value before the change.
    pub from: String,
    /// Value after the change.
    pub to: String,
}

/// Changes from each result to the next one that counts, the first change first.
pub fn trait_changes(runs: &[HistoricRun]) -> Vec<TraitChange> {
    let counting: Vec<usize> = (0..runs.len()).filter(|&rank| runs[rank].listed.unusable.is_none()).collect();
    let pairs = counting.windows(2);
    pairs.flat_map(|pair| differing(&runs[pair[0]].traits, &runs[pair[1]].traits, pair[1])).collect()
}

/// How the traits of a result differ from those of an earlier one; one that either does not tell differs in nothing.
fn differing(before: &[Trait], after: &[Trait], run: usize) -> Vec<TraitChange> {
    let changed = after.iter().filter_map(|now| {
        let then = before.iter().find(|then| then.what == now.what && then.value != now.value)?;
        let (what, from, to) = (now.what.clone(), then.value.clone(), now.value.clone());
        Some(TraitChange { run, what, from, to })
    });
    changed.collect()
}
