//! `zerohop fleet` over ssh and on this host, whatever is killed: a script plays `ssh`, and another one the program of the nodes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::Value;

use crate::binary::plain;
use crate::cluster::executable;

/// How long anything may take on a machine that is busy.
const LIMIT: Duration = Duration::from_secs(120);

/// Runs the command here. Two of one host at once are noted. With `cut`, the connection stands still after 60,000 bytes; `pids` has its process then.
const SSH: &str = r#"#!/bin/sh
while [ "$1" != -- ]; do shift; done
host=$2
shift 2
echo "start $host" >>STATE/log
mkdir "STATE/runs-$host" 2>/dev/null || echo "$host" >>STATE/overlaps
if [ -e STATE/cut ]; then
    rmdir "STATE/runs-$host"
    sh -c "$*" </dev/null | head -c 60000
    echo $$ >>STATE/pids
    exec sleep 300
fi
sh -c "$*"
status=$?
rmdir "STATE/runs-$host"
echo "end $host" >>STATE/log
exit $status
"#;

struct Hosts {
    directory: tempfile::TempDir,
}

impl Hosts {
    /// Hosts whose program is this script; `ZEROHOP` in it is this program, `STATE` a directory.
    fn with(program: &str) -> Self {
        let hosts = Self { directory: tempfile::tempdir().unwrap() };
        for folder in ["state", "bin"] {
            fs::create_dir(hosts.path(folder)).unwrap();
        }
        let filled = |script: &str| {
            script
                .replace("STATE", hosts.path("state").to_str().unwrap())
                .replace("ZEROHOP", snapbox::cmd::cargo_bin!("zerohop").to_str().unwrap())
        };
        executable(&hosts.path("bin/ssh"), &filled(SSH));
        executable(&hosts.path("bin/program"), &filled(&format!("#!/bin/sh\n{program}\n")));
        hosts
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn state(&self, name: &str) -> String {
        fs::read_to_string(self.path("state").join(name)).unwrap_or_default()
    }

    fn put(&self, name: &str) {
        fs::write(self.path("state").join(name), "").unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let path = format!("{}:{}", self.path("bin").display(), std::env::var("PATH").unwrap());
        let mut command = plain();
        command.current_dir(self.directory.path()).env("PATH", path).arg("fleet").args(arguments);
        command
    }

    /// What it prints, what it says, and how it ends.
    fn fleet(&self, arguments: &[&str]) -> (String, String, Option<i32>) {
        let output = self.command(arguments).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr), output.status.code())
    }

    fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// The arguments of a run over ssh.
    fn run<'a>(&self, nodes: &'a str, program: &'a str) -> Vec<&'a str> {
        vec!["run", "-o", "fleet", "--launcher", "ssh", "--quiet", "--program", program, "--nodelist", nodes]
    }

    /// The result of a node, which must be whole.
    fn result(&self, node: &str) -> Value {
        let text = fs::read_to_string(self.path("fleet").join(format!("{node}.json"))).unwrap();
        let result: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(result["completion"], "complete", "{node}");
        result
    }

    /// The files in the directory that are no dot files.
    fn results(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path("fleet")) else { return Vec::new() };
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
        names.sort();
        names
    }
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + LIMIT;
    while !is_so() {
        assert!(Instant::now() < until, "{what}");
        thread::sleep(Duration::from_millis(10));
    }
}

fn is_there(pid: &str) -> bool {
    let pid = pid.trim().parse().ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| test_kill_process(pid).is_ok())
}

fn kill(child: &mut Child) {
    kill_process(Pid::from_child(child), Signal::KILL).unwrap();
    child.wait().unwrap();
}

/// A survey whose result is large.
const LARGE: &str = r#"shift; exec ZEROHOP survey --on sr665-v3 --solver flow "$@""#;

/// In place of a survey, an experiment that takes a moment, to where the result of the survey belongs.
const BRIEF: &str = r#"for word; do
    [ "$last" != -o ] || to="-o $word"
    last=$word
done
exec ZEROHOP run latency-matrix --on quartet --solver flow --quiet ${to:---format json} --end-with-stdin"#;

