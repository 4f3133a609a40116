//! Writes values as TOML.

use std::borrow::Cow;
use std::fmt::Write;

use crate::tree::{Content, Value};

/// A key, quoted if necessary.
pub fn key(name: &str) -> Cow<'_, str> {
    let bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if bare {
        return name.into();
    }
    // A key must stay on one line, whatever characters it contains.
    let mut text = String::from("\"");
    for c in name.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(text, "\\U{:08X}", u32::from(c));
            }
            c => text.push(c),
        }
    }
    text.push('"');
    text.into()
}

/// A value as it is written after its `=`.
pub fn inline(value: &Value) -> String {
    match &value.content {
        Content::Text(text) => quoted(text),
        Content::Integer(integer) => integer.to_string(),
        Content::List(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Content::Table(entries) => {
            let entries: Vec<String> = entries
                .iter()
                .map(|entry| format!("{} = {}", key(&entry.key), inline(&entry.value)))
                .collect();
            format!("{{ {} }}", entries.join(", "))
        }
        Content::Other { text, .. } => text.clone(),
    }
}

/// A list of texts.
pub fn names<'n>(names: impl Iterator<Item = &'n str>) -> String {
    format!("[{}]", names.map(quoted).collect::<Vec<_>>().join(", "))
}

/// A text in quotes.
pub fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// A value as it is written, without quotes.
pub fn bare(value: &Value) -> String {
    match &value.content {
        Content::Text(text) => text.trim().to_owned(),
        Content::Integer(integer) => integer.to_string(),
        Content::List(items) => format!("[{}]", items.iter().map(bare).collect::<Vec<_>>().join(", ")),
        Content::Other { text, .. } => text.clone(),
        Content::Table(_) => value.kind().to_owned(),
    }
}
