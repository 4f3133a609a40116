//! The tables and keys of a document as data, for schemas and documentation.

use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::Value;

/// The kind of value that a key has.
#[derive(Debug, Clone)]
pub enum Sort {
    Quantity {
        unit: &'static str,
        /// The bounds of its kind of number.
        limits: Option<[String; 2]>,
    },
    /// One of these words, each with its meaning.
    Words(Vec<(&'static str, String)>),
    Text,
    /// A list of names.
    Names,
    /// A table with these keys.
    Table(fn() -> Declaration),
    /// Values of this kind by name.
    Tables(Box<Sort>),
    /// A list of tables.
    List(fn() -> Declaration),
    /// Something else, in words.
    Other(&'static str),
}

#[derive(Debug, Clone)]
pub struct Declaration {
    /// The type that declares it.
    pub name: &'static str,
    pub meaning: String,
    /// Its keys, in their order.
    pub keys: Vec<KeyDeclaration>,
}

/// A key of a table.
#[derive(Debug, Clone)]
pub struct KeyDeclaration {
    pub key: &'static str,
    pub meaning: String,
    /// The kind of its value.
    pub sort: Sort,
    /// Whether it may be left out.
    pub optional: bool,
    /// Its default, if any, as a document and as a schema write it.
    pub default: Option<(String, Value)>,
    /// The bounds that its declaration states, if any.
    pub bounds: Option<[(String, Value); 2]>,
    /// The schema of its value.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
}

/// The lines of a documentation comment, joined into one.
pub fn sentence(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

impl Declaration {
    /// The JSON Schema of the table.
    pub fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        let mut properties = serde_json::Map::new();
        let mut required = Vec::new();
        for key in &self.keys {
            let mut schema = (key.schema)(generator);
            schema.insert("description".to_owned(), key.meaning.clone().into());
            if let Some((_, default)) = &key.default {
                schema.insert("default".to_owned(), default.clone());
            }
            if let Some([least, most]) = &key.bounds
                && least.1.is_number()
            {
                schema.insert("minimum".to_owned(), least.1.clone());
                schema.insert("maximum".to_owned(), most.1.clone());
            }
            if !key.optional && key.default.is_none() {
                required.push(key.key);
            }
            properties.insert(key.key.to_owned(), schema.to_value());
        }
        let mut schema = json_schema!({
            "type": "object",
            "description": self.meaning,
            "properties": properties,
            "additionalProperties": false,
        });
        if !required.is_empty() {
            schema.insert("required".to_owned(), required.into());
        }
        schema
    }
}

/// The JSON Schema of a table's plain struct: for each key its name, meaning, whether it may be absent, and its schema.
pub fn plain_schema(doc: &[&str], keys: Vec<(&str, String, bool, Schema)>) -> Schema {
    let required: Vec<&str> = keys.iter().filter(|key| !key.2).map(|key| key.0).collect();
    let mut properties = serde_json::Map::new();
    for (key, meaning, _, mut schema) in keys {
        schema.insert("description".to_owned(), meaning.into());
        properties.insert(key.to_owned(), schema.to_value());
    }
    let mut schema =
        json_schema!({ "type": "object", "description": sentence(doc), "properties": properties });
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    schema
}

/// The JSON Schema of a choice of words, each with its meaning.
pub fn word_schema(doc: &[&str], words: &[(&str, String)]) -> Schema {
    let words: Vec<Value> = words
        .iter()
        .map(|(word, meaning)| serde_json::json!({ "const": word, "description": meaning, "type": "string" }))
        .collect();
    json_schema!({ "description": sentence(doc), "oneOf": words })
}
