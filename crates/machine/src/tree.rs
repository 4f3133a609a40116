//! A tree of files, wherever it lies: `/sys` and `/proc` of this host, a copy of them below another root, or a
//! [`Capture`](crate::Capture).
//!
//! Nothing in this crate opens a file itself: the caller hands a tree in.

use std::io;

/// Files by their absolute path on the machine they describe, such as `/sys/devices/system/node/online`.
pub trait FileTree {
    /// The whole content of the file at `path`, symbolic links followed.
    ///
    /// # Errors
    /// When there is no such file, or it may not or cannot be read.
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadError>;

    /// The names in `directory`, symbolic links among them, in any order, without `.` and `..`.
    ///
    /// # Errors
    /// When there is no such directory, or it may not or cannot be listed.
    fn list(&self, directory: &str) -> Result<Vec<String>, ReadError>;
}

/// Why a file or a directory could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// It is not there.
    #[error("not there")]
    Absent,
    /// It is there, and this user may not read it.
    #[error("permission denied")]
    Denied,
    /// Reading it failed: some files of `/sys` answer with an error where they do not apply.
    #[error("unreadable: {0}")]
    Failed(String),
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Absent,
            io::ErrorKind::PermissionDenied => Self::Denied,
            _ => Self::Failed(error.to_string()),
        }
    }
}
