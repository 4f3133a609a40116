//! Workers that ask for less than they could get, that transfer lines core to core, and that stay in their caches.

use zerohop_units::{Bytes, GigabytesPerSecond, Nanoseconds};
use zerohop_workload::{Activity, Demand, Kernel, LineState, Passing, Role, Worker};

use super::{READS, assert_close, bandwidth, long_sample, sample, walk, worker, workers};
use crate::machines::{BROADCAST, DIRECTORY, nodes};

#[test]
fn a_rate_is_reached_to_one_per_cent() {
    let machine = nodes(2, 16, &[[0, 1]], DIRECTORY);
    for kernel in [Kernel::Read, Kernel::Write, Kernel::WriteNt, Kernel::Triad, Kernel::Mix2To1] {
        for rate in [0.05, 0.5, 2.5] {
            for node in [0, 1] {
                let demand = Demand::Rate(GigabytesPerSecond(rate));
                let paced = Worker { demand, ..worker(0, node, walk(kernel)) };
                let reached = bandwidth(&sample(&machine, vec![paced]));
                assert!(
                    (reached / rate - 1.0).abs() < 0.01,
                    "{kernel} at node {node}: {reached}, not {rate}"
                );
            }
        }
    }
}

#[test]
fn paced_background_workers_keep_their_rate_beside_others() {
    let machine = nodes(2, 4, &[[0, 1]], DIRECTORY);
    let mut mixed = workers(0..1, 1, READS);
    let demand = Demand::Rate(GigabytesPerSecond(1.0));
    mixed.extend((1..4).map(|pu| Worker { role: Role::Background, demand, ..worker(pu, 1, READS) }));
    let sample = long_sample(&machine, mixed, 20, 1);
    for rank in 1..4 {
        assert_close(sample.bandwidth([rank]).get(), 1.0, 0.01);
    }
}

#[test]
fn bursts_and_pauses_set_the_bandwidth() {
    let machine = nodes(1, 1, &[], DIRECTORY);
    let with = |cycles| {
        let demand = Demand::Delay(cycles);
        // Long, because pauses vary around their mean.
        bandwidth(&long_sample(&machine, vec![Worker { demand, ..worker(0, 0, READS) }], 80, 1))
    };
    // Bursts of 512 bytes every 20 us, at 2 GHz.
    assert_close(with(40_000), 512.0 / 20_000.0, 0.01);
    assert_close(with(4_000), 512.0 / 2_000.0, 0.02);
    let none = bandwidth(&long_sample(&machine, workers(0..1, 0, READS), 80, 1));
    assert!(with(0) <= none * 1.001 && with(100) < with(0) && with(1000) < with(100));
}

#[test]
fn a_core_to_core_transfer_takes_the_time_of_its_path() {
    let machine = nodes(2, 2, &[[0, 1]], DIRECTORY);
    let hand = |one: u32, other: u32| {
        let each = |pu| Worker {
            buffer: Bytes(64),
            ..worker(pu, 0, Activity::LineTransfer { line: 3, passing: Passing::Exchange })
        };
        let sample = sample(&machine, vec![each(one), each(other)]);
        assert_eq!(sample.workers[0].in_window.steps.round(), sample.workers[1].in_window.steps.round());
        sample.step_time(0).unwrap().get()
    };
    // Both at the home agent's node: core 10, home agent 10, the other's cache at once, core 10; there and back.
    assert!((hand(0, 1) - 60.0).abs() < 0.5);
    // The nearer one requests a cache over the link: a probe of 8 bytes there, data of 68 back. The farther one's
    // request goes over the link, and the data comes back.
    let over = 25.0 + 0.4 + 25.0 + 3.4;
    let measured = hand(0, 2);
    assert!((measured - (60.0 + 2.0 * over)).abs() < 0.8, "{measured}");
}

#[test]
fn a_modified_line_comes_from_a_cache_and_a_clean_one_from_memory() {
    let machine = nodes(2, 2, &[[0, 1]], DIRECTORY);
    let fetch = |reader: u32, owner: u32, home: u32, state| {
        let passing = Passing::Fetch(state);
        let each = |pu| Worker {
            buffer: Bytes(64),
            ..worker(pu, home, Activity::LineTransfer { line: 3, passing })
        };
        let sample = sample(&machine, vec![each(reader), each(owner)]);
        assert_eq!(sample.workers[1].in_window.steps, 0.0);
        sample.step_time(0).unwrap().get()
    };
    // Half of what a round trip takes, where both directions are alike.
    assert!((fetch(0, 1, 0, LineState::Modified) - 30.0).abs() < 0.5);
    let over = 25.0 + 0.4 + 25.0 + 3.4;
    // Homed at the reader, a probe goes to the owner, and the data comes back. Homed at the owner, the request goes there.
    for home in [0, 1] {
        let measured = fetch(0, 2, home, LineState::Modified);
        assert!((measured - (30.0 + over)).abs() < 0.8, "{measured}");
    }
    // A chase through memory takes 80 ns; these lines are in one row of a bank.
    let chase = |home: u32| {
        let chase = worker(0, home, Activity::Chase { chains: 1, pages: None });
        sample(&machine, vec![chase]).step_time(0).unwrap().get()
    };
    for home in [0, 1] {
        let measured = fetch(0, 2, home, LineState::Clean);
        assert!(measured > 30.0 && measured <= chase(home), "{measured}");
    }
}

#[test]
fn a_chase_within_a_cache_takes_that_cache_s_time() {
    let mut machine = nodes(1, 1, &[], BROADCAST);
    let mut larger = machine.core_kinds[0].caches[0];
    (larger.level, larger.size, larger.latency) = (2, Bytes::mib(1), Nanoseconds(7.5));
    machine.core_kinds[0].caches.push(larger);
    let chase = |buffer| {
        let chase = Worker { buffer, ..worker(0, 0, Activity::Chase { chains: 1, pages: None }) };
        sample(&machine, vec![chase]).step_time(0).unwrap().get()
    };
    // Every other line is used, and with it every other set.
    assert_close(chase(Bytes::kib(32)), 2.0, 1e-9);
    assert_close(chase(Bytes::kib(33)), 7.5, 1e-9);
    assert_close(chase(Bytes::mib(1)), 7.5, 1e-9);
    assert!(chase(Bytes::mib(2)) > 79.0);
}

#[test]
fn several_chains_step_in_parallel() {
    let mut machine = nodes(1, 1, &[], DIRECTORY);
    machine.channels[0].bandwidth = GigabytesPerSecond(10_000.0);
    machine.homes[0].parameters.slot = Nanoseconds(0.0);
    let steps = |chains| {
        let chase = worker(0, 0, Activity::Chase { chains, pages: None });
        sample(&machine, vec![chase]).step_time(0).unwrap().get()
    };
    // A step is one load of every chain.
    assert_close(steps(1), 80.0, 0.005);
    assert_close(steps(4), 80.0, 0.005);
}
