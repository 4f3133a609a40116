//! Streams through memory that is interleaved over nodes: over many pages, each reads as much in every place.

use std::sync::Arc;

use zerohop_machine::NodeId;
use zerohop_machine_file::Hardware;
use zerohop_units::{Bytes, GigabytesPerSecond};
use zerohop_workload::{Carries, Engine, Pages, Placement, Sample, Worker, Workload};

use super::{READS, assert_close, bandwidth, carried, worker, workload};
use crate::ModelEngine;
use crate::machines::{DIRECTORY, nodes};

/// Sockets of sixteen cores whose channels limit nobody, and links that limit everybody.
fn sockets(count: usize, links: &[[usize; 2]]) -> Hardware {
    let mut machine = nodes(count, 16, links, DIRECTORY);
    machine.links.iter_mut().for_each(|link| link.capacity = GigabytesPerSecond(20.0));
    machine.channels.iter_mut().for_each(|channel| channel.bandwidth = GigabytesPerSecond(100.0));
    machine
}

/// All cores read, each from where the function places its buffer.
fn reads(machine: &Hardware, pages: Pages, buffer: Bytes, place: impl Fn(u32) -> Placement) -> Sample {
    let workers = (0..machine.cores.len() as u32).map(|pu| Worker {
        placement: place(pu),
        buffer,
        ..worker(pu, 0, READS)
    });
    let mut engine = ModelEngine::new(Arc::new(machine.clone()), 1);
    let mut prepared = engine.prepare(&Workload { pages, ..workload(workers.collect()) }).unwrap();
    let window = prepared.window().unwrap();
    prepared.sample(window).unwrap()
}

fn everywhere(count: u32) -> Placement {
    Placement::Interleaved((0..count).map(NodeId).collect())
}

/// Workers stayed where chance had put them, so those in near memory counted as if they never had to leave it: two sockets read 638 GB/s
/// over links that carry 506.
#[test]
fn huge_pages_do_not_let_interleaved_memory_exceed_the_links() {
    let machine = sockets(2, &[[0, 1]]);
    let far = reads(&machine, Pages::Best, Bytes::mib(64), |pu| Placement::Node(NodeId(1 - pu / 16)));
    for pages in [Pages::Base, Pages::Best] {
        let spread = reads(&machine, pages, Bytes::mib(64), |_| everywhere(2));
        assert_close(bandwidth(&spread), 2.0 * bandwidth(&far), 0.04);
    }
}

#[test]
fn a_slow_node_holds_up_all_who_interleave_over_it() {
    let mut machine = sockets(4, &[[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
    machine.channels[1].bandwidth = GigabytesPerSecond(6.0);
    let spread = reads(&machine, Pages::Best, Bytes::mib(64), |_| everywhere(4));
    assert_close(bandwidth(&spread), 4.0 * 6.0, 0.06);
}

/// Five pages over four nodes were two on the first: all workers' together are spread evenly, but the links of the first node limited them.
#[test]
fn few_pages_of_each_worker_are_spread_as_those_of_all() {
    let machine = sockets(4, &[[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
    let spread = reads(&machine, Pages::Best, Bytes::mib(10), |_| everywhere(4));
    let carried = carried(&spread, Carries::Reads);
    let total: f64 = carried.iter().sum();
    carried.iter().for_each(|node| assert_close(node / total, 0.25, 0.02));
}
