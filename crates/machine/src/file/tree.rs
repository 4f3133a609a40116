//! The text of a machine file as a tree: what stands where, and which source holds for it.

use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problems::{Place, Problems};

/// A value, where it stands, and the source that holds for the numbers in it.
#[derive(Debug, Clone)]
pub(super) struct Value {
    pub(super) place: Place,
    /// The nearest enclosing `source` of its own file.
    pub(super) source: Option<Arc<str>>,
    pub(super) content: Content,
}

/// What a value is.
#[derive(Debug, Clone)]
pub(super) enum Content {
    Text(String),
    Integer(i64),
    List(Vec<Value>),
    Table(Vec<Entry>),
    /// What no key of a machine file takes: in words, and as it is written.
    Other {
        kind: &'static str,
        text: String,
    },
}

/// A key and its value. Entries are in the order of the file.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) place: Place,
    pub(super) value: Value,
}

/// The key by which a table is a number: `{ value = "4 GB/s", source = "…" }`.
pub(super) const VALUE: &str = "value";
/// The key that says where numbers come from.
pub(super) const SOURCE: &str = "source";

impl Value {
    /// In words, for messages.
    pub(super) const fn kind(&self) -> &'static str {
        match self.content {
            Content::Text(_) => "a text",
            Content::Integer(_) => "an integer",
            Content::List(_) => "a list",
            Content::Table(_) => "a table",
            Content::Other { kind, .. } => kind,
        }
    }

    pub(super) const fn text(&self) -> Option<&String> {
        match &self.content {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) const fn entries(&self) -> Option<&Vec<Entry>> {
        match &self.content {
            Content::Table(entries) => Some(entries),
            _ => None,
        }
    }

    /// The entry of that key, if this is a table that has it.
    pub(super) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries()?.iter().find(|entry| entry.key == key)
    }

    pub(super) fn entry_mut(&mut self, key: &str) -> Option<&mut Entry> {
        let Content::Table(entries) = &mut self.content else { return None };
        entries.iter_mut().find(|entry| entry.key == key)
    }

    /// Takes an entry out.
    pub(super) fn take(&mut self, key: &str) -> Option<Entry> {
        let Content::Table(entries) = &mut self.content else { return None };
        let at = entries.iter().position(|entry| entry.key == key)?;
        Some(entries.remove(at))
    }

    /// Whether entries of another file are merged into it, rather than replacing it: a number with its source is one
    /// thing.
    pub(super) fn merges(&self) -> bool {
        matches!(self.content, Content::Table(_)) && self.entry(VALUE).is_none()
    }

    /// Lays another value over this one: tables are merged, all else is replaced.
    pub(super) fn overlay(&mut self, other: Self) {
        if !(self.merges() && other.merges()) {
            *self = other;
            return;
        }
        self.place = other.place;
        self.source = other.source;
        if let (Content::Table(entries), Content::Table(news)) = (&mut self.content, other.content) {
            for new in news {
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

/// What a machine file looks like.
const FORM: &str =
    "a machine file is TOML: `zerohop machine export quartet --format toml` writes one to begin with";

/// The tree of a file's text. What TOML itself does not allow is reported.
pub(super) fn parse(file: usize, problems: &mut Problems) -> Value {
    let text = Arc::clone(problems.text(file));
    let (root, errors) = DeTable::parse_recoverable(&text);
    for (rank, error) in errors.iter().enumerate() {
        let span = error.span().unwrap_or(0..0);
        let place = Place { file, start: span.start, end: span.end };
        let message = error.message().trim_end().replace('\n', "; ");
        match rank {
            0 => problems.add_with_hint(place, message, FORM),
            _ => problems.add(place, message),
        }
    }
    let place = Place { file, start: 0, end: 0 };
    let mut root = Value { place, source: None, content: table(file, root.into_inner()) };
    spread(&mut root, None);
    root
}

fn table(file: usize, table: DeTable<'_>) -> Content {
    let place = |span: std::ops::Range<usize>| Place { file, start: span.start, end: span.end };
    let mut entries: Vec<Entry> = table
        .into_iter()
        .map(|(key, value)| Entry {
            place: place(key.span()),
            key: key.into_inner().into_owned(),
            value: Value { place: place(value.span()), source: None, content: content(file, value) },
        })
        .collect();
    // Whether the parser keeps their order is for the build's other crates to say.
    entries.sort_by_key(|entry| entry.place.start);
    Content::Table(entries)
}

pub(super) fn content(file: usize, value: Spanned<DeValue<'_>>) -> Content {
    match value.into_inner() {
        DeValue::String(text) => Content::Text(text.into_owned()),
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix())
            .map_or_else(|_| other("an integer that is far too large", &integer), Content::Integer),
        DeValue::Float(float) => other("a bare number with a point", &float),
        DeValue::Boolean(boolean) => other("a boolean", &boolean),
        DeValue::Datetime(date) => other("a date", &date),
        DeValue::Array(items) => Content::List(
            items
                .into_iter()
                .map(|item| {
                    let span = item.span();
                    let place = Place { file, start: span.start, end: span.end };
                    Value { place, source: None, content: content(file, item) }
                })
                .collect(),
        ),
        DeValue::Table(inner) => table(file, inner),
    }
}

fn other(kind: &'static str, written: &dyn std::fmt::Display) -> Content {
    Content::Other { kind, text: written.to_string() }
}

/// Tells every value which source holds for it.
fn spread(value: &mut Value, enclosing: Option<&Arc<str>>) {
    let own = value.entry(SOURCE).and_then(|entry| entry.value.text()).filter(|text| !text.trim().is_empty());
    let own: Option<Arc<str>> = own.map(|text| text.as_str().into());
    let source = own.or_else(|| enclosing.cloned());
    match &mut value.content {
        Content::Table(entries) => {
            for entry in entries {
                spread(&mut entry.value, source.as_ref());
            }
        }
        Content::List(items) => {
            for item in items {
                spread(item, source.as_ref());
            }
        }
        Content::Text(_) | Content::Integer(_) | Content::Other { .. } => {}
    }
    value.source = source;
}
