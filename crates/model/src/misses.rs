//! Misses that cores share: the lines that a cache fetches at the same time for all cores behind it.
//!
//! Workers on them have equal parts. A chase, which waits for one line before it asks for the next, uses one line of its part.

use std::collections::BTreeMap;

use zerohop_machine::{Cache, CacheKind, PuId};
use zerohop_machine_file::{CacheLatency, Hardware};
use zerohop_workload::{Activity, Workload};

/// The cache whose misses each PU shares with others, by rank, and the number of its misses.
#[derive(Debug, Clone, Default)]
pub(crate) struct SharedMisses {
    of: BTreeMap<PuId, (usize, u32)>,
}

impl SharedMisses {
    pub(crate) fn new(hardware: &Hardware) -> Self {
        // Its size and its latency are those of write-backs.
        let limited =
            |&CacheLatency { level, size: _, latency: _, misses }: &CacheLatency| Some((level, misses?));
        let limits: Vec<Option<(u8, u32)>> =
            hardware.core_kinds.iter().map(|kind| kind.caches.iter().find_map(limited)).collect();
        let mut of = BTreeMap::new();
        for (core, facts) in hardware.machine.cores.iter().zip(&hardware.cores) {
            let Some((level, misses)) = limits[facts.kind] else { continue };
            for pu in core.pus.iter() {
                let holds = |cache: &Cache| {
                    cache.level == level && cache.kind != CacheKind::Instruction && cache.pus.contains(pu)
                };
                if let Some(cache) = hardware.machine.caches.iter().position(holds) {
                    of.insert(pu, (cache, misses));
                }
            }
        }
        Self { of }
    }

    /// The part of each worker, by rank; without a limit, as many as there are numbers.
    pub(crate) fn parts(&self, workload: &Workload) -> Vec<u32> {
        let shared: Vec<Option<(usize, u32)>> = workload
            .workers
            .iter()
            .map(|worker| match worker.activity {
                Activity::Kernel { .. } | Activity::Chase { .. } | Activity::TimedChase { .. } => {
                    self.of.get(&worker.pu).copied()
                }
                Activity::LineTransfer { .. } => None,
            })
            .collect();
        let mut workers = BTreeMap::<usize, u32>::new();
        for &(cache, _) in shared.iter().flatten() {
            *workers.entry(cache).or_default() += 1;
        }
        let part = |shared: &Option<(usize, u32)>| {
            shared.map_or(u32::MAX, |(cache, misses)| (misses / workers[&cache]).max(1))
        };
        shared.iter().map(part).collect()
    }
}
