//! Cells that not all results have.

use std::collections::BTreeMap;

use zerohop_result::{Completion, Coordinates, ExperimentName, ResultFile, Warning};

use super::cells::Cells;
use super::configuration::Configuration;
use crate::comparison::Unmatched;

/// Number of cells that are named as examples.
const EXAMPLES: usize = 3;

/// An experiment, the results that lack some of its cells, and those of them that have these cells, but with values of
/// which no ratio can be formed.
type Group<'a> = (&'a ExperimentName, Vec<usize>, Vec<usize>);

/// For every result, its cells that others lack, experiment by experiment.
pub(super) fn unmatched(results: &[Configuration<'_>], all: &[Cells<'_>]) -> Vec<Unmatched> {
    let mut unmatched = Vec::new();
    for (rank, cells) in all.iter().enumerate() {
        let mut groups: BTreeMap<Group<'_>, Vec<&Coordinates>> = BTreeMap::new();
        for key in cells.by_key.keys() {
            let without = (0..all.len()).filter(|&other| !all[other].by_key.contains_key(key));
            let without: Vec<usize> = without.collect();
            let unusable =
                without.iter().copied().filter(|&other| all[other].unusable.contains(key)).collect();
            if !without.is_empty() {
                groups.entry((key.0, without, unusable)).or_default().push(key.2);
            }
        }
        // As they ran.
        let order = |name: &ExperimentName| {
            results[rank].result.experiments.iter().position(|one| one.experiment == *name)
        };
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by_key(|((experiment, ..), _)| order(experiment));
        let names = |ranks: &[usize]| ranks.iter().map(|&other| results[other].name.to_owned()).collect();
        for ((experiment, without, unusable), places) in groups {
            let absent = without.iter().find(|other| !unusable.contains(other));
            let reason = match absent {
                Some(&other) => reason(experiment, results[rank].result, results[other].result),
                None => "no ratio: a value or interval is not above zero, or implausibly high".to_owned(),
            };
            unmatched.push(Unmatched {
                experiment: experiment.clone(),
                only_in: results[rank].name.to_owned(),
                missing_in: names(&without),
                unusable_in: names(&unusable),
                cells: places.len(),
                examples: places.iter().take(EXAMPLES).map(|&at| at.clone()).collect(),
                reason,
            });
        }
    }
    unmatched
}

/// Why `lacking` does not have the cells that `having` has.
fn reason(experiment: &ExperimentName, having: &ResultFile, lacking: &ResultFile) -> String {
    let Some(there) = lacking.experiments.iter().find(|one| one.experiment == *experiment) else {
        return "the experiment was not run".to_owned();
    };
    if there.completion != Completion::Complete {
        return "the experiment did not finish".to_owned();
    }
    let skipped = there.warnings.iter().find_map(|warning| match warning {
        Warning::ExperimentSkipped { reason, .. } => Some(reason),
        _ => None,
    });
    if let Some(reason) = skipped {
        return format!("parts of it were skipped: {reason}");
    }
    let shape = |file: &ResultFile| (file.machine.nodes.len(), file.machine.cores.len());
    let ((nodes, cores), (other_nodes, other_cores)) = (shape(having), shape(lacking));
    // An imported result may show neither.
    let is_known = |nodes: usize, cores: usize| nodes > 0 && cores > 0;
    if is_known(nodes, cores)
        && is_known(other_nodes, other_cores)
        && (nodes, cores) != (other_nodes, other_cores)
    {
        return format!(
            "the machines differ: {nodes} nodes and {cores} cores, compared with {other_nodes} and {other_cores}"
        );
    }
    if having.settings.effort != lacking.settings.effort {
        let [one, other] = [having, lacking].map(|file| &file.settings.effort);
        return format!("{one} and {other} runs measure at different places");
    }
    "the options differ: kernel, nodes, cores or cases".to_owned()
}
