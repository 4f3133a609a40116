//! Files that a page carries.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use zerohop_app::{Entry, FileError, Files, NoFiles};

/// Texts by their names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CarriedFiles<'a>(pub(crate) &'a BTreeMap<String, String>);

impl CarriedFiles<'_> {
    fn text(&self, path: &Path) -> Option<&String> {
        self.0.get(path.to_str()?)
    }
}

impl Files for CarriedFiles<'_> {
    fn read_text(&self, path: &Path, instead: &str) -> Result<String, FileError> {
        self.text(path).cloned().map_or_else(|| NoFiles.read_text(path, instead), Ok)
    }

    fn read_bytes(&self, path: &Path, instead: &str) -> Result<Vec<u8>, FileError> {
        self.read_text(path, instead).map(String::into_bytes)
    }

    fn peek(&self, path: &Path) -> Option<String> {
        self.text(path).cloned()
    }

    fn entry(&self, path: &Path) -> Option<Entry> {
        self.text(path).map(|_| Entry::File)
    }

    fn list(&self, folder: &Path) -> Vec<PathBuf> {
        NoFiles.list(folder)
    }
}
