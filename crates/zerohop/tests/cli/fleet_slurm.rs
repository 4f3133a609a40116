//! `zerohop fleet` by a real Slurm, which `testbed/slurm-cluster` starts on this host.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::binary::zerohop;

/// A cluster of this host, ended with its test.
struct Cluster {
    directory: tempfile::TempDir,
}

impl Cluster {
    fn up(nodes: usize) -> Self {
        let cluster = Self { directory: tempfile::tempdir().unwrap() };
        let up = cluster.script(&["up"], &[&nodes.to_string()]);
        assert!(up.status.success(), "{}", String::from_utf8_lossy(&up.stderr));
        cluster
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("slurm")
    }

    fn script(&self, verb: &[&str], rest: &[&str]) -> Output {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testbed/slurm-cluster");
        Command::new(script).args(verb).arg(self.path()).args(rest).output().unwrap()
    }

    fn command(&self, words: &[&str]) -> String {
        let mut command = Command::new(words[0]);
        let output =
            command.args(&words[1..]).env("SLURM_CONF", self.path().join("slurm.conf")).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn fleet(&self, arguments: &[&str]) -> (String, String, i32) {
        let run = zerohop().current_dir(self.directory.path());
        let run = run.env("SLURM_CONF", self.path().join("slurm.conf"));
        let run = run.arg("fleet").args(arguments).assert();
        let output = run.get_output();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr), output.status.code().unwrap())
    }

    fn states(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.directory.path().join("fleet/.round.json")).unwrap();
        let round: Value = serde_json::from_str(&text).unwrap();
        round["nodes"].as_array().unwrap().iter().map(|node| node["state"].clone()).collect()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.script(&["down"], &[]);
    }
}

/// One node is drained, one dies in the middle, the time of one runs out, the controller is started again meanwhile; `resume` does the rest.
#[test]
#[ignore = "long: starts Slurm with 16 nodes, and needs root and Debian's slurmctld, slurmd, slurm-client and munge"]
fn a_cluster_is_surveyed_whatever_happens_to_its_nodes() {
    let cluster = Cluster::up(16);
    cluster.command(&["scontrol", "update", "NodeName=n3", "State=DRAIN", "Reason=fan"]);
    // A program that hangs on one node and never ends on another one, as the survey of a broken host may.
    let program = cluster.directory.path().join("survey");
    let real = snapbox::cmd::cargo_bin!("zerohop");
    let script = format!(
        "#!/bin/sh\ncase $SLURMD_NODENAME in\nn5|n7) [ -e {}/mended ] || sleep 300 ;;\nesac\nshift\nexec {} run latency-matrix --on quartet --solver flow \"$@\"\n",
        cluster.directory.path().display(),
        real.display()
    );
    fs::write(&program, script).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&program, mode).unwrap();
    let talk = thread::scope(|scope| {
        let run = scope.spawn(|| {
            let start = ["run", "-o", "fleet", "--launcher", "slurm", "--program", program.to_str().unwrap()];
            cluster.fleet(&[&start[..], &["--time", "1", "--quiet"]].concat())
        });
        thread::sleep(Duration::from_secs(3));
        cluster.script(&["kill"], &["n7"]);
        assert!(cluster.script(&["restart"], &[]).status.success());
        run.join().unwrap()
    });
    let (page, talk, status) = talk;
    assert_eq!(status, 2, "{page}{talk}");
    assert!(talk.contains("n3 was not started: Slurm has it as drained"), "{talk}");
    assert!(talk.contains("n5 failed: its time ran out (--time)"), "{talk}");
    assert!(talk.contains("n7 failed: the node died"), "{talk}");
    assert!(page.contains("13 of 16 nodes surveyed"), "{page}{talk}");
    let (page, ..) = cluster.fleet(&["analyse", "fleet", "--quiet"]);
    assert!(page.contains("fleet of 13 nodes"), "{page}");
    fs::write(cluster.directory.path().join("mended"), "").unwrap();
    cluster.command(&["scontrol", "update", "NodeName=n3", "State=RESUME"]);
    cluster.command(&["slurmd", "-N", "n7"]);
    thread::sleep(Duration::from_secs(2));
    let (page, talk, status) = cluster.fleet(&["resume", "fleet", "--quiet"]);
    assert_eq!(status, 0, "{page}{talk}{:?}", cluster.states());
    assert!(page.contains("16 of 16 nodes surveyed"), "{page}");
}
