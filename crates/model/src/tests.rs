//! The whole engine against closed forms and laws.

use std::sync::Arc;
use std::time::{Duration, Instant};

use zerohop_machine::{Hardware, NodeId, PuId};
use zerohop_units::Bytes;
use zerohop_workload::{
    Access, Activity, Demand, Engine, Kernel, Pages, Placement, Prepared, Role, Sample, Worker, Workload,
};

use crate::ModelEngine;
use crate::machines::{BROADCAST, DIRECTORY, nodes};

fn worker(pu: u32, node: u32, activity: Activity) -> Worker {
    Worker {
        pu: PuId(pu),
        role: Role::Foreground,
        placement: Placement::Node(NodeId(node)),
        buffer: Bytes::mib(64),
        activity,
        demand: Demand::Unlimited,
    }
}

fn reads() -> Activity {
    Activity::Kernel { kernel: Kernel::Read, access: Access::Sequential }
}

fn sample(hardware: &Hardware, workers: Vec<Worker>) -> Sample {
    let mut engine = ModelEngine::new(Arc::new(hardware.clone()), 1);
    let workload = Workload { workers, pages: Pages::Best, instruction_set: None };
    let mut prepared = engine.prepare(&workload).unwrap();
    let window = prepared.window().unwrap() * 8;
    prepared.sample(window).unwrap()
}

#[test]
fn an_idle_chase_takes_the_sum_of_its_way() {
    let pair = nodes(2, 1, &[[0, 1]], DIRECTORY);
    let chase = |node| sample(&pair, vec![worker(0, node, Activity::Chase { chains: 1 })]);
    // Core 10 + 10, home 10, memory 50.
    let local = chase(0).step_time(0).unwrap().get();
    assert!((local - 80.0).abs() < 0.2, "{local}");
    // And 2 x (router 5, link 20), a request of 8 bytes and data of 68 at 20 GB/s.
    let remote = chase(1).step_time(0).unwrap().get();
    assert!((remote - (80.0 + 50.0 + 0.4 + 3.4)).abs() < 0.3, "{remote}");
}

#[test]
#[ignore = "prints speeds"]
fn speed() {
    let only = std::env::var("ONLY").unwrap_or_default();
    for (name, hardware, remote) in [
        ("2 sockets, directory, local", nodes(2, 16, &[[0, 1]], DIRECTORY), 0),
        ("2 sockets, directory, half remote", nodes(2, 16, &[[0, 1]], DIRECTORY), 2),
        ("2 sockets, directory, remote", nodes(2, 16, &[[0, 1]], DIRECTORY), 1),
        ("4 sockets x 2, broadcast, local", nodes(4, 2, &[[0, 1], [1, 3], [3, 2], [2, 0]], BROADCAST), 0),
        ("4 sockets x 2, broadcast, half", nodes(4, 2, &[[0, 1], [1, 3], [3, 2], [2, 0]], BROADCAST), 2),
        ("4 sockets x 2, broadcast, remote", nodes(4, 2, &[[0, 1], [1, 3], [3, 2], [2, 0]], BROADCAST), 1),
        ("4 sockets, broadcast, half", nodes(4, 8, &[[0, 1], [1, 3], [3, 2], [2, 0]], BROADCAST), 2),
        ("4 sockets, broadcast", nodes(4, 8, &[[0, 1], [1, 3], [3, 2], [2, 0]], BROADCAST), 1),
    ] {
        if !name.contains(&only) {
            continue;
        }
        let count = hardware.machine.nodes.len() as u32;
        let cores = hardware.machine.pus.len() as u32;
        let per = cores / count;
        let workers = (0..cores)
            .map(|pu| {
                let own = pu / per;
                let far = remote == 1 || remote == 2 && pu % 2 == 0;
                worker(pu, if far { (own + 1) % count } else { own }, reads())
            })
            .collect();
        let workload = Workload { workers, pages: Pages::Best, instruction_set: None };
        let mut prepared = crate::prepared::PreparedModel::new(&hardware, &workload, 1).unwrap();
        prepared.sample(Duration::from_micros(200)).unwrap();
        let (mut best, mut per_line) = (0.0f64, 0.0);
        for _ in 0..5 {
            let began = Instant::now();
            let events = prepared.simulation.events;
            let sample = prepared.sample(Duration::from_micros(2000)).unwrap();
            let lines: f64 =
                sample.workers.iter().map(|worker| worker.in_window.bytes.get() as f64 / 64.0).sum();
            best = best.max(lines / began.elapsed().as_secs_f64());
            per_line = (prepared.simulation.events - events) as f64 / lines;
        }
        println!(
            "{name}: {:.2} M lines/s, {per_line:.2} events a line, {:.1} ns an event",
            best / 1e6,
            1e9 / best / per_line
        );
    }
}
