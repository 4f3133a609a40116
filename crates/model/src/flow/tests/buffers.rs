//! Links whose buffers are all in use.

use std::sync::Arc;

use zerohop_machine::NodeId;
use zerohop_machine_file::Buffers;
use zerohop_units::Bytes;
use zerohop_workload::{Activity, Engine, Kernel, Placement, Prepared, Worker};

use super::settling::{bandwidth, cores, kernel};
use crate::tests::idle::built_in;
use crate::tests::{worker, workload};
use crate::{FlowEngine, ModelEngine};

/// 93 and 100 % of the buffers of a link between dies are in use, and were a reason to simulate whole surveys: what waits for them holds nothing
/// else.
#[test]
fn a_chase_beside_reads_that_fill_buffers_is_solved_as_it_is_simulated() {
    let mut hardware = built_in("sr665-v3", &[]);
    // As many lines in flight as the links' buffers hold; with what cores share of a last-level cache, the first is simulated.
    hardware.core_kinds[0].caches.iter_mut().for_each(|cache| cache.misses = None);
    hardware.core_kinds[0].parameters.in_flight.sequential = 64;
    for link in hardware.links.iter_mut().filter(|link| link.kind == "xgmi") {
        link.buffers = Buffers { request: 384, write: 384, probe: 128, response: 384 };
    }
    let hardware = Arc::new(hardware);
    let cores = cores(&hardware);
    let nodes = [NodeId(0), NodeId(1)];
    let both = Placement::Interleaved(nodes.to_vec());
    for placement in [&|node: NodeId| Placement::Node(NodeId(1 - node.0)), &|_| both.clone()]
        as [&dyn Fn(NodeId) -> Placement; 2]
    {
        let read = |&(pu, node): &(u32, NodeId)| kernel(pu, placement(node), Bytes::mib(64), Kernel::Read);
        let mut workers: Vec<Worker> = cores.iter().map(read).collect();
        workers[0] = Worker {
            placement: placement(NodeId(0)),
            buffer: Bytes::mib(512),
            ..worker(cores[0].0, 0, Activity::Chase { chains: 1, pages: None })
        };
        let load = workload(workers.clone());
        let mut solved = FlowEngine::new(Arc::clone(&hardware)).place(&load).unwrap();
        let mut engine = ModelEngine::new(Arc::clone(&hardware), 1);
        let mut simulated = engine.prepare(&load).unwrap();
        let window = simulated.window().unwrap();
        let values = [solved.sample(window), simulated.sample(window)].map(|sample| {
            let sample = sample.unwrap();
            [bandwidth(&sample, &workers), sample.step_time(0).unwrap().get()]
        });
        let [read, latency] = [0, 1].map(|which| values[0][which] / values[1][which] - 1.0);
        assert!(read.abs() < 0.01 && latency.abs() < 0.08, "{values:?}");
    }
}
