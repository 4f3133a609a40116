//! Texts, and lists of them.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::declaration::Sort;
use crate::keys_as_read;
use crate::problems::Span;
use crate::reader::{At, Read, Reader, all};
use crate::tree::{Content, Value};

keys_as_read! {
    Text: Sort::Text;
    Names: Sort::Names;
}

/// A text, and where it stands: a name, or words.
#[derive(Debug, Clone)]
pub struct Text {
    pub text: String,
    pub place: Span,
}

impl Read for Text {
    const EXAMPLE: Option<&'static str> = Some("\"…\"");

    fn read(reader: &mut Reader, at: &At<'_>) -> Option<Self> {
        match at.value.text() {
            Some(text) if !text.trim().is_empty() => Some(Self { text: text.clone(), place: at.value.place }),
            _ => {
                let message = match at.value.text() {
                    Some(_) => format!("{} must not be empty", at.name()),
                    None => format!("{} must be a string, not {}", at.name(), at.value.kind()),
                };
                reader.problems.add(at.value.place, message);
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
    pub names: Vec<Text>,
    /// Where the list stands.
    pub place: Span,
}

impl Read for Names {
    const EXAMPLE: Option<&'static str> = Some("[\"0\", \"1\"]");

    fn read(reader: &mut Reader, at: &At<'_>) -> Option<Self> {
        let Content::List(items) = &at.value.content else {
            let message = format!("{} must be a list of names, not {}", at.name(), at.value.kind());
            reader.problems.add_with_hint(at.value.place, message, "write, for example, `[\"0\", \"1\"]`");
            return None;
        };
        let name = |item: &Value| {
            let text = item.text().cloned();
            if text.is_none() {
                let message = format!("{} must be a list of names, but contains {}", at.name(), item.kind());
                reader.problems.add_with_hint(item.place, message, "put names in quotes");
            }
            Some(Text { text: text?, place: item.place })
        };
        Some(Self { names: all(items.iter().map(name))?, place: at.value.place })
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
