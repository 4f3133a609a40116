//! All mistakes in a document, each with its place.

use std::sync::Arc;

use crate::TextProblem;

/// A place in one of the files that make up a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Rank of the file, as [`Problems::file`] gave it.
    pub file: usize,
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
}

/// One of the files that make up a document.
#[derive(Debug, Clone)]
struct SourceFile {
    name: Arc<str>,
    text: Arc<str>,
}

/// The files of a document, and the mistakes found so far.
#[derive(Debug, Clone, Default)]
pub struct Problems {
    files: Vec<SourceFile>,
    found: Vec<(Span, TextProblem)>,
    /// Number of further problems, which are not kept.
    more: usize,
}

/// Further problems are only counted: nobody reads that many before fixing the first.
const KEPT: usize = 1000;

impl Problems {
    /// No problems yet, in a document of one file.
    pub fn of(name: &str, text: &str) -> Self {
        let mut problems = Self::default();
        problems.file(name, text);
        problems
    }

    /// Adds a file, and returns its rank.
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

    pub fn add(&mut self, place: Span, message: impl Into<String>) {
        if self.has_room() {
            let problem = self.problem(place, message.into());
            self.found.push((place, problem));
        }
    }

    /// Adds a problem and what can be done about it.
    pub fn add_with_hint(&mut self, place: Span, message: impl Into<String>, hint: impl Into<String>) {
        if self.has_room() {
            let problem = self.problem(place, message.into()).hint(hint);
            self.found.push((place, problem));
        }
    }

    /// Whether one more can be kept; if not, counts it.
    fn has_room(&mut self) -> bool {
        let has = self.found.len() < KEPT;
        self.more += usize::from(!has);
        has
    }

    fn problem(&self, place: Span, message: String) -> TextProblem {
        let file = &self.files[place.file];
        TextProblem::new(&file.name, &file.text, place.start..place.end, message)
    }

    /// The same files without problems.
    pub fn without_problems(&self) -> Self {
        Self { files: self.files.clone(), found: Vec::new(), more: 0 }
    }

    /// Number of problems so far.
    pub const fn count(&self) -> usize {
        self.found.len() + self.more
    }

    /// Number of problems that were not kept.
    pub const fn more(&self) -> usize {
        self.more
    }

    /// Whether there are any.
    pub const fn any(&self) -> bool {
        !self.found.is_empty()
    }

    /// The problems that were kept, each once, in the order of the files and of their text.
    pub fn into_list(mut self) -> Vec<TextProblem> {
        self.found.sort_by_key(|&(place, _)| place);
        // A missing name that several parts refer to is reported once.
        self.found.dedup();
        self.found.into_iter().map(|(_, problem)| problem).collect()
    }
}
