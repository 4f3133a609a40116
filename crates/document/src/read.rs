//! Reading the tree as tables of known keys. All that is wrong is found, not only the first.

mod macros;
mod number;
mod quantity;

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::Parameter;
use crate::problems::{Place, Problems};
use crate::suggest::suggest;
use crate::tree::{Content, Entry, SOURCE, Value};

pub use number::Number;
pub use quantity::{Bits, Count, FractionalBytes, Level, Quantity, Share, integer};

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
    /// Its key.
    pub key: Place,
    /// The value.
    pub value: &'t Value,
}

/// What comes out beside the tables themselves: problems, and the list of all numbers.
#[derive(Debug)]
pub struct Reader {
    /// What is wrong so far.
    pub problems: Problems,
    /// Every number, in the order in which it was read.
    pub parameters: Vec<Parameter>,
    /// Numbers of which nothing says where they come from.
    sourceless: Vec<(Place, String)>,
    document: &'static str,
}

impl Reader {
    /// Of a document that messages call `document`: `the machine file`.
    pub const fn new(document: &'static str, problems: Problems) -> Self {
        Self { problems, parameters: Vec::new(), sourceless: Vec::new(), document }
    }

    /// A value of this document, whose path and key are these.
    pub const fn at<'t>(&self, path: String, key: Place, value: &'t Value) -> At<'t> {
        At { document: self.document, path, key, value }
    }

    /// Reads the whole tree as `T`.
    pub fn root<T: Read>(&mut self, value: &Value) -> Option<T> {
        let read = T::read(self, &self.at(String::new(), value.place, value));
        // One line at the top of the file mends them all.
        if let Some((place, name)) = self.sourceless.iter().min() {
            let message = match self.sourceless.len() {
                1 => format!("nothing says where {name} comes from"),
                count => format!("nothing says where {name} and {} numbers more come from", count - 1),
            };
            let hint =
                "write `{ value = …, source = \"…\" }`, or `source = \"…\"` for its table or the whole file";
            self.problems.add_with_hint(*place, message, hint);
            return None;
        }
        read
    }

    /// That the value is a table with no key but these.
    pub fn expect_keys(&mut self, at: &At<'_>, keys: &[&'static str]) -> Option<()> {
        let Some(entries) = at.value.entries() else {
            let message = format!("{} is a table, not {}", at.name(), at.value.kind());
            let hint = format!("its keys are {}", list(keys));
            self.problems.add_with_hint(at.value.place, message, hint);
            return None;
        };
        let mut all_known = Some(());
        for entry in entries.iter().filter(|entry| !keys.contains(&entry.key.as_str())) {
            if entry.key == SOURCE {
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
    fn expect_words(&mut self, entry: &Entry) -> Option<()> {
        if entry.value.text().is_some_and(|text| !text.trim().is_empty()) {
            return Some(());
        }
        let message = format!("`{}` says in words where numbers come from", entry.key);
        self.problems.add(entry.value.place, message);
        None
    }

    /// Reads the value of a key of a table.
    pub fn field<T: Read>(&mut self, at: &At<'_>, key: &'static str) -> Option<T> {
        let Some(entry) = at.value.entry(key) else {
            let absent = T::absent();
            if absent.is_none() {
                let example = T::EXAMPLE.map_or_else(
                    || format!("add the table `[{}]`", at.child(key)),
                    |example| format!("write for example `{key} = {example}`"),
                );
                self.problems.add_with_hint(at.key, format!("{} has no `{key}`", at.name()), example);
            }
            return absent;
        };
        T::read(self, &at.inner(key, entry))
    }
}

impl<'t> At<'t> {
    fn inner(&self, key: &str, entry: &'t Entry) -> Self {
        Self { document: self.document, path: self.child(key), key: entry.place, value: &entry.value }
    }

    /// The path to one of its entries.
    fn child(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// What it is called in messages.
    pub fn name(&self) -> String {
        if self.path.is_empty() { self.document.to_owned() } else { format!("`{}`", self.path) }
    }
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

/// A text, and where it stands: a name, or words.
#[derive(Debug, Clone)]
pub struct Text {
    /// The text.
    pub text: String,
    /// Where it stands.
    pub place: Place,
}

impl Read for Text {
    const EXAMPLE: Option<&'static str> = Some("\"…\"");

    fn read(reader: &mut Reader, at: &At<'_>) -> Option<Self> {
        match at.value.text() {
            Some(text) if !text.trim().is_empty() => Some(Self { text: text.clone(), place: at.value.place }),
            _ => {
                let kind = if at.value.text().is_some() { "an empty one" } else { at.value.kind() };
                reader.problems.add(at.value.place, format!("{} is a text, not {kind}", at.name()));
                None
            }
        }
    }
}

impl JsonSchema for Text {
    fn schema_name() -> Cow<'static, str> {
        "Text".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "minLength": 1 })
    }
}

/// A list of names.
#[derive(Debug, Clone)]
pub struct Names {
    /// In their order.
    pub names: Vec<Text>,
    /// Where the list stands.
    pub place: Place,
}

impl Read for Names {
    const EXAMPLE: Option<&'static str> = Some("[\"0\", \"1\"]");

    fn read(reader: &mut Reader, at: &At<'_>) -> Option<Self> {
        let Content::List(items) = &at.value.content else {
            let message = format!("{} is a list of names, not {}", at.name(), at.value.kind());
            reader.problems.add_with_hint(at.value.place, message, "write for example `[\"0\", \"1\"]`");
            return None;
        };
        let name = |item: &Value| {
            let text = item.text().cloned();
            if text.is_none() {
                let message = format!("{} is a list of names, not of {}", at.name(), item.kind());
                reader.problems.add_with_hint(item.place, message, "names stand in quotes");
            }
            Some(Text { text: text?, place: item.place })
        };
        let names: Vec<Option<Text>> = items.iter().map(name).collect();
        Some(Self { names: names.into_iter().collect::<Option<_>>()?, place: at.value.place })
    }
}

impl JsonSchema for Names {
    fn schema_name() -> Cow<'static, str> {
        "Names".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": { "type": "string", "minLength": 1 } })
    }
}

/// Tables by name, in the order of the file.
#[derive(Debug, Clone)]
pub struct Parts<T>(pub Vec<Part<T>>);

/// A named table.
#[derive(Debug, Clone)]
pub struct Part<T> {
    /// Its name.
    pub name: String,
    /// Where its name stands.
    pub place: Place,
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
            if entry.key == SOURCE {
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
            "properties": { SOURCE: source_schema() },
            "patternProperties": { "^[A-Za-z0-9_-]+$": part },
            "additionalProperties": false,
        })
    }
}

fn source_schema() -> serde_json::Value {
    serde_json::json!({
        "type": "string",
        "minLength": 1,
        "description": "Where the numbers of this table come from, unless they say otherwise themselves.",
    })
}

/// Allows every table its `source`, and to leave keys out: they may stand in the file that this one extends.
pub fn loosen(schema: &mut Schema) {
    schema.remove("required");
    if let Some(properties) = schema.get_mut("properties").and_then(serde_json::Value::as_object_mut) {
        properties.insert(SOURCE.to_owned(), source_schema());
    }
}
