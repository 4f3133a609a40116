//! Reading the tree of a document. All that is wrong is found, not only the first.

use zerohop_units::counted;

use crate::parameter::{KeyValue, Parameter};
use crate::problems::{Problems, Span};
use crate::suggest::suggest;
use crate::text_problem::TextProblem;
use crate::tree::{Entry, SOURCE, Value, parse};

/// Something that a value of a document can be.
pub trait Read: Sized {
    /// A value that would be right, as it is written; nothing where it is a table of its own.
    const EXAMPLE: Option<&'static str>;

    /// Reads it; reports what is wrong with it.
    fn read(reader: &mut Reader, at: &At<'_>) -> Option<Self>;

    /// What it is where the key is missing; nothing if the key has to be there.
    fn absent() -> Option<Self> {
        None
    }
}

/// A value, and the way to it.
pub struct At<'t> {
    /// What messages call the whole document: `the machine file`.
    pub document: &'static str,
    /// Keys from the root, joined by dots.
    pub path: String,
    pub key: Span,
    pub value: &'t Value,
}

/// What comes out beside the tables themselves: problems, and the list of all numbers.
#[derive(Debug)]
pub struct Reader {
    /// What is wrong so far.
    pub problems: Problems,
    /// Every number, in the order in which it was read.
    pub parameters: Vec<Parameter>,
    /// Every key of every table that is no table itself, in the order in which it was read.
    pub keys: Vec<KeyValue>,
    /// Numbers of which nothing says where they come from.
    pub(crate) sourceless: Vec<(Span, String)>,
    document: &'static str,
    /// Whether any table may have a `source`, and every number needs one.
    pub(crate) has_sources: bool,
}

/// Reads a document of one file whose numbers need no source: `document` is what messages call it, `hint` says what it looks like.
/// What is returned beside it has no problems, and takes those that are found later.
///
/// # Errors
/// All that is wrong, in the order of the text.
pub fn read<T: Read>(
    document: &'static str,
    hint: &str,
    name: &str,
    text: &str,
) -> Result<(T, Problems), Vec<TextProblem>> {
    let mut problems = Problems::of(name, text);
    let tree = parse(0, hint, &mut problems);
    if problems.any() {
        return Err(problems.into_list());
    }
    let mut reader = Reader { has_sources: false, ..Reader::new(document, problems) };
    match reader.root(&tree) {
        Some(read) if !reader.problems.any() => Ok((read, reader.problems)),
        _ => Err(reader.problems.into_list()),
    }
}

impl Reader {
    /// Of a document that messages call `document`: `the machine file`.
    pub const fn new(document: &'static str, problems: Problems) -> Self {
        Self {
            problems,
            parameters: Vec::new(),
            keys: Vec::new(),
            sourceless: Vec::new(),
            document,
            has_sources: true,
        }
    }

    /// A value of this document, whose path and key are these.
    pub const fn at<'t>(&self, path: String, key: Span, value: &'t Value) -> At<'t> {
        At { document: self.document, path, key, value }
    }

    /// Reads the whole tree as `T`.
    pub fn root<T: Read>(&mut self, value: &Value) -> Option<T> {
        let read = T::read(self, &self.at(String::new(), value.place, value));
        // One line at the top of the file mends them all.
        if let Some((place, name)) = self.sourceless.iter().min() {
            let message = match self.sourceless.len() {
                1 => format!("{name} has no source"),
                count => format!("{name} and {} have no source", counted(count - 1, "other value")),
            };
            let hint =
                "write `{ value = …, source = \"…\" }`, or add `source = \"…\"` to its table or to the file";
            self.problems.add_with_hint(*place, message, hint);
            return None;
        }
        read
    }

    /// That the value is a table with no key but these.
    pub fn expect_keys(&mut self, at: &At<'_>, keys: &[&'static str]) -> Option<()> {
        let Some(entries) = at.value.entries() else {
            let message = format!("{} must be a table, not {}", at.name(), at.value.kind());
            let hint = format!("its keys are {}", list(keys));
            self.problems.add_with_hint(at.value.place, message, hint);
            return None;
        };
        let mut all_known = Some(());
        for entry in entries.iter().filter(|entry| !keys.contains(&entry.key.as_str())) {
            if self.has_sources && entry.key == SOURCE {
                all_known = self.expect_words(entry).and(all_known);
                continue;
            }
            let message = format!("{} has no key `{}`", at.name(), entry.key);
            self.problems.add_with_hint(entry.place, message, suggest(&entry.key, keys.iter().copied()));
            all_known = None;
        }
        all_known
    }

    /// That a source says something.
    pub(crate) fn expect_words(&mut self, entry: &Entry) -> Option<()> {
        if entry.value.text().is_some_and(|text| !text.trim().is_empty()) {
            return Some(());
        }
        let message = format!("`{}` must state in words where values come from", entry.key);
        self.problems.add(entry.value.place, message);
        None
    }

    /// Reports that a value is none of these words.
    pub fn expect_word(&mut self, at: &At<'_>, words: &[&str]) {
        let found = match at.value.text() {
            Some(text) => format!("`{text}`"),
            None => at.value.kind().to_owned(),
        };
        let message = format!("{} must be one of {}, not {found}", at.name(), list(words));
        self.problems.add(at.value.place, message);
    }
}

impl<'t> At<'t> {
    pub(crate) fn inner(&self, key: &str, entry: &'t Entry) -> Self {
        Self { document: self.document, path: self.child(key), key: entry.place, value: &entry.value }
    }

    /// The path to one of its entries.
    pub fn child(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// What it is called in messages.
    pub fn name(&self) -> String {
        if self.path.is_empty() { self.document.to_owned() } else { format!("`{}`", self.path) }
    }
}

/// The values of a list, if all of them are right. All are read before any that is wrong ends it, so that every mistake is reported.
pub(crate) fn all<T, C: FromIterator<T>>(read: impl Iterator<Item = Option<T>>) -> Option<C> {
    let read: Vec<Option<T>> = read.collect();
    read.into_iter().collect()
}

/// Names, one after the other.
pub fn list(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

impl<T: Read> Read for Option<T> {
    const EXAMPLE: Option<&'static str> = T::EXAMPLE;

    fn read(reader: &mut Reader, at: &At<'_>) -> Option<Self> {
        T::read(reader, at).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}
