//! The experiments, one file each: how each turns a machine into measurements, and its description for readers.
//!
//! A new experiment is a file here, named twice below: as a module, and in the list.

mod bandwidth_matrix;
mod cache_latency;
mod cases;
mod core_latency;
mod core_to_core;
mod crossfire;
mod global_bandwidth;
mod hops;
mod injection;
mod latency_distribution;
mod latency_matrix;
mod load_curves;
pub(crate) mod loaded_latency;
mod memory_suite;
mod mixes;
mod ramp;
mod random_bandwidth;
mod relation;
mod stream;
mod subscription;

use crate::ExperimentError;
use crate::experiment::Experiment;
use crate::scope::Scope;
use zerohop_result::{Catalogue, Descriptor, ExperimentName};
use zerohop_workload::Kernel;

/// Every experiment, in the order in which a survey runs them and help lists them.
const EXPERIMENTS: &[Experiment] = &[
    latency_matrix::EXPERIMENT,
    bandwidth_matrix::EXPERIMENT,
    cache_latency::EXPERIMENT,
    stream::EXPERIMENT,
    mixes::EXPERIMENT,
    injection::EXPERIMENT,
    loaded_latency::EXPERIMENT,
    core_to_core::EXPERIMENT,
    core_latency::EXPERIMENT,
    latency_distribution::EXPERIMENT,
    random_bandwidth::EXPERIMENT,
    global_bandwidth::EXPERIMENT,
    hops::EXPERIMENT,
    crossfire::EXPERIMENT,
    ramp::EXPERIMENT,
    memory_suite::EXPERIMENT,
    load_curves::EXPERIMENT,
];

/// The descriptions of all experiments.
static DESCRIPTORS: [Descriptor; EXPERIMENTS.len()] = {
    let mut descriptors = [EXPERIMENTS[0].descriptor; EXPERIMENTS.len()];
    let mut rank = 0;
    while rank < descriptors.len() {
        descriptors[rank] = EXPERIMENTS[rank].descriptor;
        rank += 1;
    }
    descriptors
};

/// The catalogue of all experiments.
pub const fn catalogue() -> Catalogue {
    Catalogue::new(&DESCRIPTORS)
}

/// Kernels of the load in an experiment whose delays are found by a pilot: one for each of its curves.
pub(crate) fn paced_kernels(name: &ExperimentName, scope: &Scope) -> Vec<Kernel> {
    match name.as_str() {
        name if name == loaded_latency::EXPERIMENT.descriptor.name => vec![loaded_latency::kernel(scope)],
        name if name == load_curves::EXPERIMENT.descriptor.name => load_curves::kernels(scope).to_vec(),
        _ => Vec::new(),
    }
}

/// All experiments, in order.
pub(crate) fn experiments() -> impl Iterator<Item = &'static Experiment> {
    EXPERIMENTS.iter()
}

/// The experiment with that name.
///
/// # Errors
/// When there is none.
pub(crate) fn experiment(name: &ExperimentName) -> Result<&'static Experiment, ExperimentError> {
    let found = EXPERIMENTS.iter().find(|experiment| *name == *experiment.descriptor.name);
    found.ok_or_else(|| ExperimentError::UnknownExperiment { name: name.clone() })
}

#[cfg(test)]
mod work;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_experiment_has_its_own_name_and_description() {
        let names: BTreeSet<_> = catalogue().all().map(|known| known.name).collect();
        let summaries: BTreeSet<_> = catalogue().all().map(|known| known.summary).collect();
        assert_eq!((names.len(), summaries.len()), (EXPERIMENTS.len(), EXPERIMENTS.len()));
        for known in catalogue().all() {
            assert_eq!(catalogue().get(&known.name()), Some(known));
            assert!(known.about.ends_with('.'), "{}", known.name);
        }
    }

    #[test]
    fn descriptors_can_be_sent_to_a_page_in_a_browser() {
        for known in catalogue().all() {
            let sent = serde_json::to_value(known).unwrap();
            let layouts = sent["layouts"].as_array().unwrap();
            assert!(!layouts.is_empty() && !known.headlines.is_empty(), "{}", known.name);
            assert!(layouts.iter().all(|layout| layout["rows"].is_string()), "{sent}");
        }
    }
}
