//! Identifies a file of the wrong kind: results, captures, machine files, studies and sweeps are easily confused, and
//! each belongs to a different verb.

use std::collections::BTreeMap;
use std::path::Path;

use serde::de::IgnoredAny;
use zerohop_result::page_data::Carried;

use crate::built_in::is_file;
use crate::files::{Entry, Files};
use crate::hint::Hinted;

/// The result in a directory that a survey wrote.
pub const IN_DIRECTORY: &str = "result.json";

/// The kind of a file, judged by its outermost keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// Output of `run` and `survey`.
    Result,
    /// JSON output of `compare`, `reproduce`, `sweep` and `machine show`: nothing reads it back.
    Report,
    /// Output of `machine capture`.
    Capture,
    /// A topology in hwloc's form.
    HwlocXml,
    MachineFile,
    /// A study of published figures.
    Study,
    Sweep,
    /// The journal of a sweep: the points computed so far.
    Journal,
    Svg,
}

impl FileKind {
    /// The kind of the file at `path`, or of the result in that directory; `None` if it cannot be read, is empty or is of no known
    /// kind.
    pub fn of(path: &Path, files: &dyn Files) -> Option<Self> {
        let is_directory = files.entry(path) == Some(Entry::Directory);
        let inside = is_directory.then(|| path.join(IN_DIRECTORY));
        Self::of_text(&files.peek(inside.as_deref().unwrap_or(path))?)
    }

    /// The kind of a text; `None` if it is empty or of no known kind.
    pub fn of_text(text: &str) -> Option<Self> {
        match Carried::by(text) {
            Carried::One(json) => return of_json(json),
            // Whoever reads it says what is wrong with it.
            Carried::Cut | Carried::Several(_) => return Some(Self::Result),
            Carried::Nothing => {}
        }
        let start = text.trim_start_matches('\u{feff}').trim_start();
        if start.starts_with('{') {
            return of_json(start);
        }
        if start.starts_with('<') {
            let head: String = start.chars().take(4096).collect();
            let holds = |word: &str| head.contains(word);
            return if holds("<topology") {
                Some(Self::HwlocXml)
            } else {
                holds("<svg").then_some(Self::Svg)
            };
        }
        of_toml(text)
    }

    /// The name of the kind, with its article.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Result => "a result of `zerohop run` or `zerohop survey`",
            Self::Report => "zerohop output that no verb reads",
            Self::Capture => "a captured machine",
            Self::HwlocXml => "hwloc XML, which lists a machine's parts but lacks what a model needs",
            Self::MachineFile => "a machine file",
            Self::Study => "a study of published figures",
            Self::Sweep => "a sweep file",
            Self::Journal => "the journal of a sweep",
            Self::Svg => "a picture",
        }
    }

    /// The command that accepts a file of this kind, if there is one.
    pub fn command(self, path: &str) -> Option<String> {
        let path = shlex::try_quote(path).map_or_else(|_| path.to_owned(), Into::into);
        Some(match self {
            Self::Result => format!("zerohop show {path}"),
            Self::Capture | Self::HwlocXml => format!("zerohop machine show {path}"),
            Self::MachineFile => format!("zerohop machine check {}", as_file(&path)),
            Self::Study => format!("zerohop reproduce {}", as_file(&path)),
            Self::Sweep => format!("zerohop sweep --file {path}"),
            Self::Report | Self::Journal | Self::Svg => return None,
        })
    }
}

/// A file of a wrong kind: its kind, the command that accepts it, and a hint for this argument.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{shown}` is {}, not {wanted}", kind.name())]
pub struct Mistaken {
    shown: String,
    kind: FileKind,
    wanted: &'static str,
    instead: String,
}

impl Mistaken {
    /// The error for a file of a known kind, which is not the wanted one.
    pub fn new(path: &Path, kind: FileKind, wanted: &'static str, instead: &str) -> Self {
        Self { shown: path.display().to_string(), kind, wanted, instead: instead.to_owned() }
    }

