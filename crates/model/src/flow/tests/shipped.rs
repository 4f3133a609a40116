//! The solver against the event engine on the machines that come with the program and on those that templates write, on workloads like those
//! of their experiments.

#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use zerohop_machine::{NodeId, Settings};
use zerohop_machine_file::{Hardware, Template};
use zerohop_units::Bytes;
use zerohop_workload::{Access, Activity, Demand, Engine, Kernel, Prepared, Role, Sample, Worker, Workload};

use super::agreement::quantile;
use crate::tests::idle::built_in;
use crate::tests::{worker, workload};
use crate::{FlowEngine, ModelEngine};

/// Built-in machines and their settings. Knights Landing is refused whole.
const MACHINES: [(&str, &[&str]); 12] = [
    ("quartet", &[]),
    ("quartet", &["node_interleaving=on"]),
    ("opteron-6274-4s", &[]),
    ("opteron-6274-4s-doubloon", &[]),
    ("cascade-lake-4s", &[]),
    ("cascade-lake-4s-ring", &[]),
    ("cascade-lake-8s", &[]),
    ("sr665-v3", &[]),
    ("sr665-v3", &["links=3", "width=x8"]),
    ("sr665-v3", &["nps=0"]),
    ("sr665-v3", &["nps=4"]),
    ("xeon-phi-7250", &[]),
];

/// Seeds of the event engine whose mean counts.
const SEEDS: u64 = 2;

/// Shares of each node's cores that a ramp has reached.
const STEPS: [f64; 3] = [0.1, 0.4, 1.0];

/// Pauses of loaded latency, in cycles: full load, its knee, and light load.
const DELAYS: [u32; 4] = [0, 200, 500, 2500];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Matrix,
    Stream,
    Ramp,
    LoadedBandwidth,
    LoadedLatency,
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Matrix => "bandwidth of a node's cores, by target",
            Self::Stream => "STREAM on the whole machine",
            Self::Ramp => "all other nodes' cores on the last node, more and more",
            Self::LoadedBandwidth => "bandwidth beside a chase",
            Self::LoadedLatency => "latency of that chase",
        })
    }
}

/// A workload of an experiment.
struct Case {
    what: What,
    name: String,
    workers: Vec<Worker>,
}

fn kernel(pu: u32, node: NodeId, kernel: Kernel) -> Worker {
    Worker {
        buffer: Bytes::mib(48),
        ..worker(pu, node.0, Activity::Kernel { kernel, access: Access::Sequential })
    }
}

/// The first PU of each core of each node that has any.
fn cores(hardware: &Hardware) -> Vec<(NodeId, Vec<u32>)> {
    let machine = &hardware.machine;
    let of = |node: NodeId| (node, machine.usable_cores(node).into_iter().map(|pu| pu.0).collect::<Vec<_>>());
    machine.nodes.iter().map(|node| of(node.id)).filter(|(_, cores)| !cores.is_empty()).collect()
}

/// A few cells of the experiments.
fn cases(hardware: &Hardware) -> Vec<Case> {
    let nodes = cores(hardware);
    let mut cases = Vec::new();
    let (first, readers) = &nodes[0];
    let far = [hardware.memories[0].node, hardware.memories[hardware.memories.len() - 1].node];
    for node in &far[..hardware.memories.len().min(2)] {
        let workers = readers.iter().map(|&pu| kernel(pu, *node, Kernel::Read)).collect();
        cases.push(Case { what: What::Matrix, name: format!("{first} reads {node}"), workers });
    }
    for kind in [Kernel::Copy, Kernel::TriadNt] {
        let all = nodes.iter().flat_map(|(node, pus)| pus.iter().map(|&pu| kernel(pu, *node, kind)));
        cases.push(Case { what: What::Stream, name: format!("all {kind}"), workers: all.collect() });
    }
    if let Some((last, _)) = nodes.last().filter(|_| nodes.len() > 1) {
        for (kind, steps) in [(Kernel::Read, &STEPS[..]), (Kernel::Triad, &STEPS[1..])] {
            for share in steps {
                let others = nodes[..nodes.len() - 1].iter().flat_map(|(_, pus)| {
                    let count = (pus.len() as f64 * share).ceil() as usize;
                    pus[..count].iter().map(|&pu| kernel(pu, *last, kind))
                });
                let name = format!("{:.0} % of cores {kind} on {last}", share * 100.0);
                cases.push(Case { what: What::Ramp, name, workers: others.collect() });
            }
        }
    }
    for delay in DELAYS {
        let chase = Activity::Chase { chains: 1, pages: None };
        let mut workers = vec![Worker { buffer: Bytes::mib(512), ..worker(readers[0], first.0, chase) }];
        workers.extend(readers[1..].iter().map(|&pu| Worker {
            role: Role::Background,
            demand: if delay == 0 { Demand::Unlimited } else { Demand::Delay(delay) },
            ..kernel(pu, *first, Kernel::Read)
        }));
        cases.push(Case { what: What::LoadedLatency, name: format!("delay {delay}"), workers });
    }
    cases
}

/// Bandwidth of all kernels in GB/s, and the time of the chase's steps in ns, if there is one.
fn values(sample: &Sample, workers: &[Worker]) -> [Option<f64>; 2] {
    let is_kernel = |rank: &usize| matches!(workers[*rank].activity, Activity::Kernel { .. });
    let bandwidth = sample.bandwidth((0..workers.len()).filter(is_kernel)).get();
    let chase = (0..workers.len()).find(|rank| !is_kernel(rank));
    [Some(bandwidth), chase.map(|chase| sample.step_time(chase).unwrap().get())]
}

