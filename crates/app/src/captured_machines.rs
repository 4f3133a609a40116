//! Captured machines: files that `zerohop machine capture` wrote.

use std::path::{Path, PathBuf};

use zerohop_machine::{Capture, CaptureError, LoadError, Machine};

use crate::file_kind::{FileKind, Mistaken};
use crate::files::{Entry, FileError, Files};
use crate::hint::Hinted;

/// Hint for reading a machine from a copy of its files.
pub const ROOT: &str =
    "give a directory that contains sys and proc, or a file written by `zerohop machine capture`";

/// Reason why a file is not a captured machine.
#[derive(Debug, thiserror::Error)]
pub enum CapturedError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is a file of another kind.
    #[error(transparent)]
    Mistaken(#[from] Mistaken),
    /// It is something else, or damaged.
    #[error("cannot read `{}`: {error}", path.display())]
    Wrong {
        path: PathBuf,
        /// Description of the problem.
        error: CaptureError,
    },
    /// It shows no processor.
    #[error("`{}` does not describe a machine: it contains no CPU", path.display())]
    NoProcessors { path: PathBuf },
}

impl Hinted for CapturedError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::File(error) => error.hint(),
            Self::Mistaken(error) => error.hint(),
            Self::Wrong { error, .. } => Some(error.hint().to_owned()),
            Self::NoProcessors { .. } => Some(ROOT.to_owned()),
        }
    }
}

/// The files of a captured machine.
///
/// # Errors
/// When the file cannot be read, or is no capture.
pub fn capture(path: &Path, files: &dyn Files) -> Result<Capture, CapturedError> {
    let text = files.read_text(path, ROOT)?;
    Capture::from_json(&text).map_err(|error| {
        let mistaken = Mistaken::of_text(path, &text, FileKind::Capture, ROOT);
        mistaken.map_or_else(|| CapturedError::Wrong { path: path.to_owned(), error }, Into::into)
    })
}

/// The machine that a capture shows. One without a name has that of its file.
///
/// # Errors
/// When the file cannot be read, is no capture, or shows no processor.
pub fn captured_machine(path: &Path, files: &dyn Files) -> Result<Machine, CapturedError> {
    let mut machine = Machine::load(&capture(path, files)?)
        .map_err(|LoadError::NoProcessors| CapturedError::NoProcessors { path: path.to_owned() })?;
    // The number of a pipe is not a name.
    if machine.name.is_empty() && files.entry(path) == Some(Entry::File) {
        machine.name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    }
    Ok(machine)
}
