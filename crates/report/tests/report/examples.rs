//! Results and machines made up for the tests: plausible numbers from closed formulas, the same on every run.

use zerohop_machine::{
    AccessClass, Cache, CacheKind, Core, CoreId, DistanceMatrix, HugePagePool, Machine, MemoryDevice,
    NodeAccess, NodeId, NumaNode, OperatingSystem, Package, PackageId, Processor, Pu, PuId, PuSet,
};
use zerohop_result::Axis;
use zerohop_result::{
    Cell, Cells, Completion, Coordinates, Estimate, Evidence, ExperimentName, ExperimentResult, Measure,
    MeasuringSettings, ResultFile, SCHEMA_VERSION,
};
use zerohop_units::{Bytes, GigabytesPerSecond, Hertz, Nanoseconds, Seconds, TransfersPerSecond};
use zerohop_workload::{Backing, EngineDescription, InstructionSet, Origin, Pages, Warning};

/// A machine of `packages` × `nodes` × `cores` with two PUs a core, numbered as Linux does: first PUs first.
pub(crate) fn machine(packages: u32, nodes: u32, cores: u32) -> Machine {
    let all_cores = packages * nodes * cores;
    let pus_of = |first: u32, count: u32| -> PuSet {
        (first..first + count).flat_map(|core| [PuId(core), PuId(core + all_cores)]).collect()
    };
    let mut machine = Machine {
        name: "example".to_owned(),
        processor: Processor {
            vendor: "AuthenticAMD".to_owned(),
            model: "EPYC 9654 96-Core Processor".to_owned(),
            family: Some(25),
            model_number: Some(17),
            stepping: Some(1),
            instruction_sets: ["avx512f", "avx2"].map(str::to_owned).to_vec(),
            second_level_tlb: None,
        },
        system: system(),
        ..Machine::default()
    };
    for package in 0..packages {
        let first = package * nodes * cores;
        machine.packages.push(Package { id: PackageId(package), pus: pus_of(first, nodes * cores) });
        for node in 0..nodes {
            let first = first + node * cores;
            let id = NodeId(package * nodes + node);
            machine.nodes.push(memory_node(id, pus_of(first, cores)));
            machine.caches.push(cache(3, CacheKind::Unified, Bytes::mib(32), pus_of(first, cores)));
            for core in first..first + cores {
                let pus = pus_of(core, 1);
                machine.pus.extend(pus.iter().map(|pu| Pu {
                    id: pu,
                    core: CoreId(core),
                    package: PackageId(package),
                    node: id,
                    allowed: true,
                }));
                machine.caches.push(cache(1, CacheKind::Data, Bytes::kib(32), pus.clone()));
                machine.caches.push(cache(2, CacheKind::Unified, Bytes::mib(1), pus.clone()));
                let max_clock = Some(Hertz(3.7e9));
                machine.cores.push(Core {
                    id: CoreId(core),
                    package: PackageId(package),
                    die: None,
                    pus,
                    max_clock,
                });
            }
        }
    }
    machine.pus.sort_by_key(|pu| pu.id);
    machine.caches.sort_by_key(|cache| (cache.level, cache.pus.first()));
    set_distances(&mut machine, nodes);
    machine
}

/// `machine` and a node of memory alone with the HMAT's promises, numbered `number`.
pub(crate) fn with_memory_node(mut machine: Machine, number: u32) -> Machine {
    machine.nodes.push(memory_node(NodeId(number), PuSet::new()));
    machine.access.push(NodeAccess {
        target: NodeId(number),
        initiators: vec![NodeId(0)],
        class: AccessClass::NearestCpu,
        read_latency: Some(Nanoseconds(250.0)),
        write_latency: Some(Nanoseconds(260.0)),
        read_bandwidth: Some(GigabytesPerSecond(32.0)),
        write_bandwidth: None,
    });
    let why = "reading the SMBIOS table needs root";
    machine.gaps.push(format!("memory devices: {why}"));
    machine.no_memory_devices = Some(why.to_owned());
    let nodes = machine.nodes.len() as u32;
    set_distances(&mut machine, nodes - 1);
    machine
}

