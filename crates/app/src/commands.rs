//! Experiments as people type them: studies, sweeps and advice name their runs in the words of `zerohop run`.

use zerohop_experiment::campaign::Run;

use crate::hint::Hinted;

/// Reads an experiment and its options. The options are declared once, in the command line; programs without one may accept names only.
pub trait Commands {
    /// The experiment that the words name, and its options on a model.
    ///
    /// # Errors
    /// When the words name no experiment.
    fn run(&self, words: &str) -> Result<Run, CommandError>;
}

impl<F: Fn(&str) -> Result<Run, CommandError>> Commands for F {
    fn run(&self, words: &str) -> Result<Run, CommandError> {
        self(words)
    }
}

/// Reason why words are not an experiment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CommandError {
    /// Description of the problem.
    pub message: String,
    /// Hint for the user.
    pub hint: Option<String>,
}

impl Hinted for CommandError {
    fn hint(&self) -> Option<String> {
        self.hint.clone()
    }
}
