//! Diagnoses the latest result of each machine, on threads outside of request handling: models of a machine may take seconds.
//!
//! Each diagnosis has its own thread and deadline. A slow one does not hold up others: the next one begins in the meantime. One that exceeds its
//! deadline is marked as not made, and is not tried again until the server is restarted.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use zerohop_app::{CampaignRunner, NoAttendant};
use zerohop_archive::query::{FindingsByResult, LatestResults, StoredFindings};
use zerohop_diagnosis::FleetDiagnosis;
use zerohop_experiment::Sequential;
use zerohop_fleet::GroupBy;
use zerohop_result::ListedMachine;
use zerohop_workload::StopFlag;

use crate::abandoned_threads::{Abandoned, Work};
use crate::archives::Archives;
use crate::trends::Trends;

#[cfg(test)]
mod tests;

/// How often it is asked whether another program has added results.
const PERIOD: Duration = Duration::from_secs(2);

/// How often it is looked whether the server is to end.
const LOOK: Duration = Duration::from_millis(50);

/// How long a judgement may go on after its deadline.
const GRACE: Duration = Duration::from_secs(1);

/// FindingsByResult that take long and go on beside the next ones.
const BESIDE: usize = 2;

/// Threads that are left behind, at most: then no more is judged until one of them ends.
const MOST_ABANDONED: usize = 8;

/// The stack of a thread that judges: texts may nest deeply.
pub(crate) const STACK: usize = 8 << 20;

/// The judgement of a result, by its machine and its id, until the flag is raised.
pub(crate) type Judge =
    dyn Fn(&Archives, &str, &str, &StopFlag) -> Result<StoredFindings, String> + Send + Sync;

/// Machines that were held against each other: it may take seconds.
struct Known {
    machines: Vec<ListedMachine>,
    /// The findings, or the reason why there are none.
    found: Result<Arc<FleetDiagnosis>, String>,
}

/// State of the diagnoses of the latest results.
pub(crate) struct Judging {
    judge: Arc<Judge>,
    /// Time limit of a diagnosis.
    limit: Duration,
    abandoned: Abandoned,
    /// FindingsByResult that met a bug.
    bugs: Arc<AtomicUsize>,
    judgements: RwLock<FindingsByResult>,
    /// Comparison of the machines with each other.
    fleet: RwLock<Option<Known>>,
    /// What became of each machine over time.
    pub(crate) trends: Trends,
    /// Number of changes.
    epoch: AtomicU64,
    /// Whether somebody waits for a look at the archive.
    wanted: Mutex<bool>,
    woken: Condvar,
}

/// Work on a thread of its own, and what comes of it.
struct Attempt<T> {
    begun: Instant,
    stop: StopFlag,
    thread: Work,
    done: Receiver<Result<T, String>>,
}

impl Judging {
    pub(crate) fn new(judge: Arc<Judge>, limit: Duration) -> Self {
        Self {
            judge,
            limit,
            abandoned: Abandoned::default(),
            bugs: Arc::default(),
            judgements: RwLock::default(),
            fleet: RwLock::default(),
            trends: Trends::default(),
            epoch: AtomicU64::new(0),
            wanted: Mutex::new(false),
            woken: Condvar::new(),
        }
    }

    /// Number of changes.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// The number of threads that are left behind, and that of bugs.
    pub(crate) fn failures(&self) -> (usize, usize) {
        (self.abandoned.count(), self.bugs.load(Ordering::Relaxed))
    }

