//! Results in whatever form people have them: files of ours, and the output of other tools.

use std::path::Path;

use zerohop_advise::settings::BiosState;
use zerohop_importers::{self as importers, Hints, HostWithoutValues, Import, ImportError, Imported, decode};
use zerohop_result::{ReadError, ResultFile};

use crate::file_kind::{FileKind, Mistaken};
use crate::files::{Entry, FileError, Files, Packed};
use crate::fleet::NamedResult;
use crate::hint::Hinted;
use crate::result_file::{ResultError, is_of_zerohop, read_result, read_runs, result_of_text};

/// Reason why a file holds no results.
#[derive(Debug, thiserror::Error)]
pub enum ForeignError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// It has to be unpacked first, or is not text by intent.
    #[error(transparent)]
    Packed(#[from] Packed),
    /// It is a file of ours, of another kind.
    #[error(transparent)]
    Mistaken(#[from] Mistaken),
    /// It is a result of ours that cannot be read.
    #[error(transparent)]
    Result(#[from] ResultError),
    /// It is a dump of firmware settings, which other verbs read.
    #[error("`{name}` contains firmware settings, not results")]
    Dump { name: String },
    /// It is of no tool that is known, or damaged.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// The data read from it contradicts itself.
    #[error("cannot read `{name}` as a result: {error}")]
    NoResult { name: String, error: ReadError },
    /// One result is expected.
    #[error("`{name}` holds {count} results")]
    Several { name: String, count: usize },
}

impl Hinted for ForeignError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::File(error) => error.hint(),
            Self::Packed(error) => error.hint(),
            Self::Mistaken(error) => error.hint(),
            Self::Result(error) => error.hint(),
            Self::Dump { name } => {
                let path = shlex::try_quote(name).map_or_else(|_| name.clone(), Into::into);
                Some(format!(
                    "`zerohop advise settings --bios {path}` reads it, or compares two; `zerohop diagnose RESULT --bios {path}` compares a result with it"
                ))
            }
            Self::Import(error) => Some(error.hint()),
            Self::NoResult { .. } => {
                Some("its names differ only where they are too long to be shown".to_owned())
            }
            Self::Several { .. } => Some("`zerohop import` writes each to its own file".to_owned()),
        }
    }
}

/// How people write standard input.
const DASH: &str = "-";

/// A text that may be of another tool.
struct Content {
    /// Name in messages and origins.
    name: String,
    bytes: Vec<u8>,
}

fn content(path: &Path, instead: &str, files: &dyn Files) -> Result<Content, FileError> {
    if path == Path::new(DASH) {
        let bytes = files.read_bytes(Path::new("/dev/stdin"), instead)?;
        return Ok(Content { name: "standard input".to_owned(), bytes });
    }
    Ok(Content { name: path.display().to_string(), bytes: files.read_bytes(path, instead)? })
}

/// Results in the output of another tool, and the name of the text. `instead` is a hint if the file holds none.
///
/// # Errors
/// If it cannot be read, or is not the output of a known tool.
pub fn read_tool_output(
    path: &Path,
    hints: Hints,
    instead: &str,
    files: &dyn Files,
) -> Result<(String, Vec<Imported>), ForeignError> {
    const WANTED: &str = "the output of another tool";
    let Content { name, bytes } = content(path, instead, files).map_err(|error| {
        let is_directory = files.entry(path) == Some(Entry::Directory);
        let kind = is_directory.then(|| FileKind::of(path, files)).flatten();
        match kind {
            Some(kind) => ForeignError::from(Mistaken::new(path, kind, WANTED, instead)),
            None => error.into(),
        }
    })?;
    let text = decode(&bytes);
    match importers::import(&name, &text, hints) {
        Ok(imported) => Ok((name.clone(), with_plain_texts(&name, imported)?)),
        Err(error) => Err(match (Packed::of(&name, &bytes), FileKind::of_text(&text)) {
            (Some(packed), _) => packed.into(),
            (None, Some(kind)) => Mistaken::new(path, kind, WANTED, instead).into(),
            (None, None) => not_imported(&name, &text, error),
        }),
    }
}

/// Why a text could not be imported: that it is a dump of firmware settings says more than that no tool is known to write it.
fn not_imported(name: &str, text: &str, error: ImportError) -> ForeignError {
    let is_unknown = matches!(error, ImportError::Unrecognized { .. });
    match BiosState::read(name, text) {
        Ok((_, state)) if is_unknown && !state.settings.is_empty() => {
            ForeignError::Dump { name: name.to_owned() }
        }
        _ => error.into(),
    }
}

