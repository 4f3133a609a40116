//! Resources in front of memory: memory-side caches, controllers with limited queues, and misses shared by cores.

use std::sync::Arc;

use zerohop_machine::{Cache, CacheKind};
use zerohop_machine_file::{
    CacheLatency, Channel, Hardware, Networks, PagesInUse, Refresh, SideCache, SideCacheParameters, Spread,
    TagReadBy,
};
use zerohop_units::{Bytes, GigabytesPerSecond, Nanoseconds};
use zerohop_workload::{Activity, Carries, Kernel, Prepared};

use super::{READS, assert_close, bandwidth, carried, sample, walk, worker, workers, workload};
use crate::FlowEngine;
use crate::machines::{DIRECTORY, nodes};

const LOOKUP: f64 = 4.0;
const FRONT: f64 = 30.0;

/// A node whose memory has another one, of 64 MiB, as a cache in front of it.
fn cached(cores: usize) -> Hardware {
    let mut machine = nodes(1, cores, &[], DIRECTORY);
    let mut front = machine.channels[0].clone();
    front.parameters.access = Nanoseconds(FRONT);
    machine.channels.push(front);
    machine.memories[0].cache = Some(SideCache {
        channels: vec![1],
        spread: Spread::Interleaved(Bytes(64)),
        channels_of_home: Vec::new(),
        memory: Bytes::gib(1),
        parameters: SideCacheParameters {
            size: Bytes::mib(64),
            lookup: Nanoseconds(LOOKUP),
            tag_read_by: TagReadBy::Write,
            pages: PagesInUse::InOrder,
        },
    });
    machine
}

fn chase(machine: &Hardware, buffer: Bytes) -> f64 {
    let mut chaser = worker(0, 0, Activity::Chase { chains: 1, pages: None });
    chaser.buffer = buffer;
    sample(machine, vec![chaser]).step_time(0).unwrap().get()
}

#[test]
fn a_hit_is_looked_up_and_a_miss_goes_on_to_memory() {
    // Path to the router, home agent, the cache's channel and its tag, path back.
    let hit = 10.0 + 10.0 + FRONT + LOOKUP + 10.0;
    assert_close(chase(&cached(1), Bytes::mib(64)), hit, 0.01);
    // One of eight lines that share a place is there; the others take an additional read of memory.
    assert_close(chase(&cached(1), Bytes::mib(512)), hit + 7.0 / 8.0 * 50.0, 0.02);
}

/// Streams that come round find their lines evicted, and dirty lines go back once.
#[test]
fn a_buffer_larger_than_the_cache_moves_lines_to_and_from_memory() {
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
    assert_eq!(writes[0], 0.0, "clean lines are dropped");
}

/// Little's law: a controller holds a fixed number of reads, each for its access time.
#[test]
fn a_controller_that_holds_few_reads_is_slow() {
    let mut machine = nodes(1, 4, &[], DIRECTORY);
    machine.channels[0].bandwidth = GigabytesPerSecond(1000.0);
    machine.channels[0].parameters.queue = Some(4);
    assert_close(bandwidth(&sample(&machine, workers(0..4, 0, READS))), 4.0 * 64.0 / 50.0, 0.02);
    machine.channels[0].parameters.queue = None;
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
    // The source line, and the destination line, which is fetched.
    let (read, written) = front(Kernel::Copy);
    assert_close(read, 2.0 * written, 0.05);
    let (read, written) = front(Kernel::Scale);
    assert_close(read, 2.0 * written, 0.05);
}

