//! Who starts programs and keeps files.

use std::path::{Path, PathBuf};

#[cfg(test)]
pub(crate) mod scripted;

/// Starts programs, and reads what they leave.
pub trait Shell {
    /// Runs a program to its end.
    ///
    /// # Errors
    /// When it cannot be started.
    fn run(&self, words: &[String]) -> Result<Answer, ShellError>;

    /// Starts a program, and returns its number. Its output goes to this file, which is new and is held (see [`Shell::is_held`]) for as long as the program
    /// runs; its errors go to another one. Its standard input ends when this process does.
    ///
    /// # Errors
    /// When it cannot be started, or a file cannot be written.
    fn start(&self, words: &[String], output: &Path, errors: &Path) -> Result<u32, ShellError>;

    /// The exit status of a program that was started; `None` while it runs. Of a program that somebody else started, an error.
    ///
    /// # Errors
    /// When it is not a program of this process.
    fn ended(&self, number: u32) -> Result<Option<i32>, ShellError>;

    /// Ends programs that were started, and returns when they have ended.
    fn stop(&self, numbers: &[u32]);

    /// Why a program failed, by what it said in this file: its error, or else its last lines. `None` if it said nothing.
    fn reason(&self, log: &Path) -> Option<String>;

    /// Writes a file.
    ///
    /// # Errors
    /// When it cannot be written.
    fn write(&self, path: &Path, text: &str) -> Result<(), ShellError>;

    /// Looks whether a file is a whole result.
    ///
    /// # Errors
    /// When it is none.
    fn whole(&self, path: &Path) -> Result<(), NotWhole>;

    /// Gives a file another name, which it has on the disk when this returns.
    ///
    /// # Errors
    /// When it cannot be given.
    fn rename(&self, from: &Path, to: &Path) -> Result<(), ShellError>;

    /// Puts a file that is no whole result aside under another name; an empty one is removed. Whether there is one then.
    fn set_aside(&self, from: &Path, to: &Path) -> bool;

    /// Whether a program that an earlier process started has this file as its output still.
    fn is_held(&self, path: &Path) -> bool;
}

/// Why a file is no whole result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotWhole {
    /// There is none, or it is empty.
    #[error("it was not found")]
    Absent,
    /// A part of it is there, or something else.
    #[error("{0}")]
    Otherwise(String),
}

/// What a program answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    pub status: i32,
    pub output: String,
    pub errors: String,
}

/// Why a program could not be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShellError {
    /// There is no such program.
    #[error("`{program}` was not found")]
    Missing { program: String },
    /// It could not be started.
    #[error("cannot start `{program}`: {reason}")]
    NotStarted { program: String, reason: String },
    /// A file cannot be written.
    #[error("cannot write `{}`: {reason}", path.display())]
    NotWritten { path: PathBuf, reason: String },
    /// Another process started it, which is gone.
    #[error("it was started by a run that has exited")]
    Stranger,
}
