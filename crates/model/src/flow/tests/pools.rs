//! Cores that share misses: both engines give each of them what the others leave.

use std::sync::Arc;

use zerohop_machine::{Cache, CacheKind, CacheLatency, Hardware, PuId};
use zerohop_units::{Bytes, GigabytesPerSecond, Nanoseconds};
use zerohop_workload::{Access, Activity, Demand, Engine, Kernel, Prepared, Sample, Worker};

use crate::machines::{DIRECTORY, nodes};
use crate::tests::{worker, workload};
use crate::{FlowEngine, ModelEngine};

/// Two nodes of eight cores, of which `sharing` share that many misses; a core alone has ten.
fn machine(sharing: usize, misses: u32) -> Hardware {
    let mut machine = nodes(2, 8, &[[0, 1]], DIRECTORY);
    machine.channels.iter_mut().for_each(|channel| channel.bandwidth = GigabytesPerSecond(100.0));
    let (level, size) = (3, Bytes::mib(4));
    machine.core_kinds[0].caches.push(CacheLatency {
        level,
        size,
        latency: Nanoseconds(20.0),
        misses: Some(misses),
    });
    let cache = |first: usize| Cache {
        level,
        kind: CacheKind::Unified,
        size,
        line: Bytes(64),
        ways: None,
        pus: (first..first + sharing).map(|pu| PuId(pu as u32)).collect(),
    };
    machine.machine.caches = (0..16).step_by(sharing).map(cache).collect();
    machine
}

fn kernel(pu: u32, node: u32, kernel: Kernel, demand: Demand) -> Worker {
    let activity = Activity::Kernel { kernel, access: Access::Sequential };
    Worker { demand, ..worker(pu, node, activity) }
}

fn chase(pu: u32) -> Worker {
    worker(pu, 0, Activity::Chase { chains: 1, pages: None })
}

/// A sample of the solver, and one of the event engine.
fn both(machine: &Hardware, workers: &[Worker]) -> [Sample; 2] {
    let hardware = Arc::new(machine.clone());
    let mut solved = FlowEngine::new(Arc::clone(&hardware)).place(&workload(workers.to_vec())).unwrap();
    let mut event = ModelEngine::new(hardware, 1);
    let mut simulated = event.prepare(&workload(workers.to_vec())).unwrap();
    let window = simulated.window().unwrap() * 8;
    [solved.sample(window).unwrap(), simulated.sample(window).unwrap()]
}

#[track_caller]
fn assert_close(solved: f64, simulated: f64, share: f64) {
    assert!((solved / simulated - 1.0).abs() < share, "{solved} is not {simulated}");
}

#[test]
fn kernels_get_equally_many_lines_of_the_misses_that_they_share() {
    let machine = machine(4, 16);
    let alone = [kernel(0, 0, Kernel::Read, Demand::Unlimited)];
    // Four cores, two of which read remote memory: a line of theirs takes longer, so they hold more of the misses.
    let near_and_far: Vec<_> = (0..4).map(|pu| kernel(pu, pu / 2, Kernel::Read, Demand::Unlimited)).collect();
    let copies: Vec<_> = (0..8).map(|pu| kernel(pu, 0, Kernel::Copy, Demand::Unlimited)).collect();
    let one_paced: Vec<_> = (0..4)
        .map(|pu| {
            let slow = Demand::Rate(GigabytesPerSecond(1.0));
            kernel(pu, 0, Kernel::Read, if pu == 0 { slow } else { Demand::Unlimited })
        })
        .collect();
    for workers in [&alone[..], &near_and_far, &copies, &one_paced] {
        let [solved, simulated] = both(&machine, workers);
        for rank in 0..workers.len() {
            let [solved, simulated] = [&solved, &simulated].map(|sample| sample.bandwidth(rank..=rank).get());
            assert_close(solved, simulated, 0.02);
        }
    }
}

/// With all misses taken, a chase waits until it is its turn; beside readers that pause, it finds one free.
#[test]
fn a_chase_waits_for_its_turn_among_those_who_read_without_a_pause() {
    let machine = machine(8, 40);
    let beside = |delay: u32| {
        let demand = if delay == 0 { Demand::Unlimited } else { Demand::Delay(delay) };
        let readers = (1..8).map(|pu| kernel(pu, 0, Kernel::Read, demand));
        let workers: Vec<_> = std::iter::once(chase(0)).chain(readers).collect();
        both(&machine, &workers).map(|sample| sample.step_time(0).unwrap().get())
    };
    let [idle, alone] = both(&machine, &[chase(0)]).map(|sample| sample.step_time(0).unwrap().get());
    assert_close(idle, alone, 0.01);
    let [solved, simulated] = beside(0);
    assert_close(solved, simulated, 0.02);
    assert!(simulated > alone + 4.0, "{simulated} is not longer than {alone}");
    let [solved, simulated] = beside(2000);
    assert_close(solved, simulated, 0.02);
    assert!(simulated < alone + 2.0, "{simulated} is longer than {alone}");
}
