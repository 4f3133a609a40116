use std::path::Path;

use serde_json::{Value, json};

use super::*;
use crate::launcher::Standing;
use crate::shell::Answer;
use crate::shell::scripted::Scripted;

/// Answers as `kubectl` does, with these jobs, pods and logs.
fn cluster(jobs: Value, pods: Value, log: &'static str) -> Scripted {
    let node = |name: &str, ready: &str, unschedulable: bool| {
        json!({
            "metadata": { "name": name },
            "spec": { "unschedulable": unschedulable },
            "status": {
                "allocatable": { "cpu": "16", "memory": "65536Mi", "pods": "110" },
                "conditions": [
                    { "type": "MemoryPressure", "status": "False" },
                    { "type": "Ready", "status": ready, "reason": "NodeStatusUnknown",
                      "message": "Kubelet stopped posting node status." },
                ],
            },
        })
    };
    Scripted::new(move |words| {
        let line = words.join(" ");
        let output = if line.contains("get nodes") {
            json!({ "items": [node("n0", "True", false), node("n1", "Unknown", false), node("n2", "True", true)] })
                .to_string()
        } else if line.contains("get node n") {
            node("n0", if line.contains("n1") { "Unknown" } else { "True" }, false).to_string()
        } else if line.contains("--all-namespaces") {
            "100m|70Mi\n|\n1500m 50m|1Gi 100Mi\n".to_owned()
        } else if line.contains(" create ") {
            "job.batch/zerohop-f00d-0-x7k2p\n".to_owned()
        } else if line.contains("get jobs") {
            jobs.to_string()
        } else if line.contains("get pods") {
            pods.to_string()
        } else if line.contains(" logs ") {
            log.to_owned()
        } else {
            String::new()
        };
        Some(Answer { output, ..Answer::default() })
    })
}

/// A cluster in which nothing was started yet.
fn empty() -> Scripted {
    cluster(Value::Null, Value::Null, "")
}

fn options() -> KubernetesOptions {
    KubernetesOptions {
        words: ["zerohop", "survey", "--on", "a: \"b\""].map(str::to_owned).into(),
        image: "registry.example/zerohop:1".into(),
        fleet: "f00d".into(),
        namespace: Some("bench".into()),
        context: None,
        seconds: 600,
    }
}

fn task(node: &str) -> Task {
    Task {
        name: node.into(),
        node: Some(node.into()),
        arguments: Vec::new(),
        rank: 0,
        draft: "f/.n0.part.json".into(),
        log: "f/.log/n0.txt".into(),
    }
}

#[test]
fn nodes_that_take_no_pod_are_named_with_the_reason() {
    let offers = (&options()).nodes(&empty()).unwrap();
    let offers: Vec<_> = offers.iter().map(|offer| (offer.node.as_str(), offer.refused.as_deref())).collect();
    assert_eq!(
        offers,
        [
            ("n0", None),
            ("n1", Some("Kubernetes reports it as not ready: Kubelet stopped posting node status.")),
            ("n2", Some("Kubernetes reports it as cordoned")),
        ]
    );
}

#[test]
fn a_job_is_pinned_to_its_node_and_asks_for_all_that_is_left_of_it() {
    let cluster = empty();
    let ticket = (&options()).start(&task("n0"), &cluster).unwrap();
    assert_eq!(ticket, Ticket("zerohop-f00d-0-x7k2p".into()));
    let job = cluster.files.borrow()[Path::new("f/.log/n0.yaml")].clone();
    for line in [
        "  generateName: zerohop-f00d-0-",
        "                    values: [\"n0\"]",
        "          command: [\"zerohop\", \"survey\", \"--on\", \"a: \\\"b\\\"\", \"--format\", \"json\", \"--no-files\"]",
        "            limits: {\"cpu\": \"14\", \"memory\": \"64342Mi\"}",
        "            requests: {\"cpu\": \"14\", \"memory\": \"64342Mi\"}",
        "  activeDeadlineSeconds: 600",
    ] {
        assert!(job.lines().any(|one| one == line), "{line}\n{job}");
    }
    assert_eq!(cluster.asked.borrow()[2], "kubectl --namespace=bench create --output=name -f f/.log/n0.yaml");
    // One that is not ready is not waited for.
    let error = (&options()).start(&task("n1"), &cluster).unwrap_err();
    assert!(error.to_string().contains("not ready"), "{error}");
}

