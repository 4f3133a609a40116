//! `zerohop sweep --launcher`: chunks on nodes, and the rows of a sweep without them.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::Value;

use crate::binary::{plain, zerohop};
use crate::cluster::{Cluster, executable};
use crate::folder::directory;

const POINTS: &str = "./options.toml --set speed=fast,slow --set channels=2,4 --set core.k8.in_flight.strided=2,3,4 \
                      --experiment latency-matrix --solver flow";

/// What it prints, what it says, and how it ends.
fn sweep(directory: &Path, arguments: &str) -> (String, String, i32) {
    let run = zerohop().current_dir(directory).arg("sweep").args(arguments.split_whitespace()).assert();
    let output = run.get_output();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code().unwrap())
}

/// The bytes of a sweep without launcher.
fn alone(directory: &Path, points: &str, file: &str) -> (String, Vec<u8>) {
    let (page, ..) = sweep(directory, &format!("{points} -o {file} --quiet"));
    (page, fs::read(directory.join(file)).unwrap())
}

#[test]
fn chunks_give_the_rows_and_the_bytes_of_a_sweep_without_them() {
    let directory = directory();
    let at = directory.path();
    let machine = "xeon-cascade-lake,cores=4 --set links=2,3 --seed 7 --fault slow-dimm:node0=2133 \
                   --experiment latency-matrix --solver flow";
    for (points, file, chunks) in [(POINTS, "csv", "5"), (POINTS, "json", "40"), (machine, "json", "2")] {
        let (page, bytes) = alone(at, points, &format!("alone.{file}"));
        let launched = format!("{points} -o spread.{file} --launcher local --chunks {chunks} --quiet");
        let (spread, talk, status) = sweep(at, &launched);
        assert_eq!((status, talk.as_str()), (0, ""), "{points}");
        assert_eq!(spread, page);
        assert!(fs::read(at.join(format!("spread.{file}"))).unwrap() == bytes, "{points}");
        assert!(!at.join(format!("spread.{file}.chunks")).exists());
        // Nothing is left to do, and nothing is started.
        let (_, talk, status) = sweep(at, &format!("{launched} --program /does/not/exist"));
        assert_eq!((status, talk.as_str()), (0, ""));
        for left in ["alone", "spread"] {
            fs::remove_file(at.join(format!("{left}.{file}"))).unwrap();
            fs::remove_file(at.join(format!("{left}.{file}.journal"))).unwrap();
        }
    }
}

/// A program for nodes that is killed at its second chunk until it is mended.
fn mortal(directory: &Path) -> String {
    let real = snapbox::cmd::cargo_bin!("zerohop").display().to_string();
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in\n*' --chunk 2/'*) [ -e {0}/mended ] || kill -9 $$ ;;\nesac\necho x >> {0}/started\nexec {real} \"$@\"\n",
        directory.display()
    );
    executable(&directory.join("mortal"), &script)
}

#[test]
fn a_chunk_that_dies_is_named_and_the_same_command_does_the_rest() {
    let directory = directory();
    let at = directory.path();
    let (_, bytes) = alone(at, POINTS, "alone.csv");
    let launched =
        format!("{POINTS} -o spread.csv --launcher local --chunks 3 --program {} --quiet", mortal(at));
    let (page, talk, status) = sweep(at, &launched);
    assert_eq!(status, 2, "{page}{talk}");
    assert!(talk.contains("warning: chunk c02 failed: exit status 137"), "{talk}");
    assert!(
        talk.contains("error: 4 of 12 points are missing") && talk.contains("hint: the same command resumes"),
        "{talk}"
    );
    let count = || fs::read_to_string(at.join("started")).unwrap().lines().count();
    assert_eq!((fs::read_to_string(at.join("spread.csv")).unwrap().lines().count(), count()), (1 + 8, 2));
    // The process that waited dies, too: chunks are there whose points it has not taken over.
    let record = at.join("spread.csv.chunks/.round.json");
    let mut round: Value = serde_json::from_str(&fs::read_to_string(&record).unwrap()).unwrap();
    round["tasks"][0]["state"] = serde_json::json!({"started": "1"});
    fs::write(&record, round.to_string()).unwrap();
    fs::remove_file(at.join("spread.csv")).unwrap();
    fs::remove_file(at.join("spread.csv.journal")).unwrap();
    fs::write(at.join("mended"), "").unwrap();
    let (page, talk, status) = sweep(at, &launched);
    assert_eq!((status, talk.as_str()), (0, ""), "{page}");
    assert_eq!(count(), 3, "one more was started");
    assert!(fs::read(at.join("spread.csv")).unwrap() == bytes);
}

