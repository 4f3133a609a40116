//! How far apart two CPUs of a virtual machine are at the moment.
//!
//! A hypervisor that does not pin virtual CPUs moves them between cores, caches and packages. Two that are announced as sharing a
//! cache can be a package apart for seconds or minutes. Their bandwidth and the latency between them are then those of a
//! different machine. No file shows that, but the time that a cache line takes between them does.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{Builder, scope};
use std::time::Duration;

use zerohop_machine::{Machine, PuId};
use zerohop_units::Nanoseconds;
use zerohop_workload::Workload;

use crate::clock::Clock;
use crate::limit::Limit;
use crate::pinning::pin_to;

/// Round trips between two readings of the clock.
const ROUNDS: u64 = 64;

/// The number of such turns. The fastest counts: whatever disturbs them makes them slower.
const TURNS: u64 = 8;

/// If the two do not run at the same time for this long, their distance stays unknown.
const PATIENCE: Duration = Duration::from_millis(3);

/// Loads between two checks of the clock.
const POLLS: u32 = 256;

/// A line by itself: adjacent ones may be fetched in pairs.
#[derive(Debug, Default)]
#[repr(align(256))]
struct Line(AtomicU64);

/// Two of the workload's CPUs that the machine says share a cache, if it is a virtual machine.
pub(crate) fn neighbors(workload: &Workload, machine: &Machine) -> Option<(PuId, PuId)> {
    machine.system.hypervisor.as_ref()?;
    let first = workload.workers.first()?.pu;
    let cache = machine.data_caches(first).last().copied()?;
    let mut others = workload.workers.iter().map(|worker| worker.pu);
    let other = others.find(|&pu| pu != first && cache.pus.contains(pu))?;
    Some((first, other))
}

/// Half the round-trip time of a line between two CPUs, now. `None` if they did not run at the same time.
pub(crate) fn one_way(clock: Clock, (one, other): (PuId, PuId)) -> Option<Nanoseconds> {
    let line = Line::default();
    let abort = AtomicBool::new(false);
    let limit = Limit { clock: &clock, tick: clock.mark() + clock.ticks(PATIENCE), abort: &abort };
    let fastest = scope(|scope| {
        let returner = Builder::new().spawn_scoped(scope, || {
            let pinned = pin_to(other).is_ok();
            (0..ROUNDS * TURNS).all(|round| {
                pinned && wait_for(&line, 2 * round + 1, limit) && {
                    line.0.store(2 * round + 2, Ordering::Relaxed);
                    true
                }
            })
        });
        let server = Builder::new().spawn_scoped(scope, || {
            pin_to(one).ok()?;
            let turn = |turn: u64| {
                let began = clock.mark();
                let rounds = turn * ROUNDS..(turn + 1) * ROUNDS;
                for round in rounds {
                    line.0.store(2 * round + 1, Ordering::Relaxed);
                    if !wait_for(&line, 2 * round + 2, limit) {
                        return None;
                    }
                }
                Some(clock.mark() - began)
            };
            // The first turn begins before the other side is there.
            (0..TURNS).map(turn).skip(1).collect::<Option<Vec<u64>>>()?.into_iter().min()
        });
        let fastest = server.ok()?.join().ok()?;
        returner.ok()?.join().ok()?.then_some(fastest?)
    });
    fastest.map(|ticks| clock.seconds(ticks).per_step((2 * ROUNDS) as f64))
}

fn wait_for(line: &Line, wanted: u64, limit: Limit<'_>) -> bool {
    loop {
        for _ in 0..POLLS {
            if line.0.load(Ordering::Relaxed) == wanted {
                return true;
            }
        }
        if limit.reached() {
            return false;
        }
    }
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
        if let Some(apart) = (0..20).find_map(|_| one_way(clock(), (one, other))) {
            assert!((1.0..100_000.0).contains(&apart.get()), "{apart}");
        }
        assert_eq!(one_way(clock(), (one, PuId(1_000_000))), None);
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
