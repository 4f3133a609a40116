//! A tree of files from any source: `/sys` and `/proc` of this host, a copy of them under another root, or a
//! [`Capture`](crate::Capture).
//!
//! This crate opens no files itself: the caller provides a tree.

use std::io;

/// Files by their absolute path on the machine they describe, such as `/sys/devices/system/node/online`.
pub trait FileTree {
    /// The whole content of the file at `path`. Symbolic links are followed.
    ///
    /// # Errors
    /// There is no such file, or it may not or cannot be read.
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadError>;

    /// The names in `directory`, including symbolic links, in any order, without `.` and `..`.
    ///
    /// # Errors
    /// There is no such directory, or it may not or cannot be listed.
    fn list(&self, directory: &str) -> Result<Vec<String>, ReadError>;
}

/// Reason why a file or a directory could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// It does not exist.
    #[error("not there")]
    Absent,
    /// It exists, but this user may not read it.
    #[error("permission denied")]
    Denied,
    /// Reading it failed. Some files of `/sys` return an error if they do not apply.
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
