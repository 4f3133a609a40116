//! The engine: it turns a workload into placed buffers and pinned threads.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use zerohop_machine::{Machine, NodeId, PuId};
use zerohop_units::Bytes;
use zerohop_workload::{
    Access, Activity, ChosenForm, Engine, EngineDescription, EngineError, InstructionSet, Kernel, Origin,
    Passing, Prepared, TimeSpent, Warning, Worker, Workload,
};

use crate::HostError;
use crate::arena::{Arena, CycleShape};
use crate::arenas::{Arenas, Resources};
use crate::backing::{Check, HugePages};
use crate::batches::Batches;
use crate::clock::Clock;
use crate::cpu_distance::neighbors;
use crate::cycle::Landmarks;
use crate::exchange::{Exchange, Lines, Side};
use crate::fetch::{Fetch, FetchSide, FetchedLines};
use crate::forms::{Choices, Fastest, Forms, Occasion};
use crate::free_memory;
use crate::halt::Halt;
use crate::idle_pools::ParkingLot;
use crate::instruments::{self, Instruments};
use crate::kernel_task::KernelTask;
use crate::kernels::{self, Form};
use crate::layout::{Layout, Share, check};
use crate::numa_calls::NumaCalls;
use crate::placement_check::Placed;
use crate::prepared::{Assembled, HostRun, Surroundings};
use crate::system_noise::SystemWatch;
use crate::task::{Chase, Task};
use crate::time_account::{Account, CHECKING, FILLING, LINKING, THREADS};
use crate::tlb::second_level_tlb;
use crate::tree::HostTree;
use crate::worker_pool::WorkerPool;

/// Runs workloads on this host.
#[derive(Debug)]
pub struct HostEngine {
    machine: Machine,
    clock: Clock,
    tree: HostTree,
    calls: NumaCalls,
    arenas: Arenas,
    parked: ParkingLot,
    system: SystemWatch,
    interrupted: Arc<AtomicBool>,
    instruction_sets: Vec<InstructionSet>,
    fastest: Fastest,
    instruments: Instruments,
    account: Account,
    /// When the time is up, if it is limited.
    deadline: Option<Instant>,
    /// The number of workloads prepared so far.
    visits: u64,
}

impl HostEngine {
    /// An engine for this host, which `machine` describes. Soon after `interrupted` is set, any operation of the engine
    /// ends with [`EngineError::Interrupted`].
    ///
    /// # Errors
    /// The host has no clock that can be trusted.
    pub fn new(mut machine: Machine, interrupted: Arc<AtomicBool>) -> Result<Self, HostError> {
        machine.processor.second_level_tlb = second_level_tlb();
        let clock = Clock::new(machine.system.clock_source.as_deref())?;
        let tree = HostTree::live();
        instruments::allow_many_files();
        Ok(Self {
            instruments: Instruments::open(&tree, &machine, instruments::open),
            machine,
            clock,
            calls: NumaCalls::LIVE,
            arenas: Arenas::default(),
            parked: ParkingLot::default(),
            system: SystemWatch::new(&tree),
            tree,
            interrupted,
            instruction_sets: kernels::instruction_sets(),
            fastest: Fastest::new(),
            account: Account::default(),
            deadline: None,
            visits: 0,
        })
    }

    /// Takes these forms without trials. Returns those that this processor does not have: they are tried as ever.
    pub fn reuse_forms(&mut self, chosen: &[ChosenForm]) -> Vec<ChosenForm> {
        let mut unknown = Vec::new();
        for one in chosen {
            let occasion = Occasion {
                kernel: one.kernel,
                access: one.access,
                asked: one.instruction_set,
                workers: one.workers,
                siblings: one.workers_of_a_core,
            };
            let forms = self.forms_of(&occasion).unwrap_or_default();
            match forms.iter().position(|form| form.words() == one.form) {
                Some(rank) => self.fastest.push((occasion, rank)),
                None => unknown.push(one.clone()),
            }
        }
        unknown
    }

    /// The forms that are compared on this occasion, in the order of their ranks.
    fn forms_of(&self, occasion: &Occasion) -> Result<Vec<Form>, EngineError> {
        let &Occasion { kernel, access, asked, workers: _, siblings } = occasion;
        Ok(kernels::followed(self.forms_on_trial(kernel, access, asked)?, kernel, siblings))
    }

