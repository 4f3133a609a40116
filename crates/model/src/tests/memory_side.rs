//! What stands before memory: caches of other memory, controllers that hold only so much, and misses that cores share.

use zerohop_machine::{
    Cache, CacheKind, CacheLatency, Channel, Hardware, PagesInUse, Refresh, SideCache, Spread,
};
use zerohop_units::{Bytes, GigabytesPerSecond, Nanoseconds};
use zerohop_workload::{Activity, Carries, Kernel};

use super::{READS, assert_close, bandwidth, carried, sample, walk, worker, workers};
use crate::machines::{DIRECTORY, nodes};

const LOOKUP: f64 = 4.0;
const FRONT: f64 = 30.0;

/// A node whose memory has another, of 64 MiB, as a cache in front of it.
fn cached(cores: usize) -> Hardware {
    let mut machine = nodes(1, cores, &[], DIRECTORY);
    let front = Channel { access: Nanoseconds(FRONT), ..machine.channels[0].clone() };
    machine.channels.push(front);
    machine.memories[0].cache = Some(SideCache {
        channels: vec![1],
        spread: Spread::Interleaved(Bytes(64)),
        channels_of_home: Vec::new(),
        size: Bytes::mib(64),
        lookup: Nanoseconds(LOOKUP),
        asks_for_tags: false,
        pages: PagesInUse::InOrder,
    });
    machine
}

fn chase(machine: &Hardware, buffer: Bytes) -> f64 {
    let mut chaser = worker(0, 0, Activity::Chase { chains: 1 });
    chaser.buffer = buffer;
    sample(machine, vec![chaser]).step_time(0).unwrap().get()
}

#[test]
fn a_hit_is_looked_up_and_a_miss_goes_on_to_memory() {
    // Way to the router, home agent, the cache's channel and its tag, way back.
    let hit = 10.0 + 10.0 + FRONT + LOOKUP + 10.0;
    assert_close(chase(&cached(1), Bytes::mib(64)), hit, 0.01);
    // Of eight lines that share a place one is there; the others take a read of memory more.
    assert_close(chase(&cached(1), Bytes::mib(512)), hit + 7.0 / 8.0 * 50.0, 0.02);
}

/// Streams that come round find their lines' places taken, and what was written goes back once.
#[test]
fn what_does_not_fit_moves_between_cache_and_memory() {
    let mut writer = worker(0, 0, walk(Kernel::WriteNt));
    writer.buffer = Bytes::mib(128);
    let circling = sample(&cached(1), vec![writer.clone()]);
    let of = |channel: usize| {
        (carried(&circling, Carries::Reads)[channel], carried(&circling, Carries::Writes)[channel])
    };
    let ((memory_read, memory_written), (front_read, front_written)) = (of(0), of(1));
    assert_eq!(memory_read, 0.0, "whole lines are written: none is fetched");
    assert_close(front_read, front_written, 0.01);
    assert_close(memory_written, front_written, 0.02);
    writer.buffer = Bytes::mib(64);
    let fits = sample(&cached(1), vec![writer]);
    assert_eq!(carried(&fits, Carries::Writes)[0], 0.0);
    let mut reader = worker(0, 0, READS);
    reader.buffer = Bytes::mib(128);
    let reading = sample(&cached(1), vec![reader]);
    let (reads, writes) = (carried(&reading, Carries::Reads), carried(&reading, Carries::Writes));
    assert_close(reads[0], reads[1], 0.02);
    assert_close(writes[1], reads[1], 0.02);
    assert_eq!(writes[0], 0.0, "what was only read is dropped");
}

/// Little's law: so many reads in a controller, each for its access time.
#[test]
fn a_controller_that_holds_few_reads_is_slow() {
    let mut machine = nodes(1, 4, &[], DIRECTORY);
    machine.channels[0].bandwidth = GigabytesPerSecond(1000.0);
    machine.channels[0].queue = Some(4);
    assert_close(bandwidth(&sample(&machine, workers(0..4, 0, READS))), 4.0 * 64.0 / 50.0, 0.02);
    machine.channels[0].queue = None;
    assert_close(bandwidth(&sample(&machine, workers(0..4, 0, READS))), 40.0 * 64.0 / 80.0, 0.03);
}

