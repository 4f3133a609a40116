//! Numbers of a document with their unit and their source.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::figure::{FigureId, FittedTo};
use crate::parameter::{Grade, Parameter};
use crate::problems::Span;
use crate::quantity::Quantity;
use crate::reader::{At, Read, Reader, all};
use crate::suggest::suggest;
use crate::tree::{Content, Entry, SCOPE, SCOPE_FILE, SOURCE, VALUE, Value};
use crate::write::bare as bare_text;

/// The key with the published figures that a number was fitted to.
const FITTED: &str = "fitted";
/// The key with a figure that no study has, in words.
const FITTED_ELSEWHERE: &str = "fitted_elsewhere";

/// A number of a document, and where it stands.
#[derive(Debug, Clone, Copy)]
pub struct Number<T> {
    pub value: T,
    pub place: Span,
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
                let hint = format!("write, for example, `{}`", T::EXAMPLE);
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
            fitted,
        };
        reader.parameters.push(parameter);
        Some(Self { value: value?, place: bare.place })
    }
}

/// The value in `{ value = …, source = …, fitted = […] }`, and what it was fitted to.
fn spelled_out<'t, T: Quantity>(reader: &mut Reader, at: &At<'t>) -> Option<(&'t Value, Option<FittedTo>)> {
    const KEYS: [&str; 5] = [VALUE, SOURCE, FITTED, FITTED_ELSEWHERE, SCOPE];
    let mut right = true;
    let mut fitted = None;
    for entry in at.value.entries()? {
        match entry.key.as_str() {
            VALUE => {}
            SOURCE => right &= reader.expect_words(entry).is_some(),
            FITTED => match figures(reader, entry) {
                Some(figures) => fitted.get_or_insert_with(FittedTo::default).figures = figures,
                None => right = false,
            },
            FITTED_ELSEWHERE => match entry.value.text().filter(|text| !text.trim().is_empty()) {
                Some(text) => {
                    fitted.get_or_insert_with(FittedTo::default).elsewhere = Some(text.clone());
                }
                None => {
                    let message = format!("`{FITTED_ELSEWHERE}` must describe the figure in words");
                    reader.problems.add(entry.value.place, message);
                    right = false;
                }
            },
            SCOPE if entry.value.text().is_some_and(|text| text == SCOPE_FILE) => {}
            SCOPE => {
                let message = format!("`{SCOPE}` of {} can only be `{SCOPE_FILE}`", at.name());
                let hint = "omit it if the source is only about this value";
                reader.problems.add_with_hint(entry.value.place, message, hint);
                right = false;
            }
            unknown => {
                let message = format!("{} is a single value and has no key `{unknown}`", at.name());
                reader.problems.add_with_hint(entry.place, message, suggest(unknown, KEYS));
                right = false;
            }
        }
    }
    let Some(value) = at.value.entry(VALUE) else {
        let message = format!("{} is {}: its table has no `value`", at.name(), T::WORDS);
        let hint = format!("write, for example, `{{ value = {}, source = \"…\" }}`", T::EXAMPLE);
        reader.problems.add_with_hint(at.value.place, message, hint);
        return None;
    };
    right.then_some((&value.value, fitted))
}

/// The figures that `fitted` lists.
fn figures(reader: &mut Reader, entry: &Entry) -> Option<Vec<FigureId>> {
    const HINT: &str = "write, for example, `fitted = [\"amd-40555/fig-3\"]`, the study and the figure's `id` in it; \
                        `fitted_elsewhere = \"…\"` names in words a figure that no study has";
    let items = match &entry.value.content {
        Content::List(items) if !items.is_empty() => items,
        _ => {
            let message = format!("`{FITTED}` must be a list of published figures");
            reader.problems.add_with_hint(entry.value.place, message, HINT);
            return None;
        }
    };
    let figure = |item: &Value| {
        let parsed = item.text().map(|text| text.parse());
        let Some(Ok(figure)) = parsed else {
            let message = match parsed {
                Some(Err(error)) => format!("{error}"),
                _ => format!("`{FITTED}` must be a list of published figures, but contains {}", item.kind()),
            };
            reader.problems.add_with_hint(item.place, message, HINT);
            return None;
        };
        Some(figure)
    };
    all(items.iter().map(figure))
}

impl<T: Quantity> JsonSchema for Number<T> {
    fn schema_name() -> Cow<'static, str> {
        T::NAME.into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
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
                            "type": "array",
                            "items": generator.subschema_for::<FigureId>(),
                            "minItems": 1,
                            "description": "The published figures that this number was fitted to. None of them counts as predicted.",
                        },
                        FITTED_ELSEWHERE: {
                            "type": "string",
                            "minLength": 1,
                            "description": "A figure that no study has and that this number was fitted to, in words.",
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
