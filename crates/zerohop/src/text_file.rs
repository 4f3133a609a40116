//! Reading files that a user names.

use std::fs;
use std::io::{Error, ErrorKind};
use std::path::Path;

use crate::failure::Failure;

/// The text of a file. `hint` says what it should be, or what there is instead.
///
/// # Errors
/// When it cannot be read, or is no text.
pub(crate) fn read_text(path: &Path, hint: &str) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| unreadable(path, &error, hint))
}

/// Why a file is of no use.
pub(crate) fn unreadable(path: &Path, error: &Error, hint: &str) -> Failure {
    let path = path.display();
    let failure = match error.kind() {
        ErrorKind::InvalidData => Failure::new(format_args!("`{path}` is no text: it is not UTF-8")),
        _ => Failure::new(format_args!("cannot read `{path}`: {error}")),
    };
    failure.hint(hint)
}
