//! The machine file: a machine written down in TOML, with the unit and the source of every number.
//!
//! Two steps lead from a text to a [`Hardware`]. [`MachineFile::parse`] only reads: it merges a file with those that it
//! extends, and checks keys, types, units and sources. [`MachineFile::hardware`] checks the values against each other and
//! resolves names. Both report every problem with its location. Between the two, [`MachineFile::set`] chooses options and
//! values. `docs/machine-files.md` explains how to write a machine file.

mod check;
mod choose;
mod error;
mod extend;
mod library;
mod options;
mod quantity;
mod reference;
mod rename;
mod resolve;
mod tables;
#[cfg(test)]
mod tests;
pub(crate) mod timings;
mod write;

use std::collections::HashSet;
use std::sync::Arc;

use schemars::generate::SchemaSettings;
use serde_json::json;
use zerohop_document::{ByName, List, Problems, Reader, SOURCE, VALUE, Value};

use crate::{Hardware, MachineOption, OpenFact};
use choose::Chosen;
use options::{DOCUMENT, OPTION, OptionTable, Options, WHEN, WhenTable};
use tables::MachineTable;
use zerohop_document::{KeyValue, Parameter};

pub use check::Combinations;
pub(crate) use choose::SET_FILE;
pub use error::MachineFileError;
pub use library::Library;
pub use reference::machine_file_keys;

pub use timings::{technologies, technology_efficiency};
use zerohop_machine::{Setting, Settings};

/// A machine file that was read and merged with the files that it extends, but not yet checked as a whole.
#[derive(Debug, Clone)]
pub struct MachineFile {
    name: String,
    /// The files, without problems.
    files: Problems,
    /// The files, plus each setting as a separate file: later steps may find problems in it.
    read: Problems,
    /// The tree before any choice: of all that are made of one text.
    base: Arc<Value>,
    options: Arc<Options>,
    chosen: Chosen,
    /// Generator of the file, if it was generated.
    generator: Option<Arc<dyn Generator>>,
    tables: MachineTable,
    parameters: Arc<[Parameter]>,
    keys: Arc<[KeyValue]>,
}

/// Generates machine files: other settings give another text.
pub(crate) trait Generator: std::fmt::Debug + Send + Sync {
    /// What was stated of the machine.
    fn given(&self) -> &[Setting];

    /// What nobody can see of the machine and what decides on its bandwidths.
    fn open_facts(&self) -> Vec<OpenFact>;

    /// The paths among these settings if what else they state is what was stated already: then the text is the same.
    fn same_but_for_paths(&self, settings: &Settings) -> Option<Settings>;

    /// The machine file with these settings besides those of the machine's name.
    fn generate(&self, settings: &Settings) -> Result<MachineFile, MachineFileError>;
}

impl MachineFile {
    /// Reads `text`, with every option at its default. `name` is the file's name in messages; without directory and
    /// extension, it is also the machine's name.
    ///
    /// # Errors
    /// When it is not TOML, when a file that it extends does not exist, or when a key, a value, a unit or a source is
    /// wrong or missing.
    pub fn parse(name: &str, text: &str, library: &dyn Library) -> Result<Self, MachineFileError> {
        let mut problems = Problems::default();
        let Some(mut base) = extend::load(name, text, library, &mut problems) else {
            return Err(MachineFileError::of(problems));
        };
        let Some(options) = Options::take(&mut base, &mut problems) else {
            return Err(MachineFileError::of(problems));
        };
        Self::read(stem(name), problems, Arc::new(base), Arc::new(options), &Settings::none())
    }

    /// Copy of the file with these settings instead of any earlier ones.
    ///
    /// # Errors
    /// If there is no such option or value, if the file rejects the combination ([`MachineFileError::is_refusal`]), or if the file cannot be read
    /// with it.
    pub fn set(&self, settings: &Settings) -> Result<Self, MachineFileError> {
        match &self.generator {
            // To generate it anew takes longer than most of what it is simulated for.
            Some(generator) => match generator.same_but_for_paths(settings) {
                Some(paths) => self.set_paths(&paths),
                None => generator.generate(settings),
            },
            None => self.set_paths(settings),
        }
    }

