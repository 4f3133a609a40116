//! A folder with machine files.

use std::fs;

use tempfile::TempDir;

pub(crate) const OPTIONS: &str = include_str!("../../../machine/tests/files/options.toml");
pub(crate) const SQUARE: &str = include_str!("../../../machine/tests/files/square.toml");

/// A folder with `options.toml`, which can be set and refuses something.
pub(crate) fn directory() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let text = OPTIONS.replace("extend = \"square\"", "extend = \"./square.toml\"");
    fs::write(directory.path().join("options.toml"), text).unwrap();
    fs::write(directory.path().join("square.toml"), SQUARE).unwrap();
    directory
}
