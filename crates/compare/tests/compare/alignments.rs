//! Results of machines whose nodes have other numbers, or other settings.

use zerohop_compare::{
    AlignmentReason, ComparisonFile, Configuration, Explanation, Numbering, Tendency, compare,
};
use zerohop_machine::{
    Core, CoreId, DistanceMatrix, Machine, MemoryDevice, NodeId, NumaNode, Package, PackageId, Pu, PuId,
    PuSet,
};
use zerohop_result::{Axis, Cell, Coordinates, Estimate, Evidence, ExperimentName, Measure, ResultFile};
use zerohop_units::{Bytes, TransfersPerSecond};

use crate::comparisons::{experiment, file};

/// A machine whose nodes, in this order of their numbers, have two CPUs each and this much memory in GiB, on these packages.
fn machine(nodes: &[(u32, u64, u32)]) -> Machine {
    let mut machine = Machine { name: "box".to_owned(), ..Machine::default() };
    for (rank, &(id, memory, package)) in (0..).zip(nodes) {
        let pus: PuSet = [PuId(2 * rank), PuId(2 * rank + 1)].into_iter().collect();
        let (node, package) = (NodeId(id), PackageId(package));
        for pu in pus.iter() {
            let own: PuSet = [pu].into_iter().collect();
            let core = CoreId(pu.0);
            machine.cores.push(Core { id: core, package, die: None, pus: own, max_clock: None });
            machine.pus.push(Pu { id: pu, core, package, node, allowed: true });
        }
        if !machine.packages.iter().any(|known| known.id == package) {
            machine.packages.push(Package { id: package, pus: PuSet::default() });
        }
        machine.nodes.push(NumaNode {
            id: node,
            pus,
            memory: Bytes(memory << 30),
            free: Bytes(memory << 30),
            huge_pages: Vec::new(),
            memory_side_caches: Vec::new(),
            allowed: true,
        });
    }
    machine.nodes.sort_by_key(|node| node.id);
    machine
}

/// Bandwidths of that machine by node, each node its own memory.
fn bandwidths(machine: Machine, values: &[(u32, f64)]) -> ResultFile {
    let cells = values.iter().map(|&(node, value)| Cell {
        at: Coordinates::new().with(Axis::Initiator, node).with(Axis::Target, node),
        measure: Measure::Bandwidth,
        estimate: Estimate { low: value * 0.99, high: value * 1.01, ..Estimate::exact(value) },
        evidence: Evidence::default(),
        samples: vec![value],
        warnings: Vec::new(),
    });
    let cells = cells.collect();
    ResultFile { machine, ..file(vec![experiment(ExperimentName::known("bandwidth-matrix"), cells)]) }
}

fn compared(base: &ResultFile, other: &ResultFile, numbering: Numbering) -> ComparisonFile {
    let named = [("base", base), ("other", other)];
    compare(&named.map(|(name, result)| Configuration { name, result, repeats: &[] }), numbering).unwrap()
}

fn tendencies(comparison: &ComparisonFile) -> Vec<Tendency> {
    comparison.cells.iter().map(|cell| cell.others[0].tendency).collect()
}

/// The node without CPUs has number 1 in one, and 0 in the other.
#[test]
fn nodes_are_matched_by_what_they_are() {
    let base = bandwidths(machine(&[(0, 64, 0), (1, 16, 1)]), &[(0, 100.0), (1, 30.0)]);
    let other = bandwidths(machine(&[(1, 64, 0), (0, 16, 1)]), &[(1, 100.0), (0, 30.0)]);
    let comparison = compared(&base, &other, Numbering::ByTopology);
    assert_eq!(tendencies(&comparison), [Tendency::Same; 2]);
    let [alignment] = &comparison.alignments[..] else { panic!("{:?}", comparison.alignments) };
    assert_eq!(alignment.reason, AlignmentReason::Topology);
    let pairs: Vec<(u32, u32)> = alignment.nodes.iter().map(|pair| (pair.base, pair.other)).collect();
    assert_eq!(pairs, [(0, 1), (1, 0)]);
    let as_given = compared(&base, &other, Numbering::AsGiven);
    assert_eq!(tendencies(&as_given), [Tendency::Worse, Tendency::Better]);
    assert_eq!(as_given.alignments, []);
}

#[test]
fn numbers_with_gaps_correspond_to_numbers_without() {
    let base = bandwidths(machine(&[(0, 64, 0), (1, 64, 1)]), &[(0, 100.0), (1, 90.0)]);
    let other = bandwidths(machine(&[(0, 64, 0), (8, 64, 1)]), &[(0, 100.0), (8, 90.0)]);
    let comparison = compared(&base, &other, Numbering::ByTopology);
    assert_eq!((tendencies(&comparison), comparison.unmatched.len()), (vec![Tendency::Same; 2], 0));
}

