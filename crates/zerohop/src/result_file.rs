//! Reading a result that an earlier run wrote.

use std::fs;
use std::path::Path;

use zerohop_experiment::ResultFile;

use crate::failure::Failure;

/// The result in a file.
///
/// # Errors
/// When it cannot be read, or is none.
pub(crate) fn read_result(path: &Path) -> Result<ResultFile, Failure> {
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::new(format_args!("cannot read `{}`: {error}", path.display())))?;
    serde_json::from_str(&text).map_err(|error| {
        Failure::new(format_args!("`{}` is no result of zerohop: {error}", path.display()))
            .hint("name a file that `zerohop run … -o FILE` wrote")
    })
}