    /// The forms of a kernel's code in the requested instruction set, or in the widest that have it.
    fn forms_on_trial(
        &self,
        kernel: Kernel,
        access: Access,
        asked: Option<InstructionSet>,
    ) -> Result<Vec<Form>, EngineError> {
        let sets = asked.as_ref().map_or(self.instruction_sets.as_slice(), std::slice::from_ref);
        let forms = kernels::on_trial(kernel, access, sets, self.line());
        if forms.is_empty() {
            return Err(EngineError::Unsupported {
                what: format!("kernel {kernel}"),
                reason: match asked {
                    Some(set) => format!("this processor has no {set} code for it"),
                    None => "this processor has no code for it".to_owned(),
                },
            });
        }
        Ok(forms)
    }

    /// The length of a line of the machine's caches, in bytes.
    fn line(&self) -> usize {
        let longest = self.machine.caches.iter().map(|cache| cache.line.get()).max();
        longest.filter(|line| [64, 128].contains(line)).unwrap_or(64) as usize
    }

    /// The forms of the kernel of the worker at `rank`, shared with the other workers that run it.
    fn forms(
        &self,
        workload: &Workload,
        (kernel, access): (Kernel, Access),
        choices: &mut Choices,
    ) -> Result<Arc<Forms>, EngineError> {
        let asked = workload.instruction_set;
        let core = |worker: &Worker| self.machine.pu(worker.pu).map(|pu| pu.core);
        let running = Activity::Kernel { kernel, access };
        let others = || workload.workers.iter().filter(|worker| worker.activity == running);
        let of_a_core = |one: &Worker| others().filter(|other| core(other) == core(one)).count();
        let siblings = others().map(of_a_core).max().unwrap_or(1);
        let occasion = Occasion { kernel, access, asked, workers: others().count(), siblings };
        let forms = self.forms_of(&occasion)?;
        Ok(choices.add(occasion, || forms, &self.fastest))
    }

    /// Fills each arena as the workers' activities require, and makes their tasks.
    fn tasks(
        &self,
        workload: &Workload,
        shares: &[Share],
        arenas: &mut [Arena],
        choices: &mut Choices,
    ) -> Result<Vec<(PuId, Task)>, EngineError> {
        let spacing = 2 * self.line();
        let mut lines: BTreeMap<u32, Arc<Lines>> = BTreeMap::new();
        let mut fetched: BTreeMap<u32, Arc<FetchedLines>> = BTreeMap::new();
        let mut tasks = Vec::new();
        for (worker, share) in workload.workers.iter().zip(shares) {
            let arena = &mut arenas[share.need];
            let slice = arena.slice(share.range.clone());
            let too_small = |what: String| EngineError::Unsupported {
                what,
                reason: format!("a buffer of {} is too small for it", worker.buffer),
            };
            let task = match worker.activity {
                Activity::Chase { chains, pages } => {
                    let landmarks = self.linked(arena, share, CycleShape { spacing, pages })?;
                    // SAFETY: the arena holds the cycle in exactly this part, and its landmarks are the cycle's.
                    let chase = unsafe { Chase::new(slice, landmarks, chains.into()) };
                    Task::Chase(chase.ok_or_else(|| too_small(format!("a chase of {chains} chains")))?)
                }
                Activity::TimedChase { batch } => {
                    let shape = CycleShape { spacing, pages: None };
                    let landmarks = self.linked(arena, share, shape)?;
                    // SAFETY: as above.
                    let chase = unsafe { Chase::new(slice, landmarks, 1) };
                    let chase = chase.ok_or_else(|| too_small("a chase".to_owned()))?;
                    Task::TimedChase(chase, Batches::new(u64::from(batch).next_multiple_of(8)))
                }
                Activity::Kernel { kernel, access } => {
                    self.filled(arena, &share.range)?;
                    let forms = self.forms(workload, (kernel, access), choices)?;
                    let task = KernelTask::new(slice, &forms, (kernel, access), worker.demand, &self.clock);
                    Task::Kernel(task.ok_or_else(|| too_small(format!("kernel {kernel}")))?)
                }
                Activity::LineTransfer { line, passing: Passing::Exchange } => {
                    Task::Exchange(match lines.get(&line) {
                        Some(lines) => Exchange::new(Arc::clone(lines), Side::Returner),
                        None => {
                            let moved = Lines::range(&share.range, self.visits);
                            self.filled(arena, &moved)?;
                            let new = Arc::new(Lines::new(arena.slice(moved), spacing));
                            let shared = lines.entry(line).or_insert(new);
                            Exchange::new(Arc::clone(shared), Side::Server)
                        }
                    })
                }
                Activity::LineTransfer { line, passing: Passing::Fetch(state) } => {
                    Task::Fetch(match fetched.get(&line) {
                        Some(lines) => Fetch::new(Arc::clone(lines), FetchSide::Owner, state),
                        None => {
                            let moved = FetchedLines::range(&share.range, self.visits);
                            self.filled(arena, &moved)?;
                            let new = FetchedLines::new(arena.slice(moved), spacing);
                            let shared = fetched.entry(line).or_insert(new);
                            Fetch::new(Arc::clone(shared), FetchSide::Reader, state)
                        }
                    })
                }
            };
            tasks.push((worker.pu, task));
        }
        Ok(tasks)
    }

