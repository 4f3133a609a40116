//! Built-in machines, templates and studies by name, and the rule that distinguishes a file name from such a name.

use std::path::Path;

// Name and text of each file in `machines/`, `published/`, `templates/`, `processors/` and `rules/`: `MACHINES`,
// `STUDIES`, `TEMPLATES`, `PROCESSORS` and `RULES`.
include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// The names of the machines.
pub fn machine_names() -> impl Iterator<Item = &'static str> {
    MACHINES.iter().map(|(name, _)| *name)
}

/// The names of the studies.
pub fn study_names() -> impl Iterator<Item = &'static str> {
    STUDIES.iter().map(|(name, _)| *name)
}

/// The names of the templates.
pub fn template_names() -> impl Iterator<Item = &'static str> {
    TEMPLATES.iter().map(|(name, _)| *name)
}

/// Name and text of each file with processors.
pub fn processor_texts() -> impl Iterator<Item = (&'static str, &'static str)> {
    PROCESSORS.iter().copied()
}

/// Name and text of each rule of the diagnosis.
pub fn rule_texts() -> impl Iterator<Item = (&'static str, &'static str)> {
    RULES.iter().copied()
}

/// The text of the template of that name.
pub fn template_text(name: &str) -> Option<&'static str> {
    text(TEMPLATES, name)
}

/// The text of the machine file of that name.
pub fn machine_text(name: &str) -> Option<&'static str> {
    text(MACHINES, name)
}

/// The text of the study of that name.
pub fn study_text(name: &str) -> Option<&'static str> {
    text(STUDIES, name)
}

fn text(list: &'static [(&str, &str)], name: &str) -> Option<&'static str> {
    list.iter().find_map(|(known, text)| (*known == name).then_some(*text))
}

/// Whether a name is a file's: it contains `/` or ends in `.toml`.
pub fn is_file(name: &str) -> bool {
    name.contains('/') || has_extension(name, "toml")
}

/// Whether a file's name has this extension.
pub fn has_extension(name: &str, extension: &str) -> bool {
    Path::new(name).extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}