/// The solver's bandwidth and latency relative to the event engine's.
///
/// # Errors
/// When the solver refuses the workload.
fn compare(hardware: &Arc<Hardware>, case: &Case) -> Result<[Option<f64>; 2], String> {
    let workload: Workload = workload(case.workers.clone());
    let mut solved =
        FlowEngine::new(Arc::clone(hardware)).place(&workload).map_err(|refusal| refusal.to_string())?;
    let window = solved.window().unwrap();
    let solved = values(&solved.sample(window).unwrap(), &case.workers);
    let mut sums = [0.0; 2];
    for seed in 1..=SEEDS {
        let mut event = ModelEngine::new(Arc::clone(hardware), seed);
        let mut simulated = event.prepare(&workload).unwrap();
        let window = simulated.window().unwrap();
        let simulated = values(&simulated.sample(window).unwrap(), &case.workers);
        for (sum, value) in sums.iter_mut().zip(simulated) {
            *sum += value.unwrap_or(0.0) / SEEDS as f64;
        }
    }
    Ok([0, 1].map(|which| Some(solved[which]? / sums[which] - 1.0)))
}

/// How far apart both engines are on some machines, and what the solver refuses there.
#[derive(Debug, Default)]
struct Apart {
    values: BTreeMap<What, Vec<f64>>,
    refused: BTreeMap<What, usize>,
}

impl Apart {
    fn compare(&mut self, name: &str, hardware: Hardware) {
        let hardware = Arc::new(hardware);
        for case in cases(&hardware) {
            let [bandwidth, latency] = match compare(&hardware, &case) {
                Ok(apart) => apart,
                Err(refusal) => {
                    let both = [What::LoadedBandwidth, What::LoadedLatency];
                    let of_case = if case.what == What::LoadedLatency { &both[..] } else { &[case.what] };
                    of_case.iter().for_each(|what| *self.refused.entry(*what).or_default() += 1);
                    println!("refused              {name}: {}: {refusal}", case.name);
                    continue;
                }
            };
            let percent =
                |value: Option<f64>| value.map_or(String::new(), |value| format!("{:+.1} %", value * 100.0));
            println!("{:9} {:9}  {name}: {}", percent(bandwidth), percent(latency), case.name);
            let of_bandwidth = if latency.is_some() { What::LoadedBandwidth } else { case.what };
            for (what, value) in [(of_bandwidth, bandwidth), (What::LoadedLatency, latency)] {
                self.values.entry(what).or_default().extend(value);
            }
        }
    }

    /// Prints the rows of the table in `docs/model.md`, and holds each to what the table states: half, nine of ten, and all of the
    /// values within these shares; and at most that many refused.
    fn assert_within(&self, stated: &[(What, [f64; 3], usize)]) {
        for (what, values) in &self.values {
            let [half, most, all] = [0.5, 0.9, 1.0].map(|share| 100.0 * quantile(values, share));
            let refused = self.refused.get(what).copied().unwrap_or(0);
            println!("| {what} | {} | {half:.1} % | {most:.1} % | {all:.1} % | {refused} |", values.len());
        }
        for &(what, shares, most_refused) in stated {
            for (share, within) in [0.5, 0.9, 1.0].into_iter().zip(shares) {
                let found = quantile(&self.values[&what], share);
                assert!(found < within, "{what}: {share} within {found}, and not {within}");
            }
            let refused = self.refused.get(&what).copied().unwrap_or(0);
            assert!(refused <= most_refused, "{what}: {refused} refused");
        }
    }
}

/// The accuracy on built-in machines that `docs/model.md` states: `just solver` prints its table.
#[test]
#[ignore = "long: simulates full loads of every built-in machine"]
fn flow_agrees_with_the_event_engine_on_built_in_machines() {
    let mut apart = Apart::default();
    for (name, settings) in MACHINES {
        apart.compare(&format!("{name} {}", settings.join(" ")), built_in(name, settings));
    }
    apart.assert_within(&[
        (What::Matrix, [0.015, 0.1, 0.22], 5),
        (What::Stream, [0.015, 0.1, 0.1], 4),
        (What::Ramp, [0.015, 0.05, 0.13], 15),
        (What::LoadedBandwidth, [0.015, 0.08, 0.09], 8),
        (What::LoadedLatency, [0.02, 0.16, 0.22], 8),
    ]);
}

/// The accuracy on machines as templates write them, without anything stated.
#[test]
#[ignore = "long: simulates full loads of a machine of every template"]
fn flow_agrees_with_the_event_engine_on_whole_templates() {
    let mut apart = Apart::default();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../templates");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let template = Arc::new(Template::parse(&path.display().to_string(), &text).unwrap());
        let file = template.machine_file(&Settings::none(), &Settings::none()).unwrap();
        apart.compare(template.name(), file.hardware().unwrap());
    }
    apart.assert_within(&[
        (What::Matrix, [0.01, 0.03, 0.06], 3),
        (What::Stream, [0.015, 0.03, 0.09], 3),
        (What::Ramp, [0.01, 0.05, 0.1], 3),
        (What::LoadedBandwidth, [0.015, 0.05, 0.12], 3),
        (What::LoadedLatency, [0.025, 0.1, 0.23], 3),
    ]);
}
