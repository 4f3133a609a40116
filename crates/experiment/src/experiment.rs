//! An experiment: what readers need to know of it, and how it is planned.

use crate::plan::Plan;
use crate::scope::Scope;
use crate::{ExperimentError, Options};
use zerohop_result::{Choice, Descriptor};

/// An experiment.
#[derive(Clone, Copy)]
pub(crate) struct Experiment {
    /// What readers need to know of it.
    pub(crate) descriptor: Descriptor,
    /// Its plan on what takes part.
    pub(crate) plan: fn(&Scope) -> Result<Plan, ExperimentError>,
}

impl Experiment {
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