/// Sockets of a symmetric machine can only be told apart by their values.
#[test]
fn exchanged_sockets_are_recognized_by_their_values() {
    let symmetric = || machine(&[(0, 64, 0), (1, 64, 1)]);
    let base = bandwidths(symmetric(), &[(0, 100.0), (1, 50.0)]);
    let exchanged = bandwidths(symmetric(), &[(0, 50.0), (1, 100.0)]);
    let comparison = compared(&base, &exchanged, Numbering::ByTopology);
    assert_eq!(comparison.alignments[0].reason, AlignmentReason::Values);
    assert_eq!(tendencies(&comparison), [Tendency::Same; 2]);
    // A node that became slower is not a node that was exchanged.
    let slower = bandwidths(symmetric(), &[(0, 100.0), (1, 30.0)]);
    let comparison = compared(&base, &slower, Numbering::ByTopology);
    assert_eq!(comparison.alignments, []);
    assert_eq!(tendencies(&comparison), [Tendency::Same, Tendency::Worse]);
}

/// Two texts of Intel MLC name nodes by number and nothing else: all cells of renumbered nodes were said to differ.
#[test]
fn nodes_of_texts_that_show_no_machine_are_matched_by_their_values() {
    let text = |values: &[(u32, f64)]| bandwidths(Machine::default(), values);
    let base = text(&[(0, 100.0), (1, 30.0)]);
    let exchanged = compared(&base, &text(&[(0, 30.0), (1, 100.0)]), Numbering::ByTopology);
    assert_eq!(exchanged.alignments[0].reason, AlignmentReason::Values);
    assert_eq!(tendencies(&exchanged), [Tendency::Same; 2]);
    let gaps = compared(&base, &text(&[(0, 100.0), (8, 30.0)]), Numbering::ByTopology);
    assert_eq!(gaps.alignments[0].reason, AlignmentReason::Topology);
    assert_eq!(tendencies(&gaps), [Tendency::Same; 2]);
    let slower = compared(&base, &text(&[(0, 60.0), (1, 30.0)]), Numbering::ByTopology);
    assert_eq!((tendencies(&slower), slower.alignments), (vec![Tendency::Worse, Tendency::Same], Vec::new()));
    // A survey has more to say of the same machine.
    let survey = bandwidths(machine(&[(0, 64, 0), (1, 64, 1)]), &[(0, 30.0), (1, 100.0)]);
    let mixed = compared(&base, &survey, Numbering::ByTopology);
    assert_eq!(mixed.alignments[0].reason, AlignmentReason::Values);
    assert_eq!(tendencies(&mixed), [Tendency::Same; 2]);
}

/// A matrix between nodes that have these numbers, in any order; each node's values are its own.
fn matrix(numbers: &[u32]) -> ResultFile {
    let value = |one: usize, other: usize| match one == other {
        true => 200.0 + 10.0 * one as f64,
        false => 50.0 + ((7 * one + 3 * other) % 23) as f64,
    };
    let places = (0..numbers.len()).flat_map(|one| (0..numbers.len()).map(move |other| (one, other)));
    let cells = places.map(|(one, other)| Cell {
        at: Coordinates::new().with(Axis::Initiator, numbers[one]).with(Axis::Target, numbers[other]),
        measure: Measure::Bandwidth,
        estimate: Estimate::exact(value(one, other)),
        evidence: Evidence::default(),
        samples: vec![value(one, other)],
        warnings: Vec::new(),
    });
    file(vec![experiment(ExperimentName::known("bandwidth-matrix"), cells.collect())])
}

/// Of 40,320 numberings of eight nodes, the first 2,000 were looked at: those that keep the numbers of the first nodes.
#[test]
fn any_numbering_of_many_nodes_is_recognized_by_their_values() {
    for count in [8, 24, 64] {
        let numbers: Vec<u32> = (0..count).collect();
        let mut exchanged = numbers.clone();
        exchanged.swap(0, 1);
        let turned: Vec<u32> = numbers.iter().map(|number| (number * 5 + 3) % count).collect();
        for others in [exchanged, turned] {
            let comparison = compared(&matrix(&numbers), &matrix(&others), Numbering::ByTopology);
            let [alignment] = &comparison.alignments[..] else { panic!("{others:?}") };
            assert_eq!(alignment.reason, AlignmentReason::Values);
            let partners: Vec<u32> = alignment.nodes.iter().map(|pair| pair.other).collect();
            assert_eq!(partners, others);
            assert!(tendencies(&comparison).iter().all(|tendency| *tendency == Tendency::Same));
        }
    }
}

/// No numbering brings a slow node's values together with those of the sound machine: it keeps its number.
#[test]
fn a_node_of_many_that_became_slower_keeps_its_number() {
    let numbers: Vec<u32> = (0..24).collect();
    let mut slower = matrix(&numbers);
    let slow = |cells: &mut Vec<Cell>| {
        for cell in cells.iter_mut().filter(|cell| cell.at.is(Axis::Target, 3_u32)) {
            cell.estimate = Estimate::exact(0.8 * cell.estimate.median);
        }
    };
    slower.experiments[0].cells.change(slow).unwrap();
    let comparison = compared(&matrix(&numbers), &slower, Numbering::ByTopology);
    assert_eq!(comparison.alignments, []);
    let worse = tendencies(&comparison).iter().filter(|tendency| **tendency == Tendency::Worse).count();
    assert_eq!(worse, 24);
}

