//! Reading files that a user names.

use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::path::Path;

use crate::failure::Failure;

/// Largest file that is read here; a larger one, such as `/dev/zero`, may have no end.
const LARGEST: u64 = 256 << 20;

/// The text of a file. `hint` says what to give instead if it cannot be read.
///
/// # Errors
/// When it cannot be read, or is not text.
pub(crate) fn read_text(path: &Path, hint: &str) -> Result<String, Failure> {
    bounded(path, LARGEST).map_err(|error| unreadable(path, &error, hint))
}

/// The text of a file of at most `largest` bytes.
fn bounded(path: &Path, largest: u64) -> Result<String, Error> {
    let mut text = String::new();
    File::open(path)?.take(largest + 1).read_to_string(&mut text)?;
    if text.len() as u64 > largest {
        return Err(ErrorKind::FileTooLarge.into());
    }
    Ok(text)
}

/// Why a file cannot be used.
pub(crate) fn unreadable(path: &Path, error: &Error, hint: &str) -> Failure {
    let path = path.display();
    let failure = match error.kind() {
        ErrorKind::InvalidData => Failure::new(format_args!("`{path}` is not text: it is not valid UTF-8")),
        ErrorKind::IsADirectory => Failure::new(format_args!("`{path}` is a directory, not a file")),
        ErrorKind::PermissionDenied => {
            return Failure::new(format_args!("cannot read `{path}`: {error}"))
                .hint("`ls -l` shows who may read it, and `ls -ld` who may enter its directory");
        }
        _ => Failure::new(format_args!("cannot read `{path}`: {error}")),
    };
    failure.hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_end_is_not_read_to_its_end() {
        assert_eq!(bounded(Path::new("/dev/zero"), 100).unwrap_err().kind(), ErrorKind::FileTooLarge);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "ten bytes!").unwrap();
        assert_eq!(bounded(file.path(), 10).unwrap(), "ten bytes!");
        assert!(bounded(file.path(), 9).is_err());
    }
}
