//! The engine: from a workload to buffers and threads in place.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use zerohop_machine::{Machine, NodeId, PuId};
use zerohop_units::Bytes;
use zerohop_workload::{
    Access, Activity, Backing, Engine, EngineDescription, EngineError, InstructionSet, Kernel, Prepared,
    Warning, Workload,
};

use crate::HostError;
use crate::arena::Arena;
use crate::arenas::{Arenas, Means};
use crate::backing::{HugePages, read_back};
use crate::clock::Clock;
use crate::crew::Crew;
use crate::free_memory;
use crate::handoff::{Handoff, Line, Side};
use crate::kernel_task::KernelTask;
use crate::kernels::{self, KernelCode};
use crate::layout::{Layout, Share, check};
use crate::numa_calls::NumaCalls;
use crate::prepared::{HostRun, Surroundings};
use crate::system_noise::SystemWatch;
use crate::task::{Chase, Task};
use crate::tree::HostTree;

/// Makes workloads happen on this host.
#[derive(Debug)]
pub struct HostEngine {
    machine: Machine,
    clock: Clock,
    tree: HostTree,
    calls: NumaCalls,
    arenas: Arenas,
    system: SystemWatch,
    interrupted: Arc<AtomicBool>,
    instruction_sets: Vec<InstructionSet>,
}

impl HostEngine {
    /// An engine for this host, which `machine` describes. When `interrupted` is set, whatever the engine is doing ends
    /// soon with [`EngineError::Interrupted`].
    ///
    /// # Errors
    /// When the host has no clock that can be trusted.
    pub fn new(machine: Machine, interrupted: Arc<AtomicBool>) -> Result<Self, HostError> {
        let clock = Clock::new(machine.system.clock_source.as_deref())?;
        let tree = HostTree::live();
        Ok(Self {
            machine,
            clock,
            calls: NumaCalls::LIVE,
            arenas: Arenas::default(),
            system: SystemWatch::new(&tree),
            tree,
            interrupted,
            instruction_sets: kernels::instruction_sets(),
        })
    }

    /// The code of a kernel in the instructions asked for, or the widest that have it.
    fn code(
        &self,
        kernel: Kernel,
        access: Access,
        asked: Option<InstructionSet>,
    ) -> Result<KernelCode, EngineError> {
        let sets = asked.as_ref().map_or(self.instruction_sets.as_slice(), std::slice::from_ref);
        let found = sets.iter().find_map(|&set| kernels::code(kernel, access, set));
        found.ok_or_else(|| EngineError::Unsupported {
            what: format!("kernel {kernel}"),
            reason: match asked {
                Some(set) => format!("this processor has no {set} code for it"),
                None => "this processor has no code for it".to_owned(),
            },
        })
    }

    /// Puts into each arena what the workers' activities need there, and makes the tasks that use it.
    fn tasks(
        &self,
        workload: &Workload,
        shares: &[Share],
        arenas: &mut [Arena],
    ) -> Result<Vec<(PuId, Task)>, EngineError> {
        let mut lines: BTreeMap<u32, Arc<Line>> = BTreeMap::new();
        let mut tasks = Vec::new();
        for (worker, share) in workload.workers.iter().zip(shares) {
            let arena = &mut arenas[share.need];
            let slice = arena.slice(share.range.clone());
            let too_small = |what: String| EngineError::Unsupported {
                what,
                reason: format!("a buffer of {} is too small for it", worker.buffer),
            };
            let task = match worker.activity {
                Activity::Chase { chains } => {
                    let landmarks = arena.hold_cycle(&share.range, &self.interrupted)?;
                    let starts = landmarks
                        .starts(chains.into())
                        .ok_or_else(|| too_small(format!("a chase of {chains} chains")))?;
                    // SAFETY: the arena holds the cycle in exactly this part, and its nodes are the cycle's.
                    Task::Chase(unsafe { Chase::new(slice, &starts) })
                }
                Activity::Kernel { kernel, access } => {
                    arena.hold_numbers(&share.range, &self.interrupted)?;
                    let code = self.code(kernel, access, workload.instruction_set)?;
                    let task = KernelTask::new(slice, code, (kernel, access), worker.demand, &self.clock);
                    Task::Kernel(task.ok_or_else(|| too_small(format!("kernel {kernel}")))?)
                }
                Activity::Handoff { line } => Task::Handoff(match lines.get(&line) {
                    Some(line) => Handoff::new(Arc::clone(line), Side::Returner),
                    None => {
                        arena.hold_numbers(&share.range, &self.interrupted)?;
                        let shared = lines.entry(line).or_insert(Line::new(slice));
                        Handoff::new(Arc::clone(shared), Side::Server)
                    }
                }),
            };
            tasks.push((worker.pu, task));
        }
        Ok(tasks)
    }

    /// Reads back where each worker's buffer lies, and what is to be warned of.
    fn backing(&self, shares: &[Share], arenas: &[Arena]) -> (Vec<Backing>, Vec<Warning>) {
        let fallback = || Bytes(rustix::param::page_size() as u64);
        let base = self.machine.system.base_page.unwrap_or_else(fallback);
        let huge = HugePages::read(&self.tree, base);
        let mut warnings: Vec<Warning> = Vec::new();
        let mut backing = Vec::new();
        for share in shares {
            let arena = &arenas[share.need];
            let addresses = arena.slice(share.range.clone()).addresses();
            let (read, warning) =
                read_back(&addresses, arena.page(), arena.site(), base, huge.as_ref(), &self.calls);
            backing.push(read);
            for warning in [arena.unbound().cloned(), warning].into_iter().flatten() {
                if !warnings.contains(&warning) {
                    warnings.push(warning);
                }
            }
        }
        (backing, warnings)
    }
}

impl Engine for HostEngine {
    fn description(&self) -> EngineDescription {
        EngineDescription {
            kind: "host".to_owned(),
            clock: self.clock.description(),
            instruction_sets: self.instruction_sets.clone(),
        }
    }

    fn machine(&self) -> &Machine {
        &self.machine
    }

    fn instruction_sets(&self) -> Vec<InstructionSet> {
        self.instruction_sets.clone()
    }

    fn free_memory(&self, node: NodeId) -> Bytes {
        free_memory::on_node(&self.tree, &self.machine, node) + self.arenas.held_on(node)
    }

    fn prepare(&mut self, workload: &Workload) -> Result<Box<dyn Prepared + '_>, EngineError> {
        check(workload, &self.machine)?;
        let Layout { needs, shares } = Layout::of(workload);
        // Taken out while it is worked on, so that an error on the way leaves nothing behind.
        let mut arenas = std::mem::take(&mut self.arenas);
        let means = Means {
            tree: &self.tree,
            machine: &self.machine,
            calls: &self.calls,
            interrupted: &self.interrupted,
        };
        let provided = arenas.provide(&needs, workload.pages, means)?;
        let tasks = self.tasks(workload, &shares, provided)?;
        let (backing, mut warnings) = self.backing(&shares, provided);
        warnings.extend(self.clock.coarse().map(|resolution| Warning::ClockCoarse { resolution }));
        let crew = Crew::new(tasks, self.clock, &self.interrupted)?;
        self.arenas = arenas;
        let surroundings = Surroundings {
            clock: self.clock,
            tree: &self.tree,
            system: &mut self.system,
            arenas: &mut self.arenas,
            interrupted: &self.interrupted,
        };
        Ok(Box::new(HostRun::new(workload, crew, (backing, warnings), surroundings)))
    }
}
