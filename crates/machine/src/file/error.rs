//! Why a text is not a machine file.

use std::fmt;

use zerohop_document::{Problems, TextProblem};

/// Why a text is not a machine file: every problem found, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineFileError {
    problems: Vec<TextProblem>,
    refused: bool,
}

impl MachineFileError {
    /// What is wrong. Not empty.
    pub fn problems(&self) -> &[TextProblem] {
        &self.problems
    }

    /// Whether nothing is wrong but what was chosen: the file says that these values do not go together.
    pub const fn is_refusal(&self) -> bool {
        self.refused
    }

    /// That all of this is wrong.
    pub(super) fn of(problems: Problems) -> Self {
        Self::listing(problems.into_list())
    }

    /// The same, where the file refuses what was chosen.
    pub(super) fn refusal(problems: Problems) -> Self {
        Self { refused: true, ..Self::of(problems) }
    }

    /// The same of a list. Not empty.
    pub(super) fn listing(problems: Vec<TextProblem>) -> Self {
        debug_assert!(!problems.is_empty(), "nothing fails without a word on it");
        Self { problems, refused: false }
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
        Ok(())
    }
}
