//! One thread of a workload: pinned, doing its task whenever it is ordered to.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

use zerohop_machine::PuId;
use zerohop_workload::{EngineError, Noise};

use crate::clock::Clock;
use crate::limit::Limit;
use crate::noise::Watch;
use crate::pinning::pin_to;
use crate::progress_log::{Mark, ProgressLog};
use crate::task::Task;

/// One sample to be taken.
#[derive(Debug)]
pub(crate) struct Order {
    /// Which sample, counted from one.
    pub(crate) number: u64,
    /// When to begin, in ticks. What is done before `from` only warms up.
    pub(crate) start: u64,
    /// From when on work is logged.
    pub(crate) from: u64,
    /// When to stop, after the chunk under way.
    pub(crate) stop: u64,
    /// Where to log, empty or not.
    pub(crate) log: ProgressLog,
}

/// What a worker says.
#[derive(Debug)]
pub(crate) enum Message {
    /// It runs where it shall, or cannot.
    Ready(Result<(), EngineError>),
    /// It has carried an order out.
    Done(Report),
}

/// One sample of one worker.
#[derive(Debug)]
pub(crate) struct Report {
    /// What was done when.
    pub(crate) log: ProgressLog,
    /// What disturbed it.
    pub(crate) noise: Noise,
}

/// What a worker is made with.
pub(crate) struct Worker {
    /// Its number in the workload.
    pub(crate) rank: usize,
    /// Where it runs.
    pub(crate) pu: PuId,
    /// What it does.
    pub(crate) task: Task,
    /// The clock that orders are in.
    pub(crate) clock: Clock,
    /// Set to make it stop.
    pub(crate) abort: Arc<AtomicBool>,
}

/// A chunk this long makes what comes between two of them cost far less than 0.1 %: a look at the clock, and for
/// non-temporal stores a fence that waits for the last of them.
const CHUNK: Duration = Duration::from_micros(500);

impl Worker {
    /// Carries orders out until nobody can give any.
    pub(crate) fn run(mut self, orders: &Receiver<Order>, messages: &Sender<(usize, Message)>) {
        let pinned = pin_to(self.pu);
        let failed = pinned.is_err();
        if messages.send((self.rank, Message::Ready(pinned))).is_err() || failed {
            return;
        }
        let watch = Watch::new(self.pu);
        let (mut chunk, largest) = self.task.chunks();
        while let Ok(order) = orders.recv() {
            let before = watch.look(&self.clock);
            let log = self.sample(order, &mut chunk, largest);
            let noise = watch.between(&before, &watch.look(&self.clock), &self.clock);
            if messages.send((self.rank, Message::Done(Report { log, noise }))).is_err() {
                return;
            }
        }
    }

    /// The timed section: no system call, no allocation, no lock.
    fn sample(&mut self, order: Order, chunk: &mut u64, largest: u64) -> ProgressLog {
        let Order { number, start, from, stop, mut log } = order;
        let clock = &self.clock;
        let short = clock.ticks(CHUNK);
        let limit = Limit { clock, tick: stop, abort: &self.abort };
        self.task.begin(number);
        clock.spin_until(start);
        let mut tick = clock.start();
        let mut done = 0;
        log.restart(Mark { tick, done });
        loop {
            done += self.task.advance(*chunk, &limit);
            let now = clock.mark();
            let mark = Mark { tick: now, done };
            if now < from {
                // The last mark before work counts is where the log begins.
                log.restart(mark);
                if now - tick < short && *chunk * 2 <= largest {
                    *chunk *= 2;
                }
            } else if now < stop && !self.abort.load(Ordering::Relaxed) {
                log.push(mark);
            } else {
                // Here alone the loads and stores under way are waited for: nothing unfinished counts.
                log.push(Mark { tick: clock.stop(), done });
                return log;
            }
            tick = now;
        }
    }
}
