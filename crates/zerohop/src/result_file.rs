//! Reading a result that an earlier run wrote.

use std::path::Path;

use zerohop_result::{ReadError, ResultFile};

use crate::failure::Failure;
use crate::file_kind::{FileKind, mistaken};
use crate::terminal;
use crate::text_file::read_text;

/// The result in a directory that a survey wrote.
const IN_DIRECTORY: &str = "result.json";

/// The result in a file, or in a survey's directory.
///
/// # Errors
/// When it cannot be read, or is not a result.
pub(crate) fn read_result(path: &Path) -> Result<ResultFile, Failure> {
    let path = if path.is_dir() { path.join(IN_DIRECTORY) } else { path.to_owned() };
    let text = read_text(&path, ReadError::Empty.hint())?;
    let file = ResultFile::read(&text).map_err(|error| {
        let other = FileKind::of(&path) != Some(FileKind::Result);
        if let Some(failure) = other.then(|| mistaken(&path, "a result", error.hint())).flatten() {
            return failure;
        }
        let what = match error {
            ReadError::OtherVersion { .. } => "cannot be read",
            _ => "is not a zerohop result",
        };
        Failure::new(format_args!("`{}` {what}: {error}", path.display())).hint(error.hint())
    })?;
    let unknown = file.unknown();
    if !unknown.is_empty() {
        let unknown = unknown.join(", ");
        terminal::say(&terminal::warning_line(&format!(
            "`{}` contains items that this version does not know: {unknown}",
            path.display()
        )));
    }
    Ok(file)
}
