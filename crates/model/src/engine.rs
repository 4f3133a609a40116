//! The event engine: workloads run on a described machine in simulated time.

use std::sync::{Arc, OnceLock};

use zerohop_machine::{Machine, NodeId, PuId};
use zerohop_machine_file::Hardware;
use zerohop_units::Bytes;
use zerohop_workload::{
    Engine, EngineDescription, EngineError, InstructionSet, Origin, Prepared, SolverName, StopFlag, Workload,
};

use crate::blueprint::Blueprint;
use crate::prepared::PreparedModel;

/// Simulates a machine. Workloads run on it in simulated time and do not disturb each other: the same workload with
/// the same seed gives the same samples, to the last bit, whatever ran before and however many engines run in
/// parallel.
#[derive(Debug, Clone)]
pub struct ModelEngine {
    hardware: Arc<Hardware>,
    /// Made for the first simulation, and shared with all replicas.
    blueprint: Arc<OnceLock<Blueprint>>,
    seed: u64,
    replication: u32,
    stop: StopFlag,
}

impl ModelEngine {
    /// An engine for this machine. The seed decides when workers start, how far their steps deviate from the mean, and
    /// where random accesses go.
    pub fn new(hardware: Arc<Hardware>, seed: u64) -> Self {
        Self { hardware, blueprint: Arc::default(), seed, replication: 0, stop: StopFlag::new() }
    }

    /// The same engine, which ends whatever it is doing once `stop` is raised.
    #[must_use]
    pub fn stopped_by(self, stop: StopFlag) -> Self {
        Self { stop, ..self }
    }

    /// Puts a workload in place, as [`Engine::prepare`] does; the result also reports the work that it took.
    ///
    /// # Errors
    /// When the workload does not fit the machine, nothing moves on it, or the engine is stopped.
    pub fn place(&self, workload: &Workload) -> Result<PreparedModel, EngineError> {
        self.stop.check()?;
        let blueprint = self.blueprint.get_or_init(|| Blueprint::new(&self.hardware));
        PreparedModel::new(&self.hardware, blueprint, workload, self.seed_of_replication(), &self.stop)
    }

    /// Another seed for each replication, and the seed itself for the first.
    const fn seed_of_replication(&self) -> u64 {
        // Multiples of an odd number all differ; that of the golden ratio in 64 bits differs in many bits.
        self.seed.wrapping_add((self.replication as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// The machine that it simulates.
    pub fn hardware(&self) -> &Arc<Hardware> {
        &self.hardware
    }
}

impl Engine for ModelEngine {
    fn origin(&self) -> Origin {
        Origin::model(self.machine(), SolverName::Event, Some(self.seed))
    }

    fn description(&self) -> EngineDescription {
        EngineDescription::new(&self.origin(), "simulated", self.instruction_sets())
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

    fn replicate(&mut self, replication: u32) {
        self.replication = replication;
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

/// The first CPU whose core is of the same kind, at the same router and in the same package: what a simulation knows of a worker's CPU.
pub(crate) fn stand_in(hardware: &Hardware, pu: PuId) -> PuId {
    let place = |core: usize, pu: PuId| {
        let own = &hardware.cores[core];
        Some((own.kind, own.router, hardware.machine.pu(pu)?.package))
    };
    let own = hardware.core_of(pu).and_then(|core| place(core, pu));
    let mut first =
        hardware.machine.cores.iter().enumerate().filter_map(|(core, of)| Some((core, of.pus.first()?)));
    let found = first.find(|&(core, other)| own.is_some() && place(core, other) == own);
    found.map_or(pu, |(_, other)| other)
}

/// One: the model moves lines, whatever instructions access them.
pub(crate) fn instruction_sets() -> Vec<InstructionSet> {
    vec![InstructionSet::Scalar64]
}

/// All memory of the node: on a described machine, nothing else uses it.
pub(crate) fn free_memory(hardware: &Hardware, node: NodeId) -> Bytes {
    hardware.machine.node(node).map_or(Bytes(0), |node| node.memory)
}
