//! Judges the latest result of each machine, on a thread beside the server: models of a machine may take seconds.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError, RwLock};
use std::time::Duration;

use zerohop_app::{Crew, Nobody};
use zerohop_archivist::{FleetDiagnoses, Judgement, Judgements};
use zerohop_experiment::Sequential;
use zerohop_result::ListedMachine;
use zerohop_workload::StopFlag;

use crate::archives::Archives;

/// How often it is asked whether another program has added results.
const PERIOD: Duration = Duration::from_secs(2);

/// What is known of the latest results.
#[derive(Default)]
pub(crate) struct Judging {
    judgements: RwLock<Judgements>,
    /// What is wrong with the bad ones, beside the sound ones.
    beside: RwLock<FleetDiagnoses>,
    /// How many times they changed.
    epoch: AtomicU64,
    /// Whether somebody waits for a look at the archive.
    wanted: Mutex<bool>,
    woken: Condvar,
}

impl Judging {
    /// How many times they changed.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// Does something with them.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&Judgements) -> T) -> T {
        work(&self.judgements.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Does something with them, and with what is known of the bad machines beside the sound ones.
    pub(crate) fn with_fleet<T>(&self, work: impl FnOnce(&Judgements, &FleetDiagnoses) -> T) -> T {
        let beside = self.beside.read().unwrap_or_else(PoisonError::into_inner);
        self.with(|judgements| work(judgements, &beside))
    }

    /// Has it look at the archive at once.
    pub(crate) fn wake(&self) {
        *self.wanted.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.woken.notify_all();
    }

    /// Judges until it is stopped.
    pub(crate) fn go_on(&self, archives: &Archives, stop: &StopFlag) {
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
    fn judge_latest(&self, archives: &Archives, stop: &StopFlag) -> bool {
        let Ok(machines) = archives.with(|archive| Ok(archive.machines()?)) else { return false };
        let is_latest = |id: &str| machines.iter().any(|machine| machine.latest.as_deref() == Some(id));
        self.change(|judgements| judgements.retain(|id, _| is_latest(id)));
        for ListedMachine { name, latest, .. } in &machines {
            let Some(id) = latest.as_ref().filter(|id| self.with(|known| !known.contains_key(*id))) else {
                continue;
            };
            let judged = judged(archives, name, id, stop);
            if stop.is_raised() {
                return false;
            }
            self.change(|judgements| drop(judgements.insert(id.clone(), judged)));
        }
        if let Some(beside) = beside(archives, &machines, &self.with(Clone::clone), stop) {
            *self.beside.write().unwrap_or_else(PoisonError::into_inner) = beside;
            self.epoch.fetch_add(1, Ordering::Release);
        }
        !stop.is_raised()
    }

    fn change(&self, work: impl FnOnce(&mut Judgements)) {
        work(&mut self.judgements.write().unwrap_or_else(PoisonError::into_inner));
        self.epoch.fetch_add(1, Ordering::Release);
    }
}

/// The judgement of a result, or why there is none. A bug that one result meets does not keep the others from being judged.
fn judged(archives: &Archives, machine: &str, id: &str, stop: &StopFlag) -> Result<Judgement, String> {
    let crew = Crew { executor: &Sequential, stop, attendant: &Nobody };
    let judge = || archives.with(|archive| Ok(Judgement::of(archive, machine, id, &crew)?));
    match catch_unwind(AssertUnwindSafe(judge)) {
        Ok(judged) => judged.map_err(|refusal| refusal.problem.error),
        Err(_) => Err("judging it met a bug".to_owned()),
    }
}

/// What is wrong with the bad ones of these machines, beside the sound ones; `None` if it was stopped, or met a bug.
fn beside(
    archives: &Archives,
    machines: &[ListedMachine],
    judgements: &Judgements,
    stop: &StopFlag,
) -> Option<FleetDiagnoses> {
    let crew = Crew { executor: &Sequential, stop, attendant: &Nobody };
    let diagnose =
        || archives.with(|archive| Ok(FleetDiagnoses::of(archive, machines, judgements, &crew).ok()));
    let found = catch_unwind(AssertUnwindSafe(diagnose)).ok()?.ok()??;
    (!stop.is_raised()).then_some(found)
}
