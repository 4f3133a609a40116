//! Campaigns: many requests, answered by engines.
//!
//! ```text
//! Agenda ── Request ──> Engines ── engine ──> runs ── Answer ──> Agenda::entry ──> Watch (progress, journal, results)
//! ```
//!
//! A [`Request`] is plain data: a machine with its settings, a solver, and the experiments to run. An [`Agenda`] lists the requests
//! and decides what to keep of each answer. This crate implements the rest once, for everything that asks many questions of a
//! machine: requests run in parallel, a failed request does not stop the others, an interruption stops all of them at once, and a
//! [`JournalFormat`] records the answers.
//!
//! The caller provides files, clocks, threads and engines.

mod journal_format;
mod repeat;
mod request;

pub use journal_format::{Entries, JournalFormat, NoHead, head};
pub use repeat::{repeated, repeated_in_part};
pub use request::{Request, Run, SimulatedMachine};

use crate::{Executor, NullObserver};
use zerohop_machine::Machine;
use zerohop_result::{Completion, ExperimentResult};
use zerohop_workload::{Engine, OptionNames, StopFlag};

/// The requests of a campaign, and what to keep of each answer.
pub trait Agenda: Sync {
    /// What to keep of an answer.
    type Entry: Send;

    /// The request with this rank.
    fn request(&self, rank: usize) -> Request;

    /// What to keep of its answer.
    fn entry(&self, rank: usize, answer: Answer<'_>) -> Self::Entry;
}

/// Makes the engines of a campaign.
pub trait Engines: Sync {
    /// An engine for this machine, which stops once `stop` is raised.
    ///
    /// # Errors
    /// When there is no engine for it.
    fn engine(
        &self,
        simulated: &SimulatedMachine,
        stop: &StopFlag,
    ) -> Result<Box<dyn Engine + Send>, NoEngine>;
}

/// Reason why there is no engine for a machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoEngine {
    /// The machine file rules out this combination of settings.
    #[error("{0}")]
    Refused(String),
    /// The engine cannot be made.
    #[error("{0}")]
    Failed(String),
}

/// The outcome of a request.
#[derive(Debug)]
pub enum Answer<'a> {
    /// The runs are done; each succeeded or failed by itself.
    Answered {
        /// The runs' results, in order.
        results: Vec<Result<ExperimentResult, Trouble>>,
        /// The machine they ran on.
        machine: &'a Machine,
    },
    /// There is no engine for its machine.
    NoEngine(NoEngine),
    /// It hit a bug.
    Bug(String),
}

/// Reason why a run failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Trouble {
    pub reason: String,
    /// Hint for the user.
    pub hint: Option<String>,
}

/// An observer of a campaign, called from any thread.
pub trait Watch<Entry>: Sync {
    /// A run is planned and begins; before the first one does, there is nothing that an interruption could lose.
    fn begin(&self) {}

    /// A request is done.
    fn enter(&self, rank: usize, entry: Entry);

    /// Whether to give up, because results can no longer be stored.
    fn is_over(&self) -> bool {
        false
    }

    /// Runs a piece of work. An implementation may contain a panic, so that a bug ends only this work and not the program.
    ///
    /// # Errors
    /// A description of the bug, when the work hits one.
    fn guard(&self, work: &mut dyn FnMut()) -> Result<(), String> {
        work();
        Ok(())
    }
}

/// Execution of requests.
pub struct Campaign<'a> {
    pub engines: &'a dyn Engines,
    pub executor: &'a (dyn Executor + Sync),
    /// Runs the simulations of one request, while other requests are in progress.
    pub within: &'a (dyn Executor + Sync),
    /// Stops the campaign.
    pub stop: &'a StopFlag,
}

