//! The machine file: a machine written down in TOML, with the unit and the source of every number.
//!
//! Two steps lead from a text to a [`Hardware`]. [`MachineFile::parse`] only reads: it merges a file with what it
//! extends, and knows keys, types, units and sources. [`MachineFile::hardware`] only checks what was read against
//! itself, and resolves names. Both report all that is wrong, with its place. `docs/machine-files.md` tells how to write
//! one.

mod extend;
mod problems;
mod read;
mod resolve;
mod suggest;
mod tables;
#[cfg(test)]
mod tests;
mod tree;
mod write;

use schemars::generate::SchemaSettings;
use serde_json::json;

use crate::{Hardware, Parameter};
use problems::Problems;
use read::Reader;
use tables::MachineTable;
use tree::Value;

pub use problems::MachineFileError;

/// Machine files that others extend: where they lie is for the caller to know.
pub trait Library {
    /// The text of the file that `extend = "name"` means: a built-in machine's name, or a path.
    fn read(&self, name: &str) -> Option<String>;

    /// Names that it knows, to suggest them.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// No files at all: for a machine file that extends none.
impl Library for () {
    fn read(&self, _: &str) -> Option<String> {
        None
    }
}

/// A machine file that was read, merged with what it extends, and not yet checked as a whole.
#[derive(Debug, Clone)]
pub struct MachineFile {
    name: String,
    problems: Problems,
    tree: Value,
    tables: MachineTable,
    parameters: Vec<Parameter>,
}

impl MachineFile {
    /// Reads `text`. `name` is how messages call it; the machine is called like it, without folders and extension.
    ///
    /// # Errors
    /// When it is no TOML, when it extends what is not there, or when a key, a value, a unit or a source is wrong or
    /// missing.
    pub fn parse(name: &str, text: &str, library: &dyn Library) -> Result<Self, MachineFileError> {
        let mut problems = Problems::default();
        let tree = extend::load(name, text, library, &mut problems);
        let mut reader = Reader::new(problems);
        let tables = tree.as_ref().and_then(|tree| reader.root::<MachineTable>(tree));
        let Reader { problems, parameters, .. } = reader;
        match (tree, tables) {
            (Some(tree), Some(tables)) if !problems.any() => {
                Ok(Self { name: stem(name).to_owned(), problems, tree, tables, parameters })
            }
            _ => Err(problems.into_error()),
        }
    }

    /// The machine that it describes.
    ///
    /// # Errors
    /// When parts name others that are not there, when numbers contradict one another, or when no way leads from one
    /// router to another.
    pub fn hardware(&self) -> Result<Hardware, MachineFileError> {
        let mut problems = self.problems.clone();
        match resolve::hardware(&self.name, &self.tables, &mut problems) {
            Some(hardware) if !problems.any() => {
                Ok(Hardware { parameters: self.parameters.clone(), ..hardware })
            }
            _ => Err(problems.into_error()),
        }
    }

    /// The whole as one file that extends none. Read under the same name it is the same machine.
    pub fn to_toml(&self) -> String {
        write::to_toml(&self.tree, &self.parameters)
    }
}

/// `quartet` of `machines/quartet.toml`.
fn stem(name: &str) -> &str {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    file.strip_suffix(".toml").unwrap_or(file)
}

/// The JSON Schema (draft 2020-12) of a machine file. A file may leave out what the one that it extends says, so nothing
/// is required by the schema.
pub fn machine_file_schema() -> serde_json::Value {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<MachineTable>();
    schema.insert("$id".to_owned(), "urn:zerohop:schema:machine-file:1".into());
    schema.insert("title".to_owned(), "zerohop machine file".into());
    if let Some(properties) = schema.get_mut("properties").and_then(serde_json::Value::as_object_mut) {
        let extend = json!({
            "type": "string",
            "description": "The machine file that this one changes: a built-in machine's name, or a path.",
        });
        let remove = json!({
            "type": "array",
            "items": { "type": "string" },
            "description": "Parts of the extended file to leave out, as `link.0-1`.",
        });
        properties.insert("extend".to_owned(), extend);
        properties.insert("remove".to_owned(), remove);
    }
    schema.to_value()
}