    /// Makes sure that each arena holds what the tasks of a parked crew left there, in case others used it since.
    fn restore(
        &self,
        workload: &Workload,
        shares: &[Share],
        arenas: &mut [Arena],
    ) -> Result<(), EngineError> {
        let spacing = 2 * self.line();
        for (worker, share) in workload.workers.iter().zip(shares) {
            let arena = &mut arenas[share.need];
            match worker.activity {
                // The same range always gets the same cycle, so chains that stopped at one of its nodes are still on it.
                Activity::Chase { chains: _, pages } => {
                    drop(self.linked(arena, share, CycleShape { spacing, pages })?);
                }
                Activity::TimedChase { .. } => {
                    let shape = CycleShape { spacing, pages: None };
                    drop(self.linked(arena, share, shape)?);
                }
                Activity::Kernel { .. } | Activity::LineTransfer { .. } => {
                    self.filled(arena, &share.range)?;
                }
            }
        }
        Ok(())
    }

    /// What ends its work early.
    fn halt(&self) -> Halt<'_> {
        Halt { interrupted: &self.interrupted, deadline: self.deadline }
    }

    /// Makes sure that a worker's part of an arena holds a cycle.
    fn linked(&self, arena: &mut Arena, share: &Share, shape: CycleShape) -> Result<Landmarks, EngineError> {
        self.account.time(LINKING, || arena.hold_cycle(&share.range, shape, self.halt()))
    }

    /// Makes sure that a part of an arena holds values.
    fn filled(&self, arena: &mut Arena, range: &Range<usize>) -> Result<(), EngineError> {
        self.account.time(FILLING, || arena.hold_values(range, self.halt()))
    }

    /// What to check of each worker's buffer, and the warnings of arenas that could not be bound.
    fn checks(&self, shares: &[Share], arenas: &[Arena]) -> (Vec<Check>, Vec<Warning>) {
        let fallback = || Bytes(rustix::param::page_size() as u64);
        let base = self.machine.system.base_page.unwrap_or_else(fallback);
        let huge = HugePages::read(&self.tree, base);
        let checks = shares.iter().map(|share| {
            let arena = &arenas[share.need];
            let addresses = arena.slice(share.range.clone()).addresses();
            Check::new(&addresses, (arena.page(), base), arena.site(), huge.as_ref(), shares.len())
        });
        let unbound = shares.iter().filter_map(|share| arenas[share.need].unbound());
        (checks.collect(), Warning::union(unbound))
    }
}

impl Engine for HostEngine {
    fn origin(&self) -> Origin {
        Origin::HOST
    }

