//! A sweep as a campaign: each point is a request.

use zerohop_experiment::campaign::{Agenda, Answer, NoEngine, Request, SimulatedMachine};
use zerohop_experiment::catalogue;
use zerohop_model::Solver;
use zerohop_study::Outcome;

use crate::sweep_question::CheckedSweep;

/// The points of a sweep.
#[derive(Debug)]
pub struct PointAgenda<'a> {
    pub asked: &'a CheckedSweep,
    pub solver: Solver,
    pub seed: u64,
}

/// Some of the points of a sweep: each rank is that of a point in the list.
#[derive(Debug)]
pub struct SomePoints<'a> {
    pub all: PointAgenda<'a>,
    /// Requested points.
    pub points: &'a [usize],
}

impl Agenda for SomePoints<'_> {
    type Entry = Outcome;

    fn request(&self, rank: usize) -> Request {
        self.all.request(self.points[rank])
    }

    fn entry(&self, rank: usize, answer: Answer<'_>) -> Outcome {
        self.all.entry(self.points[rank], answer)
    }
}

impl Agenda for PointAgenda<'_> {
    type Entry = Outcome;

    fn request(&self, point: usize) -> Request {
        let CheckedSweep { sweep, runs, .. } = self.asked;
        let on = SimulatedMachine {
            machine: sweep.machine.clone(),
            settings: sweep.points.settings(point),
            solver: self.solver,
            seed: self.seed,
        };
        Request { on, runs: runs.clone() }
    }

    fn entry(&self, _: usize, answer: Answer<'_>) -> Outcome {
        let sweep = &self.asked.sweep;
        match answer {
            Answer::Answered { results, machine } => {
                let named = results.into_iter().zip(&sweep.runs);
                let results: Vec<_> = named
                    .map(|(result, run)| result.map_err(|trouble| format!("`{}`: {trouble}", run.command)))
                    .collect();
                sweep.outcome(&results, machine, catalogue())
            }
            Answer::NoEngine(NoEngine::Refused(reason)) => Outcome::Refused { reason },
            Answer::NoEngine(NoEngine::Failed(reason)) => Outcome::Failed { reason, bug: false },
            Answer::Bug(reason) => Outcome::Failed { reason, bug: true },
        }
    }
}
