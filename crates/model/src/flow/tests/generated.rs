//! Generated machines and workloads, by number.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use zerohop_document::FractionalBytes;
use zerohop_machine::NodeId;
use zerohop_machine_file::{Buffers, Coherence, Collector, Control, Hardware, InFlight, Packets, Turnaround};
use zerohop_units::{Bytes, GigabytesPerSecond, Nanoseconds};
use zerohop_workload::{Access, Activity, Demand, Kernel, Placement, Role, Worker};

use crate::machines::nodes;
use crate::tests::worker;

/// A machine and a workload for it.
#[derive(Debug, Clone)]
pub(crate) struct Pair {
    pub(crate) name: String,
    pub(crate) hardware: Hardware,
    pub(crate) workers: Vec<Worker>,
}

/// Random choices, seeded by the number.
struct Chance(Pcg64Mcg);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        ((u64::from(self.0.next_u32()) * limit as u64) >> 32) as usize
    }

    fn one_of<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * f64::from(self.0.next_u32()) / f64::from(u32::MAX)
    }

    fn nanoseconds(&mut self, low: f64, high: f64) -> Nanoseconds {
        Nanoseconds(self.between(low, high))
    }

    fn count(&mut self, low: u32, high: u32) -> u32 {
        low + self.below((high - low + 1) as usize) as u32
    }
}