    /// The error for this text of a file, if it is of a kind that is known and not the wanted one.
    pub fn of_text(path: &Path, text: &str, wanted: FileKind, instead: &str) -> Option<Self> {
        let kind = FileKind::of_text(text).filter(|kind| *kind != wanted)?;
        Some(Self::new(path, kind, wanted.name(), instead))
    }
}

impl Hinted for Mistaken {
    fn hint(&self) -> Option<String> {
        Some(match self.kind.command(&self.shown) {
            Some(command) => format!("`{command}` accepts it; {}", self.instead),
            None => self.instead.clone(),
        })
    }
}

/// Spells a path so that it is taken for a file even where a name is allowed.
fn as_file(path: &str) -> String {
    if is_file(path) { path.to_owned() } else { format!("./{path}") }
}

fn of_json(text: &str) -> Option<FileKind> {
    let first = text.lines().next().unwrap_or_default();
    if let Ok(head) = serde_json::from_str::<BTreeMap<String, IgnoredAny>>(first)
        && text.lines().nth(1).is_some()
    {
        return head.contains_key("question").then_some(FileKind::Journal);
    }
    let keys = serde_json::from_str::<BTreeMap<String, IgnoredAny>>(text).ok()?;
    let has = |key: &str| keys.contains_key(key);
    if has("files") && has("version") {
        Some(FileKind::Capture)
    } else if has("question") && has("machine_file") {
        Some(FileKind::Journal)
    } else if has("experiments") && has("machine") {
        Some(FileKind::Result)
    } else if has("schema_version") || (has("nodes") && has("pus")) {
        Some(FileKind::Report)
    } else {
        None
    }
}

fn of_toml(text: &str) -> Option<FileKind> {
    const MACHINE: [&str; 8] = ["processor", "node", "core", "channel", "home", "link", "wire", "routing"];
    let tables = || {
        let heads = text.lines().filter_map(|line| line.trim_start().strip_prefix('['));
        heads.map(|head| head.trim_start_matches('[').split(['.', ']']).next().unwrap_or_default().trim())
    };
    let has = |name: &str| tables().any(|table| table == name);
    let key = |name: &str| {
        text.lines()
            .take_while(|line| !line.trim_start().starts_with('['))
            .any(|line| line.split_once('=').is_some_and(|(key, _)| key.trim() == name))
    };
    if has("passage") || has("document") {
        Some(FileKind::Study)
    } else if has("grid") || has("point") || (key("machine") && has("run")) {
        Some(FileKind::Sweep)
    } else if key("extend") || tables().any(|table| MACHINE.contains(&table)) {
        Some(FileKind::MachineFile)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_its_outermost_keys() {
        for (text, kind) in [
            (r#"{"schema_version":1,"machine":{},"experiments":[]}"#, Some(FileKind::Result)),
            (r#"{"schema_version":1,"rows":[]}"#, Some(FileKind::Report)),
            (r#"{"version":1,"files":{}}"#, Some(FileKind::Capture)),
            ("{\"question\":{}}\n{\"point\":0}\n", Some(FileKind::Journal)),
            ("<?xml version=\"1.0\"?>\n<topology version=\"2.0\">", Some(FileKind::HwlocXml)),
            ("<svg/>", Some(FileKind::Svg)),
            ("title = \"a\"\n[node.0]\n", Some(FileKind::MachineFile)),
            ("extend = \"quartet\"\n", Some(FileKind::MachineFile)),
            ("machine = \"quartet\"\n[document]\n[[run]]\n", Some(FileKind::Study)),
            ("machine = \"quartet\"\n[[run]]\n", Some(FileKind::Sweep)),
            ("{}", None),
            ("{", None),
            ("a letter", None),
            ("", None),
        ] {
            assert_eq!(FileKind::of_text(text), kind, "{text}");
        }
    }
}