/// Twelve channels of DDR5-4800 on each package.
pub(crate) fn with_dimms(mut machine: Machine) -> Machine {
    for package in 0..machine.packages.len() as u32 {
        for channel in "ABCDEFGHIJKL".chars() {
            machine.memory_devices.push(MemoryDevice {
                locator: format!("P{package}_DIMM_{channel}1"),
                bank: format!("P{package} CHANNEL {channel}"),
                size: Bytes::gib(64),
                technology: "DDR5".to_owned(),
                data_width: Some(64),
                channel_width: None,
                rated: Some(TransfersPerSecond(4800e6)),
                configured: Some(TransfersPerSecond(4800e6)),
                part: None,
                package: Some(PackageId(package)),
                channel: Some(channel.to_string()),
            });
        }
    }
    machine.system.hypervisor = None;
    machine
}

fn memory_node(id: NodeId, pus: PuSet) -> NumaNode {
    NumaNode {
        id,
        pus,
        memory: Bytes::gib(64),
        free: Bytes::gib(60),
        huge_pages: vec![HugePagePool { page: Bytes::mib(2), total: 512, free: 500 }],
        memory_side_caches: Vec::new(),
        allowed: true,
    }
}

fn cache(level: u8, kind: CacheKind, size: Bytes, pus: PuSet) -> Cache {
    Cache { level, kind, size, line: Bytes(64), ways: None, pus }
}

fn set_distances(machine: &mut Machine, nodes_a_package: u32) {
    let nodes: Vec<NodeId> = machine.nodes.iter().map(|node| node.id).collect();
    let distance = |one: NodeId, other: NodeId| match (one.0, other.0) {
        (one, other) if one == other => 10,
        (one, other) if one / nodes_a_package.max(1) == other / nodes_a_package.max(1) => 12,
        _ => 32,
    };
    let rows = nodes.iter().map(|&one| nodes.iter().map(|&other| distance(one, other)).collect()).collect();
    machine.distances = Some(DistanceMatrix { nodes, rows });
}

fn system() -> OperatingSystem {
    OperatingSystem {
        kernel: Some("6.12.9".to_owned()),
        kernel_parameters: vec!["transparent_hugepage=madvise".to_owned()],
        hypervisor: Some("KVM".to_owned()),
        transparent_huge_pages: Some("madvise".to_owned()),
        transparent_huge_page_defrag: Some("madvise".to_owned()),
        base_page: Some(Bytes::kib(4)),
        numa_balancing: Some(true),
        zone_reclaim: Some(0),
        governor: Some("performance".to_owned()),
        frequency_driver: Some("amd-pstate-epp".to_owned()),
        turbo: Some(true),
        smt: Some(true),
        clock_source: Some("tsc".to_owned()),
        cpuset_cpus: Some("0-7".to_owned()),
        cpu_quota: Some(7.5),
        memory_limit: Some(Bytes::gib(32)),
        ..OperatingSystem::default()
    }
}

/// A cell of seven samples around `median`, with quiet evidence.
pub(crate) fn cell(at: Coordinates, measure: Measure, median: f64) -> Cell {
    let samples: Vec<f64> =
        [-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0].map(|step| median * (1.0 + step / 800.0)).to_vec();
    Cell {
        at,
        measure,
        estimate: Estimate {
            median,
            low: samples[1],
            high: samples[5],
            min: samples[0],
            max: samples[6],
            mean: median,
            standard_deviation: median / 500.0,
        },
        evidence: Evidence {
            workers: 1,
            backing: Backing {
                page: Bytes::mib(2),
                huge_share: Some(1.0),
                placed_share: Some(1.0),
                pages_checked: 64,
                pages: 64,
                confirmed: true,
            },
            cpu_share: Some(0.998),
            steal_share: Some(0.0),
            clock_ghz: Some((3.69, 3.7)),
            disturbed: 0,
            window: Seconds(0.03),
            ..Evidence::default()
        },
        samples,
        warnings: Vec::new(),
    }
}