    /// Copy of the file whose text names `source` as the source of the values of these settings.
    #[must_use]
    pub fn attributed(mut self, settings: &Settings, source: &str) -> Self {
        self.chosen.attribute(settings, source);
        self
    }

    /// Copy of the file with these settings, without regenerating it.
    pub(crate) fn set_paths(&self, settings: &Settings) -> Result<Self, MachineFileError> {
        let generator = self.generator.clone();
        let (base, options) = (Arc::clone(&self.base), Arc::clone(&self.options));
        let file = Self::read(&self.name, self.files.clone(), base, options, settings)?;
        Ok(Self { generator, ..file })
    }

    /// Copy of the file with this generator.
    pub(crate) fn generated_by(self, generator: Arc<dyn Generator>) -> Self {
        Self { generator: Some(generator), ..self }
    }

    fn read(
        name: &str,
        mut problems: Problems,
        base: Arc<Value>,
        options: Arc<Options>,
        settings: &Settings,
    ) -> Result<Self, MachineFileError> {
        let files = problems.without_problems();
        let chosen = Chosen::new(&options, settings, &mut problems);
        // Settings change values that come from timings, and may change the timings themselves: then once more with those.
        let mut timings = timings::named(&base);
        let mut tree;
        loop {
            tree = Value::clone(&base);
            let mut tried = problems.clone();
            timings::complete(&mut tree, &timings, &mut tried);
            if chosen.apply(&options, &mut tree, &mut tried) {
                return Err(MachineFileError::refusal(tried));
            }
            let changed = timings::named(&tree);
            if changed == timings || tried.any() {
                problems = tried;
                break;
            }
            timings = changed;
        }
        let mut reader = Reader::new(DOCUMENT, problems);
        let tables = reader.root::<MachineTable>(&tree);
        let Reader { problems, parameters, keys, .. } = reader;
        match tables {
            Some(tables) if !problems.any() => {
                let (name, read) = (name.to_owned(), problems);
                let (parameters, keys) = (parameters.into(), keys.into());
                let generator = None;
                Ok(Self { name, files, read, base, options, chosen, generator, tables, parameters, keys })
            }
            _ => Err(MachineFileError::of(problems)),
        }
    }

    /// The machine that it describes.
    ///
    /// # Errors
    /// When a part names another that does not exist, when values contradict each other, or when there is no route from
    /// one router to another.
    pub fn hardware(&self) -> Result<Hardware, MachineFileError> {
        let mut problems = self.read.clone();
        match resolve::hardware(&self.name, &self.tables, &mut problems) {
            Some(mut hardware) if !problems.any() => {
                hardware.parameters = Arc::clone(&self.parameters);
                hardware.keys = Arc::clone(&self.keys);
                hardware.options = self.options();
                let given = self.generator.iter().flat_map(|generator| generator.given().iter().cloned());
                hardware.machine.settings = given.chain(self.chosen.deviations(&self.options)).collect();
                Ok(hardware)
            }
            _ => Err(MachineFileError::of(problems)),
        }
    }

    /// The options, and the current choice of each.
    pub fn options(&self) -> Vec<MachineOption> {
        let option = |rank: usize| {
            let option = &self.options.options[rank];
            MachineOption {
                name: option.name.clone(),
                meaning: option.value.meaning.text.clone(),
                values: option.value.values().map(str::to_owned).collect(),
                default: option.value.default.text.clone(),
                chosen: self.chosen.setting(&self.options, rank).value,
            }
        };
        (0..self.options.options.len()).map(option).collect()
    }