    /// Does something with them.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&FindingsByResult) -> T) -> T {
        work(&self.judgements.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Findings of the comparison of these machines with each other, or the reason why they are unknown.
    pub(crate) fn fleet(&self, machines: &[ListedMachine]) -> Result<Arc<FleetDiagnosis>, String> {
        let known = self.fleet.read().unwrap_or_else(PoisonError::into_inner);
        match known.as_ref().filter(|known| known.machines == machines) {
            Some(Known { found: Ok(found), .. }) => Ok(Arc::clone(found)),
            Some(Known { found: Err(reason), .. }) => Err(format!("cannot diagnose bad machines: {reason}")),
            None => Err("diagnosing bad machines".to_owned()),
        }
    }

    /// Has it look at the archive at once.
    pub(crate) fn wake(&self) {
        *self.wanted.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.woken.notify_all();
    }

    /// Judges until it is stopped.
    pub(crate) fn go_on(&self, archives: &Arc<Archives>, stop: &StopFlag) {
        let mut seen = None;
        while !stop.is_raised() {
            let generation = archives.with(|archive| Ok(archive.generation()?)).ok();
            if generation.is_some() && generation != seen {
                seen = self.judge_latest(archives, stop).then_some(generation).flatten();
            }
            let wanted = self.wanted.lock().unwrap_or_else(PoisonError::into_inner);
            let waited = self.woken.wait_timeout_while(wanted, PERIOD, |wanted| !*wanted);
            *waited.unwrap_or_else(PoisonError::into_inner).0 = false;
        }
    }

    /// Judges all latest results that are not judged yet, and forgets what is no longer the latest. Whether it came to the end.
    fn judge_latest(&self, archives: &Arc<Archives>, stop: &StopFlag) -> bool {
        let Ok(machines) = archives.with(|archive| Ok(archive.machines()?)) else { return false };
        self.trends.update(archives, &machines, stop);
        let is_latest = |id: &str| machines.iter().any(|machine| machine.latest.as_deref() == Some(id));
        self.change(|judgements| judgements.retain(|id, _| is_latest(id)));
        let mut beside = Vec::new();
        for ListedMachine { name, latest, .. } in &machines {
            let Some(id) = latest.as_ref().filter(|id| self.with(|known| !known.contains_key(*id))) else {
                continue;
            };
            let (judge, own) = (Arc::clone(&self.judge), Arc::clone(archives));
            let (name, id) = (name.clone(), id.clone());
            let of = id.clone();
            let Some(attempt) = self.begin(self.limit, stop, move |stop| judge(&own, &name, &of, stop))
            else {
                return false;
            };
            // Most take a fraction of a second; others go on while the next one is judged.
            match attempt.wait(self.limit / 10, stop) {
                Some(done) => self.enter(id, done),
                None => beside.push((id, attempt)),
            }
            let most = if stop.is_raised() { 0 } else { BESIDE };
            self.collect(&mut beside, most, stop);
            if stop.is_raised() {
                return false;
            }
        }
        self.collect(&mut beside, 0, stop);
        if stop.is_raised() {
            return false;
        }
        let latest = self.with(|judgements| LatestResults::judged(&machines, judgements));
        let (own, all) = (Arc::clone(archives), machines.clone());
        // It is as much as the judgements of many machines.
        let limit = 10 * self.limit;
        let Some(attempt) = self.begin(limit, stop, move |stop| held(&own, &all, latest, stop)) else {
            return false;
        };
        let found = attempt.end(limit, stop).map(Arc::new);
        if stop.is_raised() {
            return false;
        }
        *self.fleet.write().unwrap_or_else(PoisonError::into_inner) = Some(Known { machines, found });
        self.epoch.fetch_add(1, Ordering::Release);
        true
    }

    /// Begins work on a thread of its own; `None` if the server ends, or the system has no thread.
    fn begin<T: Send + 'static>(
        &self,
        limit: Duration,
        stop: &StopFlag,
        work: impl FnOnce(&StopFlag) -> Result<T, String> + Send + 'static,
    ) -> Option<Attempt<T>> {
        while self.abandoned.count() >= MOST_ABANDONED {
            if stop.is_raised() {
                return None;
            }
            thread::sleep(LOOK);
        }
        let (sender, done) = mpsc::channel();
        let (thread, running) = self.abandoned.work();
        let stop = stop.within(limit);
        let (own, bugs) = (stop.clone(), Arc::clone(&self.bugs));
        let spawned = thread::Builder::new().name("judging".to_owned()).stack_size(STACK).spawn(move || {
            let _running = running;
            // A bug that one result meets does not keep the others from being judged.
            let worked = catch_unwind(AssertUnwindSafe(|| work(&own)));
            let worked = worked.unwrap_or_else(|_| {
                bugs.fetch_add(1, Ordering::Relaxed);
                Err("diagnosing it failed because of a bug".to_owned())
            });
            let _ = sender.send(worked);
        });
        spawned.ok().map(|_| Attempt { begun: Instant::now(), stop, thread, done })
    }

