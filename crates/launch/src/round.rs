//! One round of tasks, such as the surveys of all nodes: what was started, what has ended, what is to come. Its text is saved after each step.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::launcher::{LaunchError, Offer, Standing, Task, Ticket};
use crate::setup::Setup;
use crate::shell::{NotWhole, Shell};

/// Version of the text of a round. Raised when a reader of the old form would misread it.
pub const ROUND_VERSION: u32 = 2;

/// One round of tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    schema_version: u32,
    /// How they are started.
    pub setup: Setup,
    /// How many run or wait at once, at most.
    pub at_once: usize,
    /// The tasks, in the order in which they are started.
    pub tasks: Vec<RoundTask>,
}

/// A task of a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundTask {
    /// Its name: that of the node, if it is the survey of one.
    pub name: String,
    /// The node that it is for, if not any node will do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// What follows the words that all tasks have in common.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
    pub state: TaskState,
}

/// How a task is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// It is to come.
    ToCome,
    Started(Ticket),
    /// Its result is there.
    Done,
    /// It has ended without one, for this reason.
    Failed(String),
    /// It was never started, for this reason.
    Refused(String),
}

/// Why a text is no round.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RoundError {
    /// It is something else, or damaged.
    #[error("it is not a record of started surveys: {0}")]
    Malformed(String),
    /// Another version wrote it.
    #[error("its `schema_version` is {0}, but this version of zerohop reads {ROUND_VERSION}")]
    OtherVersion(u64),
}

/// How many tasks are how far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    pub to_come: usize,
    /// Those that run or wait.
    pub started: usize,
    /// Those whose result is there.
    pub done: usize,
    /// Those that failed or were refused.
    pub failed: usize,
}

impl Round {
    /// A round of these tasks.
    pub fn new(setup: Setup, at_once: usize, tasks: Vec<RoundTask>) -> Self {
        Self { schema_version: ROUND_VERSION, setup, at_once: at_once.max(1), tasks }
    }

    /// The round that a text holds.
    ///
    /// # Errors
    /// When it holds none that this version reads.
    pub fn read(text: &str) -> Result<Self, RoundError> {
        let malformed = |error: serde_json::Error| RoundError::Malformed(error.to_string());
        let value: serde_json::Value = serde_json::from_str(text).map_err(malformed)?;
        match value.get("schema_version").and_then(serde_json::Value::as_u64) {
            Some(version) if version == u64::from(ROUND_VERSION) => {}
            Some(other) => return Err(RoundError::OtherVersion(other)),
            None => return Err(RoundError::Malformed("it has no `schema_version`".to_owned())),
        }
        let round: Self = serde_json::from_value(value).map_err(malformed)?;
        let mut names = BTreeSet::new();
        for RoundTask { name, .. } in &round.tasks {
            // Results, logs and what is set aside are called so.
            if name.is_empty() || name.starts_with('.') || name.contains(|c: char| c == '/' || c.is_control())
            {
                return Err(RoundError::Malformed(format!("invalid task name `{}`", name.escape_debug())));
            }
            if !names.insert(name) {
                return Err(RoundError::Malformed(format!("duplicate task `{name}`")));
            }
        }
        Ok(round)
    }

    pub fn text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// The file of a task's result in a directory. It is there only if it is whole.
    pub fn result_of(folder: &Path, name: &str) -> PathBuf {
        folder.join(format!("{name}.json"))
    }

    /// The file to which a result goes before.
    pub fn draft_of(folder: &Path, name: &str) -> PathBuf {
        folder.join(format!(".{name}.part.json"))
    }

    /// The file of what was no whole result.
    pub fn cut_of(folder: &Path, name: &str) -> PathBuf {
        folder.join(format!(".{name}.json.cut"))
    }

    /// The file of what a task says.
    pub fn log_of(folder: &Path, name: &str) -> PathBuf {
        folder.join(".log").join(format!("{name}.txt"))
    }

    /// Looks after what was started. Whether anything changed.
    ///
    /// # Errors
    /// When the launcher does not answer.
    pub fn look_after(&mut self, folder: &Path, shell: &dyn Shell) -> Result<bool, LaunchError> {
        let before = self.tasks.clone();
        let launcher = self.setup.launcher();
        let started: Vec<(usize, Ticket)> = self
            .tasks
            .iter()
            .enumerate()
            .filter_map(|(rank, task)| match &task.state {
                TaskState::Started(ticket) => Some((rank, ticket.clone())),
                _ => None,
            })
            .collect();
        let tickets: Vec<Ticket> = started.iter().map(|(_, ticket)| ticket.clone()).collect();
        let standings = if tickets.is_empty() { Vec::new() } else { launcher.standing(&tickets, shell)? };
        for ((rank, ticket), standing) in started.into_iter().zip(standings) {
            let task = &mut self.tasks[rank];
            if matches!(standing, Standing::Done | Standing::Failed(_)) {
                launcher.collect(&task.at(folder, rank), &ticket, shell)?;
            }
            task.state = after(standing, ticket, folder, &task.name, shell);
        }
        Ok(self.tasks != before)
    }

    /// Starts the next task, if one is to come and there is room for it. Whether it did: what was started should be saved before more is.
    ///
    /// # Errors
    /// When the launcher does not answer.
    pub fn start_next(&mut self, folder: &Path, shell: &dyn Shell) -> Result<bool, LaunchError> {
        let has_room = self.tally().started < self.at_once;
        let next = self.tasks.iter_mut().enumerate().find(|(_, task)| task.state == TaskState::ToCome);
        let Some((rank, task)) = next.filter(|_| has_room) else { return Ok(false) };
        set_aside(&Self::draft_of(folder, &task.name), folder, &task.name, shell);
        task.state = match self.setup.launcher().start(&task.at(folder, rank), shell) {
            Ok(ticket) => TaskState::Started(ticket),
            Err(LaunchError::Refused { program, said }) => TaskState::Refused(format!("{program}: {said}")),
            Err(error) => return Err(error),
        };
        Ok(true)
    }

