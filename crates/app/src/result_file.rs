//! Reading a result that an earlier run wrote.

use std::path::{Path, PathBuf};

use zerohop_result::{ReadError, ResultFile};

use crate::file_kind::{FileKind, IN_DIRECTORY, Mistaken};
use crate::files::{Entry, FileError, Files, Notice};
use crate::hinted::Hinted;
use crate::wrong_folder::WrongFolder;

/// Why a file is no result.
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
    #[error("`{}` cannot be read: {error}", path.display())]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// What it says of its version.
        error: ReadError,
    },
    /// It is something else, or damaged.
    #[error("`{}` is not a zerohop result: {error}", path.display())]
    NoResult {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: ReadError,
    },
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
        Some(format!("`zerohop import {quoted} -o FILE.json` makes a result of it"))
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
    let file = match ResultFile::read(&text) {
        Ok(file) => file,
        Err(error) => return Err(no_result(path, &text, error, files)),
    };
    let unknown = file.unknown();
    if !unknown.is_empty() {
        files.notice(&Notice::UnknownItems { path: &path, items: &unknown });
    }
    Ok(file)
}

fn no_result(path: PathBuf, text: &str, error: ReadError, files: &dyn Files) -> ResultError {
    if FileKind::of(&path, files) != Some(FileKind::Result)
        && let Some(mistaken) = Mistaken::of(&path, "a result", error.hint(), files)
    {
        return mistaken.into();
    }
    if let Some(tool) = ToolOutput::of(&path, text, "a zerohop result") {
        return tool.into();
    }
    match error {
        ReadError::OtherVersion { .. } => ResultError::OtherVersion { path, error },
        _ => ResultError::NoResult { path, error },
    }
}
