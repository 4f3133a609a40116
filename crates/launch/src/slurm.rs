//! Jobs of Slurm, or steps of an allocation. A survey has its node for itself; other tasks ask for CPUs, and several may share a node.
//!
//! Only what Slurm 22.05 has already is asked for. A plain array does not promise distinct nodes, so the job of a survey names its own.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::children::{self, ENDS_WITH_INPUT};
use crate::launcher::{LaunchError, Launcher, Offer, Standing, Task, Ticket, answer};
use crate::shell::Shell;

/// How Slurm is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlurmOptions {
    /// What each task starts with: a program of the nodes, and its arguments.
    pub words: Vec<String>,
    /// Options of `sbatch` and `srun`: `--partition=…` and the like.
    pub options: Vec<String>,
    /// The partition whose nodes are surveyed, if one is named.
    pub partition: Option<String>,
    /// Whether to use the allocation that this program runs in.
    pub in_allocation: bool,
    /// The nodes of that allocation, as Slurm lists them.
    pub allocated: Option<String>,
    /// The CPUs that a task asks for; without them, it has its node for itself.
    pub cpus: Option<usize>,
}

/// States of nodes that take no job.
const UNUSABLE: [&str; 7] = ["down", "drain", "fail", "maint", "unk", "power", "reboot"];

impl SlurmOptions {
    fn job(&self, task: &Task) -> Vec<String> {
        let mut words = words(["sbatch", "--parsable", "--nodes=1", "--no-requeue"]);
        match self.cpus {
            None => words.push("--exclusive".to_owned()),
            Some(cpus) => words.extend(["--ntasks=1".to_owned(), format!("--cpus-per-task={cpus}")]),
        }
        words.extend(task.node.iter().map(|node| format!("--nodelist={node}")));
        words.push(format!("--job-name=zerohop-{}", task.name));
        words.push(format!("--output={}", task.log.display()));
        words.extend(self.options.iter().cloned());
        words.push(format!("--wrap={}", quoted(&task.words_with_file(&self.words))));
        words
    }

    fn step(&self, task: &Task) -> Vec<String> {
        let mut words = words(["srun", "--nodes=1", "--ntasks=1", "--exact"]);
        words.extend(self.cpus.map(|cpus| format!("--cpus-per-task={cpus}")));
        words.extend(task.node.iter().map(|node| format!("--nodelist={node}")));
        words.extend(self.options.iter().cloned());
        words.extend(task.words_with_file(&self.words));
        words.push(ENDS_WITH_INPUT.to_owned());
        words
    }
}

/// A command line for a shell.
fn quoted(words: &[String]) -> String {
    let quoted =
        words.iter().map(|word| shlex::try_quote(word).map_or_else(|_| word.replace('\0', ""), Into::into));
    quoted.collect::<Vec<_>>().join(" ")
}

fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).into()
}

impl Launcher for &SlurmOptions {
    fn nodes(&self, shell: &dyn Shell) -> Result<Vec<Offer>, LaunchError> {
        let mut asked = words(["sinfo", "--noheader", "--Node", "--format=%N %c %T"]);
        asked.extend(self.partition.iter().map(|partition| format!("--partition={partition}")));
        asked.extend(self.allocated.iter().map(|nodes| format!("--nodes={nodes}")));
        // A node of two partitions is listed twice.
        let mut nodes: BTreeMap<String, (Option<usize>, String)> = BTreeMap::new();
        for line in answer(&asked, shell)?.lines() {
            let mut words = line.split_whitespace();
            if let (Some(node), Some(cpus), Some(state)) = (words.next(), words.next(), words.next()) {
                nodes.entry(node.to_owned()).or_insert_with(|| (cpus.parse().ok(), state.to_owned()));
            }
        }
        let refused = |state: &str| {
            // A star means that the node does not answer.
            let unusable =
                state.ends_with('*') || UNUSABLE.iter().any(|unusable| state.starts_with(unusable));
            unusable.then(|| format!("Slurm reports it as {state}"))
        };
        let offer = |(node, (cpus, state)): (_, (_, String))| Offer { node, refused: refused(&state), cpus };
        Ok(nodes.into_iter().map(offer).collect())
    }

