//! Workers: the pinned threads of a workload. Each runs its task whenever it gets an order.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

use zerohop_machine::{NodeId, PuId};
use zerohop_workload::{EngineError, Noise};

use crate::clock::Clock;
use crate::findings::Findings;
use crate::limit::Limit;
use crate::noise::Watch;
use crate::pinning::{pin_to, running_on, running_on_node, stay_on};
use crate::progress_log::{Mark, ProgressLog};
use crate::task::Task;

/// One sample to be taken.
#[derive(Debug)]
pub(crate) struct Order {
    /// The number of the sample, counted from one.
    pub(crate) number: u64,
    /// When to start, in ticks. Work before `from` only warms up.
    pub(crate) start: u64,
    /// When to start logging work.
    pub(crate) from: u64,
    /// When to stop, after finishing the current chunk.
    pub(crate) stop: u64,
    /// The log to use. Its old content does not matter.
    pub(crate) log: ProgressLog,
}

/// A message from a worker.
#[derive(Debug)]
pub(crate) enum Message {
    /// The worker runs on its PU, which is on this node if the kernel says so; or it cannot.
    Ready(Result<Option<NodeId>, EngineError>),
    /// The worker has carried out an order.
    Done(Report),
    /// The worker can no longer run on its PU, and has ended.
    Lost(EngineError),
}

/// One sample of one worker.
#[derive(Debug)]
pub(crate) struct Report {
    /// The work done over time.
    pub(crate) log: ProgressLog,
    /// What the worker timed by itself.
    pub(crate) findings: Findings,
    /// What disturbed the worker.
    pub(crate) noise: Noise,
}

/// A worker before it runs.
pub(crate) struct Worker {
    /// Its number in the workload.
    pub(crate) rank: usize,
    /// The PU that it runs on.
    pub(crate) pu: PuId,
    pub(crate) task: Task,
    /// The clock of the orders' ticks.
    pub(crate) clock: Clock,
    /// Set to make it stop.
    pub(crate) abort: Arc<AtomicBool>,
}

/// The shortest chunk in a window of 10 ms or more. It makes the gap between two chunks cost far less than 0.1 %: a reading of the clock and, for
/// non-temporal stores, a fence that waits for the last of them.
const CHUNK: Duration = Duration::from_micros(500);

/// A chunk is at most one part in this many of a window: a few marks would neither show a gap nor have a median.
const MARKS: u64 = 20;

impl Worker {
    /// Carries out orders until the crew is gone.
    pub(crate) fn run(mut self, orders: &Receiver<Order>, messages: &Sender<(usize, Message)>) {
        let pinned = pin_to(self.pu).map(|()| running_on_node());
        let failed = pinned.is_err();
        if messages.send((self.rank, Message::Ready(pinned))).is_err() || failed {
            return;
        }
        let watch = Watch::new(self.pu);
        let (mut chunk, largest) = self.task.chunks();
        while let Ok(order) = orders.recv() {
            let sampled = stay_on(self.pu).and_then(|()| {
                let before = watch.look(&self.clock);
                let (log, elsewhere) = self.sample(order, &mut chunk, largest);
                let mut noise = watch.between(&before, &watch.look(&self.clock), &self.clock);
                noise.migrations += elsewhere;
                // Whatever moved it away may keep it away.
                if noise.migrations > 0 {
                    stay_on(self.pu)?;
                }
                Ok(Report { log, findings: self.task.findings(), noise })
            });
            let lost = sampled.is_err();
            let message = sampled.map_or_else(Message::Lost, Message::Done);
            if messages.send((self.rank, message)).is_err() || lost {
                return;
            }
        }
    }

    /// The timed section: no allocation, no lock, and no system call but that for the PU's number where the kernel has no other
    /// way to it (on Arm). The second value is the number of marks at which the worker was on another PU.
    fn sample(&mut self, order: Order, chunk: &mut u64, largest: u64) -> (ProgressLog, u64) {
        let Order { number, start, from, stop, mut log } = order;
        let clock = &self.clock;
        let short = clock.ticks(CHUNK).min(stop.saturating_sub(from) / MARKS);
        let limit = Limit { clock, tick: stop, abort: &self.abort };
        self.task.begin(number);
        let went_on = Limit { tick: start, ..limit }.wait();
        let mut tick = clock.start();
        let mut done = 0;
        let mut elsewhere = 0;
        log.restart(Mark { tick, done });
        if !went_on {
            // A log of one mark has no window: the sample is taken again, by the clock as it counts now.
            return (log, elsewhere);
        }
        loop {
            // Tens of nanoseconds in half a millisecond. Where emulated CPUs share one of the host's, the others have their turn now,
            // and not only after a whole time slice: all workers then have run in any window of some length.
            std::hint::spin_loop();
            done += self.task.advance(*chunk, &limit);
            let now = clock.mark();
            elsewhere += u64::from(running_on() != self.pu);
            let mark = Mark { tick: now, done };
            if now < tick {
                // The clock went back: see above.
                log.restart(mark);
                return (log, elsewhere);
            }
            let is_over = now >= stop || self.abort.load(Ordering::Relaxed);
            if !is_over && now < from {
                // The log starts at the last mark before work counts.
                log.restart(mark);
                self.task.forget();
                if now - tick < short && *chunk * 2 <= largest {
                    *chunk *= 2;
                }
            } else if !is_over {
                log.push(mark);
            } else {
                // Only this reading waits for loads and stores in flight, so that no unfinished work counts.
                log.push(Mark { tick: clock.stop(), done });
                return (log, elsewhere);
            }
            tick = now;
        }
    }
}
