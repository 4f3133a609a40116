//! Cases that can be worked out on paper: idle latencies, saturated links and channels, full windows.

use zerohop_document::{FractionalBytes, Share};
use zerohop_machine_file::{Coherence, Collector, Hardware, Turnaround};
use zerohop_units::{GigabytesPerSecond, Nanoseconds};
use zerohop_workload::{Activity, Carries, Kernel, Measure};

use super::{READS, assert_close, at_channels, at_links, bandwidth, carried, sample, walk, worker, workers};
use crate::machines::{DIRECTORY, nodes};

const SQUARE: [[usize; 2]; 4] = [[0, 1], [1, 3], [3, 2], [2, 0]];

const LOOKUP: f64 = 20.0;

fn broadcast(collector: Collector) -> Coherence {
    Coherence::Broadcast { lookup: Nanoseconds(LOOKUP), collector }
}

fn hops(from: u32, to: u32) -> f64 {
    f64::from((from ^ to).count_ones())
}

/// Ns over a number of links of 20 ns behind routers of 5 ns; intermediate routers forward a packet once they have
/// four bytes of it, and the last byte is waited for at the end.
fn path(hops: f64, bytes: f64) -> f64 {
    if hops == 0.0 { 0.0 } else { 25.0 * hops + (4.0 * (hops - 1.0) + bytes) / 20.0 }
}

/// An idle read of a line: the time of its path, or that of the probes if that is longer.
fn idle(coherence: Coherence, core: u32, home: u32) -> f64 {
    let asked = 10.0 + path(hops(core, home), 8.0) + 10.0;
    let read = asked + 50.0;
    let probed = |collector: u32| {
        let others = (0..4).filter(|&router| router != home);
        // A router forwards a probe only when all of it has arrived: it has to read its destination.
        let answer = others.map(|router| {
            asked + path(1.0, 8.0) * hops(home, router) + LOOKUP + path(hops(router, collector), 4.0)
        });
        answer.fold(0.0, f64::max)
    };
    let back = |bytes| path(hops(home, core), bytes);
    let there = match coherence {
        Coherence::Directory { .. } => read + back(68.0),
        Coherence::Broadcast { collector: Collector::Requester, .. } => {
            f64::max(read + back(72.0), probed(core))
        }
        Coherence::Broadcast { collector: Collector::Home, .. } => read.max(probed(home)) + back(68.0),
    };
    there + 10.0
}

#[test]
fn an_idle_read_takes_the_sum_of_its_path() {
    let protocols = [DIRECTORY, broadcast(Collector::Requester), broadcast(Collector::Home)];
    for coherence in protocols {
        let machine = nodes(4, 1, &SQUARE, coherence);
        for home in 0..4 {
            let chase = worker(0, home, Activity::Chase { chains: 1, pages: None });
            let measured = sample(&machine, vec![chase]).step_time(0).unwrap().get();
            let expected = idle(coherence, 0, home);
            // Every packet's end is rounded up to a sixteenth of a nanosecond.
            assert!((measured - expected).abs() < 0.5, "{coherence:?} {home}: {measured}, not {expected}");
        }
    }
}

/// Sixteen cores per node: more than any link or channel carries.
fn pair() -> Hardware {
    nodes(2, 16, &[[0, 1]], DIRECTORY)
}

#[test]
fn a_saturated_link_carries_its_capacity_less_packet_overhead() {
    let machine = pair();
    let one_way = sample(&machine, workers(0..16, 1, READS));
    assert_close(bandwidth(&one_way), 20.0 * 64.0 / 68.0, 0.002);
    assert_close(at_links(&one_way, Measure::Utilization)[1], 1.0, 0.001);
    assert_close(at_links(&one_way, Measure::LinkData)[1], 20.0 * 64.0 / 68.0, 0.002);
    // The other direction carries a request of eight bytes for each line.
    assert_close(at_links(&one_way, Measure::LinkTraffic)[0], 20.0 * 8.0 / 68.0, 0.005);
}

#[test]
fn each_direction_carries_its_data_and_the_other_s_requests() {
    let machine = pair();
    let mut both = workers(0..16, 1, READS);
    both.extend(workers(16..32, 0, READS));
    let sample = sample(&machine, both);
    assert_close(bandwidth(&sample), 2.0 * 20.0 * 64.0 / 76.0, 0.003);
}

