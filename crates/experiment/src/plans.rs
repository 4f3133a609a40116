//! The experiments, one file each: what of a machine becomes which measurements, and what readers need to know of it.
//!
//! A new experiment is its file here, named twice below: as a module, and in the list.

mod bandwidth_matrix;
mod cache_latency;
mod cases;
mod core_latency;
mod core_to_core;
mod crossfire;
mod global_bandwidth;
mod hops;
mod latency_matrix;
mod loaded_latency;
mod memory_suite;
mod mixes;
mod ramp;
mod relation;
mod stream;
mod subscription;

use crate::plan::Plan;
use crate::scope::Scope;
use crate::{ExperimentError, Options};
use zerohop_result::{Catalogue, Choice, Descriptor, ExperimentName};

/// Every experiment, in the order in which a survey runs them and help lists them.
const EXPERIMENTS: &[Experiment] = &[
    latency_matrix::EXPERIMENT,
    bandwidth_matrix::EXPERIMENT,
    cache_latency::EXPERIMENT,
    stream::EXPERIMENT,
    mixes::EXPERIMENT,
    loaded_latency::EXPERIMENT,
    core_to_core::EXPERIMENT,
    core_latency::EXPERIMENT,
    global_bandwidth::EXPERIMENT,
    hops::EXPERIMENT,
    crossfire::EXPERIMENT,
    ramp::EXPERIMENT,
    memory_suite::EXPERIMENT,
];

/// What readers need to know of every experiment.
static DESCRIPTORS: [Descriptor; EXPERIMENTS.len()] = {
    let mut descriptors = [EXPERIMENTS[0].descriptor; EXPERIMENTS.len()];
    let mut rank = 0;
    while rank < descriptors.len() {
        descriptors[rank] = EXPERIMENTS[rank].descriptor;
        rank += 1;
    }
    descriptors
};

/// An experiment: what readers need to know of it, and how it is planned.
#[derive(Clone, Copy)]
pub(crate) struct Experiment {
    /// What readers need to know of it.
    pub(crate) descriptor: Descriptor,
    /// Its plan on what takes part.
    plan: fn(&Scope) -> Result<Plan, ExperimentError>,
}

/// The experiments that there are.
pub const fn catalogue() -> Catalogue {
    Catalogue::new(&DESCRIPTORS)
}

impl Experiment {
    /// Every one, in order.
    pub(crate) fn all() -> impl Iterator<Item = &'static Self> {
        EXPERIMENTS.iter()
    }

    /// The one of that name.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn named(name: &ExperimentName) -> Result<&'static Self, ExperimentError> {
        let found = EXPERIMENTS.iter().find(|experiment| *name == *experiment.descriptor.name);
        found.ok_or_else(|| ExperimentError::UnknownExperiment { name: name.clone() })
    }

    /// Its plan.
    ///
    /// # Errors
    /// When it makes no sense on what takes part, or there is too little memory for it.
    pub(crate) fn plan(&self, scope: &Scope) -> Result<Plan, ExperimentError> {
        (self.plan)(scope)
    }

    /// Whether it heeds everything that was chosen when it is run by itself. In a survey, only the experiments that heed a
    /// choice are affected by it.
    ///
    /// # Errors
    /// When there is a choice that it does not heed.
    pub(crate) fn check_choices(&self, options: &Options) -> Result<(), ExperimentError> {
        let heeds = self.descriptor.heeds;
        match Choice::ALL.into_iter().find(|choice| options.has_chosen(*choice) && !heeds.contains(choice)) {
            Some(choice) => {
                Err(ExperimentError::NotHeeded { experiment: self.descriptor.name(), choice, heeds })
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_experiment_has_a_name_and_words_of_its_own() {
        let names: BTreeSet<_> = catalogue().all().map(|known| known.name).collect();
        let summaries: BTreeSet<_> = catalogue().all().map(|known| known.summary).collect();
        assert_eq!((names.len(), summaries.len()), (EXPERIMENTS.len(), EXPERIMENTS.len()));
        for known in catalogue().all() {
            assert_eq!(catalogue().get(&known.name()), Some(known));
            assert!(known.about.ends_with('.'), "{}", known.name);
        }
    }
}
