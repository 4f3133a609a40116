//! Searches that settle late: plain rounds creep towards the fixed point, and extrapolating every round of them leads away.

use std::path::Path;
use std::sync::Arc;

use zerohop_machine::{NodeId, Settings};
use zerohop_machine_file::{Hardware, Template};
use zerohop_units::Bytes;
use zerohop_workload::{Access, Activity, Engine, Kernel, Placement, Prepared, Role, Sample, Worker};

use crate::tests::{worker, workload};
use crate::{FlowEngine, ModelEngine};

/// A machine as its template writes it.
pub(crate) fn template(name: &str) -> Hardware {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../templates/{name}.toml"));
    let template = Template::parse(name, &std::fs::read_to_string(path).unwrap()).unwrap();
    let file = Arc::new(template).machine_file(&Settings::none(), &Settings::none()).unwrap();
    file.hardware().unwrap()
}

/// All cores, each with its node.
pub(super) fn cores(hardware: &Hardware) -> Vec<(u32, NodeId)> {
    let of = |node: NodeId| hardware.machine.usable_cores(node).into_iter().map(move |pu| (pu.0, node));
    hardware.machine.nodes.iter().flat_map(|node| of(node.id)).collect()
}

pub(super) fn kernel(pu: u32, placement: Placement, buffer: Bytes, kernel: Kernel) -> Worker {
    let activity = Activity::Kernel { kernel, access: Access::Sequential };
    Worker { placement, buffer, role: Role::Background, ..worker(pu, 0, activity) }
}

/// Bandwidth of all kernels in GB/s.
pub(super) fn bandwidth(sample: &Sample, workers: &[Worker]) -> f64 {
    let is_kernel = |rank: &usize| matches!(workers[*rank].activity, Activity::Kernel { .. });
    sample.bandwidth((0..workers.len()).filter(is_kernel)).get()
}

/// A survey's latency beside reads of the whole machine, in memory interleaved over both nodes: found no equilibrium, and its simulation
/// took nearly all of the survey's time. Half of what is read crosses the links, so twice their bandwidth is read.
#[test]
fn a_chase_beside_interleaved_reads_of_two_sockets_is_solved() {
    for name in ["epyc-7003", "epyc-9004"] {
        let hardware = Arc::new(template(name));
        let cores = cores(&hardware);
        let engine = FlowEngine::new(Arc::clone(&hardware));
        let solve = |placement: &dyn Fn(NodeId) -> Placement| {
            let buffer = |node: NodeId| if node == NodeId(0) { Bytes::mib(12) } else { Bytes::mib(24) };
            let read = |&(pu, node): &(u32, NodeId)| kernel(pu, placement(node), buffer(node), Kernel::Read);
            let mut workers: Vec<Worker> = cores.iter().map(read).collect();
            workers[0] = Worker {
                placement: placement(NodeId(0)),
                buffer: Bytes::mib(512),
                ..worker(cores[0].0, 0, Activity::Chase { chains: 1, pages: None })
            };
            let mut solved = engine.solve(&workload(workers.clone())).unwrap();
            assert_eq!(solved.refusal(), None, "{name}");
            let window = solved.window().unwrap();
            let sample = solved.sample(window).unwrap();
            (bandwidth(&sample, &workers), sample.step_time(0).unwrap().get())
        };
        let both = Placement::Interleaved(vec![NodeId(0), NodeId(1)]);
        let (read, latency) = solve(&|_| both.clone());
        let (_, local) = solve(&|node| Placement::Node(node));
        let (crossed, remote) = solve(&|node| Placement::Node(NodeId(1 - node.0)));
        assert!((read / (2.0 * crossed) - 1.0).abs() < 0.01, "{name}: {read} GB/s of twice {crossed}");
        assert!(latency < remote && latency > 0.5 * local, "{name}: {local}, {latency}, {remote} ns");
    }
}

/// Three reads to a write by all cores of a node.
#[test]
fn a_mix_that_settles_late_is_solved_as_it_is_simulated() {
    let hardware = Arc::new(template("epyc-9004"));
    let of_node = cores(&hardware).into_iter().filter(|&(_, node)| node == NodeId(0));
    let mix = |(pu, node)| Worker {
        role: Role::Foreground,
        ..kernel(pu, Placement::Node(node), Bytes::mib(24), Kernel::Mix3To1)
    };
    let workers: Vec<Worker> = of_node.map(mix).collect();
    let load = workload(workers.clone());
    let mut solved = FlowEngine::new(Arc::clone(&hardware)).place(&load).unwrap();
    let mut engine = ModelEngine::new(hardware, 1);
    let mut simulated = engine.prepare(&load).unwrap();
    let window = simulated.window().unwrap();
    let [solved, simulated] =
        [solved.sample(window), simulated.sample(window)].map(|sample| bandwidth(&sample.unwrap(), &workers));
    assert!((solved / simulated - 1.0).abs() < 0.05, "{solved} GB/s, simulated {simulated}");
}
