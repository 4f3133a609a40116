//! `zerohop fleet` by Kubernetes: a script plays `kubectl`, and runs a model where a pod would run a survey.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use crate::binary::{plain, zerohop};

/// Keeps a job as a file of its name, which holds `running`, `done` or `failed`. `n1` fails until `mended` is there, `n2` is cordoned, `n3` hangs while
/// `hang` is there.
const KUBECTL: &str = r#"#!/bin/sh
set -eu
cd STATE
echo "$@" >>asked
list() {
    first=1
    printf '{"items":['
    for file in jobs/*; do
        [ -e "$file" ] || continue
        [ $first = 1 ] || printf ','
        first=0
        job=${file##*/}
        state=$(cat "$file")
        case $1-$state in
        jobs-done) status='"conditions":[{"type":"Complete","status":"True"}]' ;;
        jobs-failed) status='"conditions":[{"type":"Failed","status":"True","reason":"BackoffLimitExceeded"}]' ;;
        pods-failed) status='"phase":"Failed","containerStatuses":[{"state":{"terminated":{"exitCode":2,"reason":"Error"}}}]' ;;
        pods-running) status='"phase":"Running"' ;;
        *) status='"startTime":"2026-01-01T00:00:00Z"' ;;
        esac
        printf '{"metadata":{"name":"%s","labels":{"job-name":"%s"}},"status":{%s}}' "$job" "$job" "$status"
    done
    printf ']}\n'
}
node() {
    cordoned=false
    [ $1 != n2 ] || [ -e mended ] || cordoned=true
    printf '{"metadata":{"name":"%s"},"spec":{"unschedulable":%s},"status":{"allocatable":{"cpu":"4","memory":"8Gi"},' "$1" $cordoned
    printf '"conditions":[{"type":"Ready","status":"True"}]}}'
}
case "$1 $2" in
"get nodes") echo "{\"items\":[$(node n0),$(node n1),$(node n2),$(node n3)]}" ;;
"get node") node "$3" ;;
"get jobs") list jobs ;;
"get pods") case "$3" in --all-namespaces) echo '100m|70Mi' ;; *) list pods ;; esac ;;
create*)
    mkdir -p jobs
    while [ $# -gt 1 ]; do shift; done
    file=$1
    [ -e "$file" ] || file=FOLDER/$1
    node=$(sed -n 's/.*values: \["\(.*\)"\]/\1/p' "$file")
    job=$(sed -n 's/.*generateName: //p' "$file")$$
    state=done
    case $node in
    n1) [ -e mended ] || state=failed ;;
    n3) [ ! -e hang ] || state=running ;;
    esac
    if [ $state = done ]; then
        { echo 'warning: of a container'; ZEROHOP run latency-matrix --on quartet --solver flow --seed ${node#n} --format json; } >logs-$job 2>&1
    else
        echo "error: no memory on $node" >logs-$job
    fi
    echo $state >jobs/$job
    echo job.batch/$job
    ;;
logs*) cat "logs-${2#job/}" ;;
delete*)
    shift 2
    for job; do [ ! -e "jobs/$job" ] || { rm "jobs/$job"; echo "$job" >>deleted; }; done
    ;;
*) echo "error: unknown command $*" >&2; exit 1 ;;
esac
"#;

struct Cluster {
    directory: tempfile::TempDir,
}

impl Cluster {
    fn up() -> Self {
        let cluster = Self { directory: tempfile::tempdir().unwrap() };
        fs::create_dir(cluster.path("state")).unwrap();
        fs::create_dir(cluster.path("bin")).unwrap();
        let script = KUBECTL
            .replace("STATE", cluster.path("state").to_str().unwrap())
            .replace("FOLDER", cluster.path("").to_str().unwrap())
            .replace("ZEROHOP", snapbox::cmd::cargo_bin!("zerohop").to_str().unwrap());
        let kubectl = cluster.path("bin/kubectl");
        fs::write(&kubectl, script).unwrap();
        fs::set_permissions(&kubectl, PermissionsExt::from_mode(0o755)).unwrap();
        cluster
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The search path of programs, with the script first.
    fn programs(&self) -> String {
        format!("{}:{}", self.path("bin").display(), std::env::var("PATH").unwrap())
    }

    fn fleet(&self, arguments: &[&str]) -> (String, String, i32) {
        let run = zerohop().current_dir(self.directory.path()).env("PATH", self.programs());
        let run = run.arg("fleet").args(arguments).assert();
        let output = run.get_output();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr), output.status.code().unwrap())
    }

    fn state(&self, name: &str) -> String {
        fs::read_to_string(self.path("state").join(name)).unwrap_or_default()
    }
}

