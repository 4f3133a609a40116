//! Experiments as people type them: studies, sweeps and advice name their runs in the words of `zerohop run`.

use zerohop_experiment::campaign::Run;

use crate::hint::Hinted;

/// Reads an experiment and its options. The options are declared once, where the command line is; whoever has none may accept names alone.
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

/// Why words are no experiment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CommandError {
    /// What is wrong with them.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
}

impl Hinted for CommandError {
    fn hint(&self) -> Option<String> {
        self.hint.clone()
    }
}
