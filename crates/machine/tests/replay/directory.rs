//! A tree of files under a directory of this host.

use std::fs;
use std::path::PathBuf;

use zerohop_machine::{FileTree, ReadError};

/// Files under `root`.
pub(crate) struct Directory {
    pub(crate) root: PathBuf,
}

impl Directory {
    fn place(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }
}

impl FileTree for Directory {
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadError> {
        Ok(fs::read(self.place(path))?)
    }

    fn list(&self, directory: &str) -> Result<Vec<String>, ReadError> {
        let entries = fs::read_dir(self.place(directory))?;
        entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
    }
}
