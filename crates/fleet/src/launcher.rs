//! What a launcher is.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::shell::{Shell, ShellError};

/// Starts the survey of a node, and knows how it is.
pub trait Launcher {
    /// The nodes that there are, if the user names none.
    ///
    /// # Errors
    /// When the scheduler does not answer.
    fn nodes(&self, shell: &dyn Shell) -> Result<Vec<Offer>, LaunchError>;

    /// Starts the survey of a node.
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

    /// Brings the result and the log of a survey that has ended, if these do not come by themselves.
    ///
    /// # Errors
    /// When the scheduler does not answer.
    fn collect(&self, task: &Task, ticket: &Ticket, shell: &dyn Shell) -> Result<(), LaunchError> {
        let _ = (task, ticket, shell);
        Ok(())
    }
}

/// A node that could be surveyed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// Its name.
    pub node: String,
    /// Why it cannot be surveyed now.
    pub refused: Option<String>,
}

/// The survey of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The node.
    pub node: String,
    /// Its rank among the nodes of this round.
    pub rank: usize,
    /// The file of its result.
    pub result: PathBuf,
    /// The file of what is said meanwhile.
    pub log: PathBuf,
}

/// What a scheduler calls a survey that it was given.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ticket(pub String);

/// How a survey is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It waits, for this reason.
    Waits(String),
    /// It runs.
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
    /// A program refused.
    #[error("`{program}` failed: {said}")]
    Refused {
        /// The program.
        program: String,
        /// What it said.
        said: String,
    },
    /// The program that would carry a job is not there; the job is written.
    #[error("`{program}` is not there; the job of the first node is in `{}`", file.display())]
    Written {
        /// The program.
        program: String,
        /// The file of the job.
        file: PathBuf,
    },
    /// The launcher does not know the nodes.
    #[error("nobody says which nodes there are")]
    NoNodes,
}

impl LaunchError {
    /// What the user can do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Shell(ShellError::Missing { program }) => {
                format!("install what `{program}` belongs to, or choose another --launcher")
            }
            Self::Shell(_) => "see that it may be run here".to_owned(),
            Self::Refused { program, .. } => format!("try `{program}` by hand, with the same options"),
            Self::Written { program, .. } => {
                format!("run this where `{program}` is, or fill in its resources and carry the job yourself")
            }
            Self::NoNodes => "name the nodes: --nodes 8, --nodelist n[1-8], or a file of hosts".to_owned(),
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
        answer.errors.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it says no reason");
    Err(LaunchError::Refused { program: words[0].clone(), said: said.trim().to_owned() })
}