impl Campaign<'_> {
    /// Answers the requests with these ranks. Requests in progress when `stop` is raised are not entered.
    pub fn carry_out<A: Agenda>(&self, agenda: &A, ranks: &[usize], watch: &dyn Watch<A::Entry>) {
        self.executor.run(ranks.len(), &|job| {
            if self.stop.is_raised() || watch.is_over() {
                return;
            }
            let rank = ranks[job];
            let mut entry = None;
            // A request has its own engine, so a panic leaves no shared state half changed.
            if let Err(bug) = watch.guard(&mut || entry = self.answer(agenda, rank, watch)) {
                entry = Some(agenda.entry(rank, Answer::Bug(bug)));
            }
            if let Some(entry) = entry {
                watch.enter(rank, entry);
            }
        });
    }

    /// What to keep of a request; `None` if it was interrupted.
    fn answer<A: Agenda>(&self, agenda: &A, rank: usize, watch: &dyn Watch<A::Entry>) -> Option<A::Entry> {
        let Request { on, runs } = agenda.request(rank);
        let mut engine = match self.engines.engine(&on, self.stop) {
            Ok(engine) => engine,
            Err(reason) => return Some(agenda.entry(rank, Answer::NoEngine(reason))),
        };
        let mut results = Vec::with_capacity(runs.len());
        for Run { experiment, options } in runs {
            let begin = || watch.begin();
            let mut observer = NullObserver::new().on(self.within).until(self.stop).at_each(&begin);
            match crate::run(&experiment, engine.as_mut(), &options, &mut observer) {
                Ok(result) if result.completion == Completion::Complete => results.push(Ok(result)),
                Ok(_) => return None,
                Err(_) if self.stop.is_raised() => return None,
                Err(error) => {
                    let hint = error.hint(&OptionNames::default()).map(Into::into);
                    results.push(Err(Trouble { reason: error.to_string(), hint }));
                }
            }
        }
        Some(agenda.entry(rank, Answer::Answered { results, machine: engine.machine() }))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::{Arc, Mutex};

    use crate::{Options, Sequential};
    use zerohop_machine::Settings;
    use zerohop_machine_file::MachineFile;
    use zerohop_model::{Solved, Solver};
    use zerohop_result::ExperimentName;

    use super::*;

    /// Models of the Opteron square.
    struct Square(MachineFile);

    impl Engines for Square {
        fn engine(
            &self,
            simulated: &SimulatedMachine,
            stop: &StopFlag,
        ) -> Result<Box<dyn Engine + Send>, NoEngine> {
            match simulated.machine.as_str() {
                "square" => {
                    let hardware = self.0.hardware().map_err(|error| NoEngine::Failed(error.to_string()))?;
                    Ok(simulated.solver.engine(Arc::new(hardware), simulated.seed, &Solved::default(), stop))
                }
                other => Err(NoEngine::Refused(format!("no {other}"))),
            }
        }
    }

    fn run(experiment: &'static str) -> Run {
        Run { experiment: ExperimentName::known(experiment), options: Options::default() }
    }

    struct Three;

    impl Agenda for Three {
        type Entry = Vec<String>;

        fn request(&self, rank: usize) -> Request {
            let machine = if rank == 1 { "moon" } else { "square" };
            let on = SimulatedMachine {
                machine: machine.to_owned(),
                settings: Settings::none(),
                solver: Solver::Flow,
                seed: SimulatedMachine::SEED,
            };
            Request { on, runs: vec![run("latency-matrix"), run("no-such-experiment"), run("hops")] }
        }

        fn entry(&self, _: usize, answer: Answer<'_>) -> Vec<String> {
            match answer {
                Answer::Answered { results, machine } => results
                    .into_iter()
                    .map(|result| match result {
                        Ok(result) => format!("{} on {}", result.experiment, machine.name),
                        Err(trouble) => format!("failed: {trouble}"),
                    })
                    .collect(),
                Answer::NoEngine(reason) => vec![reason.to_string()],
                Answer::Bug(bug) => vec![bug],
            }
        }
    }

    #[derive(Default)]
    struct Book(Mutex<BTreeMap<usize, Vec<String>>>);

    impl Watch<Vec<String>> for Book {
        fn enter(&self, rank: usize, entry: Vec<String>) {
            self.0.lock().unwrap().insert(rank, entry);
        }
    }

    fn entries(stop: &StopFlag) -> BTreeMap<usize, Vec<String>> {
        let text = include_str!("../../../machines/quartet.toml");
        let engines = Square(MachineFile::parse("quartet.toml", text, &()).unwrap());
        let book = Book::default();
        let campaign = Campaign { engines: &engines, executor: &Sequential, within: &Sequential, stop };
        campaign.carry_out(&Three, &[0, 1, 2], &book);
        book.0.into_inner().unwrap()
    }

    #[test]
    fn failures_are_answers_and_the_others_go_on() {
        let entries = entries(&StopFlag::new());
        assert_eq!(entries.len(), 3);
        assert_eq!(entries[&0], entries[&2]);
        assert_eq!(entries[&0][0], "latency-matrix on quartet");
        assert!(entries[&0][1].starts_with("failed: "), "{entries:?}");
        assert_eq!(entries[&0][2], "hops on quartet");
        assert_eq!(entries[&1], ["no moon"]);
    }

    #[test]
    fn interrupted_requests_are_not_entered() {
        let stop = StopFlag::new();
        stop.raise();
        assert!(entries(&stop).is_empty());
    }
}
