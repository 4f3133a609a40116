//! Writes a machine file as one that extends no other.

use std::collections::HashSet;
use std::fmt::Write;

use zerohop_document::{Content, Entry, SCOPE, SCOPE_FILE, SOURCE, VALUE, Value, inline, key, names, quoted};

use super::choose::Chosen;
use super::options::{OPTION, Options, WHEN, WhenTable};

/// The tree, the options and their changes as TOML. The current choices become the defaults; values that were set come
/// last and always apply. A value that comes from another file than its table states its own source; `numbers` lists the
/// paths of all values.
pub(super) fn to_toml(tree: &Value, options: &Options, chosen: &Chosen, numbers: HashSet<String>) -> String {
    let mut writer = Writer { numbers, within: "", text: String::new() };
    writer.table("", tree, None);
    for (rank, option) in options.options.iter().enumerate() {
        writer.line("");
        writer.line(&format!("[{OPTION}.{}]", option.name));
        writer.line(&format!("meaning = {}", quoted(&option.value.meaning.text)));
        writer.line(&format!("values = {}", names(option.value.values())));
        writer.line(&format!("default = {}", quoted(&chosen.setting(options, rank).value)));
    }
    writer.within = "when.change";
    for when in &options.whens {
        writer.when(when);
    }
    for number in &chosen.numbers {
        writer.always(&number.change());
    }
    writer.text
}

struct Writer<'t> {
    numbers: HashSet<String>,
    /// The table that contains everything that is written.
    within: &'t str,
    text: String,
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn when(&mut self, when: &WhenTable) {
        self.line("");
        self.line(&format!("[[{WHEN}]]"));
        let conditions: Vec<String> = when
            .is
            .iter()
            .map(|part| {
                format!(
                    "{} = {}",
                    key(&part.name),
                    names(part.value.0.iter().map(|value| value.text.as_str()))
                )
            })
            .collect();
        if !conditions.is_empty() {
            self.line(&format!("is = {{ {} }}", conditions.join(", ")));
        }
        if let Some(remove) = &when.remove {
            self.line(&format!("remove = {}", names(remove.names.iter().map(|name| name.text.as_str()))));
        }
        if let Some(refuse) = &when.refuse {
            self.line(&format!("refuse = {}", quoted(&refuse.text)));
        }
        if let Some(change) = &when.change {
            self.change(&change.0);
        }
    }

    fn always(&mut self, change: &Value) {
        self.line("");
        self.line(&format!("[[{WHEN}]]"));
        self.change(change);
    }

    /// A change with its source, because the tables that it changes have others.
    fn change(&mut self, change: &Value) {
        // The source of a whole file must not become that of the change: each of its values states it.
        let own = change.source.as_deref().filter(|_| !change.is_of_file);
        if let Some(source) = own {
            self.line(&format!("{SOURCE} = {}", quoted(source)));
        }
        self.table("", change, own);
    }

    /// The entries of the table at `path`: first those on lines of their own, then the tables inside it.
    fn table(&mut self, path: &str, table: &Value, enclosing: Option<&str>) {
        let own = table.entry(SOURCE).and_then(|entry| entry.value.text()).map(String::as_str);
        let source = own.or(enclosing);
        let entries = || table.entries().into_iter().flatten();
        let inner = |entry: &Entry| join(path, &entry.key);
        let is_table = |entry: &&Entry| is_table(&entry.value);
        let lines: Vec<&Entry> = entries().filter(|entry| !is_table(entry)).collect();
        let header = join_keys(self.within, path);
        if !header.is_empty() && (!lines.is_empty() || entries().next().is_none()) {
            if !self.text.is_empty() {
                self.text.push('\n');
            }
            self.line(&format!("[{header}]"));
        }
        for entry in lines {
            let value = self.value(&inner(entry), &entry.value, source);
            self.line(&format!("{} = {value}", key(&entry.key)));
        }
        for entry in entries().filter(is_table) {
            self.table(&inner(entry), &entry.value, source);
        }
    }

    /// A value on one line.
    fn value(&self, path: &str, value: &Value, enclosing: Option<&str>) -> String {
        let own = value.source.as_deref().filter(|own| Some(*own) != enclosing);
        match &value.content {
            // Anything else is a value in its long form, whose source may be another file's.
            Content::Table(entries) => {
                let mut text = String::from("{ ");
                for entry in entries.iter().filter(|entry| entry.key != SOURCE && entry.key != SCOPE) {
                    let _ = write!(text, "{} = {}, ", key(&entry.key), inline(&entry.value));
                }
                let source = quoted(value.source.as_deref().unwrap_or_default());
                let _ = write!(text, "{SOURCE} = {source}{} }}", scope(value));
                text
            }
            _ if self.numbers.contains(path) && own.is_some() => {
                let source = quoted(own.unwrap_or_default());
                format!("{{ {VALUE} = {}, {SOURCE} = {source}{} }}", inline(value), scope(value))
            }
            _ => inline(value),
        }
    }
}

/// The long form of a value whose source is that of a whole file, and which now states it itself.
fn scope(value: &Value) -> String {
    match value.is_of_file || value.entry(SCOPE).is_some() {
        true => format!(", {SCOPE} = {}", quoted(SCOPE_FILE)),
        false => String::new(),
    }
}

/// The path to an entry of a table. Keys that no reader accepts may contain dots.
fn join(path: &str, inner: &str) -> String {
    join_keys(path, &key(inner))
}

fn join_keys(path: &str, inner: &str) -> String {
    match (path, inner) {
        ("", only) | (only, "") => only.to_owned(),
        _ => format!("{path}.{inner}"),
    }
}

/// Whether it is written with a header of its own.
fn is_table(value: &Value) -> bool {
    matches!(value.content, Content::Table(_)) && value.entry(VALUE).is_none()
}
