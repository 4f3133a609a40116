//! Idle latency: a chase alone on a machine takes as long by mean-value analysis as by events, or it is refused.

use std::ops::Range;
use std::sync::Arc;

use zerohop_machine::{NodeId, PuId, Setting, Settings};
use zerohop_machine_file::{Coherence, Collector, Hardware, Library, MachineFile, PassesOn, Spread};
use zerohop_units::Bytes;
use zerohop_workload::{Activity, Placement, Prepared, Sample, Worker};

use super::generated::pair;
use crate::tests::{worker, workload};
use crate::{FlowEngine, ModelEngine};

/// Largest relative difference between the two.
const APART: f64 = 0.01;

/// The same where channels are refreshed: their refreshes follow one another, so that a chase meets more or fewer of them than loads at any
/// time would.
const REFRESHED_APART: f64 = 0.02;

/// Machines that are compared, in each of their variants.
const MACHINES: u64 = 40;

/// Samples of a chase that goes over several nodes at random: only many lines come close to the mean.
const MANY: u32 = 80;

/// Idle latency by mean-value analysis and by events, in ns; `None` where it is refused.
fn latencies(hardware: &Arc<Hardware>, chase: &Worker) -> Option<[f64; 2]> {
    let workload = workload(vec![chase.clone()]);
    let mut solved = FlowEngine::new(Arc::clone(hardware)).place(&workload).ok()?;
    let mut simulated = ModelEngine::new(Arc::clone(hardware), 1).place(&workload).unwrap();
    let homes = hardware.memories.iter().map(|memory| memory.homes.len()).max();
    let is_spread = matches!(chase.placement, Placement::Interleaved(_)) || homes > Some(1);
    let window = simulated.window().unwrap() * if is_spread { MANY } else { 2 };
    let step = |sample: Sample| sample.step_time(0).unwrap().get();
    Some([step(solved.sample(window).unwrap()), step(simulated.sample(window).unwrap())])
}

/// A chase from the first core of every router to every place: each node, and all nodes interleaved.
fn chases(hardware: &Hardware, buffer: Bytes) -> Vec<Worker> {
    let nodes: Vec<NodeId> = hardware.memories.iter().map(|memory| memory.node).collect();
    let mut places: Vec<Placement> = nodes.iter().copied().map(Placement::Node).collect();
    if nodes.len() > 1 {
        places.push(Placement::Interleaved(nodes));
    }
    let first = |router| hardware.cores.iter().position(|core| core.router == router);
    let cores = (0..hardware.routers.len()).filter_map(first);
    let pus = cores.filter_map(|core| hardware.machine.cores[core].pus.first());
    let of = |pu: PuId| {
        let chase = Worker { buffer, ..worker(pu.0, 0, Activity::Chase { chains: 1, pages: None }) };
        places.iter().map(move |place| Worker { placement: place.clone(), ..chase.clone() })
    };
    pus.flat_map(of).collect()
}

/// Results of comparing chases.
#[derive(Debug)]
struct Compared {
    /// The largest difference that is right.
    apart: f64,
    solved: usize,
    refused: usize,
    wrong: Vec<String>,
}

impl Compared {
    fn within(apart: f64) -> Self {
        Self { apart, solved: 0, refused: 0, wrong: Vec::new() }
    }

    fn add(&mut self, name: &str, hardware: Hardware, buffer: Bytes) {
        let hardware = Arc::new(hardware);
        for chase in chases(&hardware, buffer) {
            let Some([solved, by_events]) = latencies(&hardware, &chase) else {
                self.refused += 1;
                continue;
            };
            self.solved += 1;
            let apart = solved / by_events - 1.0;
            if apart.abs() > self.apart {
                let (pu, place, apart) = (chase.pu, &chase.placement, apart * 100.0);
                self.wrong.push(format!(
                    "{apart:+.2} %: {solved:.2} for {by_events:.2} ns, {name}, CPU {pu}, {place:?}"
                ));
            }
        }
    }

    #[track_caller]
    fn assert_all_right(&self) {
        let Self { solved, refused, wrong, .. } = self;
        assert!(wrong.is_empty(), "{} of {solved}, {refused} refused:\n{}", wrong.len(), wrong.join("\n"));
    }
}

/// The machine with all its nodes as one, whose pages are interleaved over all of them.
fn interleaved(mut machine: Hardware) -> Hardware {
    let memory = &mut machine.memories[0];
    memory.homes = (0..machine.homes.len()).collect();
    memory.channels = (0..machine.channels.len()).collect();
    memory.home_spread = Spread::Interleaved(Bytes::kib(4));
    memory.channel_spread = Spread::Interleaved(Bytes::kib(4));
    machine.memories.truncate(1);
    machine
}

/// Compares machines of these numbers, in each of their variants.
fn check_generated(numbers: Range<u64>) {
    let mut compared = Compared::within(APART);
    for number in numbers {
        let pair = pair(number);
        let lookup = match pair.hardware.coherence {
            Coherence::Directory { lookup } | Coherence::Broadcast { lookup, .. } => lookup,
        };
        let kinds = [
            Coherence::Directory { lookup },
            Coherence::Broadcast { lookup, collector: Collector::Requester },
            Coherence::Broadcast { lookup, collector: Collector::Home },
        ];
        for coherence in kinds {
            let machine = Hardware { coherence, ..pair.hardware.clone() };
            let name = format!("{} {coherence:?}", pair.name);
            compared.add(&format!("{name} interleaved"), interleaved(machine.clone()), Bytes::mib(64));
            compared.add(&name, machine, Bytes::mib(64));
        }
    }
    compared.assert_all_right();
    assert_eq!(compared.refused, 0, "no chase is refused");
}

