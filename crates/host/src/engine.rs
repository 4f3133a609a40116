//! The engine: it turns a workload into placed buffers and pinned threads.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use zerohop_machine::{Machine, NodeId, PuId};
use zerohop_units::Bytes;
use zerohop_workload::{
    Access, Activity, Engine, EngineDescription, EngineError, InstructionSet, Kernel, Origin, Passing,
    Prepared, Warning, Worker, Workload,
};

use crate::HostError;
use crate::apart::neighbors;
use crate::arena::{Arena, CycleShape};
use crate::arenas::{Arenas, Resources};
use crate::backing::{Check, HugePages};
use crate::batches::Batches;
use crate::clock::Clock;
use crate::crew::Crew;
use crate::exchange::{Exchange, Lines, Side};
use crate::fetch::{Fetch, FetchSide, FetchedLines};
use crate::forms::{Choices, Fastest, Forms, Occasion};
use crate::free_memory;
use crate::instruments::{self, Instruments};
use crate::kernel_task::KernelTask;
use crate::kernels::{self, Form};
use crate::layout::{Layout, Share, check};
use crate::numa_calls::NumaCalls;
use crate::parked::ParkingLot;
use crate::placed::Placed;
use crate::prepared::{Assembled, HostRun, Surroundings};
use crate::system_noise::SystemWatch;
use crate::task::{Chase, Task};
use crate::tlb::second_level_tlb;
use crate::tree::HostTree;

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
            visits: 0,
        })
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
        let forms = self.forms_on_trial(kernel, access, asked)?;
        let core = |worker: &Worker| self.machine.pu(worker.pu).map(|pu| pu.core);
        let running = Activity::Kernel { kernel, access };
        let others = || workload.workers.iter().filter(|worker| worker.activity == running);
        let of_a_core = |one: &Worker| others().filter(|other| core(other) == core(one)).count();
        let siblings = others().map(of_a_core).max().unwrap_or(1);
        let occasion = Occasion { kernel, access, asked, workers: others().count(), siblings };
        Ok(choices.add(occasion, || kernels::followed(forms, kernel, siblings), &self.fastest))
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
                    let landmarks =
                        arena.hold_cycle(&share.range, CycleShape { spacing, pages }, &self.interrupted)?;
                    // SAFETY: the arena holds the cycle in exactly this part, and its landmarks are the cycle's.
                    let chase = unsafe { Chase::new(slice, landmarks, chains.into()) };
                    Task::Chase(chase.ok_or_else(|| too_small(format!("a chase of {chains} chains")))?)
                }
                Activity::TimedChase { batch } => {
                    let shape = CycleShape { spacing, pages: None };
                    let landmarks = arena.hold_cycle(&share.range, shape, &self.interrupted)?;
                    // SAFETY: as above.
                    let chase = unsafe { Chase::new(slice, landmarks, 1) };
                    let chase = chase.ok_or_else(|| too_small("a chase".to_owned()))?;
                    Task::TimedChase(chase, Batches::new(u64::from(batch).next_multiple_of(8)))
                }
                Activity::Kernel { kernel, access } => {
                    arena.hold_values(&share.range, &self.interrupted)?;
                    let forms = self.forms(workload, (kernel, access), choices)?;
                    let task = KernelTask::new(slice, &forms, (kernel, access), worker.demand, &self.clock);
                    Task::Kernel(task.ok_or_else(|| too_small(format!("kernel {kernel}")))?)
                }
                Activity::LineTransfer { line, passing: Passing::Exchange } => {
                    Task::Exchange(match lines.get(&line) {
                        Some(lines) => Exchange::new(Arc::clone(lines), Side::Returner),
                        None => {
                            let moved = Lines::range(&share.range, self.visits);
                            arena.hold_values(&moved, &self.interrupted)?;
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
                            arena.hold_values(&moved, &self.interrupted)?;
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
                    drop(arena.hold_cycle(&share.range, CycleShape { spacing, pages }, &self.interrupted)?);
                }
                Activity::TimedChase { .. } => {
                    let shape = CycleShape { spacing, pages: None };
                    drop(arena.hold_cycle(&share.range, shape, &self.interrupted)?);
                }
                Activity::Kernel { .. } | Activity::LineTransfer { .. } => {
                    arena.hold_values(&share.range, &self.interrupted)?;
                }
            }
        }
        Ok(())
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

    fn prepare(&mut self, workload: &Workload) -> Result<Box<dyn Prepared + '_>, EngineError> {
        check(workload, &self.machine)?;
        self.visits += 1;
        let Layout { needs, shares } = Layout::of(workload);
        // They are taken out during the work, so that an error leaves nothing behind.
        let mut arenas = std::mem::take(&mut self.arenas);
        let mut parked = std::mem::take(&mut self.parked);
        let resources = Resources {
            tree: &self.tree,
            machine: &self.machine,
            calls: &self.calls,
            interrupted: &self.interrupted,
        };
        if arenas.must_free(&needs, workload.pages, resources) {
            // Crews that use memory would keep it.
            parked.clear();
        }
        let provided = arenas.provide(&needs, workload.pages, resources)?;
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
        let (checks, mut warnings) = self.checks(&shares, provided);
        warnings.extend(self.clock.coarse().map(|resolution| Warning::ClockCoarse { resolution }));
        let placement = Placed::new(checks, warnings, self.calls);
        let assembled = match resumed {
            Some(parked) => Assembled::Resumed(parked),
            None => {
                Assembled::Fresh { crew: Crew::new(tasks, self.clock, &self.interrupted)?, choices, buffers }
            }
        };
        self.arenas = arenas;
        self.parked = parked;
        let surroundings = Surroundings {
            clock: self.clock,
            tree: &self.tree,
            system: &mut self.system,
            instruments: &self.instruments,
            fastest: &mut self.fastest,
            arenas: &mut self.arenas,
            parked: &mut self.parked,
            neighbors: neighbors(workload, &self.machine),
            interrupted: &self.interrupted,
        };
        Ok(Box::new(HostRun::new(workload, assembled, placement, surroundings)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use std::sync::atomic::Ordering;
    use std::time::Duration;
    use zerohop_workload::{Demand, Pages, Placement, Role};

    fn engine() -> HostEngine {
        let machine = Machine::load(&HostTree::live()).unwrap();
        HostEngine::new(machine, Arc::new(AtomicBool::new(false))).unwrap()
    }

    /// One reader on the first PU, of memory on the first node.
    fn reading(machine: &Machine) -> Workload {
        let worker = Worker {
            pu: machine.pus.iter().find(|pu| pu.allowed).unwrap().id,
            role: Role::Foreground,
            placement: Placement::Node(machine.targets().next().unwrap().id),
            buffer: Bytes::mib(2),
            activity: Activity::Kernel { kernel: Kernel::Read, access: Access::Sequential },
            demand: Demand::Unlimited,
        };
        Workload { workers: vec![worker], pages: Pages::Transparent, instruction_set: None }
    }

    #[test]
    fn without_numa_calls_it_measures_and_says_so() {
        let mut engine = engine();
        let denied = || io::Error::from_raw_os_error(libc::EPERM);
        engine.calls = NumaCalls {
            bind: |_, _, _| Err(io::Error::from_raw_os_error(libc::EPERM)),
            locate: |_, _| Err(io::Error::from_raw_os_error(libc::ENOSYS)),
            ..NumaCalls::LIVE
        };
        let workload = reading(&engine.machine);
        let mut prepared = engine.prepare(&workload).unwrap();
        assert_eq!(prepared.backing()[0].placed_share, None);
        assert_eq!(prepared.backing()[0].pages_checked, 0);
        let reason = format!("mbind: {}", denied());
        assert!(prepared.warnings().contains(&Warning::PlacementNotBound { reason }));
        let unproven = |warning: &Warning| matches!(warning, Warning::PlacementUnproven { .. });
        assert!(prepared.warnings().iter().any(unproven), "{:?}", prepared.warnings());
        assert!(prepared.sample(Duration::from_millis(5)).is_ok());
    }

    #[test]
    fn pages_on_another_node_are_reported() {
        let mut engine = engine();
        engine.calls.locate = |_, nodes| {
            nodes.fill(77);
            Ok(())
        };
        let workload = reading(&engine.machine);
        let prepared = engine.prepare(&workload).unwrap();
        assert_eq!(prepared.backing()[0].placed_share, Some(0.0));
        assert!(prepared.warnings().contains(&Warning::PagesMisplaced { share: 0.0 }));
    }

    /// With `cpuset.mems` changed in the middle, all pages lay on the other node, and they had been proven before.
    #[test]
    fn pages_that_move_while_samples_are_taken_are_reported() {
        static MOVED: AtomicBool = AtomicBool::new(false);
        let mut engine = engine();
        let home = engine.machine.targets().next().unwrap().id;
        assert_eq!(home, NodeId(0), "the node that the call below names");
        // An emulator may have neither call.
        engine.calls.bind = |_, _, _| Ok(());
        engine.calls.locate = |_, nodes| {
            nodes.fill(if MOVED.load(Ordering::Relaxed) { 77 } else { 0 });
            Ok(())
        };
        let workload = reading(&engine.machine);
        let mut prepared = engine.prepare(&workload).unwrap();
        prepared.sample(Duration::from_millis(3)).unwrap();
        prepared.confirm();
        assert!(prepared.backing()[0].confirmed && prepared.warnings().is_empty());
        MOVED.store(true, Ordering::Relaxed);
        prepared.confirm();
        assert!(!prepared.backing()[0].confirmed);
        assert_eq!(prepared.backing()[0].placed_share, Some(0.0));
        assert!(prepared.warnings().contains(&Warning::PagesMisplaced { share: 0.0 }));
    }

    #[test]
    fn memory_is_kept_for_later_workloads_while_half_of_it_is_free() {
        let mut engine = engine();
        let mut workload = reading(&engine.machine);
        let Placement::Node(node) = workload.workers[0].placement else {
            unreachable!("the placement names a node")
        };
        for (mib, pages, kept) in [
            (2, Pages::Transparent, 2),
            (16, Pages::Transparent, 18),
            (8, Pages::Transparent, 18),
            (2, Pages::Transparent, 18),
            (4, Pages::Base, 22),
            (8, Pages::Transparent, 22),
        ] {
            workload.workers[0].buffer = Bytes::mib(mib);
            workload.pages = pages;
            drop(engine.prepare(&workload).unwrap());
            assert_eq!(engine.arenas.held_on(node), Bytes::mib(kept), "{mib} {pages}");
        }
    }

    /// A survey that went round its experiments filled gigabytes again in each round.
    #[test]
    fn what_one_workload_filled_is_there_when_it_comes_back_after_another() {
        let mut engine = engine();
        let one = reading(&engine.machine);
        let mut other = one.clone();
        other.workers[0].activity = Activity::Chase { chains: 1, pages: None };
        let mut few = one.clone();
        few.workers[0].activity = Activity::Chase { chains: 1, pages: Some(1) };
        let mut held_after = |workload: &Workload| {
            drop(engine.prepare(workload).unwrap());
            engine.arenas.held_on(engine.machine.targets().next().unwrap().id)
        };
        let held: Vec<Bytes> = [&one, &other, &few, &one, &few, &other].map(&mut held_after).to_vec();
        assert_eq!(held, [2, 4, 6, 6, 6, 6].map(Bytes::mib));
    }

    #[test]
    fn the_crew_of_a_workload_waits_for_the_next_visit() {
        let mut engine = engine();
        let one = reading(&engine.machine);
        let mut other = one.clone();
        other.workers[0].activity = Activity::Chase { chains: 2, pages: None };
        for (workload, threads) in [(&one, 1), (&other, 2), (&one, 2), (&other, 2)] {
            let mut prepared = engine.prepare(workload).unwrap();
            let sample = prepared.sample(Duration::from_millis(3)).unwrap();
            let done = sample.workers[0].in_window;
            assert!(done.bytes.get() > 0 || done.steps > 0.0, "{done:?}");
            drop(prepared);
            assert_eq!(engine.parked.threads(), threads);
        }
        // Memory for which there is room ends none of them.
        let mut large = one.clone();
        large.workers[0].buffer = Bytes::mib(64);
        drop(engine.prepare(&large).unwrap());
        assert_eq!(engine.parked.threads(), 3);
    }

    #[test]
    fn a_kernel_uses_the_requested_instructions_or_is_refused() {
        let engine = engine();
        let code = |set| engine.forms_on_trial(Kernel::Read, Access::Sequential, set);
        assert!(code(None).is_ok());
        assert!(code(Some(InstructionSet::Scalar64)).is_ok());
        let foreign = if cfg!(target_arch = "x86_64") { InstructionSet::Neon } else { InstructionSet::Sse2 };
        let error = code(Some(foreign)).unwrap_err().to_string();
        assert!(error.starts_with("kernel read is not possible here: this processor has no"), "{error}");
    }
}
