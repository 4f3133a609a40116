//! Writing the tree as one file.

use std::collections::HashSet;
use std::fmt::Write;

use super::tree::{Content, Entry, SOURCE, VALUE, Value};
use crate::Parameter;

/// The tree as TOML. A number says its source itself where it came from another file than the table that it stands in.
pub(super) fn to_toml(tree: &Value, parameters: &[Parameter]) -> String {
    let numbers = parameters.iter().map(|parameter| parameter.path.as_str()).collect();
    let mut writer = Writer { numbers, text: String::new() };
    writer.table("", tree, None);
    writer.text
}

struct Writer<'t> {
    /// Paths of all numbers.
    numbers: HashSet<&'t str>,
    text: String,
}

impl<'t> Writer<'t> {
    /// The entries of the table at `path`: first what is on lines of its own, then tables below it.
    fn table(&mut self, path: &str, table: &'t Value, enclosing: Option<&'t str>) {
        let own = table.entry(SOURCE).and_then(|entry| entry.value.text()).map(String::as_str);
        let source = own.or(enclosing);
        let entries = || table.entries().into_iter().flatten();
        let inner = |entry: &Entry| join(path, &entry.key);
        let is_table = |entry: &&Entry| is_table(&entry.value);
        let lines: Vec<&Entry> = entries().filter(|entry| !is_table(entry)).collect();
        if !path.is_empty() && (!lines.is_empty() || entries().next().is_none()) {
            if !self.text.is_empty() {
                self.text.push('\n');
            }
            self.text.push('[');
            self.text.push_str(path);
            self.text.push_str("]\n");
        }
        for entry in lines {
            let value = self.value(&inner(entry), &entry.value, source);
            self.text.push_str(&entry.key);
            self.text.push_str(" = ");
            self.text.push_str(&value);
            self.text.push('\n');
        }
        for entry in entries().filter(is_table) {
            self.table(&inner(entry), &entry.value, source);
        }
    }

    /// A value on a line.
    fn value(&self, path: &str, value: &Value, enclosing: Option<&str>) -> String {
        let own = value.source.as_deref().filter(|own| Some(*own) != enclosing);
        match &value.content {
            // What is not a table here is a number spelled out: its source may be another file's.
            Content::Table(entries) => {
                let mut text = String::from("{ ");
                for entry in entries.iter().filter(|entry| entry.key != SOURCE) {
                    let _ = write!(text, "{} = {}, ", entry.key, plain(&entry.value));
                }
                let _ = write!(text, "{SOURCE} = {} }}", quoted(value.source.as_deref().unwrap_or_default()));
                text
            }
            _ if self.numbers.contains(path) && own.is_some() => {
                format!("{{ {VALUE} = {}, {SOURCE} = {} }}", plain(value), quoted(own.unwrap_or_default()))
            }
            _ => plain(value),
        }
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// Whether it is written with a header of its own.
fn is_table(value: &Value) -> bool {
    matches!(value.content, Content::Table(_)) && value.entry(VALUE).is_none()
}

fn plain(value: &Value) -> String {
    match &value.content {
        Content::Text(text) => quoted(text),
        Content::Integer(integer) => integer.to_string(),
        Content::List(items) => format!("[{}]", items.iter().map(plain).collect::<Vec<_>>().join(", ")),
        // No key takes any of them, so none has got here.
        Content::Table(_) | Content::Other(_) => quoted(value.kind()),
    }
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}