#[test]
fn credits_take_bytes_of_the_link() {
    let mut machine = pair();
    let credit = 6.0;
    machine.links[0].parameters.packets.credit = FractionalBytes(credit);
    let mut both = workers(0..16, 1, READS);
    both.extend(workers(16..32, 0, READS));
    let sample = sample(&machine, both);
    let lines = bandwidth(&sample) / 2.0 / 64.0;
    for traffic in at_links(&sample, Measure::LinkTraffic) {
        assert_close(traffic, 20.0, 0.003);
        // A request and a line of data each return one credit, and a message returns up to three.
        let messages = (traffic - 76.0 * lines) / credit / lines;
        assert!((0.66..=2.01).contains(&messages), "{messages} messages per line");
    }
}

#[test]
fn a_saturated_channel_carries_what_refresh_leaves() {
    let mut machine = pair();
    machine.channels[0].parameters.efficiency = Share(0.75);
    let sample = sample(&machine, workers(0..16, 0, READS));
    assert_close(bandwidth(&sample), 25.6 * 0.75, 0.002);
    assert_close(at_channels(&sample, Measure::Utilization)[0], 1.0, 0.001);
}

#[test]
fn every_batch_of_writes_pays_for_turning_the_bus_around() {
    let mut machine = pair();
    machine.channels[0].parameters.turnaround =
        Turnaround { to_write: Nanoseconds(10.0), to_read: Nanoseconds(15.0) };
    // 2.5 ns per line: eight stores past the caches are a batch of 20 ns, and 25 ns of turnarounds.
    let past = sample(&machine, workers(0..16, 0, walk(Kernel::WriteNt)));
    assert_close(bandwidth(&past), 8.0 * 64.0 / 45.0, 0.005);
    // Eight other stores are eight fills as well.
    let through = sample(&machine, workers(0..16, 0, walk(Kernel::Write)));
    assert_close(bandwidth(&through), 8.0 * 64.0 / 65.0, 0.005);
}

#[test]
fn a_full_window_completes_once_per_latency() {
    let mut machine = pair();
    for channel in &mut machine.channels {
        channel.bandwidth = GigabytesPerSecond(10_000.0);
    }
    for home in &mut machine.homes {
        home.parameters.slot = Nanoseconds(0.0);
    }
    let local = sample(&machine, vec![worker(0, 0, READS)]);
    assert_close(bandwidth(&local), 10.0 * 64.0 / 80.0, 0.003);
    machine.core_kinds[0].parameters.in_flight.sequential = 4;
    let four = sample(&machine, vec![worker(0, 0, READS)]);
    assert_close(bandwidth(&four), 4.0 * 64.0 / 80.0, 0.003);
}

#[test]
fn stores_past_the_caches_wait_for_the_acknowledgement_and_fetch_nothing() {
    let mut machine = pair();
    machine.channels[0].bandwidth = GigabytesPerSecond(10_000.0);
    machine.homes[0].parameters.slot = Nanoseconds(0.0);
    let sample = sample(&machine, vec![worker(0, 0, walk(Kernel::WriteNt))]);
    // Ten lines in flight, each 10 ns to the router, 10 to the home agent, and 10 for the acknowledgement back to the
    // core.
    assert_close(bandwidth(&sample), 10.0 * 64.0 / 30.0, 0.01);
    assert_eq!(carried(&sample, Carries::Reads)[0], 0.0);
    assert_close(carried(&sample, Carries::Writes)[0], bandwidth(&sample), 0.01);
    assert_eq!(sample.workers[0].in_window.bus_bytes, sample.workers[0].in_window.bytes);
}

#[test]
fn packets_that_wait_for_a_buffer_hold_up_no_other_virtual_channel() {
    let mut machine = pair();
    // A single buffer for writes, which is free again only after the time there and its credit back.
    machine.links[0].parameters.latency = Nanoseconds(1000.0);
    machine.links[0].buffers.write = 1;
    let chase = || worker(0, 1, Activity::Chase { chains: 1, pages: None });
    let alone = sample(&machine, vec![chase()]).step_time(0).unwrap().get();
    let beside = sample(&machine, vec![chase(), worker(1, 1, walk(Kernel::WriteNt))]);
    let queue = at_links(&beside, Measure::QueueLength)[0];
    assert!(queue > 8.0, "too few writes wait: {queue}");
    // At most it waits behind one write of 72 bytes.
    let chased = beside.step_time(0).unwrap().get();
    assert!((alone - 0.1..alone + 3.7).contains(&chased), "{chased} ns beside, {alone} ns alone");
}