/// A tag request is one more packet between home agent and cache; on separate networks it takes the wires of requests
/// only.
#[test]
fn tag_requests_take_time_on_the_wires_of_requests() {
    let written = |asks_for_tags: bool, separate_networks: bool| {
        let mut machine = nodes(2, 8, &[[0, 1]], DIRECTORY);
        machine.channels.iter_mut().for_each(|channel| channel.bandwidth = GigabytesPerSecond(1000.0));
        let front = Channel { router: 1, ..machine.channels[0].clone() };
        machine.channels.push(front);
        machine.memories[0].cache = Some(SideCache {
            channels: vec![2],
            spread: Spread::Interleaved(Bytes(64)),
            channels_of_home: Vec::new(),
            memory: Bytes::gib(1),
            parameters: SideCacheParameters {
                size: Bytes::gib(1),
                lookup: Nanoseconds(LOOKUP),
                tag_read_by: if asks_for_tags { TagReadBy::Request } else { TagReadBy::Write },
                pages: PagesInUse::InOrder,
            },
        });
        let link = &mut machine.links[0];
        link.parameters.networks = if separate_networks { Networks::Separate } else { Networks::Shared };
        link.parameters.packets.request = Bytes(128);
        bandwidth(&sample(&machine, workers(0..8, 0, walk(Kernel::WriteNt))))
    };
    // Of 20 GB/s each order takes 128 bytes, and so does each request.
    assert_close(written(false, true), 20.0 * 64.0 / 128.0, 0.03);
    assert_close(written(true, true), 20.0 * 64.0 / 256.0, 0.03);
    let (write, request) = (72.0, 128.0);
    assert_close(written(false, false), 20.0 * 64.0 / write, 0.05);
    assert_close(written(true, false), 20.0 * 64.0 / (write + request), 0.05);
}

/// A stream stops at a late line: in every 100 us one channel answers nothing for 25 us, and the other one for another
/// 25 us.
#[test]
fn a_stream_with_limited_run_ahead_waits_for_its_oldest_line() {
    let reads = |ahead: Option<u32>, refreshed: bool| {
        let mut machine = nodes(1, 1, &[], DIRECTORY);
        machine.channels[0].bandwidth = GigabytesPerSecond(1000.0);
        let takes = Nanoseconds(25_000.0);
        machine.channels[0].parameters.refresh =
            refreshed.then_some(Refresh { every: Nanoseconds(100_000.0), takes });
        machine.channels.push(machine.channels[0].clone());
        machine.memories[0].channels = vec![0, 1];
        machine.core_kinds[0].parameters.in_flight.ahead = ahead;
        bandwidth(&sample(&machine, workers(0..1, 0, READS)))
    };
    let free = reads(None, false);
    assert_close(reads(Some(40), false), free, 0.01);
    // For half of the time no line of one channel or the other arrives, and all wait for it.
    assert_close(reads(Some(10), true), free / 2.0, 0.05);
    // Ten lines in flight soon all belong to the refreshed channel, however far the stream runs.
    assert_close(reads(None, true), free / 2.0, 0.05);
}

/// A line is late now and then, and a stream that may run farther ahead continues meanwhile.
#[test]
fn running_ahead_makes_up_for_late_lines() {
    let reads = |ahead: u32| {
        let mut machine = nodes(1, 1, &[], DIRECTORY);
        machine.channels[0].bandwidth = GigabytesPerSecond(1000.0);
        let takes = Nanoseconds(200.0);
        machine.channels[0].parameters.refresh = Some(Refresh { every: Nanoseconds(4_000.0), takes });
        machine.channels = vec![machine.channels[0].clone(); 8];
        machine.memories[0].channels = (0..8).collect();
        machine.core_kinds[0].parameters.in_flight.ahead = Some(ahead);
        bandwidth(&sample(&machine, workers(0..1, 0, READS)))
    };
    let (near, far) = (reads(10), reads(100));
    // Eight times in 4 us the stream stops, from its first line of that channel to the end of the refresh: every
    // eighth line is in that channel, so on average half of 64 ns have passed by then.
    let stands_still = 8.0 * (200.0 - 32.0) / 4_000.0;
    assert_close(near, 10.0 * 64.0 / 80.0 * (1.0 - stands_still), 0.05);
    assert!(far > 1.3 * near, "{far} against {near}");
}

/// Four cores, of which two each share a cache with eight misses; a core alone has ten.
fn tiles() -> Hardware {
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
    machine
}

