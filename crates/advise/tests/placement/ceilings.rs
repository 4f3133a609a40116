//! Ceilings of programs that stream through the same data.

use zerohop_advise::placement::{Ceiling, DataPlace, Source, Tool, ceiling};
use zerohop_units::Bytes;
use zerohop_workload::Origin;

use crate::grounds::{ground, machine};

fn of(name: &str, bytes: Bytes) -> Ceiling {
    let source = Source { origin: Origin::HOST, result: None };
    ceiling(bytes, None, &[], source, &mut ground(&machine(name)), None).unwrap()
}

fn rate(ceiling: &Ceiling, place: DataPlace) -> f64 {
    ceiling.rows.iter().find(|row| row.data == place).unwrap_or_else(|| panic!("{place:?}")).bandwidth.value
}

#[test]
fn a_copy_on_each_node_is_the_highest_and_one_reader_s_node_the_lowest_ceiling() {
    let found = of("sr665-v3", Bytes(40_000_000_000));
    let [one, interleaved, copy, first] = DataPlace::ALL.map(|place| rate(&found, place));
    // Half of the interleaved reads cross four links, which carry less than half of what two nodes' memory gives.
    assert!(copy > 1.1 * interleaved && interleaved > 1.5 * one, "{one} {interleaved} {copy}");
    // Of two sockets, the second adds nothing if all of the data lies on the first.
    assert!(first < 1.2 * one, "{first} {one}");
    for row in &found.rows {
        assert!((row.steps_per_second.value - row.bandwidth.value / 40.0).abs() < 1e-9);
    }
}

#[test]
fn a_copy_on_each_node_is_faster_where_links_are_narrower_than_memory() {
    let found = of("cascade-lake-4s", Bytes(8_000_000_000));
    let [one, interleaved, copy, _] = DataPlace::ALL.map(|place| rate(&found, place));
    assert!(copy > 1.2 * interleaved && copy > 3.0 * one, "{one} {interleaved} {copy}");
}

#[test]
fn a_ramp_ends_where_more_threads_do_not_help() {
    for row in of("sr665-v3", Bytes::gib(1)).rows {
        let enough = row.enough_threads.unwrap();
        let peak = row.ramp.iter().map(|point| point.bandwidth.value).fold(0.0, f64::max);
        let at = row.ramp.iter().find(|point| point.threads == enough).unwrap();
        assert!(at.bandwidth.value >= 0.97 * peak, "{row:?}");
        let fewer = row.ramp.iter().take_while(|point| point.threads < enough);
        assert!(fewer.into_iter().all(|point| point.bandwidth.value < 0.97 * peak), "{row:?}");
    }
}

#[test]
fn data_that_one_node_cannot_hold_is_only_spread() {
    let found = of("quartet", Bytes::gib(3));
    assert_eq!(found.rows.iter().map(|row| row.data).collect::<Vec<_>>(), [DataPlace::Interleaved]);
    assert_eq!(found.impossible.len(), 3, "{:?}", found.impossible);
}

#[test]
fn llama_cpp_and_vllm_get_lines_for_what_they_can_do() {
    let found = of("sr665-v3", Bytes::gib(8));
    let line = |place: DataPlace, tool: Tool| {
        let row = found.rows.iter().find(|row| row.data == place).unwrap();
        row.lines.iter().find(|line| line.tool == tool).map(|line| line.text.clone())
    };
    assert!(line(DataPlace::OneNode, Tool::LlamaCpp).unwrap().contains("--numa numactl"));
    assert!(line(DataPlace::Interleaved, Tool::LlamaCpp).unwrap().contains("--numa distribute"));
    assert!(line(DataPlace::CopyOnEach, Tool::Vllm).unwrap().contains("--tensor-parallel-size 2"));
    assert_eq!(line(DataPlace::FirstReader, Tool::LlamaCpp), None);
}
