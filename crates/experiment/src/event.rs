//! Events of a running experiment, and the services that it needs from its caller.

use std::time::Duration;

use zerohop_workload::Warning;

use crate::{Executor, Sequential};
use zerohop_result::{Cell, ExperimentName, ExperimentResult};

/// Something that happened. Progress bars, logs and result savers are consumers of these.
#[derive(Debug)]
pub enum Event<'a> {
    /// A plan was made, with the expected time of each experiment.
    Planned {
        /// The experiments in the order in which they will run, each with its expected time.
        experiments: &'a [(ExperimentName, Duration)],
    },
    /// Experiments begin whose measurements are visited in turns. There may be only one.
    ExperimentsStarted {
        /// The experiments, each with the number of cells that it will fill.
        experiments: &'a [(ExperimentName, usize)],
    },
    /// A measurement is about to start, or to be visited once more.
    CellStarted {
        experiment: &'a ExperimentName,
        /// Description of the measurement (`node 0 -> node 1, read`).
        label: &'a str,
        /// Rank of the visit, from zero, among the visits of all experiments that began together.
        rank: usize,
        /// The number of visits expected to all of them: on an engine that needs no rounds, of measurements.
        of: usize,
    },
    /// Experiments have gone on for a while: time to save what there is.
    Checkpoint {
        /// The results so far of all experiments in progress, marked [`Completion::Running`](zerohop_result::Completion::Running).
        results: &'a [ExperimentResult],
        /// They go on for this long at most: until their intervals are narrow enough.
        left: Duration,
    },
    /// A cell is done.
    CellFinished {
        /// The cell, with its estimate.
        cell: &'a Cell,
    },
    /// A warning to report at once.
    Warned { warning: &'a Warning },
    /// An experiment is done, complete or interrupted: time to save it.
    ExperimentFinished { result: &'a ExperimentResult },
}

/// The caller of an experiment, which receives its events, provides a clock and may stop it.
pub trait Observer {
    fn event(&mut self, event: Event<'_>);

    /// The request is valid, and a host is being prepared: the first event may be many seconds away. Nothing is there to save yet.
    fn preparing(&mut self) {}

    /// Monotonic time since the command began: a budget counts from there.
    fn now(&self) -> Duration;

    /// Whether to start nothing else. Work in progress ends by the engine's own stop flag.
    fn interrupted(&self) -> bool;

    /// The executor of work that can run in parallel: measurements on a model.
    fn executor(&self) -> &dyn Executor {
        &Sequential
    }

    /// The meter that counts finished simulations. Events come in order, and so are late if several simulations run in parallel.
    fn meter(&self) -> &dyn Meter {
        &Uncounted
    }
}

/// Counts simulated workloads as they finish, on whichever thread.
pub trait Meter: Sync {
    /// Another workload of the current experiment is done.
    fn workload_done(&self);
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Uncounted;

impl Meter for Uncounted {
    fn workload_done(&self) {}
}