/// An experiment that was done whole.
pub(crate) fn experiment(experiment: ExperimentName, cells: Vec<Cell>) -> ExperimentResult {
    ExperimentResult {
        experiment,
        completion: Completion::Complete,
        elapsed: Seconds(4.25),
        cells: Cells::new(cells).unwrap(),
        warnings: Vec::new(),
    }
}

/// A file of these experiments.
pub(crate) fn file(machine: Machine, experiments: Vec<ExperimentResult>) -> ResultFile {
    ResultFile {
        schema_version: SCHEMA_VERSION,
        produced_by: "zerohop 0.1.0".to_owned(),
        started_at: "2026-11-21T10:28:00Z".parse().ok(),
        finished_at: "2026-11-21T10:28:41Z".parse().ok(),
        run: None,
        completion: Completion::Complete,
        origin: Origin::HOST,
        engine: EngineDescription::new(
            &Origin::HOST,
            "virtual",
            vec![InstructionSet::Avx512, InstructionSet::Avx2],
        ),
        machine,
        settings: MeasuringSettings {
            effort: "quick".to_owned(),
            pages: Pages::Best,
            interval: 0.01,
            confidence: 0.95,
            ..MeasuringSettings::default()
        },
        experiments,
        warnings: Vec::new(),
        unknown: Vec::new(),
    }
}

/// A survey of every experiment that a quick survey has.
pub(crate) fn survey(machine: Machine) -> ResultFile {
    let experiments = vec![
        matrix(&machine, ExperimentName::known("latency-matrix")),
        matrix(&machine, ExperimentName::known("bandwidth-matrix")),
        cache_latency(),
        stream(&machine),
        mixes(&machine),
        loaded_latency(),
        core_to_core(&machine, 8),
    ];
    file(machine, experiments)
}

/// A two-node survey that was stopped in the middle of its third experiment.
pub(crate) fn interrupted() -> ResultFile {
    let mut file = survey(machine(2, 1, 4));
    file.completion = Completion::Interrupted;
    file.experiments.truncate(3);
    file.experiments[2].completion = Completion::Interrupted;
    file.experiments[2].cells.change(|cells| cells.truncate(2)).unwrap();
    file
}

/// A survey with a good deal to warn of.
pub(crate) fn doubtful() -> ResultFile {
    let mut file = survey(machine(1, 1, 2));
    file.warnings.push(Warning::ExperimentSkipped {
        experiment: "core-to-core".to_owned(),
        reason: "there is one core only".to_owned(),
    });
    file.warnings.push(Warning::CpusSkipped {
        pus: "2-3".parse().unwrap(),
        reason: "the cpuset leaves them out".to_owned(),
    });
    for experiment in &mut file.experiments {
        let mark = |cells: &mut Vec<Cell>| {
            for (rank, cell) in cells.iter_mut().enumerate() {
                cell.warnings.push(Warning::HugePagesMissing { share: 0.9 - rank as f64 / 100.0 });
                cell.evidence.backing.huge_share = Some(0.9 - rank as f64 / 100.0);
                cell.evidence.backing.placed_share = None;
            }
        };
        experiment.cells.change(mark).unwrap();
    }
    let doubt = |cells: &mut Vec<Cell>| {
        cells[0].warnings.push(Warning::IntervalWide { asked: 0.01, reached: 0.042 });
        cells[1].warnings.push(Warning::IntervalWide { asked: 0.01, reached: 0.087 });
        cells[1].evidence.disturbed = 5;
        cells[1].evidence.cpu_share = Some(0.913);
        cells[1].evidence.steal_share = Some(0.03);
        cells[1].evidence.involuntary_switches = 17;
        cells[2].warnings.push(Warning::TwoPeaks { low: 30.4, high: 40.1, share: Some(0.6) });
    };
    file.experiments[3].cells.change(doubt).unwrap();
    file
}

