//! Archives as users have them: the real binary, a file of SQLite, and a server of PostgreSQL that the tests start.

mod changes;
mod clocks;
mod drawn;
mod fleet;
mod laws;
mod named;
mod names;
mod outages;
mod repair;
mod results;
mod robustness;
mod serve;
mod server;
mod sound;
mod trust;
mod words;

use std::path::Path;
use std::process::{Command, Stdio};

use snapbox::cmd::cargo_bin;

/// `zerohop` in a folder, with an archive there.
pub(crate) fn zerohop(folder: &Path, archive: &str) -> Command {
    let mut command = Command::new(cargo_bin!("zerohop"));
    command.current_dir(folder).env("ZEROHOP_ARCHIVE", archive).env_remove("COLUMNS").stdin(Stdio::null());
    // Tests measure this host all at once, and none waits for another.
    command.env("ZEROHOP_HOST_LOCK", "none");
    command
}

/// What it printed, what it said, and its exit status.
pub(crate) fn said(folder: &Path, archive: &str, arguments: &[&str]) -> (String, String, i32) {
    let output = zerohop(folder, archive).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap_or(-1))
}

/// What it printed, if it succeeded.
pub(crate) fn printed(folder: &Path, archive: &str, arguments: &[&str]) -> String {
    let (printed, talk, status) = said(folder, archive, arguments);
    assert_eq!(status, 0, "{arguments:?}: {talk}");
    printed
}

/// The ids in an archive, sorted.
pub(crate) fn ids(folder: &Path, archive: &str) -> Vec<String> {
    let listed = printed(folder, archive, &["archive", "list", "--all", "--format", "csv"]);
    let mut ids: Vec<String> =
        listed.lines().skip(1).map(|line| line.split(',').next().unwrap().to_owned()).collect();
    ids.sort();
    ids
}