/// Chunks computed on for minutes when the process that waited for them was killed.
#[test]
fn chunks_end_with_the_process_that_waits_for_them() {
    let folder = directory();
    let at = folder.path();
    let real = snapbox::cmd::cargo_bin!("zerohop").display();
    let script = format!("#!/bin/sh\necho $$ >>{}/pids\nexec {real} \"$@\"\n", at.display());
    let program = executable(&at.join("program"), &script);
    let launched =
        "sr665-v3 --set dimms=12,10,8,6 -o spread.csv --launcher local --chunks 2 --max-at-once 2 --quiet";
    for (signal, code) in [(Signal::KILL, None), (Signal::INT, Some(130))] {
        let mut sweep = plain();
        sweep.current_dir(at).arg("sweep").args(launched.split_whitespace());
        sweep.args(["--experiment", "crossfire --all", "--program", &program]);
        let mut sweep = sweep.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let until = Instant::now() + Duration::from_secs(120);
        let pids = || fs::read_to_string(at.join("pids")).unwrap_or_default();
        while pids().lines().count() < 2 {
            assert!(Instant::now() < until && sweep.try_wait().unwrap().is_none(), "it does not start");
            thread::sleep(Duration::from_millis(10));
        }
        kill_process(Pid::from_child(&sweep), signal).unwrap();
        assert_eq!(sweep.wait().unwrap().code(), code);
        let is_there = |pid: &str| test_kill_process(Pid::from_raw(pid.parse().unwrap()).unwrap()).is_ok();
        // Each of the points that they compute takes a minute.
        let until = Instant::now() + Duration::from_secs(40);
        while pids().lines().any(is_there) {
            assert!(Instant::now() < until, "a chunk goes on");
            thread::sleep(Duration::from_millis(10));
        }
        fs::remove_file(at.join("pids")).unwrap();
    }
}

#[test]
fn chunks_of_another_sweep_are_left_alone() {
    let directory = directory();
    let at = directory.path();
    let launched = |points: &str, more: &str| {
        let program = mortal(at);
        sweep(at, &format!("{points} -o spread.csv --launcher local --program {program} --quiet {more}"))
    };
    assert_eq!(launched(POINTS, "--chunks 3").2, 2);
    fs::remove_file(at.join("spread.csv.journal")).unwrap();
    let (_, talk, status) = launched(&POINTS.replace("2,3,4", "2,3"), "");
    assert_eq!(status, 2);
    assert!(
        talk.contains("belongs to another sweep: the settings changed")
            && talk.contains("hint: remove `spread.csv.chunks`"),
        "{talk}"
    );
    fs::create_dir(at.join("mine.csv.chunks")).unwrap();
    fs::write(at.join("mine.csv.chunks/thesis.txt"), "mine").unwrap();
    let (_, talk, status) = sweep(at, &format!("{POINTS} -o mine.csv --launcher local --quiet"));
    assert!(status == 2 && talk.contains("`mine.csv.chunks` exists, but contains no chunks"), "{talk}");
    assert!(at.join("mine.csv.chunks/thesis.txt").exists());
}

#[test]
fn what_a_launcher_cannot_do_is_said() {
    let directory = directory();
    let at = directory.path();
    for (arguments, error) in [
        ("-o a.csv --launcher ssh", "invalid value 'ssh' for '--launcher"),
        ("--launcher local", "--output"),
        ("-o a.csv --partition batch", "--launcher"),
        ("-o a.csv --launcher local --nodes 3", "--launcher local has no nodes"),
    ] {
        let (_, talk, status) = sweep(at, &format!("{POINTS} {arguments}"));
        assert!(status == 2 && talk.contains(error), "{arguments}: {talk}");
    }
    // A chunk that cannot see the journal of its sweep, as on a node that does not share the directory.
    let (_, talk, status) = sweep(at, "--chunk 1/2 --of-journal gone.csv.journal -o c01.json");
    assert!(
        status == 2 && talk.contains("`gone.csv.journal` cannot be read") && talk.contains("shared"),
        "{talk}"
    );
    alone(at, POINTS, "alone.csv");
    let journal = fs::read_to_string(at.join("alone.csv.journal")).unwrap();
    fs::write(at.join("odd.journal"), journal.replacen("channels", "canals", 1)).unwrap();
    let (_, talk, status) = sweep(at, "--chunk 1/2 --of-journal odd.journal -o c01.json");
    assert!(status == 2 && talk.contains("is damaged: its first line is corrupt"), "{talk}");
}

