//! A real Slurm, which `testbed/slurm-cluster` starts on this host.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::binary::zerohop;

/// A cluster of this host, ended with its test.
pub(crate) struct Cluster {
    directory: tempfile::TempDir,
}

impl Cluster {
    /// With so many nodes.
    pub(crate) fn up(nodes: usize) -> Self {
        let cluster = Self { directory: tempfile::tempdir().unwrap() };
        let up = cluster.script("up", &[&nodes.to_string()]);
        assert!(up.status.success(), "{}", String::from_utf8_lossy(&up.stderr));
        cluster
    }

    /// A directory that its nodes share.
    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Ends the daemon of a node.
    pub(crate) fn kill(&self, node: &str) {
        assert!(self.script("kill", &[node]).status.success());
    }

    /// Ends the controller, and starts it again.
    pub(crate) fn restart(&self) {
        assert!(self.script("restart", &[]).status.success());
    }

    /// Runs a command of Slurm, which must succeed.
    pub(crate) fn command(&self, words: &[&str]) -> String {
        let mut command = Command::new(words[0]);
        let output = command.args(&words[1..]).env("SLURM_CONF", self.configuration()).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs `zerohop` in a directory, with words and with the words of a line: what it prints, what it says, and how it ends.
    pub(crate) fn zerohop(&self, directory: &Path, words: &[&str], line: &str) -> (String, String, i32) {
        let run = zerohop().current_dir(directory).env("SLURM_CONF", self.configuration());
        let run = run.args(words).args(line.split_whitespace()).assert();
        let output = run.get_output();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr), output.status.code().unwrap())
    }

    fn configuration(&self) -> PathBuf {
        self.directory.path().join("slurm/slurm.conf")
    }

    fn script(&self, verb: &str, rest: &[&str]) -> Output {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testbed/slurm-cluster");
        Command::new(script).arg(verb).arg(self.directory.path().join("slurm")).args(rest).output().unwrap()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.script("down", &[]);
    }
}

/// A script that can be run, by its path.
pub(crate) fn executable(path: &Path, script: &str) -> String {
    fs::write(path, script).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(path, mode).unwrap();
    path.display().to_string()
}
