//! One measurement at a time on a host: two would measure each other.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::binary::plain;

/// How long anything may take on a machine that is busy.
const LIMIT: Duration = Duration::from_secs(120);

/// `zerohop` with a lock that no other test has.
fn zerohop(lock: &str, arguments: &[&str]) -> Command {
    let mut command = plain();
    command.env("ZEROHOP_HOST_LOCK", format!("test-{}-{lock}", std::process::id())).args(arguments);
    command
}

/// Measures for a minute; what does not matter.
fn long(lock: &str) -> Child {
    let run = ["run", "latency-matrix", "--buffer", "16MiB", "--interval", "0.001%", "--budget", "60s"];
    zerohop(lock, &run).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Measures for a moment, unless somebody else does; `more` says otherwise.
fn short(lock: &str, more: &[&str]) -> Command {
    let run = ["run", "latency-matrix", "--buffer", "16MiB", "--duration", "1ms", "--budget", "1s"];
    zerohop(lock, &[&run[..], more].concat())
}

fn output(mut command: Command) -> (String, Option<i32>) {
    let Output { status, stderr, .. } = command.output().unwrap();
    (String::from_utf8_lossy(&stderr).into_owned(), status.code())
}

/// Waits until a process measures.
fn wait_until_it_measures(lock: &str, child: &Child) {
    let until = Instant::now() + LIMIT;
    let of_it = format!("error: another zerohop is measuring on this host (pid {}, for ", child.id());
    loop {
        let (talk, _) = output(short(lock, &["--wait-for-host", "0", "--quiet"]));
        if talk.contains(&of_it) {
            return;
        }
        assert!(Instant::now() < until, "{talk}");
        thread::sleep(Duration::from_millis(20));
    }
}

fn kill(child: &mut Child, signal: Signal) -> Option<i32> {
    kill_process(Pid::from_child(child), signal).unwrap();
    let until = Instant::now() + LIMIT;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        if Instant::now() >= until {
            child.kill().unwrap();
            panic!("it goes on after {signal:?}");
        }
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_second_measurement_is_refused_or_waits_for_the_first() {
    let mut first = long("waits");
    wait_until_it_measures("waits", &first);
    for verb in [&["survey"][..], &["run", "hops"], &["mlc", "--latency_matrix"]] {
        let (talk, status) = output(zerohop("waits", &[verb, &["--wait-for-host", "0"]].concat()));
        assert_eq!(status, Some(2), "{verb:?}: {talk}");
        assert!(talk.contains(&format!("(pid {}, for ", first.id())), "{talk}");
        assert!(
            talk.contains("hint: simultaneous measurements") && talk.contains("--wait-for-host"),
            "{talk}"
        );
    }
    let (talk, status) = output(short("waits", &["--wait-for-host", "100ms"]));
    assert!(status == Some(2) && talk.contains("still after 1 s"), "{talk}");
    // Another lock, a model, and no lock at all wait for nobody.
    let (talk, _) = output(short("another", &["--wait-for-host", "0"]));
    assert!(!talk.contains("another zerohop"), "{talk}");
    let model = ["run", "hops", "--on", "quartet", "--solver", "flow", "--wait-for-host", "0", "--quiet"];
    assert_eq!(output(zerohop("waits", &model)), (String::new(), Some(0)));
    let mut without = short("waits", &["--wait-for-host", "0"]);
    without.env("ZEROHOP_HOST_LOCK", "none");
    let (talk, _) = output(without);
    assert!(!talk.contains("another zerohop"), "{talk}");

    let waits = short("waits", &[]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    thread::sleep(Duration::from_millis(500));
    assert_eq!(kill(&mut first, Signal::KILL), None);
    let ended = waits.wait_with_output().unwrap();
    let talk = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(
        talk.contains(&format!("(pid {}, for ", first.id())) && talk.contains("waiting 10 min at most"),
        "{talk}"
    );
    assert!(!talk.contains("error: another zerohop"), "{talk}");
}

#[test]
fn many_that_begin_at_once_measure_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let began = Instant::now();
    let start = |number: usize| {
        let mut one = short("many", &["--quiet", "-o", &format!("{number}.json")]);
        one.current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let all: Vec<Child> = (0..4).map(start).collect();
    for one in all {
        // A host that is busy with other programs may allow no measurement; nobody is refused for another one.
        let talk = one.wait_with_output().unwrap().stderr;
        assert!(!String::from_utf8_lossy(&talk).contains("another zerohop"));
    }
    let spent = |number: usize| -> Option<f64> {
        let text = fs::read_to_string(folder.path().join(format!("{number}.json"))).ok()?;
        let result: Value = serde_json::from_str(&text).unwrap();
        result["experiments"][0]["elapsed"].as_f64()
    };
    let sum: f64 = (0..4).filter_map(spent).sum();
    assert!(sum <= began.elapsed().as_secs_f64(), "{sum}");
}

/// What `zerohop` prints, as JSON.
fn json(arguments: &[&str]) -> Value {
    let output = zerohop("json", arguments).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A baseline of hosts like this one: the facts are its own, the latency of its first node is that of a model.
fn baseline(folder: &Path) {
    let mut machine = json(&["machine", "show", "--format", "json"]);
    for seed in 1..=5 {
        let seed = seed.to_string();
        let run =
            ["run", "latency-matrix", "--on", "quartet", "--quiet", "--format", "json", "--seed", &seed];
        let mut result = json(&run);
        machine["name"] = Value::from(format!("n{seed}"));
        result["machine"] = machine.clone();
        let cells = result["experiments"][0]["cells"].as_array_mut().unwrap();
        cells.retain(|cell| cell["at"]["initiator"] == 0 && cell["at"]["target"] == 0);
        fs::write(folder.join(format!("n{seed}.json")), result.to_string()).unwrap();
    }
    let mut made = zerohop("baseline", &["fleet", "baseline", ".", "-o", "baseline.json", "--quiet"]);
    let made = made.current_dir(folder).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

/// It was a process of its own, which measured on to the end of its budget when the check was killed.
#[test]
fn a_check_that_is_stopped_or_killed_measures_no_longer() {
    let folder = tempfile::tempdir().unwrap();
    baseline(folder.path());
    let check = || {
        let arguments = ["check", "--baseline", "baseline.json", "--budget", "300s"];
        let check = zerohop("check", &arguments);
        // `nohup` around the tests would have them ignore SIGHUP.
        let mut env = Command::new("env");
        env.arg("--default-signal=HUP").arg(check.get_program()).args(check.get_args());
        env.envs(check.get_envs().filter_map(|(name, value)| Some((name, value?))));
        env.current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    for (signal, status) in
        [(Signal::INT, Some(130)), (Signal::TERM, Some(130)), (Signal::HUP, Some(130)), (Signal::KILL, None)]
    {
        let mut check = check();
        wait_until_it_measures("check", &check);
        let refused = ["check", "--baseline", "baseline.json", "--wait-for-host", "0"];
        let mut refused = zerohop("check", &refused);
        refused.current_dir(folder.path());
        let (talk, refused) = output(refused);
        assert!(refused == Some(2) && talk.contains("another zerohop is measuring"), "{talk}");
        assert_eq!(kill(&mut check, signal), status, "{signal:?}");
        let (talk, _) = output(short("check", &["--wait-for-host", "0", "--quiet"]));
        assert!(!talk.contains("another zerohop"), "{signal:?}: {talk}");
    }
}