/// Two cores behind one cache together have the misses that one of them has alone, in both solvers.
#[test]
fn cores_that_share_a_cache_share_its_misses() {
    let machine = tiles();
    let one_tile = 8.0 * 64.0 / 80.0;
    for (cores, tiles) in [(0..1, 1.0), (0..2, 1.0), (1..3, 2.0), (0..4, 2.0)] {
        let workers = workers(cores, 0, READS);
        assert_close(bandwidth(&sample(&machine, workers.clone())), tiles * one_tile, 0.03);
        let mut solved = FlowEngine::new(Arc::new(machine.clone())).place(&workload(workers)).unwrap();
        let window = solved.window().unwrap();
        assert_close(bandwidth(&solved.sample(window).unwrap()), tiles * one_tile, 0.01);
    }
    let both = sample(&machine, workers(0..2, 0, READS));
    assert_close(both.bandwidth(0..1).get(), one_tile / 2.0, 0.05);
}

/// A chase has one line in flight, whatever the others ask for, and a part of the misses.
#[test]
fn a_chase_does_not_wait_for_the_misses_of_kernels() {
    let machine = tiles();
    let chase = worker(0, 0, Activity::Chase { chains: 1, pages: None });
    let alone = sample(&machine, vec![chase.clone()]).step_time(0).unwrap().get();
    let beside = sample(&machine, [vec![chase], workers(1..2, 0, READS)].concat());
    assert_close(beside.step_time(0).unwrap().get(), alone, 0.02);
    assert_close(beside.bandwidth(1..2).get(), 4.0 * 64.0 / 80.0, 0.03);
}

/// A link's requests and data on wires of their own: each direction carries as many lines as its data allows.
#[test]
fn kinds_of_packet_on_wires_of_their_own_do_not_wait_for_one_another() {
    let across = |separate: bool| {
        let mut machine = nodes(2, 8, &[[0, 1]], DIRECTORY);
        machine.channels.iter_mut().for_each(|channel| channel.bandwidth = GigabytesPerSecond(1000.0));
        let link = &mut machine.links[0];
        link.parameters.networks = if separate { Networks::Separate } else { Networks::Shared };
        // Requests as long as a line: on one wire they take half of it.
        link.parameters.packets.request = Bytes(68);
        let both = [workers(0..8, 1, READS), workers(8..16, 0, READS)].concat();
        bandwidth(&sample(&machine, both))
    };
    assert_close(across(false), 20.0 * 64.0 / 68.0, 0.03);
    assert_close(across(true), 2.0 * 20.0 * 64.0 / 68.0, 0.03);
}

/// The order of a write takes the wires of requests: where these are slow, they and not the data set the pace, and
/// reads get what writes leave.
#[test]
fn orders_of_writes_take_time_on_the_wires_of_requests() {
    let across = |request: u64, kernel: Kernel| {
        let mut machine = nodes(2, 8, &[[0, 1]], DIRECTORY);
        machine.channels.iter_mut().for_each(|channel| channel.bandwidth = GigabytesPerSecond(1000.0));
        let link = &mut machine.links[0];
        link.parameters.networks = Networks::Separate;
        link.parameters.packets.request = Bytes(request);
        bandwidth(&sample(&machine, workers(0..8, 1, walk(kernel))))
    };
    let lines_ordered_by = |request: f64| 20.0 * 64.0 / request;
    assert_close(across(144, Kernel::WriteNt), lines_ordered_by(144.0), 0.03);
    assert_close(across(144, Kernel::Read), lines_ordered_by(144.0), 0.03);
    assert_close(across(144, Kernel::CopyNt), lines_ordered_by(144.0), 0.03);
    assert!(across(8, Kernel::WriteNt) > 1.5 * lines_ordered_by(144.0), "data sets the pace");
    assert!(across(8, Kernel::CopyNt) > 1.5 * lines_ordered_by(144.0), "data goes both ways");
}
