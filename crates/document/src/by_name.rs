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

/// Values by name, in the order of the file.
#[derive(Debug, Clone)]
pub struct ByName<T>(pub Vec<Named<T>>);

/// A value with its name.
#[derive(Debug, Clone)]
pub struct Named<T> {
    pub name: String,
    /// Where its name stands.
    pub place: Span,
    pub value: T,
}

impl<T> ByName<T> {
    /// One after the other.
    pub fn iter(&self) -> std::slice::Iter<'_, Named<T>> {
        self.0.iter()
    }

    /// The rank of the value of that name; a name that is not there is a problem.
    pub fn rank(&self, what: &str, name: &Text, problems: &mut Problems) -> Option<usize> {
        let rank = self.0.iter().position(|named| named.name == name.text);
        if rank.is_none() {
            let hint = suggest(&name.text, self.0.iter().map(|named| named.name.as_str()));
            problems.add_with_hint(name.place, format!("no {what} `{}`", name.text), hint);
        }
        rank
    }
}

/// The names that [`is_name`] accepts.
const NAME: &str = "^[A-Za-z0-9_-]+$";

/// Whether a table may have this name: the paths of its values then need no quotes.
pub fn is_name(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

impl<T: Read> Read for ByName<T> {
    const EXAMPLE: Option<&'static str> = None;

    fn read(reader: &mut Reader, at: &At<'_>) -> Option<Self> {
        let Some(entries) = at.value.entries() else {
            let message = format!("{} must be a table of named tables, not {}", at.name(), at.value.kind());
            let hint = format!("write, for example, `[{}.NAME]`", at.path);
            reader.problems.add_with_hint(at.value.place, message, hint);
            return None;
        };
        let mut values = Vec::new();
        let mut all = true;
        for entry in entries {
            if reader.has_sources && entry.key == SOURCE {
                all &= reader.expect_words(entry).is_some();
                continue;
            }
            if !is_name(&entry.key) {
                let message = format!("`{}` cannot be a name", entry.key);
                reader.problems.add_with_hint(
                    entry.place,
                    message,
                    "a name consists of letters, digits, `-` and `_`",
                );
                all = false;
                continue;
            }
            let inner = at.inner(&entry.key, entry);
            match T::read(reader, &inner) {
                Some(value) => values.push(Named { name: entry.key.clone(), place: entry.place, value }),
                None => all = false,
            }
        }
        all.then_some(Self(values))
    }

    fn absent() -> Option<Self> {
        Some(Self(Vec::new()))
    }
}

impl<T: JsonSchema> JsonSchema for ByName<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("ByName_of_{}", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        schema_of_values::<T>(generator, Some(NAME))
    }
}

impl<T: Key<Written = T> + Read + JsonSchema + Clone> Key for ByName<T> {
    type Written = Self;

    const OPTIONAL: bool = true;

    fn of(written: &Self) -> Self {
        written.clone()
    }

    fn sort() -> Sort {
        Sort::Tables(Box::new(T::sort()))
    }
}

/// Values by name, in the order of the file. Unlike those of [`ByName`], names are any texts.
#[derive(Debug, Clone)]
pub struct ByText<T>(pub Vec<Named<T>>);

impl<T> ByText<T> {
    /// One after the other.
    pub fn iter(&self) -> std::slice::Iter<'_, Named<T>> {
        self.0.iter()
    }
}

impl<T: Read> Read for ByText<T> {
    const EXAMPLE: Option<&'static str> = None;

    fn read(reader: &mut Reader, at: &At<'_>) -> Option<Self> {
        let Some(entries) = at.value.entries() else {
            let message = format!("{} must be a table, not {}", at.name(), at.value.kind());
            let example = T::EXAMPLE.unwrap_or("{ … }");
            let hint = format!("write, for example, `[{}]`, and under it `NAME = {example}`", at.path);
            reader.problems.add_with_hint(at.value.place, message, hint);
            return None;
        };
        let value = |entry: &Entry| {
            let value = T::read(reader, &at.inner(&entry.key, entry))?;
            Some(Named { name: entry.key.clone(), place: entry.place, value })
        };
        all(entries.iter().map(value)).map(Self)
    }

    fn absent() -> Option<Self> {
        Some(Self(Vec::new()))
    }
}

impl<T: Key<Written = T> + Read + JsonSchema + Clone> Key for ByText<T> {
    type Written = Self;

    const OPTIONAL: bool = true;

    fn of(written: &Self) -> Self {
        written.clone()
    }

    fn sort() -> Sort {
        Sort::Tables(Box::new(T::sort()))
    }
}

impl<T: JsonSchema> JsonSchema for ByText<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("ByText_of_{}", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        schema_of_values::<T>(generator, None)
    }
}

/// A table of values whose names match a pattern, or may be any texts.
fn schema_of_values<T: JsonSchema>(generator: &mut SchemaGenerator, names: Option<&str>) -> Schema {
    let value = generator.subschema_for::<T>();
    match names {
        Some(names) => json_schema!({
            "type": "object",
            "patternProperties": { names: value },
            "additionalProperties": false,
        }),
        None => json_schema!({ "type": "object", "additionalProperties": value }),
    }
}