/// Results in a file or a survey's directory, or in another tool's output, with their names. `instead` is a hint if the file cannot be read.
///
/// # Errors
/// If it cannot be read, or holds no results.
pub fn read_any(path: &Path, instead: &str, files: &dyn Files) -> Result<Vec<NamedResult>, ForeignError> {
    read_hosts(path, instead, files).map(|read| read.results)
}

/// The only result in a file, in a survey's directory, or in another tool's output. A survey's repeats are left out.
///
/// # Errors
/// If it cannot be read, holds no result, or holds several.
pub fn read_one(path: &Path, files: &dyn Files) -> Result<ResultFile, ForeignError> {
    if files.entry(path) == Some(Entry::Directory) {
        return Ok(read_result(path, files)?);
    }
    let mut results = read_any(path, ReadError::Empty.hint(), files)?;
    match (results.pop(), results.len()) {
        (Some(only), 0) => Ok(only.result),
        (_, others) => Err(ForeignError::Several { name: path.display().to_string(), count: others + 1 }),
    }
}

/// Data read from a file.
#[derive(Debug)]
pub(crate) struct ReadHosts {
    pub(crate) results: Vec<NamedResult>,
    /// The hosts without values, where it is a text of several.
    pub(crate) without_values: Vec<HostWithoutValues>,
}

impl From<Vec<NamedResult>> for ReadHosts {
    fn from(results: Vec<NamedResult>) -> Self {
        Self { results, without_values: Vec::new() }
    }
}

/// Same as [`read_any`], with the hosts without values.
pub(crate) fn read_hosts(path: &Path, instead: &str, files: &dyn Files) -> Result<ReadHosts, ForeignError> {
    let is_input = path == Path::new(DASH);
    if files.entry(path) == Some(Entry::Directory) {
        let machine = files.real(path).display().to_string();
        let runs = read_runs(path, files)?.into_iter().map(|(path, result)| NamedResult {
            name: path.display().to_string(),
            result,
            machine: machine.clone(),
        });
        return Ok(runs.collect::<Vec<_>>().into());
    }
    let Content { name, bytes } = content(path, instead, files)?;
    if let Some(packed) = Packed::of(&name, &bytes) {
        return Err(packed.into());
    }
    let text = decode(&bytes);
    // Most files are results: what else a text might be takes as long to find as a result takes to read.
    let kind = if is_of_zerohop(&text) { Some(FileKind::Result) } else { FileKind::of_text(&text) };
    match kind {
        Some(FileKind::Result) => {
            let result = result_of_text(Path::new(&name), &text, files)?;
            let machine = if is_input { name.clone() } else { files.real(path).display().to_string() };
            return Ok(vec![NamedResult { name, result, machine }].into());
        }
        // The files that a capture holds would be read as facts of a machine without values.
        Some(kind @ FileKind::Capture) => {
            return Err(Mistaken::new(Path::new(&name), kind, "a result", instead).into());
        }
        _ => {}
    }
    match importers::import_hosts(&name, &text, None) {
        Ok(Import { results, without_values }) => {
            Ok(ReadHosts { results: named(&name, with_plain_texts(&name, results)?), without_values })
        }
        // Another file of ours says what it is, and which verb accepts it.
        Err(error) => Err(match kind {
            Some(kind) => Mistaken::new(Path::new(&name), kind, "a result", instead).into(),
            None => not_imported(&name, &text, error),
        }),
    }
}

/// Results that were made of the text of another tool, whose names are whatever that text says.
fn with_plain_texts(name: &str, imported: Vec<Imported>) -> Result<Vec<Imported>, ForeignError> {
    let plain = |one: Imported| {
        let result = one.result.with_plain_texts();
        let result = result.map_err(|error| ForeignError::NoResult { name: name.to_owned(), error })?;
        Ok(Imported { result, ..one })
    };
    imported.into_iter().map(plain).collect()
}

fn named(name: &str, imported: Vec<Imported>) -> Vec<NamedResult> {
    let several = imported.len() > 1;
    let results = imported.into_iter().enumerate().map(|(rank, one)| {
        let name = if several { format!("{name}, run {}", rank + 1) } else { name.to_owned() };
        NamedResult { machine: name.clone(), name, result: one.result }
    });
    results.collect()
}