#[test]
fn idle_latency_is_that_of_events_on_a_few_generated_machines() {
    check_generated(0..4);
}

#[test]
#[ignore = "long: simulates 240 generated machines"]
fn idle_latency_is_that_of_events_on_generated_machines() {
    check_generated(0..MACHINES);
}

/// The machine with links of different speeds, latencies and wires, some of which wait for whole packets; and home
/// agents and routers of different latencies.
fn uneven(mut machine: Hardware, number: u64) -> Hardware {
    let mut random = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut below = |limit: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random % limit
    };
    for link in &mut machine.links {
        link.capacity = link.capacity * [0.25, 0.5, 1.0, 4.0, 30.0][below(5) as usize];
        link.wires = [1, 1, 2, 4][below(4) as usize];
        link.parameters.latency = link.parameters.latency * [0.5, 1.0, 3.0][below(3) as usize];
        if below(3) == 0 {
            link.parameters.passes_on = PassesOn::Whole;
        }
    }
    for home in &mut machine.homes {
        home.parameters.latency = home.parameters.latency * [1.0, 2.0][below(2) as usize];
    }
    for router in &mut machine.routers {
        router.traversal = router.traversal * [1.0, 3.0][below(2) as usize];
    }
    machine
}

/// Compares machines of these numbers, whose parts are made unlike.
fn check_uneven(numbers: Range<u64>) {
    let mut compared = Compared::within(APART);
    for number in numbers {
        let pair = pair(number);
        let lookup = match pair.hardware.coherence {
            Coherence::Directory { lookup } | Coherence::Broadcast { lookup, .. } => lookup,
        };
        for coherence in [
            Coherence::Directory { lookup },
            Coherence::Broadcast { lookup, collector: Collector::Requester },
            Coherence::Broadcast { lookup, collector: Collector::Home },
        ] {
            let machine = uneven(Hardware { coherence, ..pair.hardware.clone() }, number);
            let name = format!("{} {coherence:?} uneven", pair.name);
            compared.add(&name, machine, Bytes::mib(64));
        }
    }
    compared.assert_all_right();
    assert_eq!(compared.refused, 0, "no chase is refused");
}

/// Latency under `flow` is the sum of what the parts of a path take, and so must be where these parts differ from node to node.
#[test]
fn idle_latency_is_that_of_events_on_a_few_machines_of_unlike_parts() {
    check_uneven(1000..1004);
}

#[test]
#[ignore = "long: simulates 120 generated machines"]
fn idle_latency_is_that_of_events_on_machines_of_unlike_parts() {
    check_uneven(1000..1000 + MACHINES);
}

/// The machine files of the project.
struct Machines;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../machines");

impl Library for Machines {
    fn read(&self, name: &str, _: &str) -> Option<String> {
        std::fs::read_to_string(format!("{FOLDER}/{name}.toml")).ok()
    }
}

/// Settings of built-in machines that are compared besides their defaults.
const SET: [(&str, &[&str]); 8] = [
    ("quartet", &["node_interleaving=on"]),
    ("opteron-6274-4s", &["node_interleaving=on"]),
    ("opteron-6274-4s-doubloon", &["node_interleaving=on"]),
    ("cascade-lake-4s", &["threshold_menu=low"]),
    ("sr665-v3", &["nps=0"]),
    ("sr665-v3", &["nps=4", "width=x4", "speed=16", "links=3"]),
    ("sr665-v3", &["width_management=dynamic"]),
    ("xeon-phi-7250", &["cluster=snc4", "memory=cache"]),
];

/// Compares machines with settings: a chase as long as in experiments, or half a node's memory where that is smaller; and a short one, which is
/// refused where the rows that it leaves open count.
fn check_built_in<'a>(machines: impl Iterator<Item = (&'a str, &'a [&'a str])>) {
    let mut compared = Compared::within(REFRESHED_APART);
    for (name, set) in machines {
        let text = Machines.read(name, "").unwrap();
        let file = MachineFile::parse(&format!("{name}.toml"), &text, &Machines).unwrap();
        let settings: Settings = set.iter().map(|one| one.parse::<Setting>().unwrap()).collect();
        let hardware = file.set(&settings).unwrap().hardware().unwrap();
        let least =
            hardware.machine.nodes.iter().map(|node| node.memory).filter(|memory| memory.get() > 0).min();
        let long = least.map_or(Bytes::mib(64), |least| Bytes(least.get() / 2)).min(Bytes::gib(1));
        for buffer in [Bytes::mib(64), long] {
            compared.add(&format!("{name} {set:?} {buffer}"), hardware.clone(), buffer);
        }
    }
    compared.assert_all_right();
    assert!(compared.solved > compared.refused, "{compared:?}");
}

#[test]
fn idle_latency_is_that_of_events_on_the_square() {
    let set: &[&str] = &["node_interleaving=on"];
    check_built_in([("quartet", &[][..]), ("quartet", set)].into_iter());
}

#[test]
#[ignore = "long: simulates every built-in machine"]
fn idle_latency_is_that_of_events_on_every_built_in_machine() {
    let files = std::fs::read_dir(FOLDER).unwrap();
    let name = |path: std::path::PathBuf| Some(path.file_stem()?.to_str()?.to_owned());
    let mut names: Vec<String> = files.filter_map(|file| name(file.unwrap().path())).collect();
    names.sort();
    let as_it_is = names.iter().map(|name| (name.as_str(), [].as_slice()));
    check_built_in(as_it_is.chain(SET));
}
