//! Reading a result that an earlier run wrote.

use std::path::{Path, PathBuf};

use zerohop_result::{ReadError, ResultFile};

use crate::failure::Failure;
use crate::file_kind::{FileKind, IN_DIRECTORY, mistaken};
use crate::terminal;
use crate::text_file::read_text;

/// The name of the result of a repeat, from 2 on, in the directory of a survey with `--repeat`.
pub(crate) fn repeat_name(number: u32) -> String {
    format!("result-{number}.json")
}

/// The results of all runs in a file, or in a survey's directory, with their paths.
///
/// # Errors
/// When one cannot be read, or is not a result.
pub(crate) fn read_runs(path: &Path) -> Result<Vec<(PathBuf, ResultFile)>, Failure> {
    let mut runs = vec![(path.to_owned(), read_result(path)?)];
    if path.is_dir() {
        let repeats = (2..).map(|number| path.join(repeat_name(number))).take_while(|path| path.exists());
        for repeat in repeats {
            let file = read_result(&repeat)?;
            runs.push((repeat, file));
        }
    }
    Ok(runs)
}

/// The failure for the output of another tool, which can be imported, where something else was expected.
pub(crate) fn tool_of(path: &Path, text: &str, expected: &str) -> Option<Failure> {
    let shown = path.display().to_string();
    let imported = zerohop_importers::import(&shown, text, None).ok()?;
    let format = imported.first()?.format;
    let quoted = shlex::try_quote(&shown).map_or_else(|_| shown.clone(), Into::into);
    Some(
        Failure::new(format_args!("`{shown}` is the output of {format}, not {expected}"))
            .hint(format!("`zerohop import {quoted} -o FILE.json` makes a result of it")),
    )
}

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
        if let Some(tool) = tool_of(&path, &text, "a zerohop result") {
            return tool;
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