/// Lines that are written back were fetched, and are known to be in the cache.
#[test]
fn only_lines_that_were_not_fetched_have_their_tag_read_before_they_are_written() {
    let front = |kernel: Kernel| {
        let sample = sample(&cached(1), vec![worker(0, 0, walk(kernel))]);
        (carried(&sample, Carries::Reads)[1], carried(&sample, Carries::Writes)[1])
    };
    let (read, written) = front(Kernel::CopyNt);
    assert_close(read, 2.0 * written, 0.05);
    // The line to copy from, and the one to copy to, which is fetched.
    let (read, written) = front(Kernel::Copy);
    assert_close(read, 2.0 * written, 0.05);
    let (read, written) = front(Kernel::Scale);
    assert_close(read, 2.0 * written, 0.05);
}

/// A request for the tag is one more on the wires between home agent and cache, and one more on those of requests only.
#[test]
fn requests_for_tags_take_their_time_on_the_wires_of_requests() {
    let written = |asks_for_tags: bool, separate_networks: bool| {
        let mut machine = nodes(2, 8, &[[0, 1]], DIRECTORY);
        machine.channels.iter_mut().for_each(|channel| channel.bandwidth = GigabytesPerSecond(1000.0));
        let front = Channel { router: 1, ..machine.channels[0].clone() };
        machine.channels.push(front);
        machine.memories[0].cache = Some(SideCache {
            channels: vec![2],
            spread: Spread::Interleaved(Bytes(64)),
            channels_of_home: Vec::new(),
            size: Bytes::gib(1),
            lookup: Nanoseconds(LOOKUP),
            asks_for_tags,
            pages: PagesInUse::InOrder,
        });
        let link = &mut machine.links[0];
        link.separate_networks = separate_networks;
        link.packets.request = Bytes(128);
        bandwidth(&sample(&machine, workers(0..8, 0, walk(Kernel::WriteNt))))
    };
    // Of 20 GB/s each order takes 128 bytes, and so does each request.
    assert_close(written(false, true), 20.0 * 64.0 / 128.0, 0.03);
    assert_close(written(true, true), 20.0 * 64.0 / 256.0, 0.03);
    let (write, request) = (72.0, 128.0);
    assert_close(written(false, false), 20.0 * 64.0 / write, 0.05);
    assert_close(written(true, false), 20.0 * 64.0 / (write + request), 0.05);
}

/// A stream stops where a line comes late: of every 20 us a channel answers nothing for 5, and the other one for another 5.
#[test]
fn a_stream_waits_for_the_oldest_line_if_it_runs_only_so_far_ahead() {
    let reads = |ahead: Option<u32>, refreshed: bool| {
        let mut machine = nodes(1, 1, &[], DIRECTORY);
        machine.channels[0].bandwidth = GigabytesPerSecond(1000.0);
        let takes = Nanoseconds(5_000.0);
        machine.channels[0].refresh = refreshed.then_some(Refresh { every: Nanoseconds(20_000.0), takes });
        machine.channels.push(machine.channels[0].clone());
        machine.memories[0].channels = vec![0, 1];
        machine.core_kinds[0].in_flight.ahead = ahead;
        bandwidth(&sample(&machine, workers(0..1, 0, READS)))
    };
    let free = reads(None, false);
    assert_close(reads(Some(40), false), free, 0.01);
    // In half of the time no line of one or the other channel comes, and all wait for it.
    assert_close(reads(Some(10), true), free / 2.0, 0.05);
    // Ten lines in flight are those of the refreshed channel soon, however far the stream runs.
    assert_close(reads(None, true), free / 2.0, 0.05);
}

