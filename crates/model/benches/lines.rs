//! Lines that the model simulates per second, and the number of events per line.

#![allow(clippy::print_stdout)]

use std::sync::Arc;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use zerohop_machine::{NodeId, PuId};
use zerohop_machine_file::MachineFile;
use zerohop_model::ModelEngine;
use zerohop_units::Bytes;
use zerohop_workload::{
    Access, Activity, Demand, Kernel, Pages, Placement, Prepared, Role, Worker, Workload,
};

const TWO_SOCKETS: &str = include_str!("two-sockets.toml");
const QUARTET: &str = include_str!("../../../machines/quartet.toml");

/// Simulated time of one iteration.
const WINDOW: Duration = Duration::from_micros(200);

fn engine(text: &str) -> ModelEngine {
    let file = MachineFile::parse("bench.toml", text, &()).and_then(|file| file.hardware());
    ModelEngine::new(Arc::new(file.expect("the bench's machine is valid")), 1)
}

fn workload(workers: impl Iterator<Item = (u32, u32, Activity)>) -> Workload {
    let worker = |(pu, node, activity)| Worker {
        pu: PuId(pu),
        role: Role::Foreground,
        placement: Placement::Node(NodeId(node)),
        buffer: Bytes::mib(64),
        activity,
        demand: Demand::Unlimited,
    };
    Workload { workers: workers.map(worker).collect(), pages: Pages::Best, instruction_set: None }
}

/// Every core reads; one in `remote` cores reads from the next node, the others from their own.
fn reads(nodes: u32, cores: u32, remote: Option<u32>) -> Workload {
    let activity = Activity::Kernel { kernel: Kernel::Read, access: Access::Sequential };
    workload((0..nodes * cores).map(|pu| {
        let own = pu / cores;
        let far = remote.is_some_and(|every| pu % every == 0);
        (pu, if far { (own + 1) % nodes } else { own }, activity)
    }))
}

/// The two-socket machine extended to four sockets, fully connected, that broadcast probes.
fn four_sockets() -> String {
    let ends = [[0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    let links =
        ends.map(|[from, to]| format!("{from}-{to} = {{ ends = [\"{from}\", \"{to}\"], wire = \"bus\" }}\n"));
    let node = |rank: u32| {
        format!(
            "[node.{rank}]\npackage = {rank}\ncores = {{ kind = \"big\", count = 16 }}\nmemory = \"8 GiB\"\n\
             channels = {{ kind = \"ddr4\" }}\nhomes = {{ kind = \"agent\" }}\n"
        )
    };
    TWO_SOCKETS
        .replace("[node.0]", &format!("{}[node.0]", links.concat()))
        .replace("[routing]", &format!("{}{}[routing]", node(2), node(3)))
        .replace(
            "kind = \"directory\"\nlookup = \"0 ns\"",
            "kind = \"broadcast\"\nlookup = \"20 ns\"\ncollector = \"requester\"",
        )
}

fn lines(criterion: &mut Criterion) {
    let octet = QUARTET.replace("count = 2", "count = 8");
    let four = four_sockets();
    let chase = workload(std::iter::once((0, 0, Activity::Chase { chains: 1, pages: None })));
    let cases = [
        ("2 x 16 cores, directory", "half remote", TWO_SOCKETS, reads(2, 16, Some(2))),
        ("2 x 16 cores, directory", "local", TWO_SOCKETS, reads(2, 16, None)),
        ("4 x 16 cores, broadcast", "half remote", four.as_str(), reads(4, 16, Some(2))),
        ("4 x 16 cores, broadcast", "local", four.as_str(), reads(4, 16, None)),
        ("4 x 2 cores, broadcast", "half remote", QUARTET, reads(4, 2, Some(2))),
        ("4 x 2 cores, broadcast", "local", QUARTET, reads(4, 2, None)),
        ("4 x 8 cores, broadcast", "half remote", octet.as_str(), reads(4, 8, Some(2))),
        ("2 x 16 cores, directory", "one chase", TWO_SOCKETS, chase),
    ];
    let mut group = criterion.benchmark_group("lines");
    for (machine, what, text, workload) in cases {
        let mut prepared = engine(text).place(&workload).expect("the workload fits");
        let (events, done) = (prepared.events(), prepared.lines());
        prepared.sample(WINDOW).expect("nothing can interrupt it");
        let (events, done) = (prepared.events() - events, prepared.lines() - done);
        println!("{machine}, {what}: {:.2} events per line", events as f64 / done as f64);
        group.throughput(Throughput::Elements(done));
        group.bench_function(BenchmarkId::new(machine, what), |bencher| {
            bencher.iter(|| prepared.sample(WINDOW));
        });
    }
    group.finish();
}

criterion_group!(benches, lines);
criterion_main!(benches);
