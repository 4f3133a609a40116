//! Cut-through links, one faster than the other.

use std::sync::Arc;

use zerohop_machine_file::{Hardware, PassesOn};
use zerohop_units::GigabytesPerSecond;
use zerohop_workload::{Activity, Engine};

use super::{READS, assert_close, bandwidth, sample, worker, workers, workload};
use crate::FlowEngine;
use crate::machines::{BROADCAST, DIRECTORY, nodes};

/// Nodes in a line, joined by links of these speeds in GB/s.
fn line(speeds: &[f64], coherence: zerohop_machine_file::Coherence) -> Hardware {
    let links: Vec<[usize; 2]> = (0..speeds.len()).map(|link| [link, link + 1]).collect();
    let mut machine = nodes(speeds.len() + 1, 2, &links, coherence);
    for (link, &speed) in machine.links.iter_mut().zip(speeds) {
        link.capacity = GigabytesPerSecond(speed);
    }
    machine
}

/// Latency from one end of the line to memory at the other, in ns: by events, and by mean-value analysis.
fn latency(machine: &Hardware, from: usize) -> [f64; 2] {
    let to = machine.routers.len() - 1 - from;
    let chase = worker(2 * from as u32, to as u32, Activity::Chase { chains: 1, pages: None });
    let by_events = sample(machine, vec![chase.clone()]).step_time(0).unwrap().get();
    let mut flow = FlowEngine::new(Arc::new(machine.clone()));
    let mut solved = flow.prepare(&workload(vec![chase])).unwrap();
    let window = solved.window().unwrap();
    [by_events, solved.sample(window).unwrap().step_time(0).unwrap().get()]
}

/// Cores, home agent and memory take 80 ns; a link takes 25 ns plus the time of its bytes: 8 of a request, 68 of
/// data. A router forwards a packet after 4 bytes.
fn expected(speeds: &[f64]) -> f64 {
    let links: Vec<Hop> = speeds.iter().map(|&speed| Hop { speed, wires: 1, whole: false }).collect();
    expected_over(&links)
}

/// A link of a line: its speed over all its wires in GB/s, of which a packet takes one; and whether its receiver waits for all of
/// a packet.
#[derive(Debug, Clone, Copy)]
struct Hop {
    speed: f64,
    wires: u32,
    whole: bool,
}

/// The same, over any links.
fn expected_over(links: &[Hop]) -> f64 {
    let way = |links: &mut dyn Iterator<Item = Hop>, bytes: f64| {
        links.fold((0.0, 0.0_f64), |(ready, whole), Hop { speed, wires, whole: waits }| {
            let on_one_wire = bytes * f64::from(wires) / speed;
            let arrived = 25.0 + whole.max(ready + on_one_wire);
            let ready = if waits { arrived } else { ready + 25.0 + 4.0 / speed };
            (ready, arrived)
        })
    };
    let there = way(&mut links.iter().copied(), 8.0).1;
    80.0 + there + way(&mut links.iter().rev().copied(), 68.0).1
}

/// A line of such links.
fn line_of(links: &[Hop]) -> Hardware {
    let speeds: Vec<f64> = links.iter().map(|link| link.speed).collect();
    let mut machine = line(&speeds, DIRECTORY);
    for (link, hop) in machine.links.iter_mut().zip(links) {
        link.wires = hop.wires;
        link.parameters.passes_on = if hop.whole { PassesOn::Whole } else { PassesOn::Head };
    }
    machine
}

/// Links of any speeds and numbers of wires in any order, some of which wait for whole packets.
#[test]
fn lines_of_one_to_three_links_take_the_time_of_their_bytes() {
    let speeds = [0.5, 1.0, 3.2, 20.0, 1000.0];
    let kinds: Vec<Hop> = speeds
        .into_iter()
        .flat_map(|speed| {
            [(1, false), (4, false), (1, true), (2, true)].map(|(wires, whole)| Hop { speed, wires, whole })
        })
        .collect();
    let mut wrong = Vec::new();
    for number in 0..400_usize {
        let of = |place: usize| kinds[(number * 7 + place * (3 + number / 20) * 11) % kinds.len()];
        let links: Vec<Hop> = (0..1 + number % 3).map(of).collect();
        let machine = line_of(&links);
        let back: Vec<Hop> = links.iter().rev().copied().collect();
        for (from, expected) in [(0, expected_over(&links)), (links.len(), expected_over(&back))] {
            let latencies = latency(&machine, from);
            if latencies.iter().any(|latency| (latency - expected).abs() > 0.5) {
                wrong.push(format!("{links:?} from {from}: {latencies:?}, not {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of 800:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_tail_of_a_packet_does_not_leave_a_router_before_it_arrives() {
    let speeds: [&[f64]; 8] = [
        &[1.0, 1000.0],
        &[1000.0, 1.0],
        &[1.0, 1.0],
        &[1000.0, 1.0, 1000.0],
        &[1.0, 1000.0, 1.0],
        &[1.0, 1000.0, 1000.0],
        &[1000.0, 1000.0, 1.0],
        &[1.0, 8.0, 1000.0],
    ];
    for speeds in speeds {
        let machine = line(speeds, DIRECTORY);
        for (from, expected) in [
            (0, expected(speeds)),
            (speeds.len(), expected(&speeds.iter().rev().copied().collect::<Vec<_>>())),
        ] {
            for latency in latency(&machine, from) {
                assert!(
                    (latency - expected).abs() < 0.5,
                    "{speeds:?} from {from}: {latency}, not {expected}"
                );
            }
        }
    }
}

#[test]
fn a_path_of_a_slow_and_a_fast_link_takes_the_same_time_both_ways() {
    for coherence in [DIRECTORY, BROADCAST] {
        let machine = line(&[1.0, 1000.0], coherence);
        let [there, back] = [0, 2].map(|from| latency(&machine, from)[0]);
        assert_close(there, back, 0.01);
    }
}

#[test]
fn packets_from_a_slow_link_leave_a_fast_one_free_for_others() {
    // A packet that arrives at 5 GB/s over a link of 40 does not block others: two paths of 5 GB/s each end at the
    // last node.
    let mut machine = nodes(4, 4, &[[0, 2], [1, 2], [2, 3]], DIRECTORY);
    for (link, speed) in machine.links.iter_mut().zip([5.0, 5.0, 40.0]) {
        link.capacity = GigabytesPerSecond(speed);
        link.buffers.response = 200;
    }
    let kind = &mut machine.core_kinds[0];
    kind.parameters.in_flight.sequential = 40;
    // The third node's cores read lines of both others.
    let mut readers = workers(12..14, 0, READS);
    readers.extend(workers(14..16, 1, READS));
    let rate = bandwidth(&sample(&machine, readers));
    assert_close(rate, 10.0 * 64.0 / 68.0, 0.02);
}
