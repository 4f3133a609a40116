//! Reading a result that an earlier run wrote.

use std::path::{Path, PathBuf};

use zerohop_experiment::catalogue;
use zerohop_importers::KINDS;
use zerohop_result::{ReadError, ResultFile};

use crate::file_kind::{FileKind, IN_DIRECTORY, Mistaken};
use crate::files::{Entry, FileError, Files, Notice};
use crate::hint::Hinted;
use crate::wrong_folder::WrongFolder;

/// Reason why a file is not a result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ResultError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is a file of another kind.
    #[error(transparent)]
    Mistaken(#[from] Mistaken),
    /// It is a directory that holds no result.
    #[error(transparent)]
    Folder(#[from] WrongFolder),
    /// It is the output of another tool.
    #[error(transparent)]
    Tool(#[from] ToolOutput),
    /// A later version wrote it.
    #[error("cannot read `{}`: {error}", path.display())]
    OtherVersion {
        path: PathBuf,
        /// Error about its version.
        error: ReadError,
    },
    /// It is something else, or damaged.
    #[error("`{}` is not a zerohop result: {error}", path.display())]
    NoResult {
        path: PathBuf,
        /// Description of the problem.
        error: ReadError,
    },
}

impl ResultError {
    /// Error for a text that cannot be read as a result.
    pub(crate) fn of(path: PathBuf, error: ReadError) -> Self {
        match error {
            ReadError::OtherVersion { .. } => Self::OtherVersion { path, error },
            _ => Self::NoResult { path, error },
        }
    }
}

impl Hinted for ResultError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::File(error) => error.hint(),
            Self::Mistaken(error) => error.hint(),
            Self::Folder(error) => error.hint(),
            Self::Tool(error) => error.hint(),
            Self::OtherVersion { error, .. } | Self::NoResult { error, .. } => Some(error.hint().to_owned()),
        }
    }
}

/// The output of another tool, which can be imported, where something else was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{shown}` is the output of {format}, not {expected}")]
pub struct ToolOutput {
    shown: String,
    format: String,
    expected: &'static str,
}

impl ToolOutput {
    /// The error for a text that a tool printed; `None` for any other text.
    pub fn of(path: &Path, text: &str, expected: &'static str) -> Option<Self> {
        let shown = path.display().to_string();
        let imported = zerohop_importers::import(&shown, text, None).ok()?;
        let format = imported.first()?.format.to_string();
        Some(Self { shown, format, expected })
    }
}

impl Hinted for ToolOutput {
    fn hint(&self) -> Option<String> {
        let quoted = shlex::try_quote(&self.shown).map_or_else(|_| self.shown.clone(), Into::into);
        Some(format!("`zerohop import {quoted} -o FILE.json` converts it to a result"))
    }
}

/// The name of the result of a repeat, from 2 on, in the directory of a survey with `--repeat`.
pub fn repeat_name(number: u32) -> String {
    format!("result-{number}.json")
}

/// The results of all runs in a file, or in a survey's directory, with their paths.
///
/// # Errors
/// When one cannot be read, or is not a result.
pub fn read_runs(path: &Path, files: &dyn Files) -> Result<Vec<(PathBuf, ResultFile)>, ResultError> {
    let mut runs = vec![(path.to_owned(), read_result(path, files)?)];
    if files.entry(path) == Some(Entry::Directory) {
        let repeats = (2..).map(|number| path.join(repeat_name(number)));
        for repeat in repeats.take_while(|path| files.entry(path).is_some()) {
            let file = read_result(&repeat, files)?;
            runs.push((repeat, file));
        }
    }
    Ok(runs)
}

/// The result in a file, or in a survey's directory.
///
/// # Errors
/// When it cannot be read, or is not a result.
pub fn read_result(path: &Path, files: &dyn Files) -> Result<ResultFile, ResultError> {
    if let Some(wrong) = WrongFolder::of(path, files) {
        return Err(wrong.into());
    }
    let is_directory = files.entry(path) == Some(Entry::Directory);
    let path = if is_directory { path.join(IN_DIRECTORY) } else { path.to_owned() };
    let text = files.read_text(&path, ReadError::Empty.hint())?;
    result_of_text(&path, &text, files)
}

/// Reads a result from the text of a file.
///
/// # Errors
/// When the text is no result.
pub(crate) fn result_of_text(path: &Path, text: &str, files: &dyn Files) -> Result<ResultFile, ResultError> {
    let file = ResultFile::read(text).map_err(|error| no_result(path, text, error))?;
    let known = catalogue().with_imported(KINDS);
    let later = file.experiments.iter().filter(|experiment| known.get(&experiment.experiment).is_none());
    let later = later.map(|experiment| format!("the experiment {}", experiment.experiment));
    let unknown: Vec<String> = later.chain(file.unknown()).collect();
    if !unknown.is_empty() {
        files.notice(&Notice::UnknownItems { path, items: &unknown });
    }
    if file.plain_texts() > 0 {
        files.notice(&Notice::PlainTexts { path, count: file.plain_texts() });
    }
    Ok(file)
}

/// Whether a text begins like a result of zerohop, or a list of them: then it is not tried as the output of every other tool, which takes a hundred
/// times as long as reporting the error.
pub(crate) fn is_of_zerohop(text: &str) -> bool {
    let text = text.trim_start();
    let text = text.strip_prefix('[').map_or(text, str::trim_start);
    let first = text.strip_prefix('{').map(str::trim_start);
    first.is_some_and(|first| first.starts_with("\"schema_version\""))
}

/// Why the text of a file is no result: it is of another kind, another tool's, or a result that is broken.
fn no_result(path: &Path, text: &str, error: ReadError) -> ResultError {
    let kind = FileKind::of_text(text).filter(|kind| *kind != FileKind::Result);
    if let Some(kind) = kind {
        return Mistaken::new(path, kind, "a result", error.hint()).into();
    }
    if !is_of_zerohop(text)
        && let Some(tool) = ToolOutput::of(path, text, "a zerohop result")
    {
        return tool.into();
    }
    ResultError::of(path.to_owned(), error)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A broken result of 300 kB took 0.15 s, and a thousand of them minutes: they were searched for what other tools write.
    #[test]
    fn what_zerohop_wrote_is_no_output_of_another_tool_however_broken() {
        let ours = "{\n  \"schema_version\": 2,\n  \"produced_by\": \"zerohop 0.1.0\",\n  \"run\": ";
        assert!(is_of_zerohop(ours));
        assert!(is_of_zerohop("[{\"schema_version\": 2"));
        assert!(is_of_zerohop("\n{\"schema_version\":2,\"machine\":\"aaa"));
        for other in [
            "",
            "{\"name\": \"a\", \"schema_version\": 2}",
            "n01: { \"schema_version\": 2, \"produced_by\": \"zerohop 1\"",
            "Numa node",
        ] {
            assert!(!is_of_zerohop(other), "{other}");
        }
        let matrix =
            "\t\tNuma node\nNuma node\t     0\t     1\n       0\t  80.0\t 140.0\n       1\t 140.0\t  81.0\n";
        let mlc =
            format!("Intel(R) Memory Latency Checker - v3.9\nMeasuring idle latencies (in ns)...\n{matrix}");
        let refused = |text: &str| no_result(Path::new("a.json"), text, ReadError::Empty).to_string();
        assert!(refused(&mlc).contains("mlc"), "{}", refused(&mlc));
        let both = refused(&format!("{ours}{mlc}"));
        assert!(both.contains("not a zerohop result"), "{both}");
    }
}
