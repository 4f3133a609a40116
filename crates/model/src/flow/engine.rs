//! The engine: workloads on a described machine, solved instead of simulated.

use std::sync::Arc;
use std::time::Duration;

use zerohop_machine::{Machine, NodeId, PuId};
use zerohop_machine_file::Hardware;
use zerohop_units::{Bytes, Seconds};
use zerohop_workload::{
    Activity, Backing, Engine, EngineDescription, EngineError, Inside, InstructionSet, Origin, Prepared,
    Progress, Sample, StopFlag, Warning, WorkerSample, Workload,
};

use super::class::{Class, Member, Posed, Problem};
use super::excerpt::Named;
use super::network::Network;
use super::refusal::{Refusal, unknown};
use super::solution::Solution;
use super::solution_cache::Solved;
use super::solve::Solver;
use crate::engine::{free_memory, instruction_sets, stand_in};

/// Default length of a sample. Rates do not depend on it.
const WINDOW: Duration = Duration::from_millis(1);

/// Solves a machine as a network of queues: mean values only, in microseconds, and the same every time.
#[derive(Debug, Clone)]
pub struct FlowEngine {
    hardware: Arc<Hardware>,
    /// The stations; or why there are none.
    network: Result<Arc<Network>, Refusal>,
    solved: Solved,
    stop: StopFlag,
}

impl FlowEngine {
    /// An engine for this machine.
    pub fn new(hardware: Arc<Hardware>) -> Self {
        let network = match unknown(&hardware) {
            Some(refusal) => Err(refusal),
            None => Ok(Arc::new(Network::new(&hardware))),
        };
        Self { hardware, network, solved: Solved::default(), stop: StopFlag::new() }
    }

    /// The same engine, which ends whatever it is doing once `stop` is raised.
    #[must_use]
    pub fn stopped_by(self, stop: StopFlag) -> Self {
        Self { stop, ..self }
    }

    /// The same engine, which shares what it solves with other engines.
    #[must_use]
    pub fn sharing(self, solved: Solved) -> Self {
        Self { solved, ..self }
    }

    /// Puts a workload in place and solves it, as [`Engine::prepare`] does.
    ///
    /// # Errors
    /// When the workload does not fit the machine, the engine is stopped, or this is no case for mean-value analysis.
    pub fn place(&self, workload: &Workload) -> Result<PreparedFlow, EngineError> {
        let solved = self.solve(workload)?;
        match solved.refusal() {
            Some(refusal) => Err(refusal.clone().into()),
            None => Ok(solved),
        }
    }

    /// Why the flow solver cannot model this machine, if it cannot.
    pub fn unknown(&self) -> Option<&Refusal> {
        self.network.as_ref().err()
    }

    /// Solves a workload. The solution can be trusted if [`PreparedFlow::refusal`] is `None`.
    ///
    /// # Errors
    /// When the workload does not fit the machine, the machine has parts that the solver does not model, or the
    /// engine is stopped.
    pub fn solve(&self, workload: &Workload) -> Result<PreparedFlow, EngineError> {
        self.stop.check()?;
        let network = self.network.as_ref().map_err(Clone::clone)?;
        let Posed { members, page, names, problem } = Posed::new(network, workload)?;
        let problem = Arc::new(problem);
        let mut solver = Solver::new(&problem);
        match self.solved.of(&problem) {
            Some(solution) => solver.solution = (*solution).clone(),
            None => {
                solver.solve(&self.stop)?;
                self.solved.keep(Arc::clone(&problem), Arc::new(solver.solution.clone()));
            }
        }
        let named = Named { network, names: &names };
        let inside = solver.inside(named);
        let refusal = solver.refusal(named);
        let solution = solver.solution;
        let backing = Backing {
            page,
            huge_share: Some(if page >= Bytes::mib(2) { 1.0 } else { 0.0 }),
            placed_share: Some(1.0),
            ..Backing::default()
        };
        Ok(PreparedFlow {
            members,
            problem,
            activities: workload.workers.iter().map(|worker| worker.activity).collect(),
            backing: vec![backing; workload.workers.len()],
            solution,
            inside,
            refusal,
        })
    }
}

impl Engine for FlowEngine {
    fn origin(&self) -> Origin {
        Origin::model(self.machine(), zerohop_workload::SolverName::Flow, None)
    }

    fn description(&self) -> EngineDescription {
        EngineDescription::new(&self.origin(), "none: averages in equilibrium", self.instruction_sets())
    }

    fn machine(&self) -> &Machine {
        &self.hardware.machine
    }

    fn instruction_sets(&self) -> Vec<InstructionSet> {
        instruction_sets()
    }

    fn free_memory(&self, node: NodeId) -> Bytes {
        free_memory(&self.hardware, node)
    }

    fn prepare(&mut self, workload: &Workload) -> Result<Box<dyn Prepared + '_>, EngineError> {
        Ok(Box::new(self.place(workload)?))
    }

    fn replica(&self) -> Option<Box<dyn Engine + Send>> {
        Some(Box::new(self.clone()))
    }

    fn moves_lines_only(&self) -> bool {
        true
    }

    fn stand_in(&self, pu: PuId) -> PuId {
        stand_in(&self.hardware, pu)
    }
}

/// A workload and its solution.
#[derive(Debug)]
pub struct PreparedFlow {
    members: Vec<Member>,
    problem: Arc<Problem>,
    activities: Vec<Activity>,
    backing: Vec<Backing>,
    pub(crate) solution: Solution,
    inside: Inside,
    refusal: Option<Refusal>,
}

impl PreparedFlow {
    /// Why the solution cannot be trusted, if so.
    pub fn refusal(&self) -> Option<&Refusal> {
        self.refusal.as_ref()
    }

    /// Rounds until the fixed point was found.
    pub fn rounds(&self) -> u32 {
        self.solution.rounds
    }
}

impl Prepared for PreparedFlow {
    fn backing(&self) -> &[Backing] {
        &self.backing
    }

    fn warnings(&self) -> &[Warning] {
        &[]
    }

    fn window(&self) -> Option<Duration> {
        Some(WINDOW)
    }

    fn repeats_itself(&self) -> bool {
        true
    }

    fn sample(&mut self, window: Duration) -> Result<Sample, EngineError> {
        let window = Seconds::from(window);
        let nanoseconds = window.get() * 1e9;
        let workers = self.members.iter().zip(&self.activities).map(|(member, activity)| {
            let progress = match *member {
                Member::Supplier => Progress::default(),
                Member::Cached(step) => Progress { steps: nanoseconds / step.get(), ..Progress::default() },
                Member::Of(rank) => {
                    let class = &self.problem.classes[rank];
                    let lines = self.solution.throughput[rank] / class.workers * nanoseconds;
                    progress(*activity, class, lines)
                }
            };
            WorkerSample { in_window: progress, own: progress, own_time: window, ..WorkerSample::default() }
        });
        Ok(Sample {
            window,
            workers: workers.collect(),
            inside: Some(self.inside.clone()),
            ..Sample::default()
        })
    }
}

fn progress(activity: Activity, class: &Class, lines: f64) -> Progress {
    let bytes = |lines: f64| Bytes((lines * 64.0).round() as u64);
    match activity {
        Activity::Kernel { .. } => {
            Progress { bytes: bytes(lines * class.asked), bus_bytes: bytes(lines * class.bus), steps: 0.0 }
        }
        Activity::Chase { .. } | Activity::TimedChase { .. } | Activity::LineTransfer { .. } => {
            Progress { steps: lines / class.lines_of_step, ..Progress::default() }
        }
    }
}
