//! How far apart two CPUs of a virtual machine are at the moment.
//!
//! A hypervisor that does not pin virtual CPUs moves them between cores, caches and packages. Two that are announced as sharing a
//! cache can be a package apart for seconds or minutes, or be the two threads of one core. Their bandwidth and the latency between them
//! are then those of a different machine. No file shows that, but the time in which one reads what the other has just written does: it
//! differs by a factor of five between one core, one cache and different caches. A line that goes back and forth
//! would hardly tell the first two, because the wait loops of both threads compete for the core.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{Builder, scope};
use std::time::Duration;

use zerohop_machine::{Machine, PuId};
use zerohop_units::Nanoseconds;
use zerohop_workload::Workload;

use crate::clock::Clock;
use crate::limit::Limit;
use crate::pinning::pin_to;

/// Lines that one CPU writes and the other reads in each turn.
const LINES: usize = 32;

/// The number of turns. The one in the middle counts: some are disturbed, and in some the reader had kept a part of the lines.
const TURNS: u64 = 31;

/// A turn of fewer ticks was too short for the clock: counters of some Arm processors have 40 ns, an emulated one more.
const FEWEST_TICKS: u64 = 4;

/// If the two do not run at the same time for this long, their distance stays unknown.
const PATIENCE: Duration = Duration::from_millis(3);

/// Loads between two checks of the clock.
const POLLS: u32 = 256;

/// A line by itself: adjacent ones may be fetched in pairs.
#[derive(Debug, Default)]
#[repr(align(256))]
struct Line(AtomicU64);

/// What the two CPUs share.
#[derive(Debug, Default)]
struct Shared {
    /// Odd while the lines are the reader's, even while they are the writer's.
    turn: Line,
    /// Each holds the number of the line that is read next.
    lines: [Line; LINES],
}

impl Shared {
    /// The line that is read after this one. All of them follow each other, in an order that no prefetcher foresees.
    const fn after(line: usize) -> usize {
        (13 * line + 5) % LINES
    }

    /// Takes ownership of every line.
    fn write(&self) {
        for (number, line) in self.lines.iter().enumerate() {
            line.0.store(Self::after(number) as u64, Ordering::Relaxed);
        }
    }

    /// Reads every line, each after the one before: returns the number of the last.
    fn read(&self) -> u64 {
        (0..LINES).fold(0, |next, _| self.lines[next as usize].0.load(Ordering::Relaxed))
    }

    /// Whether the turn came before the limit.
    fn wait_for(&self, turn: u64, limit: Limit<'_>) -> bool {
        loop {
            for _ in 0..POLLS {
                if self.turn.0.load(Ordering::Acquire) == turn {
                    return true;
                }
            }
            if limit.reached() {
                return false;
            }
        }
    }

    fn pass_to(&self, turn: u64) {
        self.turn.0.store(turn, Ordering::Release);
    }
}

/// Two of the workload's CPUs that the machine says share a cache, if it is a virtual machine.
pub(crate) fn neighbors(workload: &Workload, machine: &Machine) -> Option<(PuId, PuId)> {
    machine.system.hypervisor.as_ref()?;
    let first = workload.workers.first()?.pu;
    let cache = machine.data_caches(first).last().copied()?;
    let mut others = workload.workers.iter().map(|worker| worker.pu);
    let other = others.find(|&pu| pu != first && cache.pus.contains(pu))?;
    Some((first, other))
}

/// The time in which `reader` reads a line that `writer` has just written. `None` if they did not run at the same time, or if the clock
/// is too coarse.
pub(crate) fn time_between(clock: Clock, (reader, writer): (PuId, PuId)) -> Option<Nanoseconds> {
    let shared = Shared::default();
    let abort = AtomicBool::new(false);
    let limit = Limit { clock: &clock, tick: clock.mark() + clock.ticks(PATIENCE), abort: &abort };
    let middle = scope(|scope| {
        let writer = Builder::new().spawn_scoped(scope, || {
            let pinned = pin_to(writer).is_ok();
            (0..TURNS).all(|turn| {
                pinned && shared.wait_for(2 * turn, limit) && {
                    shared.write();
                    shared.pass_to(2 * turn + 1);
                    true
                }
            })
        });
        let reader = Builder::new().spawn_scoped(scope, || {
            pin_to(reader).ok()?;
            let read = |turn: u64| {
                if !shared.wait_for(2 * turn + 1, limit) {
                    return None;
                }
                let began = clock.start();
                black_box(shared.read());
                let took = clock.stop().saturating_sub(began);
                shared.pass_to(2 * turn + 2);
                Some(took)
            };
            let mut times = (0..TURNS).map(read).collect::<Option<Vec<u64>>>()?;
            times.sort_unstable();
            times.get(times.len() / 2).copied()
        });
        let middle = reader.ok()?.join().ok()?;
        writer.ok()?.join().ok()?.then_some(middle?)
    });
    middle.filter(|&ticks| ticks >= FEWEST_TICKS).map(|ticks| clock.seconds(ticks).per_step(LINES as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::HostTree;
    use zerohop_units::Bytes;
    use zerohop_workload::{Access, Activity, Demand, Kernel, Pages, Placement, Role, Worker};

    fn clock() -> Clock {
        Clock::new(None).or_else(|_| Clock::new(Some("tsc"))).unwrap()
    }

    #[test]
    fn two_cpus_are_some_time_apart_and_a_missing_one_is_nowhere() {
        let machine = Machine::load(&HostTree::live()).unwrap();
        let pus: Vec<PuId> = machine.pus.iter().filter(|pu| pu.allowed).map(|pu| pu.id).collect();
        let [one, other, ..] = pus[..] else { return };
        // On a machine whose CPUs never run at the same time, their distance is unknown.
        if let Some(apart) = (0..20).find_map(|_| time_between(clock(), (one, other))) {
            assert!((1.0..100_000.0).contains(&apart.get()), "{apart}");
        }
        assert_eq!(time_between(clock(), (one, PuId(1_000_000))), None);
    }

    #[test]
    fn every_line_is_read_once_in_a_turn() {
        let shared = Shared::default();
        shared.write();
        let order = std::iter::successors(Some(0), |&line| {
            Some(shared.lines[line].0.load(Ordering::Relaxed) as usize)
        });
        let read: std::collections::BTreeSet<usize> = order.take(LINES).collect();
        assert_eq!((read.len(), shared.read()), (LINES, 0));
    }

    #[test]
    fn only_the_cpus_of_a_virtual_machine_that_share_a_cache_are_asked() {
        let mut machine = Machine::load(&HostTree::live()).unwrap();
        let Some(cache) = machine.caches.iter().max_by_key(|cache| (cache.level, cache.pus.len())).cloned()
        else {
            return;
        };
        let workers = cache.pus.iter().map(|pu| Worker {
            pu,
            role: Role::Foreground,
            placement: Placement::Node(machine.nodes[0].id),
            buffer: Bytes::mib(1),
            activity: Activity::Kernel { kernel: Kernel::Read, access: Access::Sequential },
            demand: Demand::Unlimited,
        });
        let mut workload = Workload { workers: workers.collect(), pages: Pages::Best, instruction_set: None };
        machine.system.hypervisor = None;
        assert_eq!(neighbors(&workload, &machine), None);
        machine.system.hypervisor = Some("KVM".to_owned());
        let mut pus = cache.pus.iter();
        assert_eq!(neighbors(&workload, &machine), pus.next().zip(pus.next()));
        workload.workers.truncate(1);
        assert_eq!(neighbors(&workload, &machine), None);
    }
}
