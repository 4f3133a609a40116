//! A shell for tests: programs answer as a script has it, and what they were asked and given is kept.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{Answer, Shell, ShellError};

/// Answers the words of a command; `None` if there is no such program.
type Script = Box<dyn Fn(&[String]) -> Option<Answer>>;

/// A shell in which nothing is really done.
pub(crate) struct Scripted {
    script: Script,
    /// Commands that were run to their end, as lines.
    pub(crate) asked: RefCell<Vec<String>>,
    /// Commands that were started, as lines; the number of each is its place, from 1.
    pub(crate) started: RefCell<Vec<String>>,
    /// Exit statuses of those that have ended, by number.
    pub(crate) ended: RefCell<BTreeMap<u32, i32>>,
    /// Numbers of those that were stopped.
    pub(crate) stopped: RefCell<Vec<u32>>,
    /// Files, by name.
    pub(crate) files: RefCell<BTreeMap<PathBuf, String>>,
}

impl Scripted {
    /// With these answers.
    pub(crate) fn new(script: impl Fn(&[String]) -> Option<Answer> + 'static) -> Self {
        Self {
            script: Box::new(script),
            asked: RefCell::default(),
            started: RefCell::default(),
            ended: RefCell::default(),
            stopped: RefCell::default(),
            files: RefCell::default(),
        }
    }

    /// Without any program that answers.
    pub(crate) fn silent() -> Self {
        Self::new(|_| None)
    }
}

impl Shell for Scripted {
    fn run(&self, words: &[String]) -> Result<Answer, ShellError> {
        self.asked.borrow_mut().push(words.join(" "));
        (self.script)(words).ok_or_else(|| ShellError::Missing { program: words[0].clone() })
    }

    fn start(&self, words: &[String], _: &Path, _: &Path) -> Result<u32, ShellError> {
        self.started.borrow_mut().push(words.join(" "));
        Ok(self.started.borrow().len() as u32)
    }

    fn ended(&self, number: u32) -> Result<Option<i32>, ShellError> {
        match number as usize <= self.started.borrow().len() {
            true => Ok(self.ended.borrow().get(&number).copied()),
            false => Err(ShellError::Stranger),
        }
    }

    fn stop(&self, number: u32) {
        self.stopped.borrow_mut().push(number);
    }

    fn last_lines(&self, path: &Path) -> Option<String> {
        self.files.borrow().get(path).cloned()
    }

    fn write(&self, path: &Path, text: &str) -> Result<(), ShellError> {
        self.files.borrow_mut().insert(path.to_owned(), text.to_owned());
        Ok(())
    }

    fn exists(&self, path: &Path) -> bool {
        self.files.borrow().contains_key(path)
    }
}
