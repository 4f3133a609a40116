//! Executes campaigns: records answers as they arrive, and reports progress to the caller.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Mutex, PoisonError};

use zerohop_experiment::Executor;
use zerohop_experiment::campaign::{Agenda, Campaign, Engines, Watch};
use zerohop_workload::StopFlag;

/// Saves an answer permanently.
pub type Keep<'a, Entry, E> = dyn FnMut(usize, &Entry) -> Result<(), E> + Send + 'a;

/// Caller that waits for the answers of a campaign.
pub trait Attendant: Sync {
    /// Something is said before the work starts, such as what it is for.
    fn announce(&self, _: &str) {}

    /// The work starts: of so many requests, so many were answered earlier.
    fn start(&self, _requests: usize, _answered: usize) {}

    /// From now on there may be answers.
    fn begin(&self) {}

    /// One more request is answered.
    fn advance(&self) {}

    /// The work has ended.
    fn end(&self) {}

    /// Runs a piece of work. An implementation may contain a panic, so that a bug ends only this work.
    ///
    /// # Errors
    /// A description of the bug, when the work hits one.
    fn guard(&self, work: &mut dyn FnMut()) -> Result<(), String> {
        work();
        Ok(())
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NoAttendant;

impl Attendant for NoAttendant {}

/// Means to execute a campaign: its threads, the flag that stops it, and the caller that waits for it.
#[derive(Clone, Copy)]
pub struct CampaignRunner<'a> {
    /// Runs requests, and the simulations of each.
    pub executor: &'a (dyn Executor + Sync),
    /// Stops the campaign.
    pub stop: &'a StopFlag,
    /// Caller that waits for it.
    pub attendant: &'a dyn Attendant,
}

impl CampaignRunner<'_> {
    /// Answers the requests of an agenda that are not among those answered `before`, and returns all answers. A request
    /// that hits a bug is answered with that bug, and the others continue; after an interruption some answers are missing.
    ///
    /// # Errors
    /// When an answer could not be saved.
    pub fn carry_out<A: Agenda, E: Send>(
        &self,
        agenda: &A,
        requests: usize,
        before: BTreeMap<usize, A::Entry>,
        keep: &mut Keep<'_, A::Entry, E>,
        engines: &dyn Engines,
    ) -> Result<BTreeMap<usize, A::Entry>, E> {
        let Self { executor, stop, attendant } = *self;
        let missing: Vec<usize> = (0..requests).filter(|rank| !before.contains_key(rank)).collect();
        let campaign = Campaign { engines, executor, within: executor, stop };
        attendant.start(requests, before.len());
        let ledger =
            Ledger { entries: Mutex::new(Entries { entries: before, keep, broken: None }), attendant };
        campaign.carry_out(agenda, &missing, &ledger);
        attendant.end();
        let Entries { entries, broken, .. } =
            ledger.entries.into_inner().unwrap_or_else(PoisonError::into_inner);
        broken.map_or(Ok(entries), Err)
    }

    /// The answers to all requests of an agenda, which are not saved; after an interruption some are missing.
    pub fn answers<A: Agenda>(
        &self,
        agenda: &A,
        requests: usize,
        engines: &dyn Engines,
    ) -> BTreeMap<usize, A::Entry> {
        let keep: &mut Keep<'_, A::Entry, Infallible> = &mut |_, _| Ok(());
        match self.carry_out(agenda, requests, BTreeMap::new(), keep, engines) {
            Ok(answers) => answers,
            Err(never) => match never {},
        }
    }
}

/// Answers to requests so far.
struct Ledger<'a, Entry, E> {
    entries: Mutex<Entries<'a, Entry, E>>,
    attendant: &'a dyn Attendant,
}

struct Entries<'a, Entry, E> {
    entries: BTreeMap<usize, Entry>,
    keep: &'a mut Keep<'a, Entry, E>,
    /// Reason why answers can no longer be saved, if so.
    broken: Option<E>,
}

impl<Entry: Send, E: Send> Watch<Entry> for Ledger<'_, Entry, E> {
    fn begin(&self) {
        self.attendant.begin();
    }

    fn enter(&self, rank: usize, entry: Entry) {
        let mut held = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let held = &mut *held;
        if held.broken.is_none() {
            held.broken = (held.keep)(rank, &entry).err();
        }
        held.entries.insert(rank, entry);
        self.attendant.advance();
    }

    fn is_over(&self) -> bool {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).broken.is_some()
    }

    fn guard(&self, work: &mut dyn FnMut()) -> Result<(), String> {
        self.attendant.guard(work)
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use zerohop_experiment::Sequential;
    use zerohop_experiment::campaign::{Answer, NoEngine, Request, SimulatedMachine};
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

    struct Careful;

    impl Attendant for Careful {
        fn guard(&self, work: &mut dyn FnMut()) -> Result<(), String> {
            let met = catch_unwind(AssertUnwindSafe(work));
            met.map_err(|bug| bug.downcast_ref::<String>().cloned().unwrap_or_default())
        }
    }

    /// Does jobs on threads of their own.
    struct Apart;

    impl Executor for Apart {
        fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync)) {
            std::thread::scope(|scope| (0..jobs).for_each(|rank| drop(scope.spawn(move || job(rank)))));
        }

        fn width(&self) -> usize {
            2
        }
    }

    fn all(
        requests: usize,
        before: BTreeMap<usize, Result<usize, String>>,
        keep: &mut Keep<'_, Result<usize, String>, String>,
        executor: &(dyn Executor + Sync),
        stop: &StopFlag,
    ) -> Result<BTreeMap<usize, Result<usize, String>>, String> {
        let crew = CampaignRunner { executor, stop, attendant: &Careful };
        crew.carry_out(&Tens, requests, before, keep, &Buggy)
    }

    #[test]
    fn a_request_that_meets_a_bug_has_failed_and_the_others_go_on() {
        for executor in [&Sequential as &(dyn Executor + Sync), &Apart] {
            let mut kept = Vec::new();
            let mut keep = |rank: usize, _: &Result<usize, String>| {
                kept.push(rank);
                Ok(())
            };
            let before = [(7, Ok(70))].into();
            let entries = all(40, before, &mut keep, executor, &StopFlag::new()).unwrap();
            assert_eq!(entries.len(), 40);
            let failed = entries.iter().filter_map(|(rank, entry)| Some((*rank, entry.as_ref().err()?)));
            let failed: Vec<_> = failed
                .map(|(rank, bug)| (rank, bug.contains(&format!("machine {rank} has no queue"))))
                .collect();
            assert_eq!(
                failed,
                [(3, true), (13, true), (23, true), (33, true)],
                "{} threads",
                executor.width()
            );
            kept.sort_unstable();
            assert_eq!(kept, (0..40).filter(|&rank| rank != 7).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_campaign_whose_answers_cannot_be_kept_ends() {
        let mut tried = 0;
        let mut keep = |_: usize, _: &Result<usize, String>| {
            tried += 1;
            Err("no room".to_owned())
        };
        let failure = all(40, BTreeMap::new(), &mut keep, &Sequential, &StopFlag::new()).unwrap_err();
        assert_eq!((failure.as_str(), tried), ("no room", 1));
    }

    #[test]
    fn nothing_is_begun_once_it_is_stopped() {
        let stop = StopFlag::new();
        stop.raise();
        assert!(all(40, BTreeMap::new(), &mut |_, _| Ok(()), &Apart, &stop).unwrap().is_empty());
    }
}
