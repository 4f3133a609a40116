//! Numbers of a document with their unit and their source.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::parameter::{Grade, Parameter};
use crate::problems::Place;
use crate::quantity::Quantity;
use crate::reader::{At, Read, Reader};
use crate::suggest::suggest;
use crate::tree::{SCOPE, SCOPE_FILE, SOURCE, VALUE, Value};
use crate::write::bare as bare_text;

const FITTED: &str = "fitted";

/// A number of a document, and where it stands.
#[derive(Debug, Clone, Copy)]
pub struct Number<T> {
    /// The number.
    pub value: T,
    /// Where it stands.
    pub place: Place,
}

impl<T: Quantity> Read for Number<T> {
    const EXAMPLE: Option<&'static str> = Some(T::EXAMPLE);

    /// Either the value alone, or a table of the value, its source, and what it was fitted to.
    fn read(reader: &mut Reader, at: &At<'_>) -> Option<Self> {
        let (bare, fitted) = match at.value.entries() {
            None => (at.value, None),
            Some(_) => spelled_out::<T>(reader, at)?,
        };
        let value = match T::read(bare) {
            Ok(value) => Some(value),
            Err(wrong) => {
                let hint = format!("write for example `{}`", T::EXAMPLE);
                reader.problems.add_with_hint(bare.place, format!("{}: {wrong}", at.name()), hint);
                None
            }
        };
        if !reader.has_sources {
            return Some(Self { value: value?, place: bare.place });
        }
        let Some(source) = &at.value.source else {
            reader.sourceless.push((at.value.place, at.name()));
            return None;
        };
        let is_of_file = at.value.is_of_file || at.value.entry(SCOPE).is_some();
        let parameter = Parameter {
            grade: Grade::new(source, is_of_file, fitted.is_some()),
            path: at.path.clone(),
            value: bare_text(bare),
            source: source.to_string(),
            fitted: fitted.cloned(),
        };
        reader.parameters.push(parameter);
        Some(Self { value: value?, place: bare.place })
    }
}

/// The value in `{ value = …, source = …, fitted = … }`, and what it was fitted to.
fn spelled_out<'t, T: Quantity>(reader: &mut Reader, at: &At<'t>) -> Option<(&'t Value, Option<&'t String>)> {
    const KEYS: [&str; 4] = [VALUE, SOURCE, FITTED, SCOPE];
    let mut right = true;
    for entry in at.value.entries()? {
        let named = entry.key == SOURCE || entry.key == FITTED;
        if !KEYS.contains(&entry.key.as_str()) {
            let message = format!("{} is a number and has no key `{}`", at.name(), entry.key);
            reader.problems.add_with_hint(entry.place, message, suggest(&entry.key, KEYS));
            right = false;
        } else if named {
            right &= reader.expect_words(entry).is_some();
        } else if entry.key == SCOPE && entry.value.text().is_none_or(|text| text != SCOPE_FILE) {
            let message = format!("`{SCOPE}` of {} can only be `{SCOPE_FILE}`", at.name());
            let hint = "leave it out where the source is that of the number";
            reader.problems.add_with_hint(entry.value.place, message, hint);
            right = false;
        }
    }
    let Some(value) = at.value.entry(VALUE) else {
        let message = format!("{} is {}: its table has no `value`", at.name(), T::WORDS);
        let hint = format!("write for example `{{ value = {}, source = \"…\" }}`", T::EXAMPLE);
        reader.problems.add_with_hint(at.value.place, message, hint);
        return None;
    };
    let fitted = at.value.entry(FITTED).and_then(|entry| entry.value.text());
    right.then_some((&value.value, fitted))
}

impl<T: Quantity> JsonSchema for Number<T> {
    fn schema_name() -> Cow<'static, str> {
        T::NAME.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let value = T::schema();
        json_schema!({
            "description": format!("{}, alone or with its source.", capital(T::WORDS)),
            "anyOf": [
                value,
                {
                    "type": "object",
                    "properties": {
                        VALUE: value,
                        SOURCE: {
                            "type": "string",
                            "minLength": 1,
                            "description": "Where this number comes from.",
                        },
                        FITTED: {
                            "type": "string",
                            "minLength": 1,
                            "description": "The published figure that this number was fitted to.",
                        },
                        SCOPE: {
                            "const": SCOPE_FILE,
                            "description": "The source was given for a whole file, and not for this number.",
                        },
                    },
                    "required": [VALUE],
                    "additionalProperties": false,
                },
            ],
        })
    }
}

fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
