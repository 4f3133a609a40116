//! Workloads that load like parts of a machine in the same way are one problem.

use std::sync::Arc;

use zerohop_machine::NodeId;
use zerohop_machine_file::Hardware;
use zerohop_workload::{Access, Activity, Carries, Kernel, Prepared, Worker};

use super::settling::{cores, template};
use crate::FlowEngine;
use crate::flow::Solved;
use crate::tests::{carried, worker, workload};

const TEMPLATES: [&str; 5] = ["epyc-7001", "epyc-9004", "opteron-6200", "xeon-cascade-lake", "graviton4"];

/// All cores of a node that read the memory of another.
fn readers(hardware: &Hardware, from: NodeId, to: NodeId) -> Vec<Worker> {
    let mix = Activity::Kernel { kernel: Kernel::Read, access: Access::Sequential };
    let here = cores(hardware).into_iter().filter(|(_, node)| *node == from);
    here.map(|(pu, _)| worker(pu, to.0, mix)).collect()
}

/// Bits of the bandwidth, and what each channel of the machine reads.
fn solved(engine: &FlowEngine, workers: Vec<Worker>) -> (u64, Vec<f64>) {
    let count = workers.len();
    let mut solved = engine.solve(&workload(workers)).unwrap();
    let window = solved.window().unwrap();
    let sample = solved.sample(window).unwrap();
    (sample.bandwidth(0..count).get().to_bits(), carried(&sample, Carries::Reads))
}

#[test]
fn a_solution_that_was_found_for_like_nodes_is_that_of_an_engine_that_knows_none() {
    let shared = Solved::default();
    for name in TEMPLATES {
        let hardware = Arc::new(template(name));
        let knows = FlowEngine::new(Arc::clone(&hardware)).sharing(shared.clone());
        let nodes: Vec<NodeId> = hardware.machine.nodes.iter().map(|node| node.id).collect();
        let mut busiest = Vec::new();
        for (&from, &to) in nodes.iter().flat_map(|from| nodes.iter().map(move |to| (from, to))) {
            let new = FlowEngine::new(Arc::clone(&hardware));
            let found = solved(&knows, readers(&hardware, from, to));
            assert_eq!(found, solved(&new, readers(&hardware, from, to)), "{name}: {from} to {to}");
            if from == to {
                let busy = found.1.iter().map(|reads| *reads > 0.0);
                busiest.push(busy.collect::<Vec<_>>());
            }
        }
        // Equal problems, but other channels.
        busiest.dedup();
        assert_eq!(busiest.len(), nodes.len(), "{name}");
    }
}

#[test]
fn nodes_that_are_alike_are_solved_once() {
    for (name, problems) in [("epyc-7001", 1), ("epyc-9004", 1), ("xeon-cascade-lake", 1)] {
        let hardware = Arc::new(template(name));
        let shared = Solved::default();
        let engine = FlowEngine::new(Arc::clone(&hardware)).sharing(shared.clone());
        for node in &hardware.machine.nodes {
            solved(&engine, readers(&hardware, node.id, node.id));
        }
        assert_eq!(shared.count(), problems, "{name}: {} nodes", hardware.machine.nodes.len());
    }
}

#[test]
fn machines_that_differ_in_a_part_in_use_share_nothing() {
    let shared = Solved::default();
    let hardware = template("xeon-cascade-lake");
    let read = |hardware: &Hardware, to: u32| {
        let hardware = Arc::new(hardware.clone());
        let readers = || readers(&hardware, NodeId(0), NodeId(to));
        let knows = FlowEngine::new(Arc::clone(&hardware)).sharing(shared.clone());
        assert_eq!(solved(&knows, readers()), solved(&FlowEngine::new(Arc::clone(&hardware)), readers()));
        shared.count()
    };
    assert_eq!((read(&hardware, 0), read(&hardware, 1)), (1, 2));
    let changed = |change: fn(&mut Hardware)| {
        let mut hardware = hardware.clone();
        change(&mut hardware);
        hardware
    };
    // A node's own memory is not behind any link of this template.
    let slower = changed(|hardware| {
        for link in &mut hardware.links {
            link.parameters.latency = link.parameters.latency * 1.01;
        }
    });
    assert_eq!((read(&slower, 0), read(&slower, 1)), (2, 3));
    let later = changed(|hardware| {
        for channel in &mut hardware.channels {
            channel.parameters.access = channel.parameters.access * 1.01;
        }
    });
    assert_eq!(read(&later, 0), 4);
    let larger = changed(|hardware| hardware.homes.iter_mut().for_each(|home| home.parameters.table += 1));
    assert_eq!(read(&larger, 0), 5);
}
