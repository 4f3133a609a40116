//! Accounts for the engine's time: what it goes into besides samples.

use std::cell::Cell;
use std::time::{Duration, Instant};

use zerohop_units::Seconds;
use zerohop_workload::TimeSpent;

/// What the engine's time went into so far.
#[derive(Debug, Default)]
pub(crate) struct Account(Cell<TimeSpent>);

/// A part of the time.
pub(crate) type Part = fn(&mut TimeSpent) -> &mut Seconds;

/// Mapping memory, touching it and filling it.
pub(crate) const FILLING: Part = |spent| &mut spent.filling;

pub(crate) const LINKING: Part = |spent| &mut spent.linking;

/// Starting and ending threads.
pub(crate) const THREADS: Part = |spent| &mut spent.threads;

/// Looking where pages are, and what else the machine did.
pub(crate) const CHECKING: Part = |spent| &mut spent.checking;

/// Trials of forms of kernels.
pub(crate) const TRIALS: Part = |spent| &mut spent.trials;

/// Windows in which work counts.
pub(crate) const SAMPLING: Part = |spent| &mut spent.sampling;

/// What goes before such a window.
pub(crate) const WARMING_UP: Part = |spent| &mut spent.warming_up;

/// Windows that showed nothing.
pub(crate) const LOST: Part = |spent| &mut spent.lost;

impl Account {
    /// Everything so far. Its whole is unknown to the engine.
    pub(crate) fn spent(&self) -> TimeSpent {
        self.0.get()
    }

    /// Adds to a part.
    pub(crate) fn add(&self, part: Part, time: Duration) {
        let mut spent = self.0.get();
        let so_far = part(&mut spent);
        *so_far = *so_far + time.into();
        self.0.set(spent);
    }

    /// Works, and adds the time of that to a part.
    pub(crate) fn time<R>(&self, part: Part, work: impl FnOnce() -> R) -> R {
        let began = Instant::now();
        let done = work();
        self.add(part, began.elapsed());
        done
    }
}
