//! The reference of a machine file's keys, generated from their declarations.

use std::collections::HashMap;
use std::fmt::Write;

use zerohop_document::{Declaration, KeyDeclaration, Sort};

use super::options::{OptionTable, WhenTable};
use super::tables::MachineTable;

/// A table within another: its path, and its declaration.
type InnerTable = (String, fn() -> Declaration);

/// The text above the tables.
const HEAD: &str = "\
Keys in *italics* are optional. If such a key has a default, that is its value when it is missing. Any table may have a `source`. NAME stands for any \
name. Wide bounds only reject garbled values.
";

/// The keys of the file that belong to no table.
const OF_THE_FILE: [(&str, &str); 3] = [
    ("extend", "The machine file that this one changes: the name of a built-in machine, or a path."),
    ("rename", "Other names for kinds of the extended file, by table: `rename.core.k8 = \"k10\"`."),
    ("remove", "Parts of the extended file to remove: `[\"link.0-1\"]`."),
];

/// All keys of a machine file as Markdown: a table for each table of the file.
pub fn machine_file_keys() -> String {
    let mut writer = Writer { text: HEAD.to_owned(), known: HashMap::new() };
    let mut file = MachineTable::declaration();
    let own = |(key, meaning): &(&'static str, &str)| KeyDeclaration {
        key,
        meaning: (*meaning).to_owned(),
        sort: if *key == "remove" { Sort::Names } else { Sort::Text },
        optional: true,
        default: None,
        bounds: None,
        schema: |generator| generator.subschema_for::<String>(),
    };
    file.keys.splice(1..1, OF_THE_FILE.iter().map(own));
    writer.table("", &file);
    writer.table("option.NAME", &OptionTable::declaration());
    writer.table("[when]", &WhenTable::declaration());
    writer.text
}

struct Writer {
    text: String,
    /// Tables that are already described, each with its heading.
    known: HashMap<&'static str, String>,
}

impl Writer {
    /// A section for the table at `path`, and then one for each table in it.
    fn table(&mut self, path: &str, table: &Declaration) {
        let heading = if path.is_empty() { "The file".to_owned() } else { format!("`[{path}]`") };
        let _ = write!(self.text, "\n### {heading}\n\n{}\n\n", table.meaning);
        self.text.push_str("| key | unit | default | bounds | meaning |\n|---|---|---|---|---|\n");
        self.known.insert(table.name, path.to_owned());
        let mut inner = Vec::new();
        for key in &table.keys {
            let at = if path.is_empty() { key.key.to_owned() } else { format!("{path}.{}", key.key) };
            let (unit, note) = self.kind(&key.sort, at, &mut inner);
            let name = match key.optional || key.default.is_some() {
                true => format!("*`{}`*", key.key),
                false => format!("`{}`", key.key),
            };
            let default = key.default.as_ref().map_or(String::new(), |(shown, _)| format!("`{shown}`"));
            let bounds = bounds(key).map_or(String::new(), |[least, most]| format!("{least} to {most}"));
            let meaning = [key.meaning.as_str(), &note].concat();
            let _ = writeln!(self.text, "| {name} | {unit} | {default} | {bounds} | {meaning} |");
        }
        for (path, table) in inner {
            self.table(&path, &table());
        }
    }

    /// The unit of a key and the constraints on its values. Tables that are not described yet are added to `inner`.
    fn kind(&self, sort: &Sort, path: String, inner: &mut Vec<InnerTable>) -> (String, String) {
        match sort {
            Sort::Quantity { unit, .. } => ((*unit).to_owned(), String::new()),
            Sort::Words(words) => {
                let meaning = |(word, meaning): &(&str, String)| format!(" `\"{word}\"`: {meaning}");
                ("word".to_owned(), words.iter().map(meaning).collect())
            }
            Sort::Text => ("text".to_owned(), String::new()),
            Sort::Names => ("names".to_owned(), String::new()),
            Sort::Other(what) => ((*what).to_owned(), String::new()),
            Sort::Table(table) | Sort::List(table) => {
                let name = table().name;
                let place = self.known.get(name).cloned();
                let coming =
                    inner.iter().find(|(_, known)| known().name == name).map(|(path, _)| path.clone());
                match place.or(coming) {
                    Some(place) => ("table".to_owned(), format!(" As `[{place}]`.")),
                    None => {
                        inner.push((path, *table));
                        ("table".to_owned(), String::new())
                    }
                }
            }
            Sort::Tables(of_one) => {
                let (unit, note) = self.kind(of_one, format!("{path}.NAME"), inner);
                (
                    format!("{unit} by name")
                        .replace("table by name", "tables")
                        .replace("by name by name", "by name"),
                    note,
                )
            }
        }
    }
}

/// The bounds that a key's declaration states, or else those of its quantity.
fn bounds(key: &KeyDeclaration) -> Option<[String; 2]> {
    match (&key.bounds, &key.sort) {
        (Some([(least, _), (most, _)]), _) => Some([least.clone(), most.clone()]),
        (None, Sort::Quantity { limits, .. }) => limits.clone(),
        _ => None,
    }
}
