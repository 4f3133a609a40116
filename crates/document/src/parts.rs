//! Values by name.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::declaration::Sort;
use crate::declared_key::Key;
use crate::problems::{Problems, Span};
use crate::reader::{At, Read, Reader, all};
use crate::suggest::suggest;
use crate::text::Text;
use crate::tree::{Entry, SOURCE};

/// Tables by name, in the order of the file.
#[derive(Debug, Clone)]
pub struct Parts<T>(pub Vec<Part<T>>);

/// A named table.
#[derive(Debug, Clone)]
pub struct Part<T> {
    /// Its name.
    pub name: String,
    /// Where its name stands.
    pub place: Span,
    /// The table.
    pub value: T,
}

impl<T> Parts<T> {
    /// One after the other.
    pub fn iter(&self) -> std::slice::Iter<'_, Part<T>> {
        self.0.iter()
    }

    /// The rank of the part of that name; reports if there is none.
    pub fn rank(&self, what: &str, name: &Text, problems: &mut Problems) -> Option<usize> {
        let rank = self.0.iter().position(|part| part.name == name.text);
        if rank.is_none() {
            let hint = suggest(&name.text, self.0.iter().map(|part| part.name.as_str()));
            problems.add_with_hint(name.place, format!("there is no {what} `{}`", name.text), hint);
        }
        rank
    }
}

/// Whether a part may be called so: the path to its numbers is then plain.
pub fn is_name(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

impl<T: Read> Read for Parts<T> {
    const EXAMPLE: Option<&'static str> = None;

    fn read(reader: &mut Reader, at: &At<'_>) -> Option<Self> {
        let Some(entries) = at.value.entries() else {
            let message = format!("{} holds tables by name, and is not {}", at.name(), at.value.kind());
            let hint = format!("write for example `[{}.NAME]`", at.path);
            reader.problems.add_with_hint(at.value.place, message, hint);
            return None;
        };
        let mut parts = Vec::new();
        let mut all = true;
        for entry in entries {
            if reader.has_sources && entry.key == SOURCE {
                all &= reader.expect_words(entry).is_some();
                continue;
            }
            if !is_name(&entry.key) {
                let message = format!("`{}` cannot be the name of a part", entry.key);
                reader.problems.add_with_hint(
                    entry.place,
                    message,
                    "names are of letters a to z, digits, `-` and `_`",
                );
                all = false;
                continue;
            }
            let inner = at.inner(&entry.key, entry);
            match T::read(reader, &inner) {
                Some(value) => parts.push(Part { name: entry.key.clone(), place: entry.place, value }),
                None => all = false,
            }
        }
        all.then_some(Self(parts))
    }

    fn absent() -> Option<Self> {
        Some(Self(Vec::new()))
    }
}

impl<T: JsonSchema> JsonSchema for Parts<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("Parts_of_{}", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let part = generator.subschema_for::<T>();
        json_schema!({
            "type": "object",
            "patternProperties": { "^[A-Za-z0-9_-]+$": part },
            "additionalProperties": false,
        })
    }
}

impl<T: Key<Written = T> + Read + JsonSchema + Clone> Key for Parts<T> {
    type Written = Self;

    const OPTIONAL: bool = true;

    fn of(written: &Self) -> Self {
        written.clone()
    }

    fn sort() -> Sort {
        Sort::Tables(Box::new(T::sort()))
    }
}

/// Values by name, in the order of the file. Unlike those of [`Parts`], names are any texts.
#[derive(Debug, Clone)]
pub struct Named<T>(pub Vec<Part<T>>);

impl<T> Named<T> {
    /// One after the other.
    pub fn iter(&self) -> std::slice::Iter<'_, Part<T>> {
        self.0.iter()
    }
}

impl<T: Read> Read for Named<T> {
    const EXAMPLE: Option<&'static str> = None;

    fn read(reader: &mut Reader, at: &At<'_>) -> Option<Self> {
        let Some(entries) = at.value.entries() else {
            let message = format!("{} is a table, not {}", at.name(), at.value.kind());
            let example = T::EXAMPLE.unwrap_or("{ … }");
            let hint = format!("write for example `[{}]`, and under it `NAME = {example}`", at.path);
            reader.problems.add_with_hint(at.value.place, message, hint);
            return None;
        };
        let part = |entry: &Entry| {
            let value = T::read(reader, &at.inner(&entry.key, entry))?;
            Some(Part { name: entry.key.clone(), place: entry.place, value })
        };
        all(entries.iter().map(part)).map(Self)
    }

    fn absent() -> Option<Self> {
        Some(Self(Vec::new()))
    }
}

impl<T: Key<Written = T> + Read + JsonSchema + Clone> Key for Named<T> {
    type Written = Self;

    const OPTIONAL: bool = true;

    fn of(written: &Self) -> Self {
        written.clone()
    }

    fn sort() -> Sort {
        Sort::Tables(Box::new(T::sort()))
    }
}

impl<T: JsonSchema> JsonSchema for Named<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("Named_{}", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value = generator.subschema_for::<T>();
        json_schema!({ "type": "object", "additionalProperties": value })
    }
}
