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

    /// Whether to begin nothing else. What is under way ends by the engine's own stop flag.
    fn interrupted(&self) -> bool;

    /// Who does what can be done at the same time: measurements on a model.
    fn executor(&self) -> &dyn Executor {
        &Sequential
    }

    /// Who counts simulations as they are done. Events come in order and therefore late, where several are done at the same time.
    fn meter(&self) -> &dyn Meter {
        &Uncounted
    }
}

/// Counts simulated workloads as they are done, whatever thread did them.
pub trait Meter: Sync {
    /// Another workload of the experiment under way is done.
    fn workload_done(&self);
}

/// Counts nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Uncounted;

impl Meter for Uncounted {
    fn workload_done(&self) {}
}