/// A line comes late now and then, and a stream that may run farther ahead goes on meanwhile.
#[test]
fn running_ahead_makes_up_for_lines_that_come_late() {
    let reads = |ahead: u32| {
        let mut machine = nodes(1, 1, &[], DIRECTORY);
        machine.channels[0].bandwidth = GigabytesPerSecond(1000.0);
        let takes = Nanoseconds(200.0);
        machine.channels[0].refresh = Some(Refresh { every: Nanoseconds(4_000.0), takes });
        machine.channels = vec![machine.channels[0].clone(); 8];
        machine.memories[0].channels = (0..8).collect();
        machine.core_kinds[0].in_flight.ahead = Some(ahead);
        bandwidth(&sample(&machine, workers(0..1, 0, READS)))
    };
    let (near, far) = (reads(10), reads(100));
    // Eight times in 4 us the stream stands still, from its first line there to the end of the refresh: every eighth line is
    // of that channel, so that half of 64 ns have passed by then.
    let stands_still = 8.0 * (200.0 - 32.0) / 4_000.0;
    assert_close(near, 10.0 * 64.0 / 80.0 * (1.0 - stands_still), 0.05);
    assert!(far > 1.3 * near, "{far} against {near}");
}

/// Two cores behind one cache have together what one of them has alone.
#[test]
fn cores_that_share_a_cache_share_its_misses() {
    let mut machine = nodes(1, 4, &[], DIRECTORY);
    machine.channels[0].bandwidth = GigabytesPerSecond(1000.0);
    machine.core_kinds[0].caches.push(CacheLatency {
        level: 2,
        size: Bytes::mib(1),
        latency: Nanoseconds(8.0),
        misses: Some(8),
    });
    let second_level = |pus: std::ops::Range<u32>| Cache {
        level: 2,
        kind: CacheKind::Unified,
        size: Bytes::mib(1),
        line: Bytes(64),
        ways: None,
        pus: pus.map(zerohop_machine::PuId).collect(),
    };
    machine.machine.caches = vec![second_level(0..2), second_level(2..4)];
    let one_tile = 8.0 * 64.0 / 80.0;
    assert_close(bandwidth(&sample(&machine, workers(0..1, 0, READS))), one_tile, 0.03);
    let both = sample(&machine, workers(0..2, 0, READS));
    assert_close(bandwidth(&both), one_tile, 0.03);
    assert_close(both.bandwidth(0..1).get(), one_tile / 2.0, 0.05);
    assert_close(bandwidth(&sample(&machine, workers(0..4, 0, READS))), 2.0 * one_tile, 0.03);
}

/// A link's requests and data on wires of their own: each direction carries as many lines as data takes.
#[test]
fn kinds_of_packet_with_wires_of_their_own_do_not_wait_for_one_another() {
    let across = |separate: bool| {
        let mut machine = nodes(2, 8, &[[0, 1]], DIRECTORY);
        machine.channels.iter_mut().for_each(|channel| channel.bandwidth = GigabytesPerSecond(1000.0));
        let link = &mut machine.links[0];
        link.separate_networks = separate;
        // Requests as long as a line: on one wire they take half of it.
        link.packets.request = Bytes(68);
        let both = [workers(0..8, 1, READS), workers(8..16, 0, READS)].concat();
        bandwidth(&sample(&machine, both))
    };
    assert_close(across(false), 20.0 * 64.0 / 68.0, 0.03);
    assert_close(across(true), 2.0 * 20.0 * 64.0 / 68.0, 0.03);
}

/// The order of a write goes over the wires of requests: where these are slow, they and not the data set the pace, and
/// reads have what writes leave.
#[test]
fn orders_of_writes_take_their_time_on_the_wires_of_requests() {
    let across = |request: u64, kernel: Kernel| {
        let mut machine = nodes(2, 8, &[[0, 1]], DIRECTORY);
        machine.channels.iter_mut().for_each(|channel| channel.bandwidth = GigabytesPerSecond(1000.0));
        let link = &mut machine.links[0];
        link.separate_networks = true;
        link.packets.request = Bytes(request);
        bandwidth(&sample(&machine, workers(0..8, 1, walk(kernel))))
    };
    let lines_ordered_by = |request: f64| 20.0 * 64.0 / request;
    assert_close(across(144, Kernel::WriteNt), lines_ordered_by(144.0), 0.03);
    assert_close(across(144, Kernel::Read), lines_ordered_by(144.0), 0.03);
    assert_close(across(144, Kernel::CopyNt), lines_ordered_by(144.0), 0.03);
    assert!(across(8, Kernel::WriteNt) > 1.5 * lines_ordered_by(144.0), "data sets the pace");
    assert!(across(8, Kernel::CopyNt) > 1.5 * lines_ordered_by(144.0), "data goes both ways");
}
