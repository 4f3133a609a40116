//! Which archive one is: another file may stand at its place one day.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Which archive one is: a text that was drawn by chance when it was made, and that its copies share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity(pub(crate) String);

/// Which file stands at a path.
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
