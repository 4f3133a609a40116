//! The binary under test, in an environment that is the same everywhere.

use std::path::{Path, PathBuf};
use std::process::{self, Output, Stdio};

use snapbox::cmd::{Command, cargo_bin};
use tempfile::TempDir;

/// What of the environment would change what is printed.
const HEEDED: [&str; 6] = ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "RUST_BACKTRACE", "TERM"];

/// Tests measure this host all at once: what they measure does not matter, and none waits for another.
const WITHOUT_LOCK: (&str, &str) = ("ZEROHOP_HOST_LOCK", "none");

/// `zerohop`, to be given arguments.
pub(crate) fn zerohop() -> Command {
    let command = Command::new(cargo_bin!("zerohop")).env(WITHOUT_LOCK.0, WITHOUT_LOCK.1);
    HEEDED.into_iter().fold(command, Command::env_remove)
}

/// The same for what a [`Command`] cannot do: signals, pipes, limits.
pub(crate) fn plain() -> process::Command {
    within(cargo_bin!("zerohop"), &[])
}

/// `zerohop` started by another program, which gets its path after `arguments`.
pub(crate) fn started_by(program: &str, arguments: &[&str]) -> process::Command {
    let mut command = within(program, arguments);
    command.arg(cargo_bin!("zerohop"));
    command
}

/// A command line in a shell that finds `zerohop`; it fails if any part of a pipeline does.
pub(crate) fn shell(line: &str) -> process::Command {
    let folder = cargo_bin!("zerohop").parent().unwrap();
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&others));
    let mut command = within("bash", &["-c", &format!("set -o pipefail; {line}")]);
    command.env("PATH", std::env::join_paths(path).unwrap());
    command
}

fn within(program: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) -> process::Command {
    let mut command = process::Command::new(program);
    command.args(arguments).stdin(Stdio::null()).env(WITHOUT_LOCK.0, WITHOUT_LOCK.1);
    for name in HEEDED {
        command.env_remove(name);
    }
    command
}

/// A folder with `result.json`: an experiment on a model, by the fast solver.
pub(crate) fn folder_with_result(experiment: &str, machine: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let run = ["run", experiment, "--on", machine, "--solver", "flow", "--quiet", "-o", "result.json"];
    zerohop().current_dir(folder.path()).args(run).assert().success();
    folder
}

/// Directory of captured machines.
pub(crate) fn machines() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../machine/tests/machines")
}

/// The capture of that name.
pub(crate) fn machine(name: &str) -> PathBuf {
    machines().join(format!("{name}.json"))
}

/// A measurement small enough for a test: what it measures does not matter.
pub(crate) const SMALL: [&str; 6] = ["--buffer", "16MiB", "--duration", "1ms", "--budget", "2s"];

/// What a command puts out that measures this host within that many seconds. Where other programs take its CPUs, values are missing: it is
/// tried again, with more time.
pub(crate) fn patiently(
    seconds: u32,
    within: impl Fn(&str) -> Output,
    is_complete: impl Fn(&Output) -> bool,
) -> Output {
    let mut output = within(&format!("{seconds}s"));
    for more in [seconds.max(5), seconds.max(20), 40, 40, 40] {
        if is_complete(&output) {
            break;
        }
        output = within(&format!("{more}s"));
    }
    output
}

/// What `zerohop ARGUMENTS` measures and prints in a directory, with measurements as small as [`SMALL`]. Where other programs take
/// the CPUs, so that values are missing, it gets more time.
pub(crate) fn measured(arguments: &[&str], directory: &Path) -> Output {
    let within = |budget: &str| {
        let sizes = if arguments.contains(&"core-to-core") { &SMALL[2..4] } else { &SMALL[..4] };
        let mut command = zerohop().current_dir(directory).args(arguments).args(sizes);
        command = command.args(["--budget", budget]);
        command.output().unwrap()
    };
    let complete = |output: &Output| {
        output.status.success() && !String::from_utf8_lossy(&output.stderr).contains("skipped")
    };
    patiently(2, within, complete)
}