/// Two of four nodes were measured: other pairs of nodes had no value that could disagree.
#[test]
fn values_that_nobody_measured_agree_with_nothing() {
    let four = || machine(&[(0, 64, 0), (1, 64, 1), (2, 64, 2), (3, 64, 3)]);
    let base = bandwidths(four(), &[(0, 100.0), (1, 100.0)]);
    let slower = bandwidths(four(), &[(0, 100.0), (1, 50.0)]);
    let comparison = compared(&base, &slower, Numbering::ByTopology);
    assert_eq!(comparison.alignments, []);
    assert_eq!(tendencies(&comparison), [Tendency::Same, Tendency::Worse]);
}

#[test]
fn packages_and_distances_forbid_an_exchange() {
    // Four nodes in two packages: exchanging nodes 1 and 2 would tear both packages.
    let packages = || machine(&[(0, 64, 0), (1, 64, 0), (2, 64, 1), (3, 64, 1)]);
    let base = bandwidths(packages(), &[(0, 100.0), (1, 50.0), (2, 100.0), (3, 100.0)]);
    let other = bandwidths(packages(), &[(0, 100.0), (1, 100.0), (2, 50.0), (3, 100.0)]);
    let pairs = |comparison: &ComparisonFile| {
        let nodes = comparison.alignments.iter().flat_map(|alignment| &alignment.nodes);
        nodes.map(|pair| (pair.base, pair.other)).collect::<Vec<_>>()
    };
    let exchanged = pairs(&compared(&base, &other, Numbering::ByTopology));
    assert!(
        exchanged == [(0, 3), (1, 2), (2, 0), (3, 1)] || exchanged == [(0, 3), (1, 2), (2, 1), (3, 0)],
        "{exchanged:?}"
    );
    // With a chain's distances, the ends stay ends.
    let chain = |values: &[(u32, f64)]| {
        let mut machine = machine(&[(0, 64, 0), (1, 64, 1), (2, 64, 2)]);
        let rows = vec![vec![10, 20, 30], vec![20, 10, 20], vec![30, 20, 10]];
        machine.distances = Some(DistanceMatrix { nodes: vec![NodeId(0), NodeId(1), NodeId(2)], rows });
        bandwidths(machine, values)
    };
    let base = chain(&[(0, 50.0), (1, 100.0), (2, 100.0)]);
    let middle = compared(&base, &chain(&[(0, 100.0), (1, 50.0), (2, 100.0)]), Numbering::ByTopology);
    assert_eq!(pairs(&middle), []);
    let other_end = compared(&base, &chain(&[(0, 100.0), (1, 100.0), (2, 50.0)]), Numbering::ByTopology);
    assert_eq!(pairs(&other_end), [(0, 2), (1, 1), (2, 0)]);
}

/// Twelve DIMMs at a rate.
fn with_dimms(mut file: ResultFile, rate: f64) -> ResultFile {
    let dimm = |rank: u32| MemoryDevice {
        locator: format!("CPU{} CHANNEL {} DIMM 0", rank / 6, rank % 6),
        bank: String::new(),
        size: Bytes(32 << 30),
        technology: "DDR4".to_owned(),
        data_width: Some(64),
        channel_width: None,
        rated: Some(TransfersPerSecond(rate)),
        configured: Some(TransfersPerSecond(rate)),
        part: None,
        package: Some(PackageId(rank / 6)),
        channel: Some((rank % 6).to_string()),
    };
    file.machine.memory_devices = (0..12).map(dimm).collect();
    file
}

#[test]
fn other_dimms_explain_bandwidths_that_changed_as_much() {
    let symmetric = || machine(&[(0, 64, 0), (1, 64, 1)]);
    let explained = |after: [f64; 2]| {
        let base = with_dimms(bandwidths(symmetric(), &[(0, 110.0), (1, 110.0)]), 2.933e9);
        let mut other = with_dimms(bandwidths(symmetric(), &[(0, after[0]), (1, after[1])]), 2.4e9);
        other.machine.system.kernel = Some("6.12".to_owned());
        let comparison = compared(&base, &other, Numbering::ByTopology);
        let differences = comparison.differences.iter();
        differences.map(|contrast| (contrast.what.clone(), contrast.explains)).collect::<Vec<_>>()
    };
    let all = |dimms, kernel| vec![("kernel".to_owned(), kernel), ("DIMMs".to_owned(), dimms)];
    let possible = Some(Explanation::Possible);
    // 2,400 of 2,933 MT/s is 18 % less.
    assert_eq!(explained([90.0, 90.0]), all(Some(Explanation::Fits), possible));
    assert_eq!(explained([50.0, 50.0]), all(Some(Explanation::TooSmall), possible));
    assert_eq!(explained([140.0, 140.0]), all(Some(Explanation::No), possible));
    assert_eq!(explained([110.0, 110.0]), all(None, None), "nothing changed");
}
