//! Listings of the results and machines in an archive.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Reading, Series, Timestamp, Trait};

/// A result in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListedResult {
    /// Id of the result.
    pub id: String,
    /// Name of the machine.
    pub machine: String,
    /// Effective start time: the stated one if it is plausible, otherwise derived from the time of arrival.
    pub began_at: Option<Timestamp>,
    /// Implausible time that `began_at` replaces: the stated start time, or the time of arrival if none is stated. Absent if the clock was right.
    pub stated_at: Option<Timestamp>,
    /// Origin of the values, in short.
    pub origin: String,
    /// Completion of the result.
    pub completion: String,
    /// Grade of the measurement, if it has one.
    pub grade: Option<String>,
    /// Reason why the result is not used, if it is not.
    pub unusable: Option<String>,
    /// Program and version that wrote the result.
    pub produced_by: String,
    /// Experiments in the result.
    pub experiments: Vec<String>,
    /// Number of cells.
    pub cells: u64,
}

/// A time that a result states and that cannot be right: the clock of its machine was wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockRemark {
    pub stated_at: Timestamp,
    /// Effective start time.
    pub began_at: Timestamp,
}

impl fmt::Display for ClockRemark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stated_at, began_at } = self;
        write!(f, "wrong clock: it claims to have started at {stated_at}; zerohop uses {began_at}")
    }
}

impl ListedResult {
    /// Remark on the stated start time, if it is wrong.
    pub fn clock(&self) -> Option<ClockRemark> {
        Some(ClockRemark { stated_at: self.stated_at?, began_at: self.began_at? })
    }
}

/// A machine in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListedMachine {
    /// Name of the machine.
    pub name: String,
    /// Number of results.
    pub results: u64,
    /// Number of usable results.
    pub usable: u64,
    /// Number of results whose clock was wrong.
    pub wrong_clocks: u64,
    /// Effective start time of the first result.
    pub first: Option<Timestamp>,
    /// Effective start time of the last result.
    pub last: Option<Timestamp>,
    /// Id of the latest usable result.
    pub latest: Option<String>,
}

/// The results of a machine over time.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// Name of the machine.
    pub machine: String,
    /// Results of the machine, from the first to the last.
    pub runs: Vec<HistoricRun>,
    /// Values of the results over time; results that do not count are excluded.
    pub courses: Vec<Course>,
}

/// A result of a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoricRun {
    pub listed: ListedResult,
    /// Facts that the result states about its machine and its measurement.
    pub traits: Vec<Trait>,
}

/// The course of a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// Identification of the series.
    pub series: Series,
    /// Values from the first to the last: the rank of the run, and its value.
    pub readings: Vec<(usize, Reading)>,
}
