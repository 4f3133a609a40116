//! What other programs are given to call `zerohop check` (`packaging/integrations`): the scripts in there, with a program that answers as wanted.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cluster::executable;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/integrations").join(name)
}

fn text(name: &str) -> String {
    fs::read_to_string(file(name)).unwrap()
}

/// A directory with a program that says a line and ends with a status.
fn program(line: &str, status: i32) -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().unwrap();
    let script = format!(
        "#!/bin/sh\necho \"$@\" > {}/asked\necho '{line}'\nexit {status}\n",
        directory.path().display()
    );
    let program = executable(&directory.path().join("zerohop"), &script);
    (directory, program)
}

/// What it prints, and how it ends.
fn bash(script: &str, program: &str) -> (String, i32) {
    let output = Command::new("bash").args(["-c", script]).env("ZEROHOP", program).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout) + &text(&output.stderr), output.status.code().unwrap())
}

/// A node that could not be judged was taken for a bad one, and the reason of a bad one was lost.
#[test]
fn node_health_check_fails_for_bad_nodes_only_and_says_why() {
    let cases = [
        ("", 0, "", 0),
        ("ERROR: zerohop: bad: 15 GB/s", 1, "died: 1 check_zerohop:  bad: 15 GB/s\n", 1),
        (
            "ERROR: zerohop: cannot tell: no kind",
            3,
            "log: check_zerohop:  exit status 3, the node stays as it is:  ERROR: zerohop: cannot tell: no kind\n",
            0,
        ),
    ];
    for (line, status, expected, ends) in cases {
        let (directory, program) = program(line, status);
        let nhc = "die() { echo \"died: $*\"; }; log() { echo \"log: $*\"; }";
        let script = format!("{nhc}; . {} && check_zerohop /b.json", file("nhc/zerohop.nhc").display());
        assert_eq!(bash(&script, &program), (expected.to_owned(), ends));
        let asked = fs::read_to_string(directory.path().join("asked")).unwrap();
        assert_eq!(asked, "check --baseline /b.json --format nhc\n");
    }
}

#[test]
fn slurm_drains_bad_nodes_only() {
    for (status, drained) in [(0, false), (1, true), (2, false), (3, false)] {
        let (directory, program) = program("bad: 15 GB/s", status);
        let at = directory.path().display();
        executable(&directory.path().join("scontrol"), &format!("#!/bin/sh\necho \"$@\" > {at}/drained\n"));
        let script =
            format!("PATH={at}:$PATH SLURMD_NODENAME=n7 sh {}", file("slurm/health-check").display());
        assert_eq!(bash(&script, &program), (String::new(), 0), "{status}");
        let said = fs::read_to_string(directory.path().join("drained")).ok();
        let expected = drained.then(|| "update NodeName=n7 State=DRAIN Reason=bad: 15 GB/s\n".to_owned());
        assert_eq!(said, expected, "{status}");
    }
}

#[test]
fn the_unit_replaces_the_metrics_at_once_and_ends_as_the_check_does() {
    let unit = text("systemd/zerohop-check.service");
    let line = unit.lines().find_map(|line| line.strip_prefix("ExecStart=")).unwrap();
    assert!(!line.contains('%') && !line.contains("${"), "systemd would replace it: {line}");
    for status in [0, 1, 3] {
        let (directory, program) = program("zerohop_check_known 1", status);
        let at = directory.path().display().to_string();
        let line =
            line.replace("/usr/bin/zerohop", &program).replace("/var/lib/prometheus/node-exporter", &at);
        assert_eq!(bash(&line, &program), (String::new(), status));
        let metrics = fs::read_to_string(directory.path().join("zerohop.prom")).unwrap();
        assert_eq!(metrics, "zerohop_check_known 1\n");
        assert!(!directory.path().join("zerohop.prom.new").exists());
    }
}

#[test]
fn every_command_line_is_one_of_zerohop() {
    let mut found = 0;
    for name in ["ci/github-action.yml", "ci/gitlab-ci.yml", "systemd/zerohop-check.service"] {
        for line in text(name).lines().filter_map(|line| line.split_once("zerohop check ")) {
            let words = line.1.split([' ', '>']).take(4).take_while(|word| !word.is_empty());
            let words: Vec<&str> = words.collect();
            // Whoever names a form is told in that form that nothing is known.
            let status = if words.contains(&"--format") { 3 } else { 2 };
            let run = crate::binary::zerohop().arg("check").args(words).assert().code(status);
            let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
            // It is understood; only the baseline is not there.
            assert!(said.contains("`/etc/zerohop/baseline.json`"), "{name}: {said}");
            found += 1;
        }
    }
    assert_eq!(found, 3);
}
