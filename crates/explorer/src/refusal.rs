//! Why a question has no answer.

use serde::Serialize;
use zerohop_app::{CommandError, Hinted, WrongMachine};
use zerohop_experiment::ExperimentError;
use zerohop_workload::OptionNames;

/// Why a question has no answer, and what to ask instead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Refusal {
    pub(crate) error: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
}

impl Refusal {
    pub(crate) fn new(error: &dyn ToString) -> Self {
        Self { error: error.to_string(), hint: None }
    }

    /// What is wrong with a machine, without its file's text: a page has no room for it, and the sentence says what to do.
    pub(crate) fn of_machine(error: &WrongMachine) -> Self {
        let Some(first) = error.0.problems().first() else { return Self::new(error) };
        Self { error: first.message.clone(), hint: first.hint.clone() }
    }
}

impl<E: Hinted> From<E> for Refusal {
    fn from(error: E) -> Self {
        Self { hint: error.hint(), error: error.to_string() }
    }
}

/// What an experiment says of its request.
pub(crate) fn of_experiment(error: &ExperimentError) -> Refusal {
    let hint = error.hint(&OptionNames::default()).map(Into::into);
    Refusal { hint, ..Refusal::new(error) }
}

/// A refusal of words that are no experiment.
pub(crate) fn no_experiment(message: String, hint: impl Into<String>) -> CommandError {
    CommandError { message, hint: Some(hint.into()) }
}
