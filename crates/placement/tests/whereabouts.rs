//! Where pages and threads are, what that costs, and what would be better.

use zerohop_experiment::catalogue;
use zerohop_machine::{CoreId, Machine, NodeId, NumaNode, PackageId, Pu, PuId, PuSet};
use zerohop_placement::{CachedFile, Contents, Mapping, Process, ProcessId, Spread, Thread};
use zerohop_placement::{Remedy, Whereabouts, WhereaboutsFile};
use zerohop_result::{
    Axis, Cell, Cells, Completion, Coordinates, Estimate, Evidence, ExperimentName, ExperimentResult,
    Measure, MeasuringSettings, ResultFile, SCHEMA_VERSION,
};
use zerohop_units::{Bytes, Seconds};
use zerohop_workload::{EngineDescription, Origin, SolverName};

/// Two nodes with one CPU each, and a node of memory alone.
fn machine() -> Machine {
    let node = |number: u32, pus: &[u32]| {
        let mut set = PuSet::new();
        pus.iter().for_each(|&pu| set.insert(PuId(pu)));
        NumaNode {
            id: NodeId(number),
            pus: set,
            memory: Bytes::gib(1),
            free: Bytes::gib(1),
            huge_pages: Vec::new(),
            memory_side_caches: Vec::new(),
            allowed: true,
        }
    };
    let pu = |number: u32| Pu {
        id: PuId(number),
        core: CoreId(number),
        package: PackageId(number),
        node: NodeId(number),
        allowed: true,
    };
    Machine {
        nodes: vec![node(0, &[0]), node(1, &[1]), node(2, &[])],
        pus: vec![pu(0), pu(1)],
        ..Machine::default()
    }
}

fn thread(id: u32, pu: u32, ticks: u64) -> Thread {
    Thread { id, name: "worker".to_owned(), runs: true, pu: PuId(pu), allowed: PuSet::new(), ticks }
}

fn spread(shares: &[(u32, u64)]) -> Spread {
    shares.iter().map(|&(node, gib)| (NodeId(node), Bytes::gib(gib))).collect()
}

fn process(bytes: &[(u32, u64)], threads: Vec<Thread>) -> Whereabouts {
    let mapping = Mapping {
        address: "7f00".to_owned(),
        policy: "default".to_owned(),
        contents: Contents::Anonymous,
        page_bytes: Bytes::kib(4),
        bytes: spread(bytes),
    };
    let process =
        Process { id: ProcessId(7), command: "server -x".to_owned(), mappings: vec![mapping], threads };
    Whereabouts::of_process(process, &machine())
}

fn model(bytes: &[(u32, u64)]) -> Whereabouts {
    let file = CachedFile {
        path: "/models/a b.gguf".to_owned(),
        length: Bytes::gib(10),
        bytes: spread(bytes),
        unknown: Bytes(0),
    };
    let user = Process {
        id: ProcessId(8),
        command: "llama".to_owned(),
        mappings: Vec::new(),
        threads: vec![thread(8, 0, 50), thread(9, 1, 50)],
    };
    Whereabouts::of_file(file, vec![user], &machine())
}

/// A survey of two nodes: 100 and 200 ns, 40 and 20 GB/s.
fn survey() -> ResultFile {
    let cell = |initiator: u64, target: u64, measure, value: f64| {
        let at = Coordinates::new().with(Axis::Initiator, initiator).with(Axis::Target, target);
        let estimate = Estimate::exact(value);
        Cell {
            at,
            measure,
            estimate,
            evidence: Evidence::default(),
            samples: vec![value],
            warnings: Vec::new(),
        }
    };
    let pairs = [(0, 0, true), (0, 1, false), (1, 0, false), (1, 1, true)];
    let cells = |measure, near: f64, far: f64| {
        let cells =
            pairs.map(|(one, other, local)| cell(one, other, measure, if local { near } else { far }));
        cells.to_vec()
    };
    file(vec![
        experiment(ExperimentName::known("latency-matrix"), cells(Measure::Latency, 100.0, 200.0)),
        experiment(ExperimentName::known("bandwidth-matrix"), cells(Measure::Bandwidth, 40.0, 20.0)),
    ])
}

