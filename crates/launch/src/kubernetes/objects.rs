//! Objects as `kubectl get --output=json` shows them: what of them matters here. Names are those of the published API (batch/v1, v1).

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::launcher::{Standing, Ticket};

#[derive(Debug, Deserialize)]
pub(super) struct Objects<T> {
    pub(super) items: Vec<T>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Metadata {
    pub(super) name: String,
    #[serde(default)]
    labels: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct NodeObject {
    pub(super) metadata: Metadata,
    #[serde(default)]
    spec: NodeSpec,
    pub(super) status: NodeStatus,
}

#[derive(Debug, Default, Deserialize)]
struct NodeSpec {
    #[serde(default)]
    unschedulable: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct NodeStatus {
    #[serde(default)]
    pub(super) allocatable: BTreeMap<String, String>,
    #[serde(default)]
    conditions: Vec<Condition>,
}

#[derive(Debug, Deserialize)]
struct Condition {
    #[serde(rename = "type")]
    kind: String,
    status: String,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    message: String,
}

impl Condition {
    /// Its message, or its reason.
    fn words(&self) -> String {
        let words = if self.message.is_empty() { &self.reason } else { &self.message };
        if words.is_empty() { self.kind.clone() } else { words.clone() }
    }
}

fn condition<'a>(conditions: &'a [Condition], kind: &str) -> Option<&'a Condition> {
    conditions.iter().find(|condition| condition.kind == kind)
}

impl NodeObject {
    /// Why it takes no pod.
    pub(super) fn refusal(&self) -> Option<String> {
        if self.spec.unschedulable {
            return Some("Kubernetes reports it as cordoned".to_owned());
        }
        match condition(&self.status.conditions, "Ready") {
            Some(ready) if ready.status == "True" => None,
            Some(ready) => Some(format!("Kubernetes reports it as not ready: {}", ready.words())),
            None => Some("Kubernetes reports its readiness as unknown".to_owned()),
        }
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct JobObject {
    metadata: Metadata,
    #[serde(default)]
    status: JobStatus,
}

#[derive(Debug, Default, Deserialize)]
struct JobStatus {
    #[serde(default)]
    conditions: Vec<Condition>,
}

impl Objects<JobObject> {
    fn job(&self, name: &str) -> Option<&JobObject> {
        self.items.iter().find(|job| job.metadata.name == name)
    }

    /// Whether a job has not ended.
    pub(super) fn is_active(&self, name: &str) -> bool {
        self.job(name).is_some_and(|job| ended(job).is_none())
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct PodObject {
    metadata: Metadata,
    #[serde(default)]
    status: PodStatus,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct PodStatus {
    phase: String,
    reason: String,
    message: String,
    conditions: Vec<Condition>,
    container_statuses: Vec<ContainerStatus>,
}

#[derive(Debug, Deserialize)]
struct ContainerStatus {
    #[serde(default)]
    state: ContainerState,
}

#[derive(Debug, Default, Deserialize)]
struct ContainerState {
    waiting: Option<Waiting>,
    terminated: Option<Terminated>,
}

#[derive(Debug, Deserialize)]
struct Waiting {
    #[serde(default)]
    reason: String,
    #[serde(default)]
    message: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Terminated {
    exit_code: i32,
    #[serde(default)]
    reason: String,
}

/// Reasons to wait that no waiting mends.
const STUCK: [&str; 6] = [
    "ErrImagePull",
    "ImagePullBackOff",
    "InvalidImageName",
    "CreateContainerConfigError",
    "CreateContainerError",
    "RunContainerError",
];

/// How jobs are, each in its place.
pub(super) fn standing(
    tickets: &[Ticket],
    jobs: &Objects<JobObject>,
    pods: &Objects<PodObject>,
) -> Vec<Standing> {
    let jobs: BTreeMap<&str, &JobObject> =
        jobs.items.iter().map(|job| (job.metadata.name.as_str(), job)).collect();
    let of_job = |pod: &PodObject| pod.metadata.labels.get("job-name").cloned();
    let pods: BTreeMap<String, &PodObject> =
        pods.items.iter().filter_map(|pod| Some((of_job(pod)?, pod))).collect();
    tickets
        .iter()
        .map(|Ticket(name)| match jobs.get(name.as_str()) {
            Some(job) => of(job, pods.get(name).copied()),
            None => Standing::Forgotten,
        })
        .collect()
}

/// The condition that ends a job.
fn ended(job: &JobObject) -> Option<&Condition> {
    job.status
        .conditions
        .iter()
        .find(|one| one.status == "True" && ["Complete", "Failed"].contains(&&*one.kind))
}

fn of(job: &JobObject, pod: Option<&PodObject>) -> Standing {
    match ended(job) {
        Some(end) if end.kind == "Complete" => Standing::Done,
        Some(end) if end.reason == "DeadlineExceeded" => {
            Standing::Failed("it exceeded its time limit (--time)".to_owned())
        }
        Some(end) => Standing::Failed(pod.and_then(failure).unwrap_or_else(|| end.words())),
        None => pod.map_or_else(|| Standing::Waits("it has no pod yet".to_owned()), active),
    }
}

/// Why a pod failed.
fn failure(pod: &PodObject) -> Option<String> {
    let PodStatus { reason, message, container_statuses, .. } = &pod.status;
    // Evicted, or lost with its node: the container then tells nothing.
    if !reason.is_empty() {
        return Some(if message.is_empty() { reason.clone() } else { format!("{reason}: {message}") });
    }
    let terminated = container_statuses.iter().find_map(|one| one.state.terminated.as_ref())?;
    Some(match terminated.reason.as_str() {
        "OOMKilled" => "it ran out of memory".to_owned(),
        "" | "Error" => format!("exit status {}", terminated.exit_code),
        reason => format!("exit status {} ({reason})", terminated.exit_code),
    })
}

/// How a pod is whose job has not ended.
fn active(pod: &PodObject) -> Standing {
    let PodStatus { phase, conditions, container_statuses, .. } = &pod.status;
    if phase == "Running" {
        return Standing::Runs;
    }
    if let Some(waiting) = container_statuses.iter().find_map(|one| one.state.waiting.as_ref()) {
        let words = match waiting.message.as_str() {
            "" => waiting.reason.clone(),
            message => format!("{}: {message}", waiting.reason),
        };
        let is_stuck = STUCK.contains(&waiting.reason.as_str());
        return if is_stuck { Standing::Failed(words) } else { Standing::Waits(words) };
    }
    let scheduled = condition(conditions, "PodScheduled").filter(|one| one.status == "False");
    Standing::Waits(scheduled.map_or_else(|| phase.clone(), Condition::words))
}
