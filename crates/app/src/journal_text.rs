//! The text of a sweep's journal: the inputs that determine its points, then one line for each. [`zerohop_experiment::campaign::JournalFormat`]
//! describes the format of lines; programs with access to files write them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use zerohop_experiment::campaign::{Entries, JournalFormat, NoHead};
use zerohop_study::{Outcome, Question};

use crate::hint::Hinted;

/// Version of the journal's format.
const VERSION: u32 = 2;

/// Everything that determines the results of points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// Version of the format.
    version: u32,
    /// The question of the sweep.
    question: Question,
    /// The machine file, with all that it extends.
    machine_file: String,
}

/// Content of a journal.
#[derive(Debug)]
pub struct JournalText {
    pub format: JournalFormat,
    pub outcomes: BTreeMap<usize, Outcome>,
    /// Damaged lines, which are ignored.
    pub damaged: usize,
    /// Length up to the end of the last complete line: what follows goes.
    pub whole: usize,
    /// The first line, if it is to be written yet.
    pub first: Option<String>,
}

/// Reason why a text is not the journal of a sweep.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    /// It answers another question.
    #[error("belongs to another sweep: {difference} changed")]
    OtherSweep {
        /// Difference, in words.
        difference: &'static str,
    },
    /// The first line is damaged.
    #[error("is damaged: its first line is corrupt")]
    Damaged,
    /// Another version wrote it.
    #[error("was written by another version of zerohop: its `version` is {0}, and this one reads {VERSION}")]
    OtherVersion(u64),
    /// It is something else.
    #[error("is not the journal of a sweep")]
    Other,
    /// The question cannot be written.
    #[error("cannot be created: {0}")]
    Unwritable(String),
}

impl Hinted for JournalError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::OtherSweep { .. } => "choose another file with -o, or remove this one to start over",
            Self::Damaged => "remove it to start over",
            Self::OtherVersion(_) => "remove it to start over, or choose another file with -o",
            Self::Other => "choose another file with -o",
            Self::Unwritable(_) => return None,
        };
        Some(hint.to_owned())
    }
}

/// The version of a journal of any form: it is looked at before the rest, which another version writes in another way.
fn must_be_ours(bytes: &[u8]) -> Result<(), JournalError> {
    #[derive(Deserialize)]
    struct Version {
        version: u64,
    }
    match zerohop_experiment::campaign::head::<Version>(bytes) {
        Ok(Version { version }) if version != u64::from(VERSION) => Err(JournalError::OtherVersion(version)),
        _ => Ok(()),
    }
}

impl Head {
    /// The question about the machine that this file describes.
    pub fn new(question: &Question, machine_file: String) -> Self {
        Self { version: VERSION, question: question.clone(), machine_file }
    }

    /// The head of a journal begun by another process.
    ///
    /// # Errors
    /// If this version does not continue such a journal, or the text is something else.
    pub fn of(bytes: &[u8]) -> Result<Self, JournalError> {
        must_be_ours(bytes)?;
        match zerohop_experiment::campaign::head::<Self>(bytes) {
            Ok(head) => Ok(head),
            Err(NoHead::Damaged) => Err(JournalError::Damaged),
            Err(NoHead::Torn | NoHead::Other) => Err(JournalError::Other),
        }
    }

    /// The question of the sweep.
    pub fn question(&self) -> &Question {
        &self.question
    }

    /// The machine file, with all that it extends.
    pub fn machine_file(&self) -> &str {
        &self.machine_file
    }

    /// What differs, in words; `None` if they are the same.
    fn difference(&self, other: &Self) -> Option<&'static str> {
        let file = (self.machine_file != other.machine_file).then_some("the machine file");
        self.question.difference(&other.question).or(file)
    }

    /// Reads the journal of this sweep; an empty text is a journal that has not begun.
    ///
    /// # Errors
    /// If it is another sweep's journal, or something else.
    pub fn read(&self, bytes: &[u8]) -> Result<JournalText, JournalError> {
        let (format, first) =
            JournalFormat::begin(self).map_err(|error| JournalError::Unwritable(error.to_string()))?;
        let is_new = self.is_new(bytes, first.as_bytes())?;
        let Entries { entries, mut damaged, whole } = format.read::<Outcome>(bytes);
        let mut outcomes = BTreeMap::new();
        for (point, outcome) in entries {
            if self.question.sweep.admits(point, &outcome) {
                // A point that failed may have been tried again.
                outcomes.insert(point, outcome);
            } else {
                damaged += 1;
            }
        }
        Ok(JournalText { format, outcomes, damaged, whole, first: is_new.then_some(first) })
    }

    /// Whether a journal is still empty.
    fn is_new(&self, bytes: &[u8], first: &[u8]) -> Result<bool, JournalError> {
        must_be_ours(bytes)?;
        match zerohop_experiment::campaign::head::<Self>(bytes) {
            Ok(there) => match self.difference(&there) {
                None => Ok(false),
                Some(difference) => Err(JournalError::OtherSweep { difference }),
            },
            // The writer did not finish its first line, or the file is something else altogether.
            Err(NoHead::Torn) if first.starts_with(bytes) => Ok(true),
            Err(NoHead::Damaged) => Err(JournalError::Damaged),
            Err(NoHead::Torn | NoHead::Other) => Err(JournalError::Other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A journal of another version, which has another form, was "not the journal of a sweep".
    #[test]
    fn the_version_is_looked_at_before_the_form() {
        for version in [1, 9] {
            let head = serde_json::json!({ "version": version, "sorts": [] });
            let (_, line) = JournalFormat::begin(&head).unwrap();
            assert_eq!(Head::of(line.as_bytes()).unwrap_err(), JournalError::OtherVersion(version));
        }
        assert_eq!(Head::of(b"something else\n").unwrap_err(), JournalError::Other);
    }
}
