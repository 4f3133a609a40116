//! The machine's own instruments: what memory controllers count, energy, the clock of the uncore, and page table walks and cycles of
//! each worker. None of them needs root by itself, but kernels often reserve them; a virtual machine has hardly any.

mod event;
mod memory_controllers;
mod perf;
mod power;
mod unavailable;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use zerohop_machine::{FileTree, Machine};
use zerohop_units::Seconds;
use zerohop_workload::Meters;

use memory_controllers::{BusEvent, Flow, events};
use power::{Domain, Meter, lowest_clock, meters, uncore_clocks, watts};

pub(crate) use perf::{Count, Counter, Open, Wanted, open};
pub use unavailable::{UnseenInstrument, WhyUnseen};

/// All instruments that this process may read.
#[derive(Debug, Default)]
pub(crate) struct Instruments {
    bus: Vec<BusCounter>,
    meters: Vec<Meter>,
    uncore: Vec<String>,
    unseen: Vec<UnseenInstrument>,
    not_seen: Vec<String>,
}

/// A counter of one memory controller, or of several.
#[derive(Debug)]
struct BusCounter {
    flow: Flow,
    bytes: f64,
    counter: Box<dyn Counter>,
}

/// What the instruments show at one moment.
#[derive(Debug, Default)]
pub(crate) struct Look {
    bus: Vec<Option<Count>>,
    energy: Vec<Option<u64>>,
}

/// What a worker counts of itself: cycles, and page table walks for loads. Types and configurations are the kernel's generic ones
/// (`PERF_TYPE_HARDWARE`, `PERF_COUNT_HW_CPU_CYCLES`; `PERF_TYPE_HW_CACHE`, data TLB, reads, misses), which it maps to walks on Intel and
/// to misses of the second-level TLB on AMD.
pub(crate) const CYCLES: Wanted = Wanted { kind: 0, config: 0, cpu: None };
pub(crate) const WALKS: Wanted = Wanted { kind: 3, config: 3 | 1 << 16, cpu: None };

impl Instruments {
    /// Opens all of them.
    pub(crate) fn open(tree: &dyn FileTree, machine: &Machine, open: Open) -> Self {
        let mut unseen = Vec::new();
        let mut is_unseen = |what, why| unseen.push(UnseenInstrument { what, why });
        let found = events(tree, machine.processor.family);
        let bus = match counters(found, open) {
            Ok(bus) => bus,
            Err(why) => {
                is_unseen("traffic at the memory controllers", why);
                Vec::new()
            }
        };
        for (what, wanted) in [("page table walks", WALKS), ("core cycles", CYCLES)] {
            if let Err(error) = open(wanted).and_then(|counter| counter.count()) {
                is_unseen(what, WhyUnseen::of_counter(&error));
            }
        }
        let meters = meters(tree).unwrap_or_else(|why| {
            is_unseen("power", why);
            Vec::new()
        });
        let uncore = uncore_clocks(tree);
        if uncore.is_empty() {
            is_unseen("the uncore's clock", WhyUnseen::NotThere);
        }
        let not_seen = by_reason(&unseen, machine.system.hypervisor.is_some());
        Self { bus, meters, uncore, unseen, not_seen }
    }

    /// What cannot be read, and why: a line for each reason.
    pub(crate) fn not_seen(&self) -> &[String] {
        &self.not_seen
    }

    /// What cannot be read, and the reason of each.
    pub(crate) fn unseen(&self) -> &[UnseenInstrument] {
        &self.unseen
    }

    pub(crate) fn look(&self, tree: &dyn FileTree) -> Look {
        Look {
            bus: self.bus.iter().map(|one| one.counter.count().ok()).collect(),
            energy: self.meters.iter().map(|meter| meter.read(tree)).collect(),
        }
    }

    /// The meters since `before`, of which `wall` has passed; memory was used during `running` of it.
    pub(crate) fn since(
        &self,
        before: &Look,
        tree: &dyn FileTree,
        wall: Seconds,
        running: Seconds,
    ) -> Meters {
        let now = self.look(tree);
        let energy = |domain| watts(&self.meters, domain, (&before.energy, &now.energy), wall);
        Meters {
            bus_counted_gbps: self.traffic(before, &now, running, |_| true),
            bus_read_gbps: self
                .bus
                .iter()
                .all(|one| one.flow != Flow::Either)
                .then(|| self.traffic(before, &now, running, |flow| flow == Flow::Read))
                .flatten(),
            package_w: energy(Domain::Package),
            memory_w: energy(Domain::Memory),
            uncore_ghz: lowest_clock(tree, &self.uncore).map(|clock| clock.get() / 1e9),
            ..Meters::default()
        }
    }

    /// GB/s of these flows; `None` if a counter of them failed.
    fn traffic(
        &self,
        before: &Look,
        now: &Look,
        running: Seconds,
        counts: impl Fn(Flow) -> bool,
    ) -> Option<f64> {
        let each = self.bus.iter().zip(before.bus.iter().zip(&now.bus)).filter(|(one, _)| counts(one.flow));
        let bytes = each.map(|(one, (before, now))| Some((*now)?.since((*before)?)? * one.bytes));
        let bytes: Option<Vec<f64>> = bytes.collect();
        let bytes = bytes.filter(|bytes| !bytes.is_empty() && running.get() > 0.0)?;
        Some(bytes.into_iter().sum::<f64>() / running.get() / 1e9)
    }
}

/// Lets this process open as many files as it may: each worker has three, and there can be a thousand workers.
pub(crate) fn allow_many_files() {
    let limit = getrlimit(Resource::Nofile);
    if limit.current < limit.maximum || limit.maximum.is_none() {
        // Without it, workers of large machines lack some counters.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    }
}

/// The counters of these events, each on a CPU of every package. All or none: traffic of some controllers is no traffic.
fn counters(events: Vec<BusEvent>, open: Open) -> Result<Vec<BusCounter>, WhyUnseen> {
    if events.is_empty() {
        return Err(WhyUnseen::NotThere);
    }
    let mut counters = Vec::new();
    for BusEvent { flow, bytes, event } in events {
        for cpu in event.cpus {
            let wanted = Wanted { kind: event.kind, config: event.config, cpu: Some(cpu) };
            let counter = open(wanted).map_err(|error| WhyUnseen::of_counter(&error))?;
            counters.push(BusCounter { flow, bytes, counter });
        }
    }
    Ok(counters)
}

/// `a, b: reason`, a line for each reason.
fn by_reason(unseen: &[UnseenInstrument], is_virtual: bool) -> Vec<String> {
    let mut lines: Vec<(&WhyUnseen, Vec<&str>)> = Vec::new();
    for UnseenInstrument { what, why } in unseen {
        match lines.iter_mut().find(|(known, _)| known == &why) {
            Some((_, all)) => all.push(what),
            None => lines.push((why, vec![what])),
        }
    }
    let line = |(why, all): (&WhyUnseen, Vec<&str>)| match why {
        WhyUnseen::NotThere if is_virtual => format!("{}: {why} in a virtual machine", all.join(", ")),
        why => format!("{}: {why}", all.join(", ")),
    };
    lines.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests;
