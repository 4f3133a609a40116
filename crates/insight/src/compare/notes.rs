//! Differences between results other than their values: cells that not all have, and how the results were obtained.

use std::collections::BTreeMap;

use zerohop_result::{Completion, Coordinates, ExperimentName, ResultFile};

use super::cells::Cells;
use super::configuration::Configuration;
use crate::comparison::{Contrast, Unmatched};

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
                None => "no ratio can be formed of a value or interval that is not above zero".to_owned(),
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
        return "the experiment was not finished".to_owned();
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
            "the machines differ: {nodes} nodes and {cores} cores against {other_nodes} and {other_cores}"
        );
    }
    if having.settings.effort != lacking.settings.effort {
        let [one, other] = [having, lacking].map(|file| &file.settings.effort);
        return format!("a {one} run measures at different places than a {other} one");
    }
    "the options differ: kernel, nodes, cores or cases".to_owned()
}

/// What was done differently from the base.
pub(super) fn contrasts(results: &[Configuration<'_>]) -> Vec<Contrast> {
    let [base, others @ ..] = results else { return Vec::new() };
    let traits = traits(base.result);
    let differing = others.iter().flat_map(|other| {
        let pairs = traits.iter().zip(self::traits(other.result));
        pairs.filter(|((_, one), (_, another))| one != another).map(|((what, one), (_, another))| Contrast {
            what: (*what).to_owned(),
            base: one.clone(),
            name: other.name.to_owned(),
            other: another,
        })
    });
    differing.collect()
}

/// What may make values differ, in words.
fn traits(file: &ResultFile) -> [(&'static str, String); 10] {
    let settings = &file.settings;
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "none".to_owned());
    let list = |names: &[String]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    [
        ("machine", file.machine.name.clone()),
        ("set", list(&file.machine.settings.iter().map(ToString::to_string).collect::<Vec<_>>())),
        ("origin", file.origin.kind().to_owned()),
        ("solver", or_none(file.origin.as_model().map(|model| model.solver.name().to_owned()))),
        ("version", file.produced_by.clone()),
        ("effort", settings.effort.clone()),
        ("pages", format!("{:?}", settings.pages).to_lowercase()),
        ("buffer", or_none(settings.buffer.map(|buffer| buffer.to_string()))),
        ("prefetchers off", list(&settings.prefetchers_off)),
        ("seed", or_none(settings.seed.map(|seed| seed.to_string()))),
    ]
}
