//! Results and machines as JSON, and the schemas of both.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::Value;
use zerohop_experiment::{ResultFile, SCHEMA_VERSION};
use zerohop_machine::Machine;

/// A result file's text: indented, members in the order of the types, ended by a newline.
pub fn result_json(file: &ResultFile) -> String {
    pretty(file)
}

/// A machine's text, in the same form as in a result file.
pub fn machine_json(machine: &Machine) -> String {
    pretty(machine)
}

/// The JSON Schema (draft 2020-12) of [`result_json`].
pub fn result_schema() -> Value {
    schema::<ResultFile>("zerohop result", &format!("urn:zerohop:schema:result:{SCHEMA_VERSION}"))
}

/// The JSON Schema (draft 2020-12) of [`machine_json`].
pub fn machine_schema() -> Value {
    schema::<Machine>("zerohop machine", &format!("urn:zerohop:schema:machine:{SCHEMA_VERSION}"))
}

fn pretty(value: &impl Serialize) -> String {
    // Maps here have only names for keys, and what is no number becomes null: nothing is left to fail.
    let mut text = serde_json::to_string_pretty(value).expect("types of results have a JSON form");
    text.push('\n');
    text
}

fn schema<T: JsonSchema>(title: &str, id: &str) -> Value {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>();
    schema.insert("$id".to_owned(), id.into());
    schema.insert("title".to_owned(), title.into());
    schema.to_value()
}
