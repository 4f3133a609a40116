//! Why a text is not a machine file.

use std::fmt;

use zerohop_document::{Problems, TextProblem};

/// Why a text is not a machine file: every problem found, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineFileError {
    problems: Vec<TextProblem>,
    /// Further ones, of which only the number is kept.
    more: usize,
    refused: bool,
}

/// More problems than this are counted and not listed: nobody reads them before the first are mended.
const LISTED: usize = 20;

impl MachineFileError {
    /// What is wrong. Not empty.
    pub fn problems(&self) -> &[TextProblem] {
        &self.problems
    }

    /// How many problems there are beyond these.
    pub const fn more(&self) -> usize {
        self.more
    }

    /// The same problems in other words, and as many more.
    pub(super) fn reworded(&self, problems: Vec<TextProblem>) -> Self {
        Self { problems, ..self.clone() }
    }

    /// Whether nothing is wrong but what was chosen: the file says that these values do not go together.
    pub const fn is_refusal(&self) -> bool {
        self.refused
    }

    /// That all of this is wrong.
    pub(super) fn of(problems: Problems) -> Self {
        let more = problems.more();
        let listed = Self::listing(problems.into_list());
        Self { more: listed.more + more, ..listed }
    }

    /// The same, where the file refuses what was chosen.
    pub(super) fn refusal(problems: Problems) -> Self {
        Self { refused: true, ..Self::of(problems) }
    }

    /// The same of a list. Not empty.
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
