//! What is wrong with a document: all of it, each where it stands.

use std::sync::Arc;

use crate::TextProblem;

/// A place in one of the files that a document is merged of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Rank of the file, as [`Problems::file`] gave it.
    pub file: usize,
    /// The first byte.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
}

/// A file that a document is merged of.
#[derive(Debug, Clone)]
struct SourceFile {
    name: Arc<str>,
    text: Arc<str>,
}

/// The files that are read, and what is wrong with them so far.
#[derive(Debug, Clone, Default)]
pub struct Problems {
    files: Vec<SourceFile>,
    found: Vec<(Place, TextProblem)>,
    /// Further ones, of which only the number is known.
    more: usize,
}

/// More problems than this are counted and not kept: nobody reads them before the first are mended.
const KEPT: usize = 1000;

impl Problems {
    /// Nothing wrong so far with a document of one file.
    pub fn of(name: &str, text: &str) -> Self {
        let mut problems = Self::default();
        problems.file(name, text);
        problems
    }

    /// Adds a file, and gives its rank.
    pub fn file(&mut self, name: &str, text: &str) -> usize {
        self.files.push(SourceFile { name: name.into(), text: text.into() });
        self.files.len() - 1
    }

    /// The name of a file.
    pub fn name(&self, file: usize) -> &str {
        &self.files[file].name
    }

    /// The text of a file.
    pub fn text(&self, file: usize) -> &Arc<str> {
        &self.files[file].text
    }

    /// Adds a problem.
    pub fn add(&mut self, place: Place, message: impl Into<String>) {
        if self.has_room() {
            let problem = self.problem(place, message.into());
            self.found.push((place, problem));
        }
    }

    /// Adds a problem and what can be done about it.
    pub fn add_with_hint(&mut self, place: Place, message: impl Into<String>, hint: impl Into<String>) {
        if self.has_room() {
            let problem = self.problem(place, message.into()).hint(hint);
            self.found.push((place, problem));
        }
    }

    /// Whether one more is kept, which is otherwise counted.
    fn has_room(&mut self) -> bool {
        let has = self.found.len() < KEPT;
        self.more += usize::from(!has);
        has
    }

    fn problem(&self, place: Place, message: String) -> TextProblem {
        let file = &self.files[place.file];
        TextProblem::new(&file.name, &file.text, place.start..place.end, message)
    }

    /// The same files, with nothing wrong so far.
    pub fn without_problems(&self) -> Self {
        Self { files: self.files.clone(), found: Vec::new(), more: 0 }
    }

    /// How many so far.
    pub const fn count(&self) -> usize {
        self.found.len() + self.more
    }

    /// How many are not kept.
    pub const fn more(&self) -> usize {
        self.more
    }

    /// Whether there is one.
    pub const fn any(&self) -> bool {
        !self.found.is_empty()
    }

    /// All that are kept, each once, in the order of the files and their text.
    pub fn into_list(mut self) -> Vec<TextProblem> {
        self.found.sort_by_key(|&(place, _)| place);
        // A name that several parts lean on is missed once.
        self.found.dedup();
        self.found.into_iter().map(|(_, problem)| problem).collect()
    }
}
