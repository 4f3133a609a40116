//! What a result is found by: the few facts and the values that an index keeps of it, so that thousands need not be read.

use uuid::Uuid;

use crate::{Completion, ExperimentName, Grade, Measure, RunId, Timestamp};

/// What an index keeps of a result.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedResult {
    /// What it is known by: its run, or else what follows from its content.
    pub id: RunId,
    /// Its machine, if it shows which one it is.
    pub machine: Option<IndexedMachine>,
    /// When it began, if it says so.
    pub started_at: Option<Timestamp>,
    /// Where its values come from, in short (`host`).
    pub origin: String,
    /// Whether it is complete.
    pub completion: Completion,
    /// The grade of the measurement, if it has one.
    pub grade: Option<Grade>,
    /// Why its values do not count, if they do not.
    pub unusable: Option<String>,
    pub produced_by: String,
    /// What it says of its machine and of how it was measured, in words, in the order in which pages show it.
    pub traits: Vec<Trait>,
    /// Its headlines and its cells.
    pub values: Vec<IndexedValue>,
}

/// The machine of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedMachine {
    /// What it is known by.
    pub key: MachineKey,
    /// What it is called until somebody gives it another name.
    pub name: String,
}

/// What a machine is known by: a hash of what its results say of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MachineKey(pub Uuid);

/// A fact about a machine or a run that may change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trait {
    /// What it is about (`firmware`).
    pub what: String,
    /// Its value, in words.
    pub value: String,
}

/// Values of one kind over many results.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Series {
    /// Whether it summarizes an experiment, or is one of its cells.
    pub role: Role,
    pub experiment: ExperimentName,
    pub measure: Measure,
    /// Where, in words (`local`; `initiator 0, target 1`).
    pub place: String,
}

/// What a series is to its experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// One of the few values that summarize it.
    Headline,
    /// One of its cells.
    Cell,
}

/// A value of a result.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedValue {
    /// What it is a value of.
    pub series: Series,
    /// The value, in the measure's unit, with its interval.
    pub reading: Reading,
}

/// A value with its interval, in its measure's unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    pub value: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end of its interval.
    pub high: f64,
    /// Whether a warning says that it may be wrong by more than that.
    pub doubtful: bool,
}

impl Completion {
    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Interrupted => "interrupted",
            Self::Running => "running",
        }
    }
}
