//! A server of PostgreSQL in a scratch folder.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// The user as whom the server runs: it refuses root.
const USER: &str = "postgres";

/// A running server, which ends with the test.
pub(crate) struct Server {
    folder: TempDir,
    programs: PathBuf,
}

impl Server {
    /// Starts a server with an empty database, on a socket and, if a port is named, on loopback, where it asks for a password.
    pub(crate) fn start(port: Option<u16>) -> Self {
        let server = Self { folder: tempfile::tempdir().unwrap(), programs: programs() };
        fs::set_permissions(server.folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        if is_root() {
            let id = |flag: &str| -> u32 {
                let output = Command::new("id").args([flag, USER]).output().unwrap();
                String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
            };
            chown(server.folder.path(), Some(id("-u")), Some(id("-g"))).unwrap();
        }
        let password = server.folder.path().join("password");
        fs::write(&password, "s3cret\n").unwrap();
        fs::set_permissions(&password, fs::Permissions::from_mode(0o644)).unwrap();
        server.run(
            "initdb",
            &[
                "--pgdata",
                &server.data(),
                "--username",
                USER,
                "--auth-local",
                "trust",
                "--auth-host",
                "scram-sha-256",
                "--pwfile",
                password.to_str().unwrap(),
                "--no-sync",
                "--encoding",
                "UTF8",
                "--locale",
                "C",
            ],
        );
        let listen = port.map_or_else(
            || "-c listen_addresses=".to_owned(),
            |port| format!("-c listen_addresses=127.0.0.1 -p {port}"),
        );
        let log = server.folder.path().join("log");
        server.run(
            "pg_ctl",
            &[
                "--pgdata",
                &server.data(),
                "--wait",
                "--log",
                log.to_str().unwrap(),
                "--options",
                &format!("-k {} {listen}", server.folder.path().display()),
                "start",
            ],
        );
        server
    }

    /// The URL of a database, by the socket.
    pub(crate) fn url(&self) -> String {
        format!("postgresql:///postgres?host={}&user={USER}", self.folder.path().display())
    }

    /// Stops all of its processes in the middle of what they do, as a network that is cut looks; or lets them go on.
    pub(crate) fn hold(&self, is_held: bool) {
        let parent = fs::read_to_string(self.folder.path().join("data/postmaster.pid")).unwrap();
        let parent: i32 = parent.lines().next().unwrap().parse().unwrap();
        let child = |entry: fs::DirEntry| {
            let number: i32 = entry.file_name().to_str()?.parse().ok()?;
            let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
            let of: i32 = stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()?;
            (of == parent).then_some(number)
        };
        let children = fs::read_dir("/proc").unwrap().flatten().filter_map(child);
        let signal = if is_held { Signal::STOP } else { Signal::CONT };
        for number in children.chain([parent]) {
            // One that has ended meanwhile is held, too.
            let _ = kill_process(Pid::from_raw(number).unwrap(), signal);
        }
    }

    fn data(&self) -> String {
        self.folder.path().join("data").display().to_string()
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let program = self.programs.join(program);
        let mut command = if is_root() {
            let mut command = Command::new("setpriv");
            command.args(["--reuid", USER, "--regid", USER, "--clear-groups"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        // A server that inherited a pipe would keep it open.
        let status = command
            .args(arguments)
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        assert!(status.unwrap().success(), "{command:?}");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.hold(false);
        self.run("pg_ctl", &["--pgdata", &self.data(), "--mode", "immediate", "--wait", "stop"]);
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Where Debian has the programs of the server, the newest version.
fn programs() -> PathBuf {
    let mut found: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path().join("bin"))
        .collect();
    found.retain(|folder| folder.join("initdb").is_file());
    found.sort_by_key(|folder| version(folder));
    found.pop().expect("these tests need the Debian package `postgresql`")
}

fn version(folder: &Path) -> u32 {
    let name = folder.parent().and_then(Path::file_name).unwrap_or_default();
    name.to_string_lossy().parse().unwrap_or(0)
}