/// One node dies in the middle, and the same command goes on.
#[test]
#[ignore = "long: starts Slurm with 4 nodes, and needs root and Debian's slurmctld, slurmd, slurm-client and munge"]
fn a_cluster_computes_what_one_host_does() {
    let folder = directory();
    let at = folder.path();
    let cluster = Cluster::up(4);
    let real = snapbox::cmd::cargo_bin!("zerohop").display().to_string();
    // What runs on one node never ends, until that is mended.
    let script = format!(
        "#!/bin/sh\n[ $SLURMD_NODENAME != n2 ] || [ -e {0}/mended ] || sleep 300\necho $SLURMD_NODENAME $SLURM_CPUS_ON_NODE >> {0}/started\nexec {real} \"$@\"\n",
        at.display()
    );
    let program = executable(&at.join("program"), &script);
    let (page, bytes) = alone(at, POINTS, "alone.csv");
    let launched = format!("{POINTS} -o spread.csv --launcher slurm --threads 1 --program {program} --quiet");
    let sweep = |arguments: &str| cluster.zerohop(at, &["sweep"], arguments);
    let (_, talk, status) = thread::scope(|scope| {
        let run = scope.spawn(|| sweep(&format!("{launched} --chunks 8 --time 1")));
        thread::sleep(Duration::from_secs(4));
        cluster.kill("n2");
        run.join().unwrap()
    });
    assert_eq!(status, 2, "{talk}");
    assert!(talk.contains("failed: the node failed") && talk.contains("points are missing"), "{talk}");
    fs::write(at.join("mended"), "").unwrap();
    let (spread, talk, status) = sweep(&launched);
    assert_eq!((status, talk.as_str()), (0, ""), "{spread}");
    assert_eq!(spread, page);
    assert!(fs::read(at.join("spread.csv")).unwrap() == bytes);
    let started = fs::read_to_string(at.join("started")).unwrap();
    assert!(started.lines().all(|line| line.ends_with(" 1")), "{started}");
    assert!(["n0", "n1", "n3"].iter().all(|node| started.contains(node)), "{started}");

    // On nodes that are named, and on no others.
    fs::remove_file(at.join("started")).unwrap();
    let named = launched.replace("spread.csv", "named.csv");
    let (_, talk, status) = sweep(&format!("{named} --nodelist n1,n3"));
    assert_eq!((status, talk.as_str()), (0, ""));
    assert!(fs::read(at.join("named.csv")).unwrap() == bytes);
    let started = fs::read_to_string(at.join("started")).unwrap();
    assert!(started.lines().all(|line| line.starts_with("n1 ") || line.starts_with("n3 ")), "{started}");

    // What Slurm would keep waiting for ever is refused.
    let (_, talk, status) = sweep(&format!("{POINTS} -o large.csv --launcher slurm --threads 64 --quiet"));
    assert!(status == 2 && talk.contains("no node that accepts a job has 64 CPUs"), "{talk}");
    let (_, talk, status) = sweep(&format!("{POINTS} -o gone.csv --launcher slurm --nodelist n9 --quiet"));
    assert!(status == 2 && talk.contains("no node of that name or partition accepts a job"), "{talk}");

    // As steps of an allocation of two nodes.
    fs::remove_file(at.join("started")).unwrap();
    let inside = launched.replace("spread.csv", "inside.csv");
    let wrap = format!("--wrap=cd {} && {real} sweep {inside} --in-allocation", at.display());
    cluster.command(&["sbatch", "--wait", "--nodes=2", "--output", "/dev/null", &wrap]);
    assert!(fs::read(at.join("inside.csv")).unwrap() == bytes);
    let nodes: std::collections::BTreeSet<String> = fs::read_to_string(at.join("started"))
        .unwrap()
        .lines()
        .map(|line| line.split(' ').next().unwrap().to_owned())
        .collect();
    assert!((1..=2).contains(&nodes.len()), "{nodes:?}");
}
