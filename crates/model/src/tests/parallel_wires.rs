//! Links of several wires, that check packets, or that change their width.

use zerohop_document::Share;
use zerohop_machine_file::{Coherence, Hardware, Narrowing, PassesOn};
use zerohop_units::Nanoseconds;
use zerohop_workload::Activity;

use super::{READS, assert_close, bandwidth, sample, worker, workers};
use crate::machines::nodes;

const DIRECTORY: Coherence = Coherence::Directory { lookup: Nanoseconds(0.0) };

/// Two nodes, with a link of 20 GB/s.
fn pair() -> Hardware {
    nodes(2, 16, &[[0, 1]], DIRECTORY)
}

/// Three routers in a row; the cores of the first and the memory of the last are in use.
fn row() -> Hardware {
    nodes(3, 1, &[[0, 1], [1, 2]], DIRECTORY)
}

fn remote_latency(machine: &Hardware, node: u32) -> f64 {
    let chase = worker(0, node, Activity::Chase { chains: 1, pages: None });
    sample(machine, vec![chase]).step_time(0).unwrap().get()
}

#[test]
fn several_wires_carry_no_packet_faster_than_one() {
    let one = pair();
    let mut four = pair();
    let link = &mut four.links[0];
    link.wires = 4;
    link.capacity = link.capacity * 4.0;
    assert_close(remote_latency(&four, 1), remote_latency(&one, 1), 0.003);
    // They carry four times as much, which is more than the sixteen cores request over one wire.
    let reads = |machine: &Hardware| bandwidth(&sample(machine, workers(0..16, 1, READS)));
    assert!(reads(&four) > 1.2 * reads(&one));
}

#[test]
fn a_store_and_forward_link_forwards_only_whole_packets() {
    let through = row();
    let mut checked = row();
    for link in &mut checked.links {
        link.parameters.passes_on = PassesOn::Whole;
    }
    let one = &through.links[0];
    // At the middle router, the request's and the data's bytes beyond the head of four bytes.
    let longer = (one.parameters.packets.request.get() + one.parameters.packets.data.get() - 8) as f64
        / one.capacity.get();
    let (through, checked) = (remote_latency(&through, 2), remote_latency(&checked, 2));
    assert!((checked - through - longer).abs() < 0.5, "{checked} is not {through} + {longer}");
    assert_eq!(remote_latency(&row(), 1), {
        let mut checked = row();
        checked.links[0].parameters.passes_on = PassesOn::Whole;
        remote_latency(&checked, 1)
    });
}

#[test]
fn a_link_that_drops_lanes_costs_latency_and_no_bandwidth() {
    let forced = pair();
    let mut dynamic = pair();
    dynamic.links[0].parameters.narrowing = Some(Narrowing {
        to_one_in: 4,
        window: Nanoseconds(2000.0),
        below: Share(0.1),
        above: Share(0.6),
        change: Nanoseconds(100.0),
    });
    let link = &forced.links[0];
    // A chase leaves the link idle: the request and the data take four times as long.
    let longer = 3.0 * (link.parameters.packets.request.get() + link.parameters.packets.data.get()) as f64
        / link.capacity.get();
    let (quick, slow) = (remote_latency(&forced, 1), remote_latency(&dynamic, 1));
    assert!((slow - quick - longer).abs() < 0.7, "{slow} is not {quick} + {longer}");
    let reads = |machine: &Hardware| bandwidth(&sample(machine, workers(0..16, 1, READS)));
    assert_close(reads(&dynamic), reads(&forced), 0.01);
}
