//! An experiment: its description for readers, and how it is planned.

use crate::plan::Plan;
use crate::scope::Scope;
use crate::{ExperimentError, Options};
use zerohop_result::{Choice, Descriptor};

#[derive(Clone, Copy)]
pub(crate) struct Experiment {
    /// Description for readers.
    pub(crate) descriptor: Descriptor,
    /// Makes its plan for a scope.
    pub(crate) plan: fn(&Scope) -> Result<Plan, ExperimentError>,
}

impl Experiment {
    /// Plan of the experiment.
    ///
    /// # Errors
    /// If the experiment makes no sense on the nodes and CPUs that take part, or there is too little memory.
    pub(crate) fn plan(&self, scope: &Scope) -> Result<Plan, ExperimentError> {
        let plan = (self.plan)(scope)?;
        Ok(match &scope.options.places {
            Some(places) => plan.at(places),
            None => plan,
        })
    }

    /// Checks that it accepts every choice made, when it runs by itself. In a survey, a choice only affects the experiments
    /// that accept it.
    ///
    /// # Errors
    /// When a choice was made that it does not accept.
    pub(crate) fn check_choices(&self, options: &Options) -> Result<(), ExperimentError> {
        let accepts = self.descriptor.accepts;
        match Choice::ALL.into_iter().find(|choice| options.has_chosen(*choice) && !accepts.contains(choice))
        {
            Some(choice) => Err(ExperimentError::ChoiceNotAccepted {
                experiment: self.descriptor.name(),
                choice,
                accepts,
            }),
            None => Ok(()),
        }
    }
}
