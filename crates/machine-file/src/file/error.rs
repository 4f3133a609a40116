//! Reasons why a text is not a machine file.

use std::fmt;

use zerohop_document::{Problems, TextProblem};

/// Reason why a text is not a machine file: every problem, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineFileError {
    problems: Vec<TextProblem>,
    /// The number of further problems, which are not kept.
    more: usize,
    refused: bool,
}

/// Problems beyond this number are only counted: nobody reads them before fixing the first ones.
const LISTED: usize = 20;

impl MachineFileError {
    /// The problems. Not empty.
    pub fn problems(&self) -> &[TextProblem] {
        &self.problems
    }

    /// The number of problems beyond these.
    pub const fn more(&self) -> usize {
        self.more
    }

    /// Copy of the error with reworded problems.
    pub(super) fn reworded(&self, problems: Vec<TextProblem>) -> Self {
        Self { problems, ..self.clone() }
    }

    /// Whether the only problem is the choice: the file refuses this combination of values.
    pub const fn is_refusal(&self) -> bool {
        self.refused
    }

    /// An error with all of these problems.
    pub(crate) fn of(problems: Problems) -> Self {
        let more = problems.more();
        let listed = Self::listing(problems.into_list());
        Self { more: listed.more + more, ..listed }
    }

    /// Error for a choice that the file rejects.
    pub(super) fn refusal(problems: Problems) -> Self {
        Self { refused: true, ..Self::of(problems) }
    }

    /// Error for a list of problems, which is not empty.
    pub(super) fn listing(mut problems: Vec<TextProblem>) -> Self {
        debug_assert!(!problems.is_empty(), "nothing fails without a word on it");
        let more = problems.len().saturating_sub(LISTED);
        problems.truncate(LISTED);
        Self { problems, more, refused: false }
    }
}

impl std::error::Error for MachineFileError {}

impl fmt::Display for MachineFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (rank, problem) in self.problems.iter().enumerate() {
            if rank > 0 {
                f.write_str("\n\n")?;
            }
            write!(f, "{problem}")?;
        }
        if self.more > 0 {
            write!(f, "\n\nand {} more", self.more)?;
        }
        Ok(())
    }
}
