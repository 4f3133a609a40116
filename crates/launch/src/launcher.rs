//! What a launcher is.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::shell::{Shell, ShellError};

/// Starts tasks, and knows how they are.
pub trait Launcher {
    /// The nodes that there are, if the user names none.
    ///
    /// # Errors
    /// When the scheduler does not answer.
    fn nodes(&self, shell: &dyn Shell) -> Result<Vec<Offer>, LaunchError>;

    /// The words that run on the node of a task: a program and its arguments.
    fn program(&self, task: &Task) -> Vec<String>;

    /// Starts a task.
    ///
    /// # Errors
    /// When it is refused.
    fn start(&self, task: &Task, shell: &dyn Shell) -> Result<Ticket, LaunchError>;

    /// How these are, each in its place.
    ///
    /// # Errors
    /// When the scheduler does not answer.
    fn standing(&self, tickets: &[Ticket], shell: &dyn Shell) -> Result<Vec<Standing>, LaunchError>;

    /// Cancels these and nothing else.
    ///
    /// # Errors
    /// When the scheduler does not answer.
    fn stop(&self, tickets: &[Ticket], shell: &dyn Shell) -> Result<(), LaunchError>;

    /// Whether tasks are programs of this process, which end with it.
    fn has_children(&self) -> bool {
        false
    }

    /// Brings the result and the log of a task that has ended, if these do not come by themselves.
    ///
    /// # Errors
    /// When the scheduler does not answer.
    fn collect(&self, task: &Task, ticket: &Ticket, shell: &dyn Shell) -> Result<(), LaunchError> {
        let _ = (task, ticket, shell);
        Ok(())
    }
}

/// A node that could take a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    pub node: String,
    /// Why it takes none now.
    pub refused: Option<String>,
    /// Its CPUs, where the scheduler says.
    pub cpus: Option<usize>,
}

impl Offer {
    /// A node that the user names.
    pub fn named(node: String) -> Self {
        Self { node, refused: None, cpus: None }
    }
}

/// One start of a program: the survey of a node, a chunk of a sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    pub name: String,
    /// The node that it is for, if not any node will do.
    pub node: Option<String>,
    /// What follows the words that all tasks have in common.
    pub arguments: Vec<String>,
    /// Its rank among the tasks of this round.
    pub rank: usize,
    /// The file to which its result goes; whole, it gets another name.
    pub draft: PathBuf,
    /// The file of what is said meanwhile.
    pub log: PathBuf,
}

impl Task {
    /// Where it runs, by name: a survey is named after its node.
    pub(crate) fn place(&self) -> &str {
        self.node.as_deref().unwrap_or(&self.name)
    }

    /// The words that start it, of those that all tasks have in common.
    pub(crate) fn words(&self, common: &[String]) -> Vec<String> {
        common.iter().chain(&self.arguments).cloned().collect()
    }

    /// The same, and the file to which its result goes.
    pub(crate) fn words_with_file(&self, common: &[String]) -> Vec<String> {
        let mut words = self.words(common);
        words.extend(["-o".to_owned(), self.draft.display().to_string()]);
        words
    }

    /// The same, with the result on standard output, and nothing on the node's disk.
    pub(crate) fn words_with_output(&self, common: &[String]) -> Vec<String> {
        let mut words = self.words(common);
        words.extend(["--format", "json", "--no-files"].map(str::to_owned));
        words
    }
}

/// What a scheduler calls a task that it was given.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ticket(pub String);

/// How a task is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It waits, for this reason.
    Waits(String),
    Runs,
    /// It has ended well.
    Done,
    /// It has ended otherwise.
    Failed(String),
    /// Nobody knows of it any more.
    Forgotten,
}

/// Why a launcher could not do what it should.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// A program cannot be run.
    #[error(transparent)]
    Shell(#[from] ShellError),
    #[error("`{program}` failed: {said}")]
    Refused { program: String, said: String },
    /// The program that would carry a job is not there; the job is written.
    #[error("`{program}` was not found; the job of the first node is in `{}`", file.display())]
    Written {
        program: String,
        /// The file of the job.
        file: PathBuf,
    },
    /// The launcher does not know the nodes.
    #[error("no nodes were given")]
    NoNodes,
}

impl LaunchError {
    /// What the user can do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Shell(ShellError::Missing { program }) => {
                format!("install `{program}`, or choose another --launcher")
            }
            Self::Shell(_) => "check that it can be executed here".to_owned(),
            Self::Refused { program, .. } => format!("run `{program}` by hand with the same options"),
            Self::Written { program, .. } => {
                format!(
                    "run this on a host with `{program}`, or fill in the job's resources and submit it yourself"
                )
            }
            Self::NoNodes => {
                "give the nodes with --nodes 8, --nodelist n[1-8], or a file of hosts".to_owned()
            }
        }
    }
}

/// The output of a program that must succeed.
pub(crate) fn answer(words: &[String], shell: &dyn Shell) -> Result<String, LaunchError> {
    let answer = shell.run(words)?;
    if answer.status == 0 {
        return Ok(answer.output);
    }
    let said =
        answer.errors.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it gives no reason");
    Err(LaunchError::Refused { program: words[0].clone(), said: said.trim().to_owned() })
}
