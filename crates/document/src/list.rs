//! Lists of tables.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::declaration::Sort;
use crate::declared_key::Key;
use crate::reader::{At, Read, Reader, all};
use crate::tree::{Content, Value};

/// Values one after the other, `[[key]]` or `key = […]`. Where the key is left out there are none.
#[derive(Debug, Clone)]
pub struct List<T>(pub Vec<T>);

impl<T> List<T> {
    /// One after the other.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }
}

impl<T: Read> Read for List<T> {
    const EXAMPLE: Option<&'static str> = Some("[…]");

    fn read(reader: &mut Reader, at: &At<'_>) -> Option<Self> {
        let Content::List(items) = &at.value.content else {
            let hint = match T::EXAMPLE {
                Some(example) => format!("write, for example, `[{example}]`"),
                None => format!("write, for example, `[[{}]]`", at.path),
            };
            let message = format!("{} must be a list, not {}", at.name(), at.value.kind());
            reader.problems.add_with_hint(at.value.place, message, hint);
            return None;
        };
        let item = |item: &Value| {
            let inner = reader.at(at.path.clone(), item.place, item);
            T::read(reader, &inner)
        };
        all(items.iter().map(item)).map(Self)
    }

    fn absent() -> Option<Self> {
        Some(Self(Vec::new()))
    }
}

impl<T: Key<Written = T> + Read + JsonSchema + Clone> Key for List<T> {
    type Written = Self;

    const OPTIONAL: bool = true;

    fn of(written: &Self) -> Self {
        written.clone()
    }

    fn sort() -> Sort {
        match T::sort() {
            Sort::Table(table) => Sort::List(table),
            other => other,
        }
    }
}

impl<T: JsonSchema> JsonSchema for List<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("List_of_{}", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let item = generator.subschema_for::<T>();
        json_schema!({ "type": "array", "items": item })
    }
}
