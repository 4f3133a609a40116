//! Measured distances, as firmware and hwloc have them.

use zerohop_diagnosis::{MeasuredDistances, NoDistances};
use zerohop_machine::{NodeId, hwloc_xml, parse_hwloc_xml};
use zerohop_model::Solver;
use zerohop_result::ResultFile;

use crate::bench::{MATRICES, machine, result};

fn measured(name: &str) -> ResultFile {
    result(machine(name), &MATRICES, Solver::Auto, 1)
}

/// The rows of a table's text, in hexadecimal.
fn rows(slit: &str) -> Vec<Vec<u32>> {
    let of = |line: &str| {
        let (name, values) = line.split_once(" : ")?;
        name.contains("Locality ").then(|| {
            values.split(' ').map(|value| u32::from_str_radix(value, 16).unwrap()).collect::<Vec<_>>()
        })
    };
    slit.lines().filter_map(of).collect()
}

#[test]
fn the_table_of_the_firmware_reads_back_as_it_was_measured() {
    let file = measured("quartet");
    let distances = MeasuredDistances::of(&file).unwrap();
    let slit = distances.slit();
    assert_eq!(rows(&slit), distances.measured.rows);
    assert!(
        slit.contains("Table Length : 0000003C") && slit.contains("Localities : 0000000000000004"),
        "{slit}"
    );
    // In a square, neighbors are alike, and diagonals are farther.
    let of = |from, to| distances.measured.get(NodeId(from), NodeId(to)).unwrap();
    assert_eq!((of(0, 0), of(0, 1), of(0, 2)), (10, of(2, 3), of(1, 3)));
    assert!(of(0, 3) > of(0, 1) && of(0, 1) > 10, "{:?}", distances.measured);
}

#[test]
fn the_topology_for_hwloc_reads_back_as_it_was_measured() {
    let file = measured("cascade-lake-4s");
    let distances = MeasuredDistances::of(&file).unwrap();
    let read = parse_hwloc_xml(&hwloc_xml(&distances.machine())).unwrap();
    assert_eq!(read.distances.as_ref(), Some(&distances.measured));
    assert_eq!(read.access.len(), 16, "{:?}", read.access);
    let far =
        read.access.iter().find(|access| access.target == NodeId(2) && access.initiators == [NodeId(0)]);
    let far = far.unwrap().read_latency.unwrap().get();
    assert!((far - distances.latencies[&(NodeId(0), NodeId(2))].get()).abs() <= 0.5, "{far}");
}

#[test]
fn wrong_distances_differ_and_right_ones_do_not() {
    let mut file = measured("quartet");
    file.machine.distances = Some(MeasuredDistances::of(&file).unwrap().measured);
    assert_eq!(MeasuredDistances::of(&file).unwrap().differing(), 0);
    file.machine.distances.as_mut().unwrap().rows[0][1] = 40;
    assert_eq!(MeasuredDistances::of(&file).unwrap().differing(), 1);
}

#[test]
fn a_result_without_latencies_or_with_one_node_has_no_distances() {
    let mut file = measured("quartet");
    file.experiments.clear();
    let error = MeasuredDistances::of(&file).unwrap_err();
    assert_eq!(error.to_string(), "the result does not contain the experiment latency-matrix");
    assert!(error.hint().unwrap().contains("latency-matrix"));
    let one = measured("xeon-cascade-lake,cores=4,sockets=1");
    assert_eq!(MeasuredDistances::of(&one), Err(NoDistances::OneNode));
}