fn is_near(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

#[test]
fn cpu_time_weighs_threads_and_idle_ones_do_not_count() {
    let found = process(&[(0, 3), (1, 1)], vec![thread(7, 0, 300), thread(8, 1, 100), thread(9, 1, 0)]);
    assert!(is_near(found.cpu_shares[&NodeId(0)], 0.75));
    // 0.75 x 0.25 + 0.25 x 0.75
    assert!(is_near(found.remote_share.unwrap(), 0.375));
    assert_eq!(found.threads_by_node[&NodeId(1)], 2);
}

#[test]
fn a_look_counts_the_time_since_the_one_before() {
    let found = process(&[(0, 1)], vec![thread(7, 0, 300), thread(8, 1, 110)]);
    let before = [(7, 300), (8, 100)].into_iter().collect();
    let since = found.since(&before, &machine());
    assert!(is_near(since.cpu_shares[&NodeId(1)], 1.0));
    assert!(is_near(since.remote_share.unwrap(), 1.0));
}

#[test]
fn a_cost_is_what_the_matrices_say() {
    let found = process(&[(0, 4)], vec![thread(7, 0, 50), thread(8, 1, 50)]);
    let mut file = WhereaboutsFile::new(&machine(), vec![found]);
    file.with_survey("today", &survey(), catalogue());
    let cost = file.found[0].cost.clone().unwrap();
    let (latency, bandwidth) = (cost.latency.unwrap(), cost.bandwidth.unwrap());
    assert!(is_near(latency.now, 150.0) && is_near(latency.local, 100.0));
    // Half of it from each node: the way from node 1 and the memory of node 0 are full at 40 GB/s together.
    assert!(is_near(bandwidth.now, 40.0) && is_near(bandwidth.local, 80.0), "{bandwidth:?}");
}

#[test]
fn a_survey_of_other_nodes_says_nothing() {
    let found = process(&[(2, 4)], vec![thread(7, 0, 50)]);
    let mut file = WhereaboutsFile::new(&machine(), vec![found]);
    file.with_survey("today", &survey(), catalogue());
    assert_eq!(file.found[0].cost, None);
    assert!(file.survey.is_some());
}

fn commands(found: &Whereabouts) -> Vec<String> {
    found.remedies.iter().map(Remedy::command).collect()
}

#[test]
fn threads_on_one_node_get_their_pages_there() {
    let found = process(&[(0, 1), (1, 3)], vec![thread(7, 0, 50)]);
    assert_eq!(commands(&found), ["migratepages 7 1 0"]);
    assert_eq!(commands(&process(&[(0, 1)], vec![thread(7, 0, 50)])), [""; 0]);
}

#[test]
fn pages_on_one_node_for_threads_on_several_are_spread() {
    let threads = || vec![thread(7, 0, 50), thread(8, 1, 50)];
    assert_eq!(commands(&process(&[(0, 4)], threads())), ["numactl --interleave=0,1 server -x"]);
    assert_eq!(commands(&process(&[(0, 2), (1, 2)], threads())), [""; 0]);
    assert_eq!(commands(&model(&[(0, 4)])), ["zerohop place '/models/a b.gguf' --nodes 0,1"]);
    assert_eq!(commands(&model(&[(0, 2), (1, 2)])), [""; 0]);
}

#[test]
fn without_threads_or_pages_nothing_is_remote() {
    assert_eq!(process(&[(0, 1)], Vec::new()).remote_share, None);
    assert_eq!(process(&[], vec![thread(7, 0, 1)]).remote_share, None);
    assert!(process(&[], Vec::new()).remedies.is_empty());
    // A thread of the kernel runs, and has no memory of its own: it was to be moved by `migratepages`.
    assert!(process(&[], vec![thread(7, 0, 50)]).remedies.is_empty());
}

fn experiment(experiment: ExperimentName, cells: Vec<Cell>) -> ExperimentResult {
    let (completion, cells) = (Completion::Complete, Cells::new(cells).unwrap());
    ExperimentResult { experiment, completion, elapsed: Seconds(1.0), cells, warnings: Vec::new() }
}

fn file(experiments: Vec<ExperimentResult>) -> ResultFile {
    let machine = Machine { name: "square".to_owned(), ..Machine::default() };
    let origin = Origin::model(&machine, SolverName::Event, Some(1));
    ResultFile {
        schema_version: SCHEMA_VERSION,
        produced_by: "a test".to_owned(),
        started_at: None,
        finished_at: None,
        run: None,
        completion: Completion::Complete,
        engine: EngineDescription::new(&origin, "none", Vec::new()),
        origin,
        machine,
        settings: MeasuringSettings::default(),
        experiments,
        warnings: Vec::new(),
        unknown: Vec::new(),
    }
}
