//! What stands before memory: caches of other memory, controllers that hold only so much, and misses that cores share.

use zerohop_machine::{Cache, CacheKind, CacheLatency, Channel, Hardware, SideCache, Spread};
use zerohop_units::{Bytes, GigabytesPerSecond, Nanoseconds};
use zerohop_workload::{Activity, Kernel};

use super::{READS, assert_close, bandwidth, sample, walk, worker, workers};
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
    let inside = sample(&cached(1), vec![writer.clone()]).inside.unwrap();
    let of = |channel: usize| {
        let load = &inside.channels[channel];
        (load.read.get(), load.written.get())
    };
    let ((memory_read, memory_written), (front_read, front_written)) = (of(0), of(1));
    assert_eq!(memory_read, 0.0, "whole lines are written: none is fetched");
    assert_close(front_read, front_written, 0.01);
    assert_close(memory_written, front_written, 0.02);
    writer.buffer = Bytes::mib(64);
    let fits = sample(&cached(1), vec![writer]).inside.unwrap();
    assert_eq!(fits.channels[0].written.get(), 0.0);
    let mut reader = worker(0, 0, READS);
    reader.buffer = Bytes::mib(128);
    let inside = sample(&cached(1), vec![reader]).inside.unwrap();
    assert_close(inside.channels[0].read.get(), inside.channels[1].read.get(), 0.02);
    assert_close(inside.channels[1].written.get(), inside.channels[1].read.get(), 0.02);
    assert_eq!(inside.channels[0].written.get(), 0.0, "what was only read is dropped");
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
