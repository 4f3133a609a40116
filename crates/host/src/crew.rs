//! All threads of a workload, started together and waited for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use zerohop_machine::PuId;
use zerohop_workload::EngineError;

use crate::clock::Clock;
use crate::progress_log::ProgressLog;
use crate::task::Task;
use crate::worker::{Message, Order, Report, Worker};

/// When one worker begins, begins to count, and stops, in ticks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shift {
    /// It warms up from here on.
    pub(crate) start: u64,
    /// Its work is logged from here on.
    pub(crate) from: u64,
    /// It stops at the end of its chunk here.
    pub(crate) stop: u64,
}

/// Threads in place.
#[derive(Debug)]
pub(crate) struct Crew {
    members: Vec<Member>,
    messages: Receiver<(usize, Message)>,
    abort: Arc<AtomicBool>,
    samples: u64,
    /// A worker does not answer.
    lost: bool,
    /// A sample failed: what workers still have to say is of no use to another.
    failed: bool,
}

#[derive(Debug)]
struct Member {
    orders: Option<Sender<Order>>,
    thread: Option<JoinHandle<()>>,
    log: Option<ProgressLog>,
}

/// How often an interrupt and dead threads are looked for.
const LOOK: Duration = Duration::from_millis(50);

/// A worker that is this late has died without a word, or is kept from running altogether.
const PATIENCE: Duration = Duration::from_secs(20);

impl Crew {
    /// Starts a thread on each PU.
    ///
    /// # Errors
    /// When a thread cannot be started, or does not run where it shall.
    pub(crate) fn new(
        tasks: Vec<(PuId, Task)>,
        clock: Clock,
        interrupted: &AtomicBool,
    ) -> Result<Self, EngineError> {
        let (sender, messages) = channel();
        let abort = Arc::new(AtomicBool::new(false));
        let mut crew = Self { members: Vec::new(), messages, abort, samples: 0, lost: false, failed: false };
        for (rank, (pu, task)) in tasks.into_iter().enumerate() {
            let worker = Worker { rank, pu, task, clock, abort: Arc::clone(&crew.abort) };
            let (orders, received) = channel();
            let sender = sender.clone();
            let thread = Builder::new()
                .name(format!("worker on CPU {pu}"))
                .spawn(move || worker.run(&received, &sender))
                .map_err(|error| EngineError::System { call: "clone", reason: error.to_string() })?;
            let log = Some(ProgressLog::new());
            crew.members.push(Member { orders: Some(orders), thread: Some(thread), log });
        }
        drop(sender);
        for _ in 0..crew.members.len() {
            if let (_, Message::Ready(ready)) = crew.next(Duration::ZERO, interrupted)? {
                ready?;
            }
        }
        Ok(crew)
    }

    /// Takes one sample: `shift` tells when each member works, by its rank.
    ///
    /// # Errors
    /// When a worker has died or does not answer, or the user asked to stop. There is no sample after that.
    pub(crate) fn sample(
        &mut self,
        length: Duration,
        shift: impl Fn(usize) -> Shift,
        interrupted: &AtomicBool,
    ) -> Result<Vec<Report>, EngineError> {
        if self.failed {
            let reason = "an earlier sample failed".to_owned();
            return Err(EngineError::System { call: "thread", reason });
        }
        self.attempt(length, shift, interrupted).inspect_err(|_| {
            self.failed = true;
            self.abort.store(true, Ordering::Relaxed);
        })
    }

    fn attempt(
        &mut self,
        length: Duration,
        shift: impl Fn(usize) -> Shift,
        interrupted: &AtomicBool,
    ) -> Result<Vec<Report>, EngineError> {
        self.samples += 1;
        for (rank, member) in self.members.iter_mut().enumerate() {
            let Shift { start, from, stop } = shift(rank);
            let log = member.log.take().unwrap_or_else(ProgressLog::new);
            let order = Order { number: self.samples, start, from, stop, log };
            if member.orders.as_ref().is_none_or(|orders| orders.send(order).is_err()) {
                return Err(died(rank));
            }
        }
        let mut reports: Vec<Option<Report>> = self.members.iter().map(|_| None).collect();
        for _ in 0..self.members.len() {
            if let (rank, Message::Done(report)) = self.next(length, interrupted)? {
                reports[rank] = Some(report);
            }
        }
        Ok(reports.into_iter().flatten().collect())
    }

    /// Gives logs back, to be used again.
    pub(crate) fn recycle(&mut self, reports: Vec<Report>) {
        for (member, report) in self.members.iter_mut().zip(reports) {
            member.log = Some(report.log);
        }
    }

    /// The next message, expected within about `length`.
    fn next(&mut self, length: Duration, interrupted: &AtomicBool) -> Result<(usize, Message), EngineError> {
        let begun = Instant::now();
        loop {
            match self.messages.recv_timeout(LOOK) {
                Ok(message) => return Ok(message),
                Err(RecvTimeoutError::Disconnected) => return Err(died(0)),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if interrupted.load(Ordering::Relaxed) {
                return Err(EngineError::Interrupted);
            }
            let gone = |member: &Member| member.thread.as_ref().is_some_and(JoinHandle::is_finished);
            if let Some(rank) = self.members.iter().position(gone) {
                // Its last message may still be on the way.
                return self.messages.try_recv().map_err(|_| died(rank));
            }
            if begun.elapsed() > length + PATIENCE {
                self.lost = true;
                let reason = format!("a worker did not answer within {PATIENCE:?} of its time");
                return Err(EngineError::System { call: "thread", reason });
            }
        }
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.abort.store(true, Ordering::Relaxed);
        for member in &mut self.members {
            member.orders = None;
        }
        if self.lost {
            // Waiting for a thread that never runs would be for ever; its slices keep its memory until it ends.
            return;
        }
        for member in &mut self.members {
            if let Some(thread) = member.thread.take() {
                // A panic has been reported by the thread itself, and as an error of the sample.
                let _ = thread.join();
            }
        }
    }
}

fn died(rank: usize) -> EngineError {
    EngineError::System { call: "thread", reason: format!("worker {rank} has died") }
}
