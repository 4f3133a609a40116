//! What an experiment tells while it runs, and what it asks of whoever runs it.

use std::time::Duration;

use zerohop_workload::Warning;

use crate::{Executor, Sequential};
use zerohop_result::{Cell, ExperimentName, ExperimentResult};

/// Something that happened. Progress bars, logs and result savers are consumers of these.
#[derive(Debug)]
pub enum Event<'a> {
    /// A plan was made: so many experiments, expected to take so long in all.
    Planned {
        /// In the order in which they will run, with the time each is expected to take.
        experiments: &'a [(ExperimentName, Duration)],
    },
    /// An experiment begins.
    ExperimentStarted {
        /// Which.
        experiment: &'a ExperimentName,
        /// How many cells it will fill.
        cells: usize,
    },
    /// A cell is about to be measured.
    CellStarted {
        /// What it is, in words (`node 0 -> node 1, read`).
        label: &'a str,
        /// Its rank, from zero.
        rank: usize,
        /// Of how many.
        of: usize,
    },
    /// A cell is done.
    CellFinished {
        /// With its estimate.
        cell: &'a Cell,
    },
    /// Something to be known at once.
    Warned {
        /// What.
        warning: &'a Warning,
    },
    /// An experiment is done, whole or interrupted: time to save it.
    ExperimentFinished {
        /// All of it.
        result: &'a ExperimentResult,
    },
}

/// Whoever runs an experiment: sees its events, lends it a clock, may stop it.
pub trait Observer {
    /// Takes notice of an event.
    fn event(&mut self, event: Event<'_>);

    /// Time since some fixed moment, never going back.
    fn now(&self) -> Duration;

    /// Whether to stop as soon as the sample under way is done.
    fn interrupted(&self) -> bool;

    /// Who does what can be done at the same time: measurements on a model.
    fn executor(&self) -> &dyn Executor {
        &Sequential
    }
}