    /// Waits until no more than so many judgements go on beside the others.
    fn collect(&self, beside: &mut Vec<(String, Attempt<StoredFindings>)>, most: usize, stop: &StopFlag) {
        let mut rank = 0;
        while rank < beside.len() {
            match beside[rank].1.wait(Duration::ZERO, stop) {
                Some(done) => self.enter(beside.remove(rank).0, done),
                None => rank += 1,
            }
        }
        while beside.len() > most {
            let (id, attempt) = beside.remove(0);
            let done = attempt.end(self.limit, stop);
            if !stop.is_raised() {
                self.enter(id, done);
            }
        }
    }

    fn enter(&self, id: String, judgement: Result<StoredFindings, String>) {
        self.change(|judgements| drop(judgements.insert(id, judgement)));
    }

    fn change(&self, work: impl FnOnce(&mut FindingsByResult)) {
        work(&mut self.judgements.write().unwrap_or_else(PoisonError::into_inner));
        self.epoch.fetch_add(1, Ordering::Release);
    }
}

impl<T> Attempt<T> {
    /// What comes of it within this time; `None` if it goes on, or the server ends.
    fn wait(&self, time: Duration, stop: &StopFlag) -> Option<Result<T, String>> {
        let begun = Instant::now();
        loop {
            let left = time.saturating_sub(begun.elapsed());
            match self.done.recv_timeout(left.min(LOOK)) {
                // It may have been stopped before it was whole.
                Ok(Err(_)) if self.stop.is_raised() => return None,
                Ok(done) => return Some(done),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if left.is_zero() || stop.is_raised() => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// What comes of it until its deadline.
    fn end(self, limit: Duration, stop: &StopFlag) -> Result<T, String> {
        let left = (limit + GRACE).saturating_sub(self.begun.elapsed());
        self.wait(left, stop).unwrap_or_else(|| {
            self.thread.abandon();
            Err(format!("it took longer than {} s", limit.as_secs()))
        })
    }
}

/// The judgement of a result, or why there is none.
pub(crate) fn judged(
    archives: &Archives,
    machine: &str,
    id: &str,
    stop: &StopFlag,
) -> Result<StoredFindings, String> {
    let crew = CampaignRunner { executor: &Sequential, stop, attendant: &NoAttendant };
    let judged = archives.with(|archive| Ok(StoredFindings::of(archive, machine, id, &crew)?));
    judged.map_err(|refusal| refusal.problem.error)
}

/// These machines, held against each other.
fn held(
    archives: &Archives,
    machines: &[ListedMachine],
    mut latest: LatestResults,
    stop: &StopFlag,
) -> Result<FleetDiagnosis, String> {
    let crew = CampaignRunner { executor: &Sequential, stop, attendant: &NoAttendant };
    let found = archives.with(|archive| {
        latest.take_parts(archive, machines)?;
        Ok(latest.fleet(archive, machines, &GroupBy::Kind, &crew)?)
    });
    let found = found.map_err(|refusal| refusal.problem.error)?;
    // A part of it would look like all of it.
    if stop.is_raised() { Err("it was stopped".to_owned()) } else { Ok(found) }
}
