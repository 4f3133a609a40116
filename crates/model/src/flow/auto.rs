//! The fast engine where it applies, and the exact one elsewhere.

use std::sync::Arc;
use std::time::Duration;

use zerohop_machine::{Machine, NodeId, PuId};
use zerohop_machine_file::Hardware;
use zerohop_units::Bytes;
use zerohop_workload::{
    Activity, Backing, Engine, EngineDescription, EngineError, InstructionSet, Origin, Prepared, Sample,
    SolverName, StopFlag, Warning, Workload,
};

use super::{FlowEngine, Solved};
use crate::{ModelEngine, PreparedModel};

/// Kernels up to this number are simulated in any case. Lines of few workers do not meet at random: bandwidth of one worker may be a fifth
/// off in mean-value analysis. Simulating so few takes milliseconds.
const FEW_KERNELS: usize = 8;

/// Solves what mean-value analysis covers well; simulates the rest, with a warning that says why.
#[derive(Debug, Clone)]
pub struct AutoEngine {
    flow: FlowEngine,
    event: ModelEngine,
    /// Whether workloads are replicated, which only those are that the flow solver refused.
    refused: bool,
}

impl AutoEngine {
    /// An engine for this machine; the seed is used for what is simulated.
    pub fn new(hardware: Arc<Hardware>, seed: u64) -> Self {
        Self {
            flow: FlowEngine::new(Arc::clone(&hardware)),
            event: ModelEngine::new(hardware, seed),
            refused: false,
        }
    }

    /// The same engine, which shares what mean-value analysis solves with other engines.
    #[must_use]
    pub fn sharing(self, solved: Solved) -> Self {
        Self { flow: self.flow.sharing(solved), ..self }
    }

    /// The same engine, which ends whatever it is doing once `stop` is raised.
    #[must_use]
    pub fn stopped_by(self, stop: StopFlag) -> Self {
        Self { flow: self.flow.stopped_by(stop.clone()), event: self.event.stopped_by(stop), ..self }
    }
}

impl Engine for AutoEngine {
    fn origin(&self) -> Origin {
        let seed = self.event.origin().as_model().and_then(|model| model.seed);
        Origin::model(self.machine(), SolverName::Auto, seed)
    }

    fn description(&self) -> EngineDescription {
        EngineDescription::new(&self.origin(), "simulated", self.instruction_sets())
    }

    fn machine(&self) -> &Machine {
        self.event.machine()
    }

    fn instruction_sets(&self) -> Vec<InstructionSet> {
        self.event.instruction_sets()
    }

    fn free_memory(&self, node: NodeId) -> Bytes {
        self.event.free_memory(node)
    }

    fn prepare(&mut self, workload: &Workload) -> Result<Box<dyn Prepared + '_>, EngineError> {
        if self.refused {
            return self.event.prepare(workload);
        }
        let reason = match (self.flow.unknown(), of_few(workload)) {
            (Some(refusal), _) => refusal.to_string(),
            (None, Some(reason)) => reason,
            (None, None) => {
                let solved = self.flow.solve(workload)?;
                match solved.refusal() {
                    Some(refusal) => refusal.to_string(),
                    None => return Ok(Box::new(solved)),
                }
            }
        };
        let simulated = self.event.place(workload)?;
        let mut warnings = simulated.warnings().to_vec();
        warnings.push(Warning::SimulatedInstead { reason });
        Ok(Box::new(Simulated { simulated, warnings }))
    }

    fn replicate(&mut self, replication: u32) {
        self.refused = replication > 0;
        self.event.replicate(replication);
    }

    fn replica(&self) -> Option<Box<dyn Engine + Send>> {
        Some(Box::new(self.clone()))
    }

    fn moves_lines_only(&self) -> bool {
        true
    }

    fn stand_in(&self, pu: PuId) -> PuId {
        self.event.stand_in(pu)
    }
}

/// Why a workload is simulated although it could be solved: few of its workers run kernels. A chase alone is solved exactly.
fn of_few(workload: &Workload) -> Option<String> {
    let kernels = workload.workers.iter().filter(|worker| matches!(worker.activity, Activity::Kernel { .. }));
    (1..=FEW_KERNELS)
        .contains(&kernels.count())
        .then(|| "the lines of few workers do not meet at random".to_owned())
}

/// A workload that is simulated although the flow solver was requested.
struct Simulated {
    simulated: PreparedModel,
    warnings: Vec<Warning>,
}

impl Prepared for Simulated {
    fn backing(&self) -> &[Backing] {
        self.simulated.backing()
    }

    fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    fn window(&self) -> Option<Duration> {
        self.simulated.window()
    }

    fn leave_parts_out(&mut self) {
        self.simulated.leave_parts_out();
    }

    fn sample(&mut self, window: Duration) -> Result<Sample, EngineError> {
        self.simulated.sample(window)
    }

    fn extend(&mut self, window: Duration) -> Result<Sample, EngineError> {
        self.simulated.extend(window)
    }
}
