//! A ticket: a text, and what is right to read in it.

use std::fs;
use std::path::Path;

use toml::{Table, Value};

/// What `expected.reads` asks for, and what a text comes to. Later is better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reading {
    Refused,
    Partly,
    Wholly,
}

impl Reading {
    pub(crate) const ALL: [(Self, &str); 3] =
        [(Self::Refused, "refused"), (Self::Partly, "partly"), (Self::Wholly, "wholly")];

    pub(crate) fn word(self) -> &'static str {
        Self::ALL.into_iter().find(|(reading, _)| *reading == self).unwrap().1
    }

    pub(crate) fn from_word(word: &str) -> Self {
        let found = Self::ALL.into_iter().find(|(_, known)| *known == word);
        found.unwrap_or_else(|| panic!("`{word}` is no way to read a text")).0
    }
}

pub(crate) struct Ticket {
    /// The name of its files, without what ends them.
    pub(crate) name: String,
    /// The file of the text.
    pub(crate) text: String,
    pub(crate) kind: String,
    pub(crate) arguments: Vec<String>,
    pub(crate) reads: Reading,
    pub(crate) healthy: bool,
    pub(crate) cannot_tell: bool,
    pub(crate) forbidden: Vec<String>,
    pub(crate) facts: Vec<String>,
    /// Findings that mean the right first cause: `rule`, or `rule: words of the cause`.
    pub(crate) first: Vec<String>,
    pub(crate) allowed: Vec<String>,
}

/// Members of a ticket's file and of its `expected` and `ids`, of which a person reads some and the test others.
const MEMBERS: [(&str, &[&str]); 3] = [
    ("", &["source", "kind", "made", "arguments", "expected", "ids"]),
    (
        "expected",
        &[
            "reads",
            "healthy",
            "reading",
            "causes_first",
            "cannot_tell",
            "tells",
            "allowed",
            "forbidden",
            "facts",
        ],
    ),
    ("ids", &["first", "allowed"]),
];

/// Every ticket of the folder, by name.
pub(crate) fn all(folder: &Path) -> Vec<Ticket> {
    let mut files: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let numbered = |file: &&String| file.starts_with(|first: char| first.is_ascii_digit());
    files
        .iter()
        .filter(numbered)
        .filter_map(|file| file.strip_suffix(".toml"))
        .map(|name| {
            let text = files
                .iter()
                .find(|file| file.rsplit_once('.').is_some_and(|(stem, end)| stem == name && end != "toml"));
            let text = text.unwrap_or_else(|| panic!("{name} has no text"));
            read(name, text, &fs::read_to_string(folder.join(format!("{name}.toml"))).unwrap())
        })
        .collect()
}

fn read(name: &str, text: &str, file: &str) -> Ticket {
    let file: Table = file.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
    for (table, known) in MEMBERS {
        let table = if table.is_empty() { Some(&file) } else { file.get(table).and_then(Value::as_table) };
        for member in table.into_iter().flat_map(Table::keys) {
            assert!(known.contains(&member.as_str()), "{name}: `{member}` means nothing to a ticket");
        }
    }
    for needed in ["source", "made"] {
        assert!(file.get(needed).and_then(Value::as_str).is_some(), "{name}: no `{needed}`");
    }
    let expected = file["expected"].as_table().unwrap();
    let is = |member: &str| expected.get(member).and_then(Value::as_bool).unwrap_or(false);
    let healthy = is("healthy");
    assert!(expected.contains_key("reading"), "{name}: no words for a person");
    let answers = [healthy, expected.contains_key("causes_first"), is("cannot_tell")];
    assert!(answers.contains(&true), "{name}: neither healthy, nor a cause, nor undecided");
    assert!(healthy != file.contains_key("ids"), "{name}: `ids` name causes of what is wrong");
    let ids = |member: &str| file.get("ids").map_or_else(Vec::new, |ids| words(ids.get(member)));
    Ticket {
        name: name.to_owned(),
        text: text.to_owned(),
        kind: file["kind"].as_str().unwrap().to_owned(),
        arguments: words(file.get("arguments")),
        reads: Reading::from_word(expected["reads"].as_str().unwrap()),
        healthy,
        cannot_tell: is("cannot_tell"),
        forbidden: words(expected.get("forbidden")),
        facts: words(expected.get("facts")),
        first: ids("first"),
        allowed: ids("allowed"),
    }
}

fn words(list: Option<&Value>) -> Vec<String> {
    let list = list.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    list.iter().map(|word| word.as_str().unwrap().to_owned()).collect()
}
