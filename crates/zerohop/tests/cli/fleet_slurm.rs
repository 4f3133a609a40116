//! `zerohop fleet` by a real Slurm, which `testbed/slurm-cluster` starts on this host, and by scripts that play its programs.

use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use crate::binary::plain;
use crate::cluster::{Cluster, executable};

/// Jobs that were submitted before `fleet run` was killed were not in its record, and were submitted again.
#[test]
fn each_job_is_recorded_before_the_next_is_submitted() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::create_dir(at("bin")).unwrap();
    // The third does not come back.
    let sbatch = format!(
        "#!/bin/sh\ncd {}\necho x >>submitted\njob=$(wc -l <submitted)\n[ $job -lt 3 ] || exec sleep 30\necho $job\n",
        directory.path().display()
    );
    executable(&at("bin/sbatch"), &sbatch);
    executable(&at("bin/squeue"), "#!/bin/sh\n");
    let path = format!("{}:{}", at("bin").display(), std::env::var("PATH").unwrap());
    let mut run = plain();
    run.current_dir(directory.path()).env("PATH", path).stdout(Stdio::null()).stderr(Stdio::null());
    run.args(["fleet", "run", "-o", "fleet", "--launcher", "slurm", "--nodelist", "n[1-5]", "--quiet"]);
    let mut run = run.spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    let submitted = || fs::read_to_string(at("submitted")).unwrap_or_default().lines().count();
    while submitted() < 3 && Instant::now() < until {
        thread::sleep(Duration::from_millis(10));
    }
    let record = fs::read_to_string(at("fleet/.round.json"));
    run.kill().unwrap();
    run.wait().unwrap();
    let record: serde_json::Value = serde_json::from_str(&record.unwrap()).unwrap();
    let started: Vec<Option<&str>> =
        record["tasks"].as_array().unwrap().iter().map(|task| task["state"]["started"].as_str()).collect();
    assert_eq!(started, [Some("1"), Some("2"), None, None, None]);
}

/// One node is drained, one dies in the middle, the time of one runs out, the controller is started again meanwhile; `resume` does the rest.
#[test]
#[ignore = "long: starts Slurm with 16 nodes, and needs root and Debian's slurmctld, slurmd, slurm-client and munge"]
fn a_cluster_is_surveyed_whatever_happens_to_its_nodes() {
    let cluster = Cluster::up(16);
    cluster.command(&["scontrol", "update", "NodeName=n3", "State=DRAIN", "Reason=fan"]);
    // A program that hangs on one node and never ends on another one, as the survey of a broken host may.
    let real = snapbox::cmd::cargo_bin!("zerohop");
    let script = format!(
        "#!/bin/sh\ncase $SLURMD_NODENAME in\nn5|n7) [ -e {}/mended ] || sleep 300 ;;\nesac\nshift\nexec {} run latency-matrix --on quartet --solver flow --seed ${{SLURMD_NODENAME#n}} \"$@\"\n",
        cluster.directory().display(),
        real.display()
    );
    let program = executable(&cluster.directory().join("survey"), &script);
    let fleet = |arguments: &[&str]| {
        cluster.zerohop(cluster.directory(), &[&["fleet"], arguments].concat(), "--quiet")
    };
    let talk = thread::scope(|scope| {
        let run = scope.spawn(|| {
            fleet(&["run", "-o", "fleet", "--launcher", "slurm", "--program", &program, "--time", "1"])
        });
        thread::sleep(Duration::from_secs(3));
        cluster.kill("n7");
        cluster.restart();
        run.join().unwrap()
    });
    let (page, talk, status) = talk;
    assert_eq!(status, 2, "{page}{talk}");
    assert!(talk.contains("n3 was not started: Slurm reports it as drained"), "{talk}");
    assert!(talk.contains("n5 failed: it exceeded its time limit (--time)"), "{talk}");
    assert!(talk.contains("n7 failed: the node failed"), "{talk}");
    assert!(page.contains("13 of 16 nodes surveyed"), "{page}{talk}");
    let (page, ..) = fleet(&["analyse", "fleet"]);
    assert!(page.contains("fleet of 13 nodes"), "{page}");
    fs::write(cluster.directory().join("mended"), "").unwrap();
    cluster.command(&["scontrol", "update", "NodeName=n3", "State=RESUME"]);
    cluster.command(&["slurmd", "-N", "n7"]);
    thread::sleep(Duration::from_secs(2));
    let (page, talk, status) = fleet(&["resume", "fleet"]);
    assert_eq!(status, 0, "{page}{talk}");
    assert!(page.contains("16 of 16 nodes surveyed"), "{page}");
}
