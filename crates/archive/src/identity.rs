//! Identity of an archive: another file may replace it one day.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Identity of an archive: a random text that was drawn when it was created, and that its copies share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity(pub(crate) String);

/// Identity of the file at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    device: u64,
    inode: u64,
}

impl Place {
    /// The file that stands there; `None` if there is none, or it cannot be found out.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let about = fs::metadata(path).ok()?;
        Some(Self { device: about.dev(), inode: about.ino() })
    }
}
