//! The crew: all threads of a workload, which start together and finish together.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use zerohop_machine::{NodeId, PuId};
use zerohop_workload::EngineError;

use crate::clock::Clock;
use crate::parallel::no_thread;
use crate::progress_log::ProgressLog;
use crate::task::Task;
use crate::worker::{Message, Order, Report, Worker};

/// When one worker starts, when its work starts to count, and when it stops, in ticks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shift {
    /// It warms up from this tick on.
    pub(crate) start: u64,
    /// Its work is logged from this tick on.
    pub(crate) from: u64,
    /// It stops at the end of the chunk that it is in at this tick.
    pub(crate) stop: u64,
}

/// Threads, each pinned to its PU.
#[derive(Debug)]
pub(crate) struct WorkerPool {
    members: Vec<Member>,
    messages: Receiver<(usize, Message)>,
    abort: Arc<AtomicBool>,
    samples: u64,
    /// Whether a worker has stopped answering.
    lost: bool,
    /// Whether a sample has failed: late reports of its workers are of no use to another sample.
    failed: bool,
}

#[derive(Debug)]
struct Member {
    orders: Option<Sender<Order>>,
    thread: Option<JoinHandle<()>>,
    log: Option<ProgressLog>,
    /// The node of its PU, as the kernel counts.
    home: Option<NodeId>,
}

/// Interval between checks for an interrupt and for dead threads.
const LOOK: Duration = Duration::from_millis(50);

/// A worker that is this late has died silently, or does not get to run at all.
const PATIENCE: Duration = Duration::from_secs(20);

/// No look counts as more: a longer one was no waiting, because the whole process was stopped meanwhile (Ctrl-Z, a frozen control group).
const LONGEST_LOOK: Duration = Duration::from_secs(1);

/// How long something has been waited for, by a process that ran meanwhile.
#[derive(Debug)]
struct Waiting {
    last: Instant,
    awake: Duration,
}

impl Waiting {
    fn since(now: Instant) -> Self {
        Self { last: now, awake: Duration::ZERO }
    }

    /// The time waited until this look.
    fn look(&mut self, now: Instant) -> Duration {
        self.awake += now.saturating_duration_since(self.last).min(LONGEST_LOOK);
        self.last = now;
        self.awake
    }
}

impl WorkerPool {
    /// Starts a thread on each PU.
    ///
    /// # Errors
    /// A thread cannot be started, or does not run where it should.
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
                .map_err(|error| no_thread(&error))?;
            let log = Some(ProgressLog::new());
            crew.members.push(Member { orders: Some(orders), thread: Some(thread), log, home: None });
        }
        drop(sender);
        for _ in 0..crew.members.len() {
            if let (rank, Message::Ready(ready)) = crew.next(Duration::ZERO, interrupted)? {
                crew.members[rank].home = ready?;
            }
        }
        Ok(crew)
    }

    /// The node of each member's PU as the kernel counts, where it says so.
    pub(crate) fn homes(&self) -> impl Iterator<Item = Option<NodeId>> {
        self.members.iter().map(|member| member.home)
    }

    /// Takes one sample: `shift` says when each member works, by its rank.
    ///
    /// # Errors
    /// A worker has died, lost its PU or does not answer, or the user asked to stop. No sample can be taken after that.
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
            match self.next(length, interrupted)? {
                (rank, Message::Done(report)) => reports[rank] = Some(report),
                (_, Message::Lost(error)) => return Err(error),
                (_, Message::Ready(_)) => {}
            }
        }
        Ok(reports.into_iter().flatten().collect())
    }

    /// Takes logs back for reuse.
    pub(crate) fn recycle(&mut self, reports: Vec<Report>) {
        for (member, report) in self.members.iter_mut().zip(reports) {
            member.log = Some(report.log);
        }
    }

    /// The next message, expected within about `length`.
    fn next(&mut self, length: Duration, interrupted: &AtomicBool) -> Result<(usize, Message), EngineError> {
        let mut waiting = Waiting::since(Instant::now());
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
                // Its last message may still be in flight.
                return self.messages.try_recv().map_err(|_| died(rank));
            }
            if waiting.look(Instant::now()) > length + PATIENCE {
                self.lost = true;
                let reason = format!("a worker did not respond within {PATIENCE:?} after its deadline");
                return Err(EngineError::System { call: "thread", reason });
            }
        }
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        self.abort.store(true, Ordering::Relaxed);
        for member in &mut self.members {
            member.orders = None;
        }
        if self.lost {
            // Waiting for a thread that never runs would take forever. Its slices keep its memory alive until it ends.
            return;
        }
        for member in &mut self.members {
            if let Some(thread) = member.thread.take() {
                // The thread has reported a panic itself, and the sample has failed with an error.
                let _ = thread.join();
            }
        }
    }
}

fn died(rank: usize) -> EngineError {
    EngineError::System { call: "thread", reason: format!("worker {rank} has died") }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::arena::Slice;
    use crate::cycle::{Cycle, SPACING};
    use crate::memory::{Mapping, PageKind};
    use crate::numa_calls::{NumaCalls, Policy};
    use crate::pinning::running_on;
    use crate::task::Chase;

    fn chase() -> Task {
        const BYTES: usize = 2 << 20;
        let (mapping, _) = Mapping::new(BYTES, PageKind::Base, &Policy::Local, &NumaCalls::LIVE).unwrap();
        let cycle = Cycle::over(BYTES, (SPACING, None), 1, || true).unwrap();
        // SAFETY: the mapping is as long as the cycle was made for, and nothing else uses it.
        unsafe { cycle.write(mapping.start(), 0..cycle.nodes()) };
        let slice = Slice::new(&Arc::new(mapping), 0..BYTES);
        // SAFETY: the cycle has been written to the slice.
        Task::Chase(unsafe { Chase::new(slice, cycle.landmarks(), 1) }.unwrap())
    }

    /// Ctrl-C waited for workers that waited for the hour at which they were to begin.
    #[test]
    fn a_crew_ends_although_its_hour_has_not_come() {
        let (done, ended) = channel();
        thread::spawn(move || {
            let clock = Clock::new(None).or_else(|_| Clock::new(Some("tsc"))).unwrap();
            let mut crew =
                WorkerPool::new(vec![(running_on(), chase())], clock, &AtomicBool::new(false)).unwrap();
            let start = clock.mark() + clock.ticks(Duration::from_secs(3600));
            let later = |_| Shift { start, from: start, stop: start };
            let sampled = crew.sample(Duration::ZERO, later, &AtomicBool::new(true));
            drop(crew);
            done.send(matches!(sampled, Err(EngineError::Interrupted)))
        });
        assert_eq!(ended.recv_timeout(Duration::from_secs(60)), Ok(true));
    }

    /// After a stop of half a minute, the crew was given up as lost the moment that it went on, and with it what had been measured.
    #[test]
    fn a_process_that_was_stopped_has_not_waited() {
        let begun = Instant::now();
        let mut waiting = Waiting::since(begun);
        let (stopped, looks) = (Duration::from_secs(3600), 100);
        assert!(waiting.look(begun + stopped) < PATIENCE);
        let waited = (1..=looks).map(|look| waiting.look(begun + stopped + LOOK * look)).last();
        assert_eq!(waited, Some(LONGEST_LOOK + LOOK * looks));
    }
}
