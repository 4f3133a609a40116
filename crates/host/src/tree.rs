//! The files of `/sys` and `/proc`, live or below another root.

use std::fs;
use std::path::PathBuf;

use zerohop_machine::{FileTree, ReadError};

/// A tree of files on this host.
#[derive(Debug, Clone)]
pub struct HostTree {
    root: PathBuf,
}

impl HostTree {
    /// The tree below `root`: `/` for this host itself, another directory for a copy of some machine's files.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// This host's own `/sys` and `/proc`.
    pub fn live() -> Self {
        Self::new("/")
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }
}

impl FileTree for HostTree {
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadError> {
        Ok(fs::read(self.path(path))?)
    }

    fn list(&self, directory: &str) -> Result<Vec<String>, ReadError> {
        let mut names = Vec::new();
        for entry in fs::read_dir(self.path(directory))? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        Ok(names)
    }
}

/// A file's text, if it can be read and is text.
pub(crate) fn text(tree: &dyn FileTree, path: &str) -> Option<String> {
    String::from_utf8(tree.read(path).ok()?).ok()
}

/// The number that is all of a file's text.
pub(crate) fn number(tree: &dyn FileTree, path: &str) -> Option<u64> {
    text(tree, path)?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_paths_lead_below_the_root() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("sys/devices")).unwrap();
        fs::write(root.path().join("sys/devices/online"), "0-3\n").unwrap();
        let tree = HostTree::new(root.path());
        assert_eq!(tree.read("/sys/devices/online"), Ok(b"0-3\n".to_vec()));
        assert_eq!(tree.list("/sys/devices"), Ok(vec!["online".to_owned()]));
        assert_eq!(tree.read("/sys/none"), Err(ReadError::Absent));
        assert_eq!(tree.list("/none"), Err(ReadError::Absent));
        assert_eq!(number(&tree, "/sys/devices/online"), None);
    }
}
