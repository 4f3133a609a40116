//! What an archive of results tells of them.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Reading, Series, Timestamp, Trait};

/// A result in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListedResult {
    /// Its id.
    pub id: String,
    /// What its machine is called.
    pub machine: String,
    /// When it counts as begun: at the time that it states, unless it states none or its clock was wrong. Then that is when it arrived.
    pub began_at: Option<Timestamp>,
    /// What it states instead, if its clock was wrong.
    pub stated_at: Option<Timestamp>,
    /// Where its values come from, in short.
    pub origin: String,
    /// Whether it is complete.
    pub completion: String,
    /// The grade of the measurement, if it has one.
    pub grade: Option<String>,
    /// Why it does not count, if it does not.
    pub unusable: Option<String>,
    /// Its writer.
    pub produced_by: String,
    /// Its experiments.
    pub experiments: Vec<String>,
    /// The number of its cells.
    pub cells: u64,
}

/// A time that a result states and that cannot be right: the clock of its machine was wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockRemark {
    pub stated_at: Timestamp,
    /// When it counts as begun.
    pub began_at: Timestamp,
}

impl fmt::Display for ClockRemark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stated_at, began_at } = self;
        write!(f, "wrong clock: it claims to have started at {stated_at}; zerohop uses {began_at}")
    }
}

impl ListedResult {
    /// What is wrong with the time that it states, if anything is.
    pub fn clock(&self) -> Option<ClockRemark> {
        Some(ClockRemark { stated_at: self.stated_at?, began_at: self.began_at? })
    }
}

/// A machine in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListedMachine {
    /// What it is called.
    pub name: String,
    /// The number of its results.
    pub results: u64,
    /// The number of those that count.
    pub usable: u64,
    /// The number of those whose clock was wrong.
    pub wrong_clocks: u64,
    /// When the first of them counts as begun.
    pub first: Option<Timestamp>,
    /// When the last of them counts as begun.
    pub last: Option<Timestamp>,
    /// The id of the latest one that counts.
    pub latest: Option<String>,
}

/// The results of a machine over time.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// What the machine is called.
    pub machine: String,
    /// Its results, from the first to the last.
    pub runs: Vec<HistoricRun>,
    /// Their values: those of results that do not count are not among them.
    pub courses: Vec<Course>,
}

/// A result of a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoricRun {
    pub listed: ListedResult,
    /// What it says of its machine and of how it was measured.
    pub traits: Vec<Trait>,
}

/// The course of a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// What it is the course of.
    pub series: Series,
    /// Its values, from the first to the last: the rank of the run, and what that says.
    pub readings: Vec<(usize, Reading)>,
}
