//! The text of a document as a tree: every value with its place and its source.

use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::problems::{Problems, Span};

/// A value, its place, and the source of the numbers in it.
#[derive(Debug, Clone)]
pub struct Value {
    pub place: Span,
    /// The nearest enclosing `source` of its own file.
    pub source: Option<Arc<str>>,
    /// Whether that is the source of the whole file, not one given for this value.
    pub is_of_file: bool,
    pub content: Content,
}

/// The content of a value.
#[derive(Debug, Clone)]
pub enum Content {
    Text(String),
    Integer(i64),
    List(Vec<Value>),
    /// A table. Trees that are made of one another share those in which they do not differ.
    Table(Arc<Vec<Entry>>),
    /// A value that no declared key accepts.
    Other {
        kind: &'static str,
        /// As it is written.
        text: String,
    },
}

/// A key and its value. Entries are in the order of the file.
#[derive(Debug, Clone)]
pub struct Entry {
    pub key: String,
    /// The place of the key.
    pub place: Span,
    pub value: Value,
}

/// The key that makes a table a number: `{ value = "4 GB/s", source = "…" }`.
pub const VALUE: &str = "value";
/// The key with the source of numbers.
pub const SOURCE: &str = "source";
/// The key with the scope of a number's source, if the source was given for more than that number.
pub const SCOPE: &str = "scope";
/// The scope of a source given for a whole file.
pub const SCOPE_FILE: &str = "file";

impl Value {
    /// Its kind in words, for messages.
    pub const fn kind(&self) -> &'static str {
        match self.content {
            Content::Text(_) => "a string",
            Content::Integer(_) => "an integer",
            Content::List(_) => "a list",
            Content::Table(_) => "a table",
            Content::Other { kind, .. } => kind,
        }
    }

    /// The text, if it is one.
    pub const fn text(&self) -> Option<&String> {
        match &self.content {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Its entries, if it is a table.
    pub fn entries(&self) -> Option<&Vec<Entry>> {
        match &self.content {
            Content::Table(entries) => Some(entries),
            _ => None,
        }
    }

    /// Its entries, to be changed.
    pub fn entries_mut(&mut self) -> Option<&mut Vec<Entry>> {
        match &mut self.content {
            Content::Table(entries) => Some(Arc::make_mut(entries)),
            _ => None,
        }
    }

    /// The entry of that key, if this is a table that has it.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries()?.iter().find(|entry| entry.key == key)
    }

    /// The entry of that key, to be changed.
    pub fn entry_mut(&mut self, key: &str) -> Option<&mut Entry> {
        let rank = self.entries()?.iter().position(|entry| entry.key == key)?;
        self.entries_mut()?.get_mut(rank)
    }

    /// Removes and returns an entry.
    pub fn take(&mut self, key: &str) -> Option<Entry> {
        let at = self.entries()?.iter().position(|entry| entry.key == key)?;
        Some(self.entries_mut()?.remove(at))
    }

    /// Whether entries of another file are merged into it. A number with its source is replaced as a whole.
    pub fn merges(&self) -> bool {
        matches!(self.content, Content::Table(_)) && self.entry(VALUE).is_none()
    }

    /// Overlays this value with another: tables are merged, anything else is replaced.
    pub fn overlay(&mut self, other: Self) {
        if !(self.merges() && other.merges()) {
            *self = other;
            return;
        }
        self.place = other.place;
        self.source = other.source;
        self.is_of_file = other.is_of_file;
        if let (Some(entries), Content::Table(news)) = (self.entries_mut(), other.content) {
            for new in Arc::unwrap_or_clone(news) {
                match entries.iter_mut().find(|entry| entry.key == new.key) {
                    Some(old) => {
                        old.place = new.place;
                        old.value.overlay(new.value);
                    }
                    None => entries.push(new),
                }
            }
        }
    }
}

/// Parses a file's text into a tree. Violations of TOML are reported; `hint` says what such a document looks like.
pub fn parse(file: usize, hint: &str, problems: &mut Problems) -> Value {
    let text = Arc::clone(problems.text(file));
    let (root, errors) = DeTable::parse_recoverable(&text);
    for (rank, error) in errors.iter().enumerate() {
        let span = error.span().unwrap_or(0..0);
        let place = Span { file, start: span.start, end: span.end };
        let message = error.message().trim_end().replace('\n', "; ");
        match rank {
            0 => problems.add_with_hint(place, message, hint),
            _ => problems.add(place, message),
        }
    }
    let place = Span { file, start: 0, end: 0 };
    let mut root = Value { place, source: None, is_of_file: false, content: table(file, root.into_inner()) };
    spread(&mut root, None, true);
    root
}