#[test]
fn without_kubectl_the_job_is_written_and_the_error_says_where() {
    let cluster = Scripted::silent();
    let error = (&options()).start(&task("n0"), &cluster).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`kubectl` was not found; the job of the first node is in `f/.log/n0.yaml`"
    );
    assert!(cluster.files.borrow()[Path::new("f/.log/n0.yaml")].contains("values: [\"n0\"]"));
}

#[test]
fn how_jobs_are_is_said_in_kubernetes_s_words() {
    let job = |name: &str, kind: &str, reason: &str| {
        let end =
            json!({ "type": kind, "status": "True", "reason": reason, "message": format!("{name} ended") });
        json!({ "metadata": { "name": name }, "status": { "conditions": [end] } })
    };
    let running = |name: &str| json!({ "metadata": { "name": name }, "status": {} });
    let pod = |job: &str, status: Value| json!({ "metadata": { "name": "p", "labels": { "job-name": job } }, "status": status });
    let waits = |reason: &str| json!({ "phase": "Pending", "containerStatuses": [{ "state": { "waiting": { "reason": reason, "message": "no such image" } } }] });
    let ended = |code: i32, reason: &str| json!({ "phase": "Failed", "containerStatuses": [{ "state": { "terminated": { "exitCode": code, "reason": reason } } }] });
    let cluster = cluster(
        json!({ "items": [
            job("done", "Complete", ""), job("late", "Failed", "DeadlineExceeded"), job("exit", "Failed", "BackoffLimitExceeded"),
            job("memory", "Failed", "BackoffLimitExceeded"), job("evicted", "Failed", "BackoffLimitExceeded"),
            job("lost", "Failed", "BackoffLimitExceeded"), running("runs"), running("full"), running("pulls"), running("image"),
            running("new"),
        ] }),
        json!({ "items": [
            pod("exit", ended(2, "Error")), pod("memory", ended(137, "OOMKilled")),
            pod("evicted", json!({ "phase": "Failed", "reason": "Evicted", "message": "The node was low on memory." })),
            pod("runs", json!({ "phase": "Running" })),
            pod("full", json!({ "phase": "Pending", "conditions": [{ "type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes are available: 1 Insufficient cpu." }] })),
            pod("pulls", waits("ContainerCreating")), pod("image", waits("ImagePullBackOff")),
        ] }),
        "",
    );
    let names = [
        "done", "late", "exit", "memory", "evicted", "lost", "runs", "full", "pulls", "image", "new", "gone",
    ];
    let tickets = names.map(|name| Ticket(name.into()));
    let failed = |why: &str| Standing::Failed(why.into());
    let standings = (&options()).standing(&tickets, &cluster).unwrap();
    assert_eq!(
        standings,
        [
            Standing::Done,
            failed("it exceeded its time limit (--time)"),
            failed("exit status 2"),
            failed("it ran out of memory"),
            failed("Evicted: The node was low on memory."),
            failed("lost ended"),
            Standing::Runs,
            Standing::Waits("0/3 nodes are available: 1 Insufficient cpu.".into()),
            Standing::Waits("ContainerCreating: no such image".into()),
            failed("ImagePullBackOff: no such image"),
            Standing::Waits("it has no pod yet".into()),
            Standing::Forgotten,
        ]
    );
    // The one that would wait for ever is deleted, and no other.
    let asked = cluster.asked.borrow();
    assert_eq!(asked[0], "kubectl --namespace=bench get jobs --selector=zerohop-fleet=f00d --output=json");
    let deleted: Vec<&String> = asked.iter().filter(|line| line.contains(" delete ")).collect();
    assert_eq!(deleted, ["kubectl --namespace=bench delete jobs --ignore-not-found --wait=false image"]);
}

#[test]
fn a_result_is_told_from_what_is_said_before_it() {
    let cluster = cluster(Value::Null, Value::Null, "{odd} words\nwarning: {\n{\n  \"a\": {}\n}\n");
    (&options()).collect(&task("n0"), &Ticket("j".into()), &cluster).unwrap();
    let files = cluster.files.borrow();
    assert_eq!(files[Path::new("f/.n0.part.json")], "{\n  \"a\": {}\n}");
    assert_eq!(files[Path::new("f/.log/n0.txt")], "{odd} words\nwarning: {\n");
    // A log that is cut has none.
    assert_eq!(parts("said\n{\n  \"a\": {"), ("said\n{\n  \"a\": {", None));
}
