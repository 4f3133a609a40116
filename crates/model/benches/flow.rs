//! Time to place and solve a workload, and the number of rounds.

#![allow(clippy::print_stdout)]

use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use zerohop_machine::{NodeId, PuId};
use zerohop_machine_file::MachineFile;
use zerohop_model::FlowEngine;
use zerohop_units::Bytes;
use zerohop_workload::{Access, Activity, Demand, Kernel, Pages, Placement, Role, Worker, Workload};

const TWO_SOCKETS: &str = include_str!("two-sockets.toml");

/// The two-socket machine extended to this many sockets, in a ring.
fn machine(nodes: u32) -> FlowEngine {
    let (head, tail) = TWO_SOCKETS.split_once("[link]").expect("the bench's machine has links");
    let (links, rest) = tail.split_once("[node.0]").expect("the bench's machine has nodes");
    let (node, rest) = rest.split_once("[node.1]").expect("the bench's machine has two nodes");
    let (_, rest) = rest.split_once("[routing]").expect("the bench's machine has routes");
    let mut text = format!("{head}[link]{links}");
    for link in 1..nodes.saturating_sub(1) {
        text += &format!("{link}-{0} = {{ ends = [\"{link}\", \"{0}\"], wire = \"bus\" }}\n", link + 1);
    }
    if nodes > 2 {
        text += &format!("{0}-0 = {{ ends = [\"{0}\", \"0\"], wire = \"bus\" }}\n", nodes - 1);
    }
    for number in 0..nodes {
        text += &format!("[node.{number}]{}", node.replace("package = 0", &format!("package = {number}")));
    }
    text += &format!("[routing]{rest}");
    let file = MachineFile::parse("bench.toml", &text, &()).and_then(|file| file.hardware());
    FlowEngine::new(Arc::new(file.expect("the bench's machine is valid")))
}

fn workload(workers: impl Iterator<Item = (u32, u32, Kernel)>) -> Workload {
    let worker = |(pu, node, kernel)| Worker {
        pu: PuId(pu),
        role: Role::Foreground,
        placement: Placement::Node(NodeId(node)),
        buffer: Bytes::mib(64),
        activity: Activity::Kernel { kernel, access: Access::Sequential },
        demand: Demand::Unlimited,
    };
    Workload { workers: workers.map(worker).collect(), pages: Pages::Best, instruction_set: None }
}

fn flow(criterion: &mut Criterion) {
    let reads = |nodes: u32, cores: u32, remote: u32| {
        workload((0..nodes * cores).map(move |pu| {
            let own = pu / 16;
            let far = remote > 0 && pu % remote == 0;
            (pu, if far { (own + 1) % nodes } else { own }, Kernel::Read)
        }))
    };
    // Each of 64 cores on 8 nodes reads from a different node than its neighbors: 64 classes.
    let classes = workload((0..64).map(|rank| (rank / 8 * 16 + rank % 8, rank % 8, Kernel::Read)));
    let cases = [
        ("2 sockets, 32 cores, local", machine(2), reads(2, 16, 0)),
        ("2 sockets, 32 cores, half remote", machine(2), reads(2, 16, 2)),
        ("2 sockets, one core remote", machine(2), workload(std::iter::once((0, 1, Kernel::Read)))),
        ("2 sockets, 8 cores triad", machine(2), workload((0..8).map(|pu| (pu, 1, Kernel::Triad)))),
        ("2 sockets, one core copies", machine(2), workload(std::iter::once((0, 0, Kernel::Copy)))),
        ("8 nodes, 64 classes", machine(8), classes),
    ];
    let mut group = criterion.benchmark_group("flow");
    for (name, engine, workload) in cases {
        let solved = engine.solve(&workload).expect("the workload fits");
        println!("{name}: {} rounds, refusal {:?}", solved.rounds(), solved.refusal());
        group.bench_function(name, |bencher| bencher.iter(|| engine.solve(&workload)));
    }
    group.finish();
}

criterion_group!(benches, flow);
criterion_main!(benches);
