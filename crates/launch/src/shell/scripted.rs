//! A shell for tests: programs answer as a script has it, and what they were asked and given is kept.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{Answer, NotWhole, Shell, ShellError};

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
    /// Files that programs of an earlier process have as their output.
    pub(crate) held: RefCell<BTreeSet<PathBuf>>,
    pub(crate) files: RefCell<BTreeMap<PathBuf, String>>,
}

impl Scripted {
    pub(crate) fn new(script: impl Fn(&[String]) -> Option<Answer> + 'static) -> Self {
        Self {
            script: Box::new(script),
            asked: RefCell::default(),
            started: RefCell::default(),
            ended: RefCell::default(),
            stopped: RefCell::default(),
            held: RefCell::default(),
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

    fn stop(&self, numbers: &[u32]) {
        self.stopped.borrow_mut().extend(numbers);
    }

    fn reason(&self, path: &Path) -> Option<String> {
        self.files.borrow().get(path).cloned()
    }

    fn write(&self, path: &Path, text: &str) -> Result<(), ShellError> {
        self.files.borrow_mut().insert(path.to_owned(), text.to_owned());
        Ok(())
    }

    /// What begins and ends with a brace is whole.
    fn whole(&self, path: &Path) -> Result<(), NotWhole> {
        match self.files.borrow().get(path) {
            None => Err(NotWhole::Absent),
            Some(text) if text.starts_with('{') && text.ends_with('}') => Ok(()),
            Some(_) => Err(NotWhole::Otherwise("it ends in the middle".to_owned())),
        }
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), ShellError> {
        let mut files = self.files.borrow_mut();
        let text = files.remove(from).unwrap_or_default();
        files.insert(to.to_owned(), text);
        Ok(())
    }

    fn set_aside(&self, from: &Path, to: &Path) -> bool {
        let is_there = self.files.borrow().contains_key(from);
        is_there && self.rename(from, to).is_ok()
    }

    fn is_held(&self, path: &Path) -> bool {
        self.held.borrow().contains(path)
    }
}