    /// Whether nothing is to come any more.
    pub fn is_over(&self) -> bool {
        let Tally { to_come, started, .. } = self.tally();
        to_come + started == 0
    }

    /// The words that run on a node, for a task without arguments of its own.
    pub fn program(&self, folder: &Path) -> Vec<String> {
        let task =
            RoundTask { arguments: Vec::new(), ..RoundTask::survey(Offer::named("node".into()), Vec::new()) };
        self.setup.launcher().program(&task.at(folder, 0))
    }

    /// Looks at the results that are said to be there. What is no whole result is set aside, and its task is to come; each of these is named, with the reason.
    pub fn look_at_results(&mut self, folder: &Path, shell: &dyn Shell) -> Vec<(String, NotWhole)> {
        let mut missing = Vec::new();
        for task in self.tasks.iter_mut().filter(|task| task.state == TaskState::Done) {
            let result = Self::result_of(folder, &task.name);
            if let Err(why) = shell.whole(&result) {
                set_aside(&result, folder, &task.name, shell);
                task.state = TaskState::ToCome;
                missing.push((task.name.clone(), why));
            }
        }
        missing
    }

    /// The tasks for which programs of an earlier process run still.
    pub fn orphans(&mut self, folder: &Path, shell: &dyn Shell) -> Vec<&mut RoundTask> {
        if !self.setup.has_children() {
            return Vec::new();
        }
        let files = |task: &RoundTask| [Self::draft_of(folder, &task.name), Self::log_of(folder, &task.name)];
        let is_orphan = |task: &&mut RoundTask| files(task).iter().any(|file| shell.is_held(file));
        self.tasks.iter_mut().filter(is_orphan).collect()
    }

    /// Tries again what failed or was refused.
    pub fn try_again(&mut self) {
        let failed = self.tasks.iter_mut();
        for task in failed.filter(|task| matches!(task.state, TaskState::Failed(_) | TaskState::Refused(_))) {
            task.state = TaskState::ToCome;
        }
    }

    /// Cancels what was started; it is to come again.
    ///
    /// # Errors
    /// When the launcher does not answer.
    pub fn stop(&mut self, shell: &dyn Shell) -> Result<(), LaunchError> {
        let mut tickets = Vec::new();
        for task in &mut self.tasks {
            if let TaskState::Started(ticket) = &task.state {
                tickets.push(ticket.clone());
                task.state = TaskState::ToCome;
            }
        }
        if tickets.is_empty() { Ok(()) } else { self.setup.launcher().stop(&tickets, shell) }
    }

    /// How many are how far.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for task in &self.tasks {
            *match task.state {
                TaskState::ToCome => &mut tally.to_come,
                TaskState::Started(_) => &mut tally.started,
                TaskState::Done => &mut tally.done,
                TaskState::Failed(_) | TaskState::Refused(_) => &mut tally.failed,
            } += 1;
        }
        tally
    }
}

impl RoundTask {
    /// The survey of a node, which is named after it.
    pub fn survey(Offer { node, refused, .. }: Offer, arguments: Vec<String>) -> Self {
        let state = refused.map_or(TaskState::ToCome, TaskState::Refused);
        Self { name: node.clone(), node: Some(node), arguments, state }
    }

    /// The task, with its files in this directory.
    fn at(&self, folder: &Path, rank: usize) -> Task {
        let Self { name, node, arguments, .. } = self;
        Task {
            name: name.clone(),
            node: node.clone(),
            arguments: arguments.clone(),
            rank,
            draft: Round::draft_of(folder, name),
            log: Round::log_of(folder, name),
        }
    }
}

/// The state of a task that was started.
fn after(standing: Standing, ticket: Ticket, folder: &Path, name: &str, shell: &dyn Shell) -> TaskState {
    let (draft, result) = (Round::draft_of(folder, name), Round::result_of(folder, name));
    let aside = || set_aside(&draft, folder, name, shell);
    match standing {
        Standing::Waits(_) | Standing::Runs => TaskState::Started(ticket),
        Standing::Done => match shell.whole(&draft) {
            Ok(()) => match shell.rename(&draft, &result) {
                Ok(()) => TaskState::Done,
                Err(error) => TaskState::Failed(error.to_string()),
            },
            Err(NotWhole::Absent) => {
                TaskState::Failed("it finished, but its result is not in the directory".to_owned())
            }
            Err(NotWhole::Otherwise(why)) => {
                aside();
                let cut = Round::cut_of(folder, name);
                TaskState::Failed(format!(
                    "it finished, but `{}` is not a complete result: {why}",
                    cut.display()
                ))
            }
        },
        Standing::Failed(why) => {
            aside();
            TaskState::Failed(match shell.reason(&Round::log_of(folder, name)) {
                Some(said) => format!("{why}: {said}"),
                None => why,
            })
        }
        // Nobody knows how it ended; only its result can tell.
        Standing::Forgotten => {
            let is_whole = shell.whole(&draft).is_ok() && shell.rename(&draft, &result).is_ok();
            // Whoever gave it its name may have died before this was saved.
            if is_whole || shell.whole(&result).is_ok() {
                return TaskState::Done;
            }
            aside();
            TaskState::ToCome
        }
    }
}

/// Puts a file aside that is no whole result of a task.
fn set_aside(file: &Path, folder: &Path, name: &str, shell: &dyn Shell) {
    shell.set_aside(file, &Round::cut_of(folder, name));
}

#[cfg(test)]
mod tests;
