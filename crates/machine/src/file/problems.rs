//! What is wrong with a machine file: all of it, each where it stands.

use std::fmt;
use std::sync::Arc;

use crate::TextProblem;

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

    /// That all of this is wrong. Not empty.
    pub(super) const fn of(problems: Vec<TextProblem>) -> Self {
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

/// A place in one of the files that a machine file is merged of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Place {
    pub(super) file: usize,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A file that a machine file is merged of.
#[derive(Debug, Clone)]
struct SourceFile {
    name: Arc<str>,
    text: Arc<str>,
}

/// The files that are read, and what is wrong with them so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Problems {
    files: Vec<SourceFile>,
    found: Vec<(Place, TextProblem)>,
}

impl Problems {
    /// Adds a file, and gives its rank.
    pub(super) fn file(&mut self, name: &str, text: &str) -> usize {
        self.files.push(SourceFile { name: name.into(), text: text.into() });
        self.files.len() - 1
    }

    pub(super) fn text(&self, file: usize) -> &Arc<str> {
        &self.files[file].text
    }

    /// Adds a problem.
    pub(super) fn add(&mut self, place: Place, message: impl Into<String>) {
        let problem = self.problem(place, message.into());
        self.found.push((place, problem));
    }

    /// Adds a problem and what can be done about it.
    pub(super) fn add_with_hint(
        &mut self,
        place: Place,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        let problem = self.problem(place, message.into()).hint(hint);
        self.found.push((place, problem));
    }

    fn problem(&self, place: Place, message: String) -> TextProblem {
        let file = &self.files[place.file];
        TextProblem::new(&file.name, &file.text, place.start..place.end, message)
    }

    /// The same files, with nothing wrong so far.
    pub(super) fn without_problems(&self) -> Self {
        Self { files: self.files.clone(), found: Vec::new() }
    }

    /// How many so far.
    pub(super) const fn count(&self) -> usize {
        self.found.len()
    }

    pub(super) const fn any(&self) -> bool {
        !self.found.is_empty()
    }

    /// All of them, in the order of the files and their text.
    pub(super) fn into_error(mut self) -> MachineFileError {
        debug_assert!(self.any(), "nothing fails without a word on it");
        self.found.sort_by_key(|&(place, _)| place);
        // A name that several parts lean on is missed once.
        self.found.dedup();
        MachineFileError::of(self.found.into_iter().map(|(_, problem)| problem).collect())
    }

    /// As [`Self::into_error`], where the file refuses what was chosen.
    pub(super) fn into_refusal(self) -> MachineFileError {
        MachineFileError { refused: true, ..self.into_error() }
    }
}
