//! Which host answered for a node: an alias, an old address or a copied entry of a configuration makes one host answer for two.

use std::path::Path;

use zerohop_app::{is_called, is_unnamed};
use zerohop_launch::{Round, RoundTask, TaskState};
use zerohop_result::{HostIdentity, ResultFile};

/// Results of nodes for which the same host answered are of that host: those of other nodes count as failed. Whether there are any.
pub(super) fn tell_apart(round: &mut Round, directory: &Path) -> bool {
    let hosts: Vec<Option<HostIdentity>> = round.tasks.iter().map(|task| host_of(task, directory)).collect();
    let mut wrong = Vec::new();
    for (rank, host) in hosts.iter().enumerate() {
        let Some(host) = host else { continue };
        let shares = |other: &usize| *other != rank && hosts[*other].as_ref() == Some(host);
        let Some(other) = (0..hosts.len()).find(shares) else { continue };
        let name = host.name.as_deref().unwrap_or("the same host");
        // Of nodes of one host, that with its name is it.
        if !is_called(&round.tasks[rank].name, name) {
            wrong.push((rank, format!("{name} answered, as for {}", round.tasks[other].name)));
        }
    }
    let found = !wrong.is_empty();
    for (rank, why) in wrong {
        round.tasks[rank].state = TaskState::Failed(why);
    }
    found
}

/// The host that the result of a node is of, if it says so.
fn host_of(task: &RoundTask, directory: &Path) -> Option<HostIdentity> {
    if task.state != TaskState::Done {
        return None;
    }
    let text = std::fs::read_to_string(Round::result_of(directory, &task.name)).ok()?;
    let host = ResultFile::read(&text).ok()?.run?.host?;
    // Installations that were copied share an id, and hosts of different networks a name.
    let is_named = host.name.as_ref().is_some_and(|name| !is_unnamed(name));
    (host.machine_id.is_some() && is_named).then_some(host)
}
