//! Reading a result that an earlier run wrote.

use std::path::Path;

use zerohop_result::ResultFile;

use crate::failure::Failure;
use crate::text_file::read_text;

/// The result in a file.
///
/// # Errors
/// When it cannot be read, or is none.
pub(crate) fn read_result(path: &Path) -> Result<ResultFile, Failure> {
    const HINT: &str = "name a file that `zerohop run … -o FILE` wrote, or a survey's `result.json`";
    let text = read_text(path, HINT)?;
    serde_json::from_str(&text).map_err(|error| {
        let why = if text.trim().is_empty() { "it is empty".to_owned() } else { error.to_string() };
        Failure::new(format_args!("`{}` is no result of zerohop: {why}", path.display())).hint(HINT)
    })
}