/// Hops between two nodes: none, within a package, between packages.
fn hops(machine: &Machine, initiator: NodeId, target: NodeId) -> f64 {
    match machine.distances.as_ref().and_then(|distances| distances.get(initiator, target)) {
        Some(10) | None => 0.0,
        Some(12) => 1.0,
        Some(_) => 3.0,
    }
}

/// Initiators by targets.
pub(crate) fn matrix(machine: &Machine, name: ExperimentName) -> ExperimentResult {
    let mut cells = Vec::new();
    for initiator in machine.initiators() {
        for target in machine.targets() {
            let hops = hops(machine, initiator.id, target.id);
            let wobble = f64::from(initiator.id.0 * 7 + target.id.0 * 3 % 11) / 10.0;
            let slow = if target.pus.is_empty() { 140.0 } else { 0.0 };
            let (measure, value) = match name.as_str() {
                "latency-matrix" => (Measure::Latency, 95.3 + hops * 24.0 + wobble + slow),
                _ => (Measure::Bandwidth, (310.0 - wobble) / (1.0 + hops) / (1.0 + slow / 60.0)),
            };
            let at = Coordinates::new().with(Axis::Initiator, initiator.id.0).with(Axis::Target, target.id.0);
            cells.push(cell(at, measure, value));
        }
    }
    experiment(name, cells)
}

/// L1, L2, L3 and memory.
pub(crate) fn cache_latency() -> ExperimentResult {
    let levels =
        [("L1", 16 << 10, 1.08), ("L2", 512 << 10, 3.79), ("L3", 16 << 20, 13.4), ("memory", 1 << 30, 95.6)];
    let cells = levels.map(|(level, footprint, latency): (&str, u64, f64)| {
        let at = Coordinates::new()
            .with(Axis::Level, level)
            .with(Axis::Footprint, footprint)
            .with(Axis::Cpu, 1u32);
        cell(at, Measure::Latency, latency)
    });
    experiment(ExperimentName::known("cache-latency"), cells.to_vec())
}

/// The four STREAM kernels, twice, of every node and of all.
pub(crate) fn stream(machine: &Machine) -> ExperimentResult {
    let kernels = ["copy", "scale", "add", "triad", "copy_nt", "scale_nt", "add_nt", "triad_nt"];
    by_node(machine, ExperimentName::known("stream"), Axis::Kernel, &kernels)
}

/// Reads, writes and mixes, of every node and of all.
pub(crate) fn mixes(machine: &Machine) -> ExperimentResult {
    let mixes = ["all_reads", "all_writes", "all_writes_nt", "3:1", "2:1", "1:1", "stream_triad_like"];
    by_node(machine, ExperimentName::known("mixes"), Axis::Mix, &mixes)
}

fn by_node(machine: &Machine, name: ExperimentName, axis: Axis, places: &[&str]) -> ExperimentResult {
    let mut cells = Vec::new();
    let nodes: Vec<NodeId> = machine.initiators().map(|node| node.id).collect();
    let mut groups: Vec<(Coordinates, f64)> =
        nodes.iter().map(|node| (Coordinates::new().with(Axis::Initiator, node.0), 1.0)).collect();
    if nodes.len() > 1 {
        groups.push((Coordinates::new().with(Axis::Initiator, "all"), nodes.len() as f64 * 0.97));
    }
    for (group, scale) in &groups {
        for (rank, place) in places.iter().enumerate() {
            let at = group.clone().with(Axis::Target, "local").with(axis, *place);
            let bandwidth = scale * (245.0 + 9.5 * rank as f64);
            cells.push(cell(at.clone(), Measure::Bandwidth, bandwidth));
            cells.push(cell(at, Measure::BusTraffic, bandwidth * 4.0 / 3.0));
        }
    }
    experiment(name, cells)
}