    fn program(&self, task: &Task) -> Vec<String> {
        task.words_with_file(&self.words)
    }

    fn has_children(&self) -> bool {
        self.in_allocation
    }

    fn start(&self, task: &Task, shell: &dyn Shell) -> Result<Ticket, LaunchError> {
        if self.in_allocation {
            return children::start(&self.step(task), task, shell);
        }
        let answered = answer(&self.job(task), shell)?;
        // `--parsable` prints the job, and after a semicolon the cluster.
        let job = answered.trim().split(';').next().unwrap_or_default().to_owned();
        match job.parse::<u64>() {
            Ok(_) => Ok(Ticket(job)),
            Err(_) => {
                Err(LaunchError::Refused { program: "sbatch".to_owned(), said: answered.trim().to_owned() })
            }
        }
    }

    fn standing(&self, tickets: &[Ticket], shell: &dyn Shell) -> Result<Vec<Standing>, LaunchError> {
        if self.in_allocation {
            return Ok(children::standing(tickets, shell));
        }
        // One question about all of the user's jobs: a list of thousands is too long for a command line.
        let listed =
            answer(&words(["squeue", "--noheader", "--me", "--states=all", "--format=%A %T %r"]), shell)?;
        let states: BTreeMap<&str, (&str, &str)> = listed.lines().filter_map(state).collect();
        tickets
            .iter()
            .map(|Ticket(job)| match states.get(job.as_str()) {
                Some((state, reason)) => Ok(standing(state, reason)),
                None => Ok(ended(job, shell)),
            })
            .collect()
    }

    fn stop(&self, tickets: &[Ticket], shell: &dyn Shell) -> Result<(), LaunchError> {
        if self.in_allocation {
            children::stop(tickets, shell);
            return Ok(());
        }
        for some in tickets.chunks(100) {
            let jobs = some.iter().map(|Ticket(job)| job.clone());
            answer(&std::iter::once("scancel".to_owned()).chain(jobs).collect::<Vec<_>>(), shell)?;
        }
        Ok(())
    }
}

/// `17 PENDING Resources`.
fn state(line: &str) -> Option<(&str, (&str, &str))> {
    let (job, rest) = line.trim().split_once(' ')?;
    Some((job, rest.split_once(' ').unwrap_or((rest, ""))))
}

fn standing(state: &str, reason: &str) -> Standing {
    match state {
        "PENDING" | "CONFIGURING" | "REQUEUED" | "SUSPENDED" => Standing::Waits(reason.to_owned()),
        "RUNNING" | "COMPLETING" => Standing::Runs,
        "COMPLETED" => Standing::Done,
        "TIMEOUT" => Standing::Failed("it exceeded its time limit (--time)".to_owned()),
        "NODE_FAIL" => Standing::Failed("the node failed".to_owned()),
        "CANCELLED" => Standing::Failed("it was canceled".to_owned()),
        "OUT_OF_MEMORY" => Standing::Failed("it ran out of memory".to_owned()),
        other => Standing::Failed(match reason {
            "" | "None" => format!("Slurm reports it as {other}"),
            reason => format!("Slurm reports it as {other} ({reason})"),
        }),
    }
}

/// A job that `squeue` no longer lists.
fn ended(job: &str, shell: &dyn Shell) -> Standing {
    let Ok(shown) = answer(&words(["scontrol", "show", "job", "--oneliner", job]), shell) else {
        return Standing::Forgotten;
    };
    let value =
        |name: &str| shown.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
    value("JobState")
        .map_or(Standing::Forgotten, |state| standing(state, value("Reason").unwrap_or_default()))
}

#[cfg(test)]
mod tests;
