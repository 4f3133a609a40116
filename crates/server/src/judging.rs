//! Judges the latest result of each machine, on a thread beside the server: models of a machine may take seconds.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock};
use std::time::Duration;

use zerohop_app::{Crew, Nobody};
use zerohop_archivist::{Judgement, Judgements, Latest};
use zerohop_diagnosis::FleetDiagnosis;
use zerohop_experiment::Sequential;
use zerohop_insight::fleet::GroupBy;
use zerohop_result::ListedMachine;
use zerohop_workload::StopFlag;

use crate::archives::Archives;

/// How often it is asked whether another program has added results.
const PERIOD: Duration = Duration::from_secs(2);

/// Machines that were held against each other: it may take seconds.
struct Known {
    machines: Vec<ListedMachine>,
    /// What was found, or why nothing was.
    found: Result<Arc<FleetDiagnosis>, String>,
}

/// What is known of the latest results.
#[derive(Default)]
pub(crate) struct Judging {
    judgements: RwLock<Judgements>,
    /// The machines, held against each other.
    fleet: RwLock<Option<Known>>,
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

    /// What was found when these machines were held against each other, or why that is not known.
    pub(crate) fn fleet(&self, machines: &[ListedMachine]) -> Result<Arc<FleetDiagnosis>, String> {
        let known = self.fleet.read().unwrap_or_else(PoisonError::into_inner);
        match known.as_ref().filter(|known| known.machines == machines) {
            Some(Known { found: Ok(found), .. }) => Ok(Arc::clone(found)),
            Some(Known { found: Err(reason), .. }) => {
                Err(format!("bad machines could not be diagnosed: {reason}"))
            }
            None => Err("bad machines are being diagnosed beside sound ones".to_owned()),
        }
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
        let latest = self.with(|judgements| Latest::judged(&machines, judgements));
        let found = held(archives, &machines, latest, stop).map(Arc::new);
        if stop.is_raised() {
            return false;
        }
        *self.fleet.write().unwrap_or_else(PoisonError::into_inner) = Some(Known { machines, found });
        self.epoch.fetch_add(1, Ordering::Release);
        true
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

/// These machines, held against each other.
fn held(
    archives: &Archives,
    machines: &[ListedMachine],
    latest: Latest,
    stop: &StopFlag,
) -> Result<FleetDiagnosis, String> {
    let crew = Crew { executor: &Sequential, stop, attendant: &Nobody };
    let hold = || archives.with(|archive| Ok(latest.fleet(archive, machines, &GroupBy::Kind, &crew)?));
    match catch_unwind(AssertUnwindSafe(hold)) {
        Ok(found) => found.map_err(|refusal| refusal.problem.error),
        Err(_) => Err("it met a bug".to_owned()),
    }
}
