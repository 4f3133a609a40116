//! `zerohop where` and `zerohop place`, on this host: what a machine with one node can show.

use std::fs;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use snapbox::cmd::OutputAssert;

use crate::binary::zerohop;

/// A process that waits for the end of its input.
struct Waiting(Child);

impl Waiting {
    fn start() -> Self {
        Self(Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn json(run: &OutputAssert) -> Value {
    serde_json::from_slice(&run.get_output().stdout).unwrap()
}

fn hint(run: &OutputAssert) -> String {
    String::from_utf8_lossy(&run.get_output().stderr).into_owned()
}

fn total(bytes: &Value) -> u64 {
    bytes.as_object().unwrap().values().map(|bytes| bytes.as_u64().unwrap()).sum()
}

#[test]
fn a_process_is_shown_with_its_memory_and_threads() {
    let waiting = Waiting::start();
    let id = waiting.0.id().to_string();
    let run = zerohop().args(["where", &id, "--format", "json"]).assert().success();
    let found = &json(&run)["found"][0];
    assert_eq!(found["subject"]["process"].to_string(), id);
    assert_eq!(found["subject"]["command"], "cat");
    assert_eq!(found["threads"].as_array().unwrap().len(), 1);
    assert!(total(&found["bytes"]) > 0);
    let page = zerohop().args(["where", &id]).assert().success();
    let page = String::from_utf8_lossy(&page.get_output().stdout).into_owned();
    assert!(page.starts_with(&format!("process {id}")) && page.contains("libc"), "{page}");
}

#[test]
fn a_file_is_placed_and_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a model.gguf");
    fs::write(&path, vec![1; (5 << 20) + 17]).unwrap();
    let path = path.to_str().unwrap();
    let placed = zerohop().args(["place", path, "--interleave", "--format", "json", "-q"]).assert().success();
    let placed = json(&placed);
    assert_eq!(placed["right"], placed["after"]["length"]);
    let found = zerohop().args(["where", path, "--format", "json"]).assert().success();
    let found = &json(&found)["found"][0];
    assert_eq!(found["subject"]["cached_share"], 1.0);
    // Whole pages.
    assert!(total(&found["bytes"]) >= (5 << 20) + 17);
    assert_eq!(found["threads"], Value::Array(Vec::new()));
}

#[test]
fn a_command_is_started_and_looked_at() {
    let words = [
        "where",
        "--format",
        "json",
        "--",
        "sh",
        "-c",
        "x=$(head -c 8000000 /dev/zero | tr '\\0' a); sleep 1",
    ];
    let found = json(&zerohop().args(words).assert().success());
    let all = found["found"].as_array().unwrap();
    assert!(all.iter().map(|one| total(&one["bytes"])).sum::<u64>() > 8_000_000, "{found}");
    let missing = zerohop().args(["where", "--", "no-such-program"]).assert().code(2);
    assert!(hint(&missing).contains("cannot start `no-such-program`"));
}

/// Four nodes of Opterons said what the pages of a process cost here.
#[test]
fn a_survey_of_another_machine_says_nothing_about_costs_here() {
    let directory = tempfile::tempdir().unwrap();
    let survey = directory.path().join("other.json");
    let survey = survey.to_str().unwrap();
    let run = ["run", "latency-matrix", "--on", "quartet", "--nodes", "0", "-q", "-o", survey];
    zerohop().args(run).assert().success();
    let own = std::process::id().to_string();
    let refused = zerohop().args(["where", &own, "--survey", survey]).assert().code(2);
    assert!(hint(&refused).contains("is from another machine: Dual-Core AMD Opteron"), "{}", hint(&refused));
}

#[test]
fn a_watch_ends_with_its_process() {
    let mut waiting = Waiting::start();
    let id = waiting.0.id().to_string();
    let watch = zerohop().args(["where", &id, "--watch=100ms"]);
    let stop = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_secs(2));
        waiting.0.kill().unwrap();
        waiting.0.wait().unwrap();
    });
    let run = watch.assert().success();
    stop.join().unwrap();
    let lines = String::from_utf8_lossy(&run.get_output().stdout).lines().count();
    assert!(lines > 1, "{lines} lines");
    let words = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(words.contains("has exited"), "{words}");
}

/// It went on for ever with the pages of a file that nobody could name any more.
#[test]
fn a_watch_ends_when_its_file_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("weights");
    fs::write(&path, [1; 100_000]).unwrap();
    let watch = zerohop().arg("where").arg(&path).arg("--watch=100ms");
    let watch = watch.timeout(std::time::Duration::from_secs(60));
    let remove = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_secs(2));
        fs::remove_file(path).unwrap();
    });
    let run = watch.assert().success();
    remove.join().unwrap();
    let lines = String::from_utf8_lossy(&run.get_output().stdout).lines().count();
    assert!(lines > 1, "{lines} lines");
    let words = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(words.contains("was removed"), "{words}");
}

#[test]
fn what_is_neither_a_process_nor_a_file_is_refused() {
    let refused = |words: &[&str]| hint(&zerohop().args(words).assert().code(2));
    assert!(refused(&["where", "no-such-process-or-file"]).contains("zerohop where -- COMMAND"));
    assert!(refused(&["where", "4294967295"]).contains("no process 4294967295"));
    assert!(refused(&["where", "/"]).contains("not a regular file"));
    assert!(refused(&["place", "/dev/zero", "--interleave"]).contains("not a regular file"));
    assert!(refused(&["place", "/etc/hostname", "--nodes", "77"]).contains("no node 77"));
    assert!(
        refused(&["place", "/etc/hostname", "--interleave", "--weights", "1,2,3"]).contains("3 weights for")
    );
    assert!(refused(&["place", "/etc/hostname"]).contains("--interleave"));
}

/// A line end in a command looked like the end of the page's line.
#[test]
fn a_command_stays_on_its_line() {
    let mut shell = Command::new("sh");
    let script = "read line\necho '  remote          0 %'";
    let child =
        Waiting(shell.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap());
    let run = zerohop().args(["where", &child.0.id().to_string()]).assert().success();
    let page = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
    assert!(page.contains("read line\\u000aecho"), "{page}");
}

/// A program without memory any more had a page without a row.
#[test]
fn a_command_that_ends_at_once_was_not_seen() {
    for _ in 0..3 {
        let run = zerohop().args(["where", "--", "true"]).assert();
        let output = run.get_output();
        let page = String::from_utf8_lossy(&output.stdout);
        match output.status.code() {
            Some(2) => assert!(hint(&run).contains("exited before it could be examined"), "{}", hint(&run)),
            code => assert!(code == Some(0) && page.contains("true"), "{page}"),
        }
    }
}

#[test]
fn what_cannot_be_placed_is_refused_before_anything_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let (empty, sparse) = (directory.path().join("empty"), directory.path().join("sparse"));
    fs::write(&empty, "").unwrap();
    let place = |path: &std::path::Path| {
        let run = zerohop().arg("place").arg(path).arg("--interleave").assert().code(2);
        hint(&run)
    };
    assert!(place(&empty).contains("is empty"));
    assert!(place(std::path::Path::new("/proc/self/status")).contains("is empty"));
    // Larger than the memory of any node, and without a block on the disk.
    fs::File::create(&sparse).unwrap().set_len(1 << 43).unwrap();
    assert!(place(&sparse).contains("is too large"), "{}", place(&sparse));
}