    /// Facts that cannot be seen and that determine the machine's bandwidths: parameters of the template that generated it, or options of the file.
    pub fn open_facts(&self) -> Vec<OpenFact> {
        match &self.generator {
            Some(generator) => generator.open_facts(),
            None => self.options().iter().filter_map(OpenFact::of_option).collect(),
        }
    }

    /// The whole machine as one file that extends no other, with the same options; the current choices become the
    /// defaults. Read under the same name, it describes the same machine.
    pub fn to_toml(&self) -> String {
        let numbers: HashSet<String> = self.numbers().collect();
        write::to_toml(&self.base, &self.options, &self.chosen, numbers)
    }

    /// Paths of all values, under any choice of one option.
    fn numbers(&self) -> impl Iterator<Item = String> {
        let others =
            options::alone(&self.options).into_iter().filter_map(|settings| self.set(&settings).ok());
        let paths = |file: &Self| file.parameters.iter().map(|one| one.path.clone()).collect::<Vec<_>>();
        let all: Vec<String> = others.flat_map(|other| paths(&other)).chain(paths(self)).collect();
        all.into_iter()
    }
}

/// `quartet`, given `machines/quartet.toml`.
pub(crate) fn stem(name: &str) -> &str {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    file.strip_suffix(".toml").unwrap_or(file)
}

/// The JSON Schema (draft 2020-12) of a machine file. A file may omit what it inherits from the one that it extends, so
/// the schema requires nothing.
pub fn machine_file_schema() -> serde_json::Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let mut option = generator.subschema_for::<ByName<OptionTable>>();
    let mut when = generator.subschema_for::<List<WhenTable>>();
    option.insert(
        "description".to_owned(),
        "Options of the machine, which can be chosen without another file.".into(),
    );
    when.insert(
        "description".to_owned(),
        "What options change, in this order, and which combinations are rejected.".into(),
    );
    let mut schema = generator.into_root_schema_for::<MachineTable>();
    schema.insert("$id".to_owned(), "urn:zerohop:schema:machine-file:1".into());
    schema.insert("title".to_owned(), "zerohop machine file".into());
    if let Some(properties) = schema.get_mut("properties").and_then(serde_json::Value::as_object_mut) {
        let extend = json!({
            "type": "string",
            "description": "The machine file that this one changes: the name of a built-in machine, or a path.",
        });
        let remove = json!({
            "type": "array",
            "items": { "type": "string" },
            "description": "Parts of the extended file to remove, such as `link.0-1`.",
        });
        let kinds = json!({
            "type": "object",
            "additionalProperties": { "type": "object", "additionalProperties": { "type": "string" } },
            "description": "Other names for kinds of the extended file, by table: `rename.core.k8 = \"k10\"`.",
        });
        properties.insert("extend".to_owned(), extend);
        properties.insert(rename::RENAME.to_owned(), kinds);
        properties.insert("remove".to_owned(), remove);
        properties.insert(OPTION.to_owned(), option.to_value());
        properties.insert(WHEN.to_owned(), when.to_value());
    }
    let mut schema = schema.to_value();
    loosen(&mut schema);
    schema
}

/// Allows a `source` in every table of a schema, and makes all keys optional, because they may be inherited.
fn loosen(schema: &mut serde_json::Value) {
    let serde_json::Value::Object(object) = schema else {
        if let serde_json::Value::Array(items) = schema {
            items.iter_mut().for_each(loosen);
        }
        return;
    };
    object.values_mut().for_each(loosen);
    let is_closed = object.get("additionalProperties") == Some(&false.into());
    let is_number = object.get("properties").is_some_and(|properties| properties.get(VALUE).is_some());
    if is_closed && !is_number {
        object.remove("required");
        let properties = object.entry("properties").or_insert_with(|| json!({}));
        properties[SOURCE] = json!({
            "type": "string",
            "minLength": 1,
            "description": "Source of the numbers in this table, unless they have their own.",
        });
    }
}