    fn description(&self) -> EngineDescription {
        let sets = self.instruction_sets.clone();
        let description = EngineDescription::new(&self.origin(), self.clock.description(), sets);
        EngineDescription { not_seen: self.instruments.not_seen().to_vec(), ..description }
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

    fn why_so_much_memory(&self, node: NodeId) -> Option<String> {
        Some(free_memory::in_words(&self.tree, &self.machine, node))
    }

    fn must_end_within(&mut self, time: Duration) {
        self.deadline = Instant::now().checked_add(time);
    }

    fn time_spent(&self) -> Option<TimeSpent> {
        Some(self.account.spent())
    }

    fn chosen_forms(&self) -> Vec<ChosenForm> {
        let chosen = self.fastest.iter().filter_map(|&(occasion, rank)| {
            let Occasion { kernel, access, asked, workers, siblings } = occasion;
            let forms = self.forms_of(&occasion).ok()?;
            let form = forms.get(rank)?.words();
            Some(ChosenForm {
                kernel,
                access,
                instruction_set: asked,
                workers,
                workers_of_a_core: siblings,
                form,
            })
        });
        chosen.collect()
    }

    fn prepare(&mut self, workload: &Workload) -> Result<Box<dyn Prepared + '_>, EngineError> {
        check(workload, &self.machine)?;
        self.visits += 1;
        let waiting = self.parked.threads();
        let (assembled, placed) = match self.assemble(workload) {
            // A limit on threads, as containers have: the workload can do without the threads that waited for others.
            Err(EngineError::NoThread { .. }) if waiting > 0 => {
                self.parked.keep_fewer_than(waiting);
                self.assemble(workload)?
            }
            assembled => assembled?,
        };
        let surroundings = Surroundings {
            clock: self.clock,
            tree: &self.tree,
            system: &mut self.system,
            instruments: &self.instruments,
            fastest: &mut self.fastest,
            arenas: &mut self.arenas,
            parked: &mut self.parked,
            neighbors: neighbors(workload, &self.machine),
            halt: Halt { interrupted: &self.interrupted, deadline: self.deadline },
            account: &self.account,
        };
        Ok(Box::new(HostRun::new(workload, assembled, placed, surroundings)))
    }
}

impl HostEngine {
    /// Places the buffers of a workload, and gathers its crew.
    fn assemble(&mut self, workload: &Workload) -> Result<(Assembled, Placed), EngineError> {
        let Layout { needs, shares } = Layout::of(workload);
        // They are taken out during the work, so that an error leaves nothing behind.
        let mut arenas = std::mem::take(&mut self.arenas);
        let mut parked = std::mem::take(&mut self.parked);
        let resources =
            Resources { tree: &self.tree, machine: &self.machine, calls: &self.calls, halt: self.halt() };
        if arenas.must_free(&needs, workload.pages, resources) {
            // Crews that use memory would keep it.
            self.account.time(THREADS, || parked.clear());
        }
        let provided = self.account.time(FILLING, || arenas.provide(&needs, workload.pages, resources))?;
        let buffers: Vec<usize> = shares
            .iter()
            .map(|share| provided[share.need].slice(share.range.clone()).start().addr())
            .collect();
        // The lines that cores pass on hold what both expect there; others may have used them since.
        let passes_lines = |worker: &Worker| matches!(worker.activity, Activity::LineTransfer { .. });
        let resumed = parked.take(workload, &buffers).filter(|_| !workload.workers.iter().any(passes_lines));
        let mut choices = Choices::default();
        let tasks = match &resumed {
            Some(_) => {
                self.restore(workload, &shares, provided)?;
                Vec::new()
            }
            None => self.tasks(workload, &shares, provided, &mut choices)?,
        };
        let (checks, mut warnings) = self.account.time(CHECKING, || self.checks(&shares, provided));
        warnings.extend(self.clock.coarse().map(|resolution| Warning::ClockCoarse { resolution }));
        let assembled = match resumed {
            Some(parked) => Assembled::Resumed(parked),
            None => {
                let crew =
                    self.account.time(THREADS, || WorkerPool::new(tasks, self.clock, &self.interrupted))?;
                Assembled::Fresh { crew, choices, buffers }
            }
        };
        warnings.extend(elsewhere(workload, &self.machine, assembled.crew().homes()));
        let placed = self.account.time(CHECKING, || Placed::new(checks, warnings, self.calls));
        self.arenas = arenas;
        self.parked = parked;
        Ok((assembled, placed))
    }
}

/// The first worker whose CPU the kernel counts to another node than this machine's description does, which comes from `/sys` or,
/// without it, from the assumption that there is one node. `homes` are the nodes of the workers' CPUs, as the kernel counts.
fn elsewhere(
    workload: &Workload,
    machine: &Machine,
    homes: impl Iterator<Item = Option<NodeId>>,
) -> Option<Warning> {
    workload.workers.iter().zip(homes).find_map(|(worker, home)| {
        let (home, assumed) = (home?, machine.pu(worker.pu)?.node);
        // Fake nodes share CPUs.
        let is_there = home == assumed || machine.node(home).is_some_and(|node| node.pus.contains(worker.pu));
        (!is_there).then_some(Warning::CpuElsewhere { pu: worker.pu, node: home, assumed })
    })
}

#[cfg(test)]
mod tests;
