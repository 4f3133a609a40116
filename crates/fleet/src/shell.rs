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

    /// Starts a program, whose output goes to this file and whose errors go to another one, and returns its number.
    ///
    /// # Errors
    /// When it cannot be started, or a file cannot be written.
    fn start(&self, words: &[String], output: &Path, errors: &Path) -> Result<u32, ShellError>;

    /// The exit status of a program that was started; `None` while it runs. Of a program that somebody else started, an error.
    ///
    /// # Errors
    /// When it is not a program of this process.
    fn ended(&self, number: u32) -> Result<Option<i32>, ShellError>;

    /// Ends a program that was started.
    fn stop(&self, number: u32);

    /// The last lines of a text, if it can be read and is not empty.
    fn last_lines(&self, path: &Path) -> Option<String>;

    /// Writes a file.
    ///
    /// # Errors
    /// When it cannot be written.
    fn write(&self, path: &Path, text: &str) -> Result<(), ShellError>;

    /// Whether there is such a file.
    fn exists(&self, path: &Path) -> bool;
}

/// What a program answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// Its exit status.
    pub status: i32,
    /// Its output.
    pub output: String,
    /// Its errors.
    pub errors: String,
}

/// Why a program could not be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShellError {
    /// There is no such program.
    #[error("`{program}` is not there")]
    Missing {
        /// Its name.
        program: String,
    },
    /// It could not be started.
    #[error("`{program}` could not be started: {reason}")]
    NotStarted {
        /// Its name.
        program: String,
        /// Why.
        reason: String,
    },
    /// A file cannot be written.
    #[error("cannot write `{}`: {reason}", path.display())]
    NotWritten {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Another process started it, which is gone.
    #[error("it was started by a run that has ended")]
    Stranger,
}
