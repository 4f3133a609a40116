//! Jobs of Kubernetes: one for each node, which is pinned to it; `kubectl` carries them.
//!
//! A single Indexed Job would not do: its pods cannot name their nodes, and a rule that keeps them apart forgets a pod that has ended (the scheduler watches
//! pods that are neither `Succeeded` nor `Failed`), so that the next one may land where the last one was. A node would be surveyed twice, and another never.

mod manifest;
mod objects;
mod options;
mod quantity;

use crate::launcher::{LaunchError, Launcher, Offer, Standing, Task, Ticket, answer};
use crate::shell::{Shell, ShellError};

use manifest::job;
use objects::{NodeObject, Objects, PodObject, standing};
use options::FLEET;
pub use options::KubernetesOptions;
use quantity::Room;

/// Room that pods of a node have taken: its requests for CPU, and for memory.
const REQUESTS: &str = "jsonpath={range .items[*]}{.spec.containers[*].resources.requests.cpu}{\"|\"}\
                        {.spec.containers[*].resources.requests.memory}{\"\\n\"}{end}";

impl KubernetesOptions {
    /// `kubectl` with the user's context, and these words.
    fn kubectl(&self, words: &[&str]) -> Vec<String> {
        let mut all = vec!["kubectl".to_owned()];
        all.extend(self.context.iter().map(|context| format!("--context={context}")));
        all.extend(self.namespace.iter().map(|namespace| format!("--namespace={namespace}")));
        all.extend(words.iter().map(|word| (*word).to_owned()));
        all
    }

    fn objects<T: serde::de::DeserializeOwned>(
        &self,
        words: &[&str],
        shell: &dyn Shell,
    ) -> Result<T, LaunchError> {
        let text = answer(&self.kubectl(words), shell)?;
        serde_json::from_str(&text).map_err(|error| LaunchError::Refused {
            program: "kubectl".to_owned(),
            said: format!("unexpected response to `{}`: {error}", words.join(" ")),
        })
    }

    /// What is left on a node for a survey.
    fn room(&self, node: &str, shell: &dyn Shell) -> Result<Room, LaunchError> {
        let object: NodeObject = self.objects(&["get", "node", node, "--output=json"], shell)?;
        if let Some(why) = object.refusal() {
            return Err(refused(why));
        }
        let of_node =
            format!("--field-selector=spec.nodeName={node},status.phase!=Succeeded,status.phase!=Failed");
        let taken = self.kubectl(&["get", "pods", "--all-namespaces", &of_node, "--output", REQUESTS]);
        Room::left(&object.status.allocatable, &answer(&taken, shell)?).map_err(refused)
    }
}

fn refused(said: String) -> LaunchError {
    LaunchError::Refused { program: "kubectl".to_owned(), said }
}

impl Launcher for &KubernetesOptions {
    fn nodes(&self, shell: &dyn Shell) -> Result<Vec<Offer>, LaunchError> {
        let nodes: Objects<NodeObject> = self.objects(&["get", "nodes", "--output=json"], shell)?;
        let offer = |node: NodeObject| Offer { refused: node.refusal(), ..Offer::named(node.metadata.name) };
        Ok(nodes.items.into_iter().map(offer).collect())
    }

    fn program(&self, task: &Task) -> Vec<String> {
        task.words_with_output(&self.words)
    }

    /// The job is written beside the log, where whoever wants to look at it finds it.
    fn start(&self, task: &Task, shell: &dyn Shell) -> Result<Ticket, LaunchError> {
        let file = task.log.with_extension("yaml");
        // Without `kubectl`, the job of a node is written all the same; its room is then for its reader to fill in.
        let room = match self.room(task.place(), shell) {
            Err(LaunchError::Shell(ShellError::Missing { program })) => {
                shell.write(&file, &job(self, task, &Room::unknown()))?;
                return Err(LaunchError::Written { program, file });
            }
            other => other?,
        };
        shell.write(&file, &job(self, task, &room))?;
        let file = file.display().to_string();
        let created = answer(&self.kubectl(&["create", "--output=name", "-f", &file]), shell)?;
        match created.trim().strip_prefix("job.batch/") {
            Some(name) => Ok(Ticket(name.to_owned())),
            None => Err(refused(created.trim().to_owned())),
        }
    }

    fn standing(&self, tickets: &[Ticket], shell: &dyn Shell) -> Result<Vec<Standing>, LaunchError> {
        let label = format!("--selector={FLEET}={}", self.fleet);
        let jobs = self.objects(&["get", "jobs", &label, "--output=json"], shell)?;
        let pods: Objects<PodObject> = self.objects(&["get", "pods", &label, "--output=json"], shell)?;
        let standings: Vec<Standing> = standing(tickets, &jobs, &pods);
        // A pod whose image cannot be had waits until its time is over, and holds its node.
        let stuck: Vec<Ticket> = tickets
            .iter()
            .zip(&standings)
            .filter(|(ticket, standing)| matches!(standing, Standing::Failed(_)) && jobs.is_active(&ticket.0))
            .map(|(ticket, _)| ticket.clone())
            .collect();
        if !stuck.is_empty() {
            self.stop(&stuck, shell)?;
        }
        Ok(standings)
    }

    fn stop(&self, tickets: &[Ticket], shell: &dyn Shell) -> Result<(), LaunchError> {
        for some in tickets.chunks(100) {
            let mut words = vec!["delete", "jobs", "--ignore-not-found", "--wait=false"];
            words.extend(some.iter().map(|Ticket(job)| job.as_str()));
            answer(&self.kubectl(&words), shell)?;
        }
        Ok(())
    }

    /// The log of a pod holds what the survey says, and after it the result.
    fn collect(&self, task: &Task, Ticket(job): &Ticket, shell: &dyn Shell) -> Result<(), LaunchError> {
        let log = match answer(&self.kubectl(&["logs", &format!("job/{job}"), "--tail=-1"]), shell) {
            Ok(log) => log,
            // The log of a pod that never ran, or whose node is gone, cannot be had; what is missing is named by the round.
            Err(LaunchError::Refused { .. }) => return Ok(()),
            Err(error) => return Err(error),
        };
        let (said, result) = parts(&log);
        shell.write(&task.log, said)?;
        if let Some(result) = result {
            shell.write(&task.draft, result)?;
        }
        Ok(())
    }
}

/// What was said, and the result after it: an object of JSON that begins a line and ends the log.
fn parts(log: &str) -> (&str, Option<&str>) {
    let begins = log.match_indices('{').map(|(at, _)| at).filter(|at| *at == 0 || log[..*at].ends_with('\n'));
    for at in begins {
        let mut values = serde_json::Deserializer::from_str(&log[at..]).into_iter::<serde::de::IgnoredAny>();
        if matches!(values.next(), Some(Ok(_))) {
            return (&log[..at], Some(&log[at..at + values.byte_offset()]));
        }
    }
    (log, None)
}

#[cfg(test)]
mod tests;
