//! Values in doubt that are as usual: no reason to doubt their machine.

use std::collections::{HashMap, HashSet};

use zerohop_statistics::median;

use super::roster::Roster;
use super::scope::Scope;
use super::verdicts::{WORTH_ALONE, share};

/// Families of machines whose values are all doubtful, and hardly worse than those of most others.
pub(super) struct Tolerated(HashMap<usize, HashSet<Scope>>);

impl Tolerated {
    /// Tolerated families of these machines.
    pub(super) fn of(roster: &Roster, members: &[usize]) -> Self {
        let doubtful = |member: usize| &roster.members[member].doubtful;
        let mut known: HashMap<u32, Vec<f64>> = HashMap::new();
        for &member in members {
            known.extend(doubtful(member).iter().map(|(place, _)| (*place, Vec::new())));
        }
        if known.is_empty() {
            return Self(HashMap::new());
        }
        for &member in members {
            for (place, value) in roster.members[member].values() {
                if let Some(values) = known.get_mut(&place) {
                    values.push(f64::from(value.value));
                }
            }
        }
        let usual: HashMap<u32, f64> =
            known.into_iter().filter_map(|(place, values)| Some((place, median(values)?))).collect();
        let of = |member: &usize| {
            let mut below: HashMap<Scope, Vec<f64>> = HashMap::new();
            for (rank, value) in doubtful(*member) {
                let Some(usual) = usual.get(rank) else { continue };
                below
                    .entry(roster.places[*rank as usize].family())
                    .or_default()
                    .push(usual - f64::from(value.value));
            }
            let is_usual = |below: Vec<f64>| median(below).is_some_and(|below| share(below) < WORTH_ALONE);
            let families = below.into_iter().filter_map(|(family, below)| is_usual(below).then_some(family));
            (*member, families.collect())
        };
        let in_doubt = members.iter().filter(|member| !doubtful(**member).is_empty());
        Self(in_doubt.map(of).collect())
    }

    /// Whether that family of that machine is one of them.
    pub(super) fn holds(&self, member: usize, family: &Scope) -> bool {
        self.0.get(&member).is_some_and(|families| families.contains(family))
    }
}
