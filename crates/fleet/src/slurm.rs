//! Jobs of Slurm: one for each node, which it has for itself; or steps of an allocation.
//!
//! Only what Slurm 22.05 has already is asked for. A plain array does not promise distinct nodes, so each job names its own.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::children;
use crate::launcher::{LaunchError, Launcher, Offer, Standing, Task, Ticket, answer};
use crate::shell::Shell;

/// How Slurm is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlurmOptions {
    /// The survey: a program of the nodes, and its arguments.
    pub survey: Vec<String>,
    /// Options of `sbatch` and `srun`: `--partition=…` and the like.
    pub options: Vec<String>,
    /// The partition whose nodes are surveyed, if one is named.
    pub partition: Option<String>,
    /// Whether to use the allocation that this program runs in.
    pub in_allocation: bool,
}

/// States of nodes that take no job.
const UNUSABLE: [&str; 7] = ["down", "drain", "fail", "maint", "unk", "power", "reboot"];

impl SlurmOptions {
    fn job(&self, task: &Task) -> Vec<String> {
        let mut words: Vec<String> =
            ["sbatch", "--parsable", "--exclusive", "--nodes=1", "--no-requeue"].map(str::to_owned).into();
        words.push(format!("--nodelist={}", task.node));
        words.push(format!("--job-name=zerohop-{}", task.node));
        words.push(format!("--output={}", task.log.display()));
        words.extend(self.options.iter().cloned());
        words.push(format!("--wrap={}", quoted(&self.survey(task))));
        words
    }

    fn step(&self, task: &Task) -> Vec<String> {
        let mut words: Vec<String> = ["srun", "--nodes=1", "--ntasks=1", "--exact"].map(str::to_owned).into();
        words.push(format!("--nodelist={}", task.node));
        words.extend(self.options.iter().cloned());
        words.extend(self.survey(task));
        words
    }

    fn survey(&self, task: &Task) -> Vec<String> {
        let end = ["-o".to_owned(), task.result.display().to_string()];
        self.survey.iter().cloned().chain(end).collect()
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
        let mut asked = words(["sinfo", "--noheader", "--Node", "--format=%N %T"]);
        asked.extend(self.partition.iter().map(|partition| format!("--partition={partition}")));
        // A node of two partitions is listed twice.
        let mut states: BTreeMap<String, String> = BTreeMap::new();
        for line in answer(&asked, shell)?.lines() {
            if let Some((node, state)) = line.trim().split_once(' ') {
                states.entry(node.to_owned()).or_insert_with(|| state.trim().to_owned());
            }
        }
        let refused = |state: &str| {
            // A star means that the node does not answer.
            let unusable =
                state.ends_with('*') || UNUSABLE.iter().any(|unusable| state.starts_with(unusable));
            unusable.then(|| format!("Slurm has it as {state}"))
        };
        Ok(states.into_iter().map(|(node, state)| Offer { node, refused: refused(&state) }).collect())
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
        "TIMEOUT" => Standing::Failed("its time ran out (--time)".to_owned()),
        "NODE_FAIL" => Standing::Failed("the node died".to_owned()),
        "CANCELLED" => Standing::Failed("it was cancelled".to_owned()),
        "OUT_OF_MEMORY" => Standing::Failed("it ran out of memory".to_owned()),
        other => Standing::Failed(match reason {
            "" | "None" => format!("Slurm has it as {other}"),
            reason => format!("Slurm has it as {other} ({reason})"),
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
