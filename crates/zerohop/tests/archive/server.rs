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
    port: u16,
}

impl Server {
    /// Starts a server with an empty database, on a socket and, if a port is named, on loopback, where it asks for a password.
    pub(crate) fn start(port: Option<u16>) -> Self {
        let (folder, port_or_default) = (tempfile::tempdir().unwrap(), port.unwrap_or(5432));
        let server = Self { folder, programs: programs(), port: port_or_default };
        fs::set_permissions(server.folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        if is_root() {
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

    /// The URL of a database, by the network, without a password.
    pub(crate) fn address(&self, host: &str) -> String {
        format!("postgresql://{USER}@{host}:{}/postgres", self.port)
    }

    /// The folder with everything it has.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The URL of a database, by the socket.
    pub(crate) fn url(&self) -> String {
        format!("postgresql:///postgres?host={}&port={}&user={USER}", self.folder.path().display(), self.port)
    }

    /// What a statement prints, carried out by the superuser.
    pub(crate) fn sql(&self, statement: &str) -> String {
        let output = self.psql().args(["-c", statement]).output().unwrap();
        assert!(output.status.success(), "{statement}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// A client that reads statements and prints values.
    pub(crate) fn psql(&self) -> Command {
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args(["-qAtX", "-U", USER, "-d", "postgres", "-h"]).arg(self.folder.path());
        psql.args(["-p", &self.port.to_string()]);
        psql
    }

    /// Ends all connections of zerohop.
    pub(crate) fn hang_up(&self) {
        self.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'zerohop'");
    }

    pub(crate) fn restart(&self) {
        let log = self.folder.path().join("log");
        let log = log.to_str().unwrap();
        self.run("pg_ctl", &["--pgdata", &self.data(), "--mode", "fast", "--wait", "--log", log, "restart"]);
    }

    /// Encrypts what clients ask it to, with this certificate and this key, or nothing at all; by the network it then takes encrypted connections
    /// only.
    pub(crate) fn encrypt(&self, certificate: &Path, key: &Path) {
        let data = self.folder.path().join("data");
        for (file, name) in [(certificate, "server.crt"), (key, "server.key")] {
            fs::copy(file, data.join(name)).unwrap();
            fs::set_permissions(data.join(name), fs::Permissions::from_mode(0o600)).unwrap();
            if is_root() {
                chown(data.join(name), Some(id("-u")), Some(id("-g"))).unwrap();
            }
        }
        let rules = "local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n";
        fs::write(data.join("pg_hba.conf"), rules).unwrap();
        self.sql("ALTER SYSTEM SET ssl = on");
        self.restart();
    }

    /// Stops all its processes where they are, until the value is dropped: to others it is as if the network were gone.
    pub(crate) fn halt(&self) -> Halted {
        let file = fs::read_to_string(self.folder.path().join("data/postmaster.pid")).unwrap();
        let postmaster: i32 = file.lines().next().unwrap().parse().unwrap();
        let children = fs::read_to_string(format!("/proc/{postmaster}/task/{postmaster}/children")).unwrap();
        let children = children.split_whitespace().map(|pid| pid.parse().unwrap());
        let halted = Halted(std::iter::once(postmaster).chain(children).collect());
        halted.send(Signal::STOP);
        halted
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

/// Processes that are stopped.
pub(crate) struct Halted(Vec<i32>);

impl Halted {
    fn send(&self, signal: Signal) {
        for pid in &self.0 {
            // Some may have ended by themselves.
            let _ = kill_process(Pid::from_raw(*pid).unwrap(), signal);
        }
    }
}

impl Drop for Halted {
    fn drop(&mut self) {
        self.send(Signal::CONT);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.hold(false);
        self.run("pg_ctl", &["--pgdata", &self.data(), "--mode", "immediate", "--wait", "stop"]);
    }
}

/// A number of the user as whom the server runs.
fn id(flag: &str) -> u32 {
    let output = Command::new("id").args([flag, USER]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
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

/// A port that was free a moment ago.
pub(crate) fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn version(folder: &Path) -> u32 {
    let name = folder.parent().and_then(Path::file_name).unwrap_or_default();
    name.to_string_lossy().parse().unwrap_or(0)
}