/// `fleet resume` took such files for results, for good.
#[test]
fn a_result_that_a_dead_connection_has_cut_is_no_result() {
    let hosts = Hosts::with(LARGE);
    let program = hosts.path("bin/program").display().to_string();
    hosts.put("cut");
    let mut front = hosts.start(&hosts.run("n[01-02]", &program));
    wait_until("both have stopped", || hosts.state("pids").lines().count() == 2);
    kill(&mut front);
    for pid in hosts.state("pids").lines() {
        kill_process(Pid::from_raw(pid.parse().unwrap()).unwrap(), Signal::KILL).unwrap();
    }
    assert!(hosts.results().is_empty(), "{:?}", hosts.results());
    fs::remove_file(hosts.path("state/cut")).unwrap();
    let (page, talk, status) = hosts.fleet(&["resume", "fleet", "--quiet"]);
    assert_eq!((status, talk.as_str()), (Some(0), ""), "{page}");
    assert!(page.contains("2 of 2 nodes surveyed"), "{page}");
    assert_eq!(hosts.state("log").matches("start").count(), 4);
    assert!(!hosts.path("zerohop-results").exists(), "nothing is left on the hosts");
    let whole = hosts.result("n01").to_string();
    hosts.result("n02");
    assert!(whole.len() > 60_000, "the part was none");

    // A result that was cut later, and one that is gone, are found.
    let at = |name: &str| hosts.path("fleet").join(name);
    let text = fs::read(at("n01.json")).unwrap();
    fs::write(at("n01.json"), &text[..60_000]).unwrap();
    fs::remove_file(at("n02.json")).unwrap();
    let (page, talk, status) = hosts.fleet(&["resume", "fleet", "--quiet"]);
    assert_eq!(status, Some(0), "{page}{talk}");
    assert!(
        talk.contains("warning: the result of n01 is incomplete (")
            && talk.contains("renamed it to `fleet/.n01.json.cut`"),
        "{talk}"
    );
    assert!(talk.contains("warning: the result of n02 is missing; surveying it again"), "{talk}");
    assert_eq!(fs::read(at(".n01.json.cut")).unwrap(), &text[..60_000]);
    hosts.result("n01");
    hosts.result("n02");
    // One that ends well, and prints something else.
    fs::remove_dir_all(at("")).unwrap();
    executable(&hosts.path("bin/program"), "#!/bin/sh\necho Welcome to node 7\n");
    let (page, talk, status) = hosts.fleet(&hosts.run("n01", &program));
    assert_eq!(status, Some(2), "{page}{talk}");
    assert!(
        talk.contains("n01 failed: it finished, but `fleet/.n01.json.cut` is not a complete result: "),
        "{talk}"
    );
    assert!(hosts.results().is_empty());
}

/// Numbers that differ from try to try, and not from run to run (Numerical Recipes' generator).
fn number(state: &mut u32) -> u32 {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    *state >> 8
}

#[test]
fn a_fleet_that_is_killed_again_and_again_comes_to_its_end() {
    let hosts = Hosts::with(&format!("sleep 0.05; {BRIEF}"));
    let program = hosts.path("bin/program").display().to_string();
    let ssh = [&hosts.run("n[01-40]", &program)[..], &["--max-at-once", "4"]].concat();
    let local = ["run", "-o", "fleet", "--launcher", "local", "--on", "quartet", "--nodes", "40", "--quiet"];
    let local = [&local[..], &["--max-at-once", "2", "--program", &program]].concat();
    let mut random = 7;
    for run in [ssh, local] {
        let mut kills = 0;
        let record = || fs::read_to_string(hosts.path("fleet/.round.json")).unwrap_or_default();
        for number_of_try in 0..25 {
            let before = record();
            let mut front = hosts.start(if before.is_empty() { &run } else { &["resume", "fleet"] });
            // Now and then before it has done anything.
            if number_of_try % 5 > 0 {
                wait_until("it goes on", || record() != before || front.try_wait().unwrap().is_some());
            }
            thread::sleep(Duration::from_millis(u64::from(number(&mut random) % 200)));
            if front.try_wait().unwrap().is_none() {
                kill(&mut front);
                kills += 1;
            }
            for name in hosts.results() {
                hosts.result(name.trim_end_matches(".json"));
            }
        }
        assert!(kills >= 20, "{kills}");
        let (page, talk, status) = hosts.fleet(&["resume", "fleet", "--quiet"]);
        assert_eq!((status, talk.as_str()), (Some(0), ""), "{page}");
        assert!(page.contains("40 of 40 nodes surveyed"), "{page}");
        assert_eq!(hosts.results().len(), 40);
        assert_eq!(hosts.state("overlaps"), "", "two on one host at once");
        fs::remove_dir_all(hosts.path("fleet")).unwrap();
    }
}

/// What surveys of a host that nobody waits for any more: they measured on, and `fleet resume` started others beside them.
#[test]
fn a_survey_ends_when_nobody_takes_its_result_any_more() {
    let measure = r#"echo $$ >>STATE/pids; shift
        exec ZEROHOP survey --buffer 16MiB --interval 0.001% --budget 300s "$@""#;
    let hosts = Hosts::with(measure);
    let program = hosts.path("bin/program").display().to_string();
    for signal in [Signal::KILL, Signal::INT, Signal::TERM] {
        let mut front = hosts.start(&hosts.run("n1", &program));
        wait_until("it begins", || !hosts.state("pids").is_empty());
        let pid = hosts.state("pids");
        thread::sleep(Duration::from_millis(300));
        assert!(is_there(&pid), "it measures");
        kill_process(Pid::from_child(&front), signal).unwrap();
        let status = front.wait().unwrap();
        assert_eq!(status.code(), if signal == Signal::KILL { None } else { Some(130) });
        wait_until("it goes on without anybody", || !is_there(&pid));
        assert!(hosts.results().is_empty());
        fs::remove_file(hosts.path("state/pids")).unwrap();
        fs::remove_dir_all(hosts.path("fleet")).unwrap();
    }
}