/// The delays of Intel's Memory Latency Checker.
pub(crate) const DELAYS: [u64; 19] =
    [0, 2, 8, 15, 50, 100, 200, 300, 400, 500, 700, 1000, 1300, 1700, 2500, 3500, 5000, 9000, 20000];

/// Latency over bandwidth of node 0.
pub(crate) fn loaded_latency() -> ExperimentResult {
    let cells = DELAYS.iter().flat_map(|&delay| {
        let bandwidth = 290.0 * 60.0 / (60.0 + delay as f64);
        let latency = 95.0 + 9.0 / (1.0 - bandwidth / 300.0);
        let at =
            Coordinates::new().with(Axis::Initiator, 0u32).with(Axis::Target, 0u32).with(Axis::Delay, delay);
        [cell(at.clone(), Measure::Latency, latency), cell(at, Measure::Bandwidth, bandwidth)]
    });
    experiment(ExperimentName::known("loaded-latency"), cells.collect())
}

/// Every pair of the first PUs of up to `most` cores, and the summary by what they share.
pub(crate) fn core_to_core(machine: &Machine, most: usize) -> ExperimentResult {
    let pus: Vec<PuId> = machine.cores.iter().filter_map(|core| core.pus.first()).take(most).collect();
    let node = |pu: PuId| machine.pu(pu).map(|pu| pu.node).unwrap();
    let mut cells = Vec::new();
    for (rank, &from) in pus.iter().enumerate() {
        for &to in &pus[rank + 1..] {
            let value =
                24.0 + 30.0 * hops(machine, node(from), node(to)) + f64::from((from.0 + 3 * to.0) % 5) / 4.0;
            cells.push(cell(
                Coordinates::new().with(Axis::From, from.0).with(Axis::To, to.0),
                Measure::Latency,
                value,
            ));
        }
    }
    let summaries = [("L3", 24.0), ("package", 54.0), ("machine", 114.0)];
    for (shared, least) in summaries.into_iter().take(machine.nodes.len()) {
        for (statistic, value) in
            [("min", least), ("mean", least + 0.5), ("max", least + 1.0), ("standard_deviation", 0.35)]
        {
            let at = Coordinates::new().with(Axis::Level, shared).with(Axis::Statistic, statistic);
            cells.push(cell(at, Measure::Latency, value));
        }
    }
    experiment(ExperimentName::known("core-to-core"), cells)
}

/// Every core by every node, and the summary over cores.
pub(crate) fn core_latency(machine: &Machine) -> ExperimentResult {
    let mut cells = Vec::new();
    for target in machine.targets() {
        for (statistic, value) in
            [("min", 130.0), ("mean", 134.2), ("max", 139.9), ("standard_deviation", 2.4)]
        {
            let at = Coordinates::new().with(Axis::Target, target.id.0).with(Axis::Statistic, statistic);
            cells.push(cell(at, Measure::Latency, value));
        }
        for (rank, core) in machine.cores.iter().enumerate() {
            let pu = core.pus.first().unwrap();
            let at = Coordinates::new().with(Axis::Cpu, pu.0).with(Axis::Target, target.id.0);
            cells.push(cell(at, Measure::Latency, 130.0 + (rank % 12) as f64));
        }
    }
    experiment(ExperimentName::known("core-latency"), cells)
}

/// Widths by placements.
pub(crate) fn global_bandwidth() -> ExperimentResult {
    let widths = [4u64, 8, 16, 32, 64].into_iter().enumerate();
    let cells = widths.flat_map(|(rank, width)| {
        [("first_touch_one", 11.0), ("first_touch_users", 48.0), ("interleaved", 38.0)].map(
            |(placement, bandwidth)| {
                let at = Coordinates::new().with(Axis::Width, width).with(Axis::Placement, placement);
                cell(at, Measure::Bandwidth, bandwidth * (1.0 + rank as f64 / 20.0))
            },
        )
    });
    experiment(ExperimentName::known("global-bandwidth"), cells.collect())
}