/// The pair with this number: always the same.
pub(crate) fn pair(number: u64) -> Pair {
    let mut chance = Chance(Pcg64Mcg::seed_from_u64(0x5eed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    let count = chance.one_of(&[1, 2, 2, 3, 4, 4, 6, 8]);
    let cores = chance.one_of(&[1, 2, 4, 8, 16]);
    let graph = chance.one_of(&["full", "ring", "line"]);
    let coherence = chance.one_of(&["directory", "directory", "requester", "home"]);
    let hardware = machine(&mut chance, count, cores, graph, coherence);
    let (what, workers) = workers(&mut chance, &hardware, count, cores);
    let name = format!("{number:3}: {count} x {cores} {graph} {coherence}, {what}");
    Pair { name, hardware, workers }
}

fn links(count: usize, graph: &str) -> Vec<[usize; 2]> {
    let line = (1..count).map(|node| [node - 1, node]);
    match graph {
        "full" => (0..count).flat_map(|one| (one + 1..count).map(move |other| [one, other])).collect(),
        "ring" if count > 2 => line.chain(std::iter::once([count - 1, 0])).collect(),
        _ => line.collect(),
    }
}

fn machine(chance: &mut Chance, count: usize, cores: usize, graph: &str, coherence: &str) -> Hardware {
    let lookup = chance.nanoseconds(0.0, 40.0);
    let coherence = match coherence {
        "directory" => Coherence::Directory { lookup },
        "requester" => Coherence::Broadcast { lookup, collector: Collector::Requester },
        _ => Coherence::Broadcast { lookup, collector: Collector::Home },
    };
    let mut machine = nodes(count, cores, &links(count, graph), coherence);
    let kind = &mut machine.core_kinds[0];
    let window = chance.count(4, 24);
    kind.parameters.in_flight =
        InFlight { sequential: window, strided: window, random: chance.count(4, 12), ahead: None };
    kind.parameters.evictions = chance.count(8, 16);
    kind.parameters.write_combining = chance.count(4, 12);
    kind.parameters.to_router = chance.nanoseconds(5.0, 25.0);
    kind.parameters.from_router = chance.nanoseconds(5.0, 15.0);
    let size = chance.one_of(&[[8, 8, 4, 68, 72], [16, 16, 8, 80, 80], [12, 12, 12, 76, 76]]);
    let (capacity, latency) = (chance.between(6.0, 40.0), chance.nanoseconds(5.0, 40.0));
    let (credit, inserts) = (chance.one_of(&[0.0, 0.0, 0.5, 2.0, 4.0]), chance.below(2) == 0);
    let least = (capacity * (2.0 * latency.get() + 60.0) / 64.0).ceil() as u32;
    let held = least + chance.count(0, 16);
    for link in &mut machine.links {
        link.capacity = GigabytesPerSecond(capacity);
        link.parameters.latency = latency;
        link.parameters.control = if inserts { Control::Inserted } else { Control::Waits };
        let [request, probe, response, data, write] = size.map(Bytes);
        link.parameters.packets =
            Packets { request, probe, response, data, write, credit: FractionalBytes(credit) };
        link.buffers = Buffers { request: 2 * held, write: held, probe: 3 * held, response: held };
    }
    let traversal = chance.nanoseconds(0.0, 10.0);
    for router in &mut machine.routers {
        router.traversal = traversal;
    }
    let (slot, table) = (chance.nanoseconds(0.3, 2.0), chance.one_of(&[32, 48, 64, 128]));
    let agent = chance.nanoseconds(2.0, 15.0);
    for home in &mut machine.homes {
        (home.parameters.slot, home.parameters.latency) = (slot, agent);
        (home.parameters.table, home.parameters.local_limit, home.parameters.remote_limit) =
            (table, table, table);
    }
    let bandwidth = chance.between(8.0, 60.0);
    let (access, row_miss) = (chance.nanoseconds(35.0, 80.0), chance.nanoseconds(0.0, 30.0));
    let (banks, row_cycle) = (chance.one_of(&[8, 16, 32]), chance.nanoseconds(30.0, 50.0));
    let turnaround =
        Turnaround { to_write: chance.nanoseconds(0.0, 8.0), to_read: chance.nanoseconds(0.0, 10.0) };
    let batch = chance.one_of(&[4, 8, 16, 32]);
    for channel in &mut machine.channels {
        channel.bandwidth = GigabytesPerSecond(bandwidth);
        (channel.parameters.access, channel.parameters.row_miss, channel.parameters.row_cycle) =
            (access, row_miss, row_cycle);
        (channel.parameters.banks, channel.parameters.turnaround, channel.parameters.write_batch) =
            (banks, turnaround, batch);
    }
    machine
}

fn workers(chance: &mut Chance, hardware: &Hardware, count: usize, cores: usize) -> (String, Vec<Worker>) {
    let active = 1 + chance.below(cores);
    let asking = 1 + chance.below(count);
    let kernel = chance.one_of(&[
        Kernel::Read,
        Kernel::Read,
        Kernel::Read,
        Kernel::Write,
        Kernel::WriteNt,
        Kernel::Copy,
        Kernel::Triad,
        Kernel::TriadNt,
        Kernel::Mix2To1,
        Kernel::Mix3To1,
    ]);
    let can_be_random = matches!(kernel, Kernel::Read | Kernel::Write);
    let access = if can_be_random && chance.below(4) == 0 { Access::Random } else { Access::Sequential };
    let place = chance.one_of(&["local", "local", "next", "one", "spread", "mixed"]);
    let bandwidth = hardware.channels[0].bandwidth.get();
    let demand = match chance.below(4) {
        0 => Demand::Rate(GigabytesPerSecond(bandwidth * chance.between(0.02, 1.0) / active as f64)),
        1 => Demand::Delay(chance.count(0, 2000)),
        _ => Demand::Unlimited,
    };
    let mut workers = Vec::new();
    for node in 0..asking {
        for core in 0..active {
            let all = || (0..count as u32).map(NodeId).collect();
            let at = |node: usize| Placement::Node(NodeId((node % count) as u32));
            let placement = match place {
                "local" => at(node),
                "next" => at(node + 1),
                "one" => at(0),
                "spread" => Placement::Interleaved(all()),
                _ => at(node + core % 2),
            };
            // Equal rates would keep their phases; no two real threads do.
            let demand = match demand {
                Demand::Rate(rate) => Demand::Rate(rate * chance.between(0.9, 1.1)),
                other => other,
            };
            workers.push(Worker {
                placement,
                demand,
                ..worker((node * cores + core) as u32, 0, Activity::Kernel { kernel, access })
            });
        }
    }
    let chase = chance.below(3) == 0 && active < cores;
    if chase {
        for worker in &mut workers {
            worker.role = Role::Background;
        }
        let target = chance.below(count) as u32;
        workers.push(worker(active as u32, target, Activity::Chase { chains: 1, pages: None }));
    }
    let with = if chase { ", chase" } else { "" };
    let what = format!("{kernel} {access:?} {place} by {active} at {asking}, {demand:?}{with}");
    (what, workers)
}