#[test]
fn what_an_earlier_run_has_started_is_waited_for() {
    // It does not heed the end of its input.
    let hosts = Hosts::with(&format!("echo x >>STATE/begun; [ -e STATE/mended ] || sleep 3; {BRIEF}"));
    let program = hosts.path("bin/program").display().to_string();
    let mut front = hosts.start(&hosts.run("n[1-2]", &program));
    wait_until("it begins", || hosts.state("begun").lines().count() == 2);
    // Two in one directory.
    let (_, talk, status) = hosts.fleet(&["resume", "fleet"]);
    assert!(status == Some(2) && talk.contains("another run is surveying the fleet in `fleet`"), "{talk}");
    kill(&mut front);
    hosts.put("mended");
    let (page, talk, status) = hosts.fleet(&["resume", "fleet"]);
    assert_eq!(status, Some(0), "{page}{talk}");
    assert!(talk.contains("waiting for 2 programs of an earlier run to end: n[1-2]"), "{talk}");
    assert_eq!(hosts.state("overlaps"), "");
    hosts.result("n1");
}

/// 64 surveys were started, and each of 64 lines lacked the reason.
#[test]
fn wrong_options_are_refused_before_anything_is_started_and_equal_failures_are_one_line() {
    let hosts = Hosts::with("(echo 'error: no memory'; echo; echo 'Usage: program') >&2; exit 2");
    let program = hosts.path("bin/program").display().to_string();
    let run = hosts.run("n[01-64]", &program);
    for (options, why) in [
        (&["--seed", "1", "--seed", "2"][..], "the argument '--seed <NUMBER>' cannot be used multiple times"),
        (&["--no-such-option"], "unexpected argument '--no-such-option' found"),
        (&["-o", "elsewhere"], "the argument '--output <DIR|FILE>' cannot be used with '--no-files'"),
        (&["--help"], "they print help"),
    ] {
        let (page, talk, status) = hosts.fleet(&[&run[..], &["--"], options].concat());
        assert_eq!(status, Some(2), "{page}{talk}");
        let error = format!("error: invalid survey options: {why}");
        assert!(talk.starts_with(&error) && talk.contains("hint: survey options follow `--`"), "{talk}");
        assert!(talk.lines().count() <= 3 && !hosts.path("fleet").exists(), "{talk}");
    }
    let local = ["run", "-o", "fleet", "--launcher", "local", "--on", "no-such-machine", "--nodes", "3"];
    let (_, talk, status) = hosts.fleet(&local);
    assert!(status == Some(2) && talk.contains("no-such-machine") && !hosts.path("fleet").exists(), "{talk}");
    assert_eq!(hosts.state("log"), "", "nothing was started");
    let (_, talk, status) = hosts.fleet(&run);
    assert_eq!(status, Some(2), "{talk}");
    let failed: Vec<&str> = talk.lines().filter(|line| line.contains("failed")).collect();
    assert_eq!(failed, ["warning: n[01-64] (64 nodes) failed: exit status 2: error: no memory"], "{talk}");
    assert!(Path::new(&hosts.path("fleet/.log/n01.txt")).exists());
}

/// An alias that leads to another node: what is wrong with its own host was never seen, and "no node is bad".
#[test]
fn a_host_that_answers_for_another_node_gives_no_result_of_that_node() {
    let hosts = Hosts::with("cat STATE/answer");
    let mut answer: Value =
        serde_json::from_str(include_str!("../../../result/tests/files/version-2/host.json")).unwrap();
    let host =
        serde_json::json!({ "name": "N1.example.org", "machine_id": "00000000-0000-4000-8000-000000000001" });
    answer["run"] = serde_json::json!({ "id": "01900001-0001-7000-8000-000000000001", "host": host });
    answer["started_at"] = "2026-11-01T03:00:00Z".into();
    fs::write(hosts.path("state").join("answer"), answer.to_string()).unwrap();
    let program = hosts.path("bin/program").to_str().unwrap().to_owned();
    let (printed, talk, status) = hosts.fleet(&hosts.run("n1,n2", &program));
    assert_eq!(status, Some(2), "{printed}{talk}");
    assert!(printed.contains("1 of 2 nodes surveyed"), "{printed}");
    assert!(talk.contains("n2 failed: N1.example.org answered, as for n1"), "{talk}");
}