fn table(file: usize, table: DeTable<'_>) -> Content {
    let place = |span: std::ops::Range<usize>| Span { file, start: span.start, end: span.end };
    let mut entries: Vec<Entry> = table
        .into_iter()
        .map(|(key, value)| Entry {
            place: place(key.span()),
            key: key.into_inner().into_owned(),
            value: Value {
                place: place(value.span()),
                source: None,
                is_of_file: false,
                content: content(file, value),
            },
        })
        .collect();
    // The parser keeps the order of keys only if another crate of the build enables that feature.
    entries.sort_by_key(|entry| entry.place.start);
    Content::Table(Arc::new(entries))
}

fn content(file: usize, value: Spanned<DeValue<'_>>) -> Content {
    match value.into_inner() {
        DeValue::String(text) => Content::Text(text.into_owned()),
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix())
            .map_or_else(|_| other("an integer beyond 64 bits", &integer), Content::Integer),
        DeValue::Float(float) => other("a number with a decimal point", &float),
        DeValue::Boolean(boolean) => other("a boolean", &boolean),
        DeValue::Datetime(date) => other("a date", &date),
        DeValue::Array(items) => Content::List(
            items
                .into_iter()
                .map(|item| {
                    let span = item.span();
                    let place = Span { file, start: span.start, end: span.end };
                    Value { place, source: None, is_of_file: false, content: content(file, item) }
                })
                .collect(),
        ),
        DeValue::Table(inner) => table(file, inner),
    }
}

fn other(kind: &'static str, written: &dyn std::fmt::Display) -> Content {
    Content::Other { kind, text: written.to_string() }
}

/// Gives every value its source.
fn spread(value: &mut Value, enclosing: Option<(&Arc<str>, bool)>, is_root: bool) {
    let own = value.entry(SOURCE).and_then(|entry| entry.value.text()).filter(|text| !text.trim().is_empty());
    let (source, is_of_file) = match (own, enclosing) {
        (Some(own), _) => (Some(Arc::from(own.as_str())), is_root),
        (None, Some((source, is_of_file))) => (Some(Arc::clone(source)), is_of_file),
        (None, None) => (None, false),
    };
    let inner = source.as_ref().map(|source| (source, is_of_file));
    match &mut value.content {
        Content::Table(entries) => {
            for entry in Arc::make_mut(entries) {
                spread(&mut entry.value, inner, false);
            }
        }
        Content::List(items) => {
            for item in items {
                spread(item, inner, false);
            }
        }
        Content::Text(_) | Content::Integer(_) | Content::Other { .. } => {}
    }
    value.is_of_file = is_of_file;
    value.source = source;
}

/// Reads a value as TOML, or else as plain text: nobody quotes `3 GHz` on a command line. Its place is `place`, its source
/// `source`.
pub fn read_typed(text: &str, place: Span, source: &str) -> Value {
    let document = format!("value = {text}");
    let read = DeTable::parse(&document).ok().map(Spanned::into_inner).filter(|table| table.len() == 1);
    let read = read.and_then(|table| table.into_iter().next()).map(|(_, value)| content(place.file, value));
    let mut value = Value {
        place,
        source: None,
        is_of_file: false,
        content: read.unwrap_or_else(|| Content::Text(text.to_owned())),
    };
    settle(&mut value, place, &source.into());
    value
}

/// Gives a value, and everything in it, one place and one source.
fn settle(value: &mut Value, place: Span, source: &Arc<str>) {
    value.place = place;
    value.source = Some(Arc::clone(source));
    value.is_of_file = false;
    match &mut value.content {
        Content::List(items) => items.iter_mut().for_each(|item| settle(item, place, source)),
        Content::Table(entries) => {
            for entry in Arc::make_mut(entries) {
                entry.place = place;
                settle(&mut entry.value, place, source);
            }
        }
        Content::Text(_) | Content::Integer(_) | Content::Other { .. } => {}
    }
}