const RUN: [&str; 7] = ["run", "-o", "fleet", "--launcher", "kubernetes", "--image", "zerohop:1"];

#[test]
fn a_cluster_of_kubernetes_is_surveyed_resumed_and_analysed() {
    let cluster = Cluster::up();
    let (page, talk, status) = cluster.fleet(&[&RUN[..], &["--quiet"]].concat());
    assert_eq!(status, 2, "{page}{talk}");
    assert!(page.contains("2 of 4 nodes surveyed"), "{page}{talk}");
    assert!(talk.contains("n1 failed: exit status 2: error: no memory on n1"), "{talk}");
    assert!(talk.contains("n2 was not started: Kubernetes reports it as cordoned"), "{talk}");
    let said = fs::read_to_string(cluster.path("fleet/.log/n0.txt")).unwrap();
    assert!(said.starts_with("warning: of a container\n") && !said.contains('{'), "{said}");
    fs::write(cluster.path("state/mended"), "").unwrap();
    let (page, talk, status) = cluster.fleet(&["resume", "fleet", "--quiet"]);
    assert_eq!(status, 0, "{page}{talk}");
    assert!(page.contains("4 of 4 nodes surveyed"), "{page}");
    let creations = cluster.state("asked").lines().filter(|line| line.starts_with("create")).count();
    assert_eq!(creations, 5, "those that were done are not begun again");
    let (page, ..) = cluster.fleet(&["analyse", "fleet", "--quiet"]);
    assert!(page.contains("fleet of 4 nodes"), "{page}");
}

#[test]
fn an_interruption_deletes_the_jobs_of_this_fleet_and_no_others() {
    let cluster = Cluster::up();
    fs::create_dir(cluster.path("state/jobs")).unwrap();
    fs::write(cluster.path("state/jobs/of-somebody-else"), "running").unwrap();
    fs::write(cluster.path("state/hang"), "").unwrap();
    let mut run = plain();
    run.current_dir(cluster.directory.path()).env("PATH", cluster.programs());
    run.arg("fleet").args(RUN).args(["--nodelist", "n0,n3"]);
    let mut run = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let record = cluster.path("fleet/.round.json");
    let start = Instant::now();
    while !fs::read_to_string(&record).is_ok_and(|text| text.contains("started")) {
        assert!(start.elapsed() < Duration::from_secs(60), "it does not start");
        thread::sleep(Duration::from_millis(20));
    }
    let number = rustix::process::Pid::from_child(&run);
    rustix::process::kill_process(number, rustix::process::Signal::INT).unwrap();
    let status = run.wait().unwrap();
    assert_eq!(status.code(), Some(130));
    let left: Vec<String> = files(&cluster.path("state/jobs"));
    assert_eq!(left.iter().filter(|job| *job == "of-somebody-else").count(), 1);
    assert!(cluster.state("deleted").lines().all(|job| job.starts_with("zerohop-")), "{left:?}");
    assert!(cluster.state("deleted").lines().count() >= 1);
    assert!(
        left.iter().all(|job| job == "of-somebody-else" || cluster.state(&format!("jobs/{job}")) == "done\n")
    );
}

fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn what_is_missing_or_wrong_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let fleet = |rest: &[&str]| {
        let run = zerohop().current_dir(directory.path()).env("PATH", "").arg("fleet").args(rest).assert();
        (String::from_utf8_lossy(&run.get_output().stderr).into_owned(), run.get_output().status.code())
    };
    let (talk, status) = fleet(&RUN[..5]);
    assert!(status == Some(2) && talk.contains("--image <IMAGE>"), "{talk}");
    let (talk, status) = fleet(&[&RUN[..], &["--nodelist", "n0", "--time", "1:70:00"]].concat());
    assert!(
        status == Some(2) && talk.contains("invalid duration `1:70:00`") && talk.contains("hint:"),
        "{talk}"
    );
    // Whoever has no `kubectl` here gets the job to carry it elsewhere.
    let (talk, status) = fleet(&[&RUN[..], &["--nodelist", "n0"]].concat());
    assert!(
        status == Some(2)
            && talk.contains("`kubectl` was not found; the job of the first node is in `fleet/.log/n0.yaml`")
            && talk.contains("hint:"),
        "{talk}"
    );
    assert!(directory.path().join("fleet/.log/n0.yaml").exists());
}
