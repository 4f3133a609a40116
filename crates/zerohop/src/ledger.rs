//! Runs a campaign for the user: records and saves answers as they come, and shows progress.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use zerohop_campaign::{Agenda, Campaign, Engines, Watch};
use zerohop_workload::StopFlag;

use crate::campaign_progress::CampaignProgress;
use crate::executor::Threads;
use crate::failure::Failure;
use crate::panic_report::{self, caught};
use crate::signals::Begun;

/// Saves an answer permanently.
pub(crate) type Keep<'a, Entry> = dyn FnMut(usize, &Entry) -> Result<(), Failure> + Send + 'a;

/// The engines that answer requests, the threads they run on, the flag that stops them, and the mark that there may be answers
/// to save when it does.
pub(crate) struct EnginePool<'a> {
    pub(crate) engines: &'a dyn Engines,
    pub(crate) threads: Threads,
    pub(crate) stop: &'a StopFlag,
    pub(crate) begun: &'a Begun,
}

/// Answers the requests of an agenda that are not among those answered `before`, and returns all answers. A request
/// that hits a bug is answered with that bug, and the others continue; after an interruption some answers are missing.
///
/// # Errors
/// When an answer could not be saved.
pub(crate) fn carry_out<A: Agenda>(
    agenda: &A,
    requests: usize,
    before: BTreeMap<usize, A::Entry>,
    keep: &mut Keep<'_, A::Entry>,
    progress: CampaignProgress,
    pool: &EnginePool<'_>,
) -> Result<BTreeMap<usize, A::Entry>, Failure> {
    let missing: Vec<usize> = (0..requests).filter(|rank| !before.contains_key(rank)).collect();
    let team = pool.threads.team();
    let campaign = Campaign { engines: pool.engines, executor: &team, within: &team, stop: pool.stop };
    let entries = Mutex::new(Entries { entries: before, keep, progress, broken: None });
    let ledger = Ledger { entries, begun: pool.begun };
    panic_report::keep();
    campaign.carry_out(agenda, &missing, &ledger);
    panic_report::install(None);
    let Entries { entries, progress, broken, .. } =
        ledger.entries.into_inner().unwrap_or_else(PoisonError::into_inner);
    progress.clear();
    broken.map_or(Ok(entries), Err)
}

/// Answers to requests so far.
struct Ledger<'a, Entry> {
    entries: Mutex<Entries<'a, Entry>>,
    begun: &'a Begun,
}

struct Entries<'a, Entry> {
    entries: BTreeMap<usize, Entry>,
    keep: &'a mut Keep<'a, Entry>,
    progress: CampaignProgress,
    /// Why answers can no longer be saved, if so.
    broken: Option<Failure>,
}

impl<Entry: Send> Watch<Entry> for Ledger<'_, Entry> {
    fn begin(&self) {
        self.begun.begin();
    }

    fn enter(&self, rank: usize, entry: Entry) {
        let mut held = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let held = &mut *held;
        if held.broken.is_none() {
            held.broken = (held.keep)(rank, &entry).err();
        }
        held.entries.insert(rank, entry);
        held.progress.advance();
    }

    fn is_over(&self) -> bool {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).broken.is_some()
    }

    fn guard(&self, work: &mut dyn FnMut()) -> Result<(), String> {
        caught(work).map_err(|met| met.message().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use zerohop_campaign::{Answer, NoEngine, Request, SimulatedMachine};
    use zerohop_machine::Settings;
    use zerohop_model::Solver;
    use zerohop_workload::Engine;

    use super::*;

    struct Tens;

    impl Agenda for Tens {
        type Entry = Result<usize, String>;

        fn request(&self, rank: usize) -> Request {
            let on = SimulatedMachine {
                machine: rank.to_string(),
                settings: Settings::none(),
                solver: Solver::Flow,
                seed: SimulatedMachine::SEED,
            };
            Request { on, runs: Vec::new() }
        }

        fn entry(&self, rank: usize, answer: Answer<'_>) -> Self::Entry {
            match answer {
                Answer::Bug(bug) => Err(bug),
                _ => Ok(10 * rank),
            }
        }
    }

    /// Has a bug for every machine whose number ends in 3.
    struct Buggy;

    impl Engines for Buggy {
        fn engine(
            &self,
            simulated: &SimulatedMachine,
            _: &StopFlag,
        ) -> Result<Box<dyn Engine + Send>, NoEngine> {
            assert!(!simulated.machine.ends_with('3'), "machine {} has no queue", simulated.machine);
            Err(NoEngine::Refused(String::new()))
        }
    }

    fn all(
        requests: usize,
        before: BTreeMap<usize, Result<usize, String>>,
        keep: &mut Keep<'_, Result<usize, String>>,
        threads: usize,
        stop: &StopFlag,
    ) -> Result<BTreeMap<usize, Result<usize, String>>, Failure> {
        let threads = Threads::new(NonZeroUsize::new(threads).unwrap());
        let progress = CampaignProgress::new(true, "points", requests, before.len());
        let begun = &Begun::not_yet();
        let pool = EnginePool { engines: &Buggy, threads, stop, begun };
        carry_out(&Tens, requests, before, keep, progress, &pool)
    }

    #[test]
    fn a_request_that_meets_a_bug_has_failed_and_the_others_go_on() {
        for threads in [1, 3] {
            let mut kept = Vec::new();
            let mut keep = |rank: usize, _: &Result<usize, String>| {
                kept.push(rank);
                Ok(())
            };
            let before = [(7, Ok(70))].into();
            let entries = all(40, before, &mut keep, threads, &StopFlag::new()).unwrap();
            assert_eq!(entries.len(), 40);
            let failed = entries.iter().filter_map(|(rank, entry)| Some((*rank, entry.as_ref().err()?)));
            let failed: Vec<_> = failed
                .map(|(rank, bug)| (rank, bug.contains(&format!("machine {rank} has no queue"))))
                .collect();
            assert_eq!(failed, [(3, true), (13, true), (23, true), (33, true)], "{threads} threads");
            kept.sort_unstable();
            assert_eq!(kept, (0..40).filter(|&rank| rank != 7).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_campaign_whose_answers_cannot_be_kept_ends() {
        let mut tried = 0;
        let mut keep = |_: usize, _: &Result<usize, String>| {
            tried += 1;
            Err(Failure::new("no room"))
        };
        let failure = all(40, BTreeMap::new(), &mut keep, 1, &StopFlag::new()).unwrap_err();
        assert_eq!((failure.message(), tried), ("no room", 1));
    }

    #[test]
    fn nothing_is_begun_once_it_is_stopped() {
        let stop = StopFlag::new();
        stop.raise();
        assert!(all(40, BTreeMap::new(), &mut |_, _| Ok(()), 2, &stop).unwrap().is_empty());
    }
}
