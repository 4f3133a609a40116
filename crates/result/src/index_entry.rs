//! Index entry of a result: a few facts and values, so that an archive need not read all results.

use uuid::Uuid;

use crate::{Completion, ExperimentName, Grade, Measure, RunId, Timestamp};

/// Index entry of a result.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedResult {
    /// Id of the result: that of its run, otherwise derived from its content.
    pub id: RunId,
    /// Machine of the result, if the result identifies it.
    pub machine: Option<IndexedMachine>,
    /// Start time, if the result states it.
    pub started_at: Option<Timestamp>,
    /// Origin of the values, in short (`host`).
    pub origin: String,
    /// Whether it is complete.
    pub completion: Completion,
    /// The grade of the measurement, if it has one.
    pub grade: Option<Grade>,
    /// Reason why the values are not used, if they are not.
    pub unusable: Option<String>,
    pub produced_by: String,
    /// Facts that the result states about its machine and its measurement, in words, in the order of pages.
    pub traits: Vec<Trait>,
    /// Headlines and cells of the result.
    pub values: Vec<IndexedValue>,
}

/// The machine of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedMachine {
    /// Key of the machine.
    pub key: MachineKey,
    /// Default name of the machine, until it is renamed.
    pub name: String,
}

/// Key of a machine: a hash of the identity that its results state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MachineKey(pub Uuid);

/// A fact about a machine or a run that may change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trait {
    /// Name of the fact (`firmware`).
    pub what: String,
    /// Value of the fact, in words.
    pub value: String,
}

/// Values of one kind over many results.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Series {
    /// Whether it summarizes an experiment, or is one of its cells.
    pub role: Role,
    pub experiment: ExperimentName,
    pub measure: Measure,
    /// Position of the value, in words (`local`; `initiator 0, target 1`).
    pub place: String,
}

/// Role of a series in its experiment.
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
    /// Series that the value belongs to.
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
    /// Name of the role in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Interrupted => "interrupted",
            Self::Running => "running",
        }
    }
}
