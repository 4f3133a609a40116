//! Identifies a file of the wrong kind: results, captures, machine files, studies and sweeps are easily confused, and
//! each belongs to a different verb.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use serde::de::IgnoredAny;

use crate::built_in::is_file;
use crate::failure::Failure;

/// The result in a directory that a survey wrote.
pub(crate) const IN_DIRECTORY: &str = "result.json";

/// Larger files are not inspected: nothing that zerohop reads is larger, except results with very many cells.
const LARGEST: u64 = 256 << 20;

/// The kind of a file, judged by its outermost keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// What `run` and `survey` write.
    Result,
    /// What `compare`, `reproduce`, `sweep` and `machine show` write as JSON: nothing reads it back.
    Report,
    /// What `machine capture` writes.
    Capture,
    /// A topology in hwloc's form.
    HwlocXml,
    /// A machine file.
    MachineFile,
    /// A study of published figures.
    Study,
    /// A sweep file.
    Sweep,
    /// The journal of a sweep: the points computed so far.
    Journal,
    /// A picture.
    Svg,
}

impl FileKind {
    /// The kind of the file at `path`, or of the result in that directory; `None` if it cannot be read, is empty or is of no known
    /// kind.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let inside = path.is_dir().then(|| path.join(IN_DIRECTORY));
        let path = inside.as_deref().unwrap_or(path);
        let about = fs::metadata(path).ok()?;
        // A pipe can be read only once, and may never end.
        if !about.is_file() || about.len() > LARGEST {
            return None;
        }
        let mut text = String::new();
        File::open(path).ok()?.take(LARGEST).read_to_string(&mut text).ok()?;
        Self::of_text(&text)
    }

    fn of_text(text: &str) -> Option<Self> {
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
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Result => "a result of `zerohop run` or `zerohop survey`",
            Self::Report => "output of zerohop that no verb reads back",
            Self::Capture => "a captured machine",
            Self::HwlocXml => {
                "hwloc XML, which lists a machine's parts but not what a model needs to know of them"
            }
            Self::MachineFile => "a machine file",
            Self::Study => "a study of published figures",
            Self::Sweep => "a sweep file",
            Self::Journal => "the journal of a sweep",
            Self::Svg => "a picture",
        }
    }

    /// The command that accepts a file of this kind, if there is one.
    pub(crate) fn command(self, path: &str) -> Option<String> {
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

/// The failure for a file at `path` that is plainly not `wanted`: its kind, the command that accepts it, and what to
/// give here instead.
pub(crate) fn mistaken(path: &Path, wanted: &str, instead: &str) -> Option<Failure> {
    let kind = FileKind::of(path)?;
    let shown = path.display().to_string();
    let failure = Failure::new(format_args!("`{shown}` is {}, not {wanted}", kind.name()));
    Some(match kind.command(&shown) {
        Some(command) => failure.hint(format!("`{command}` accepts it; {instead}")),
        None => failure.hint(instead),
    })
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
