//! The same workload on the same machine with the same seed gives the same samples, to the last bit.

use std::sync::Arc;

use zerohop_machine::PuId;
use zerohop_machine_file::Hardware;
use zerohop_units::GigabytesPerSecond;
use zerohop_workload::{Activity, Demand, Engine, Kernel, Prepared, Sample, StopFlag, Worker, Workload};

use super::idle::built_in;
use super::{READS, assert_close, bandwidth, long_sample, walk, worker, workers, workload};
use crate::ModelEngine;
use crate::blueprint::Blueprint;
use crate::flow::tests::generated::{Pair, pair};
use crate::machines::{BROADCAST, DIRECTORY, nodes};
use crate::prepared::PreparedModel;

fn machine() -> Hardware {
    nodes(4, 2, &[[0, 1], [1, 3], [3, 2], [2, 0]], BROADCAST)
}

/// A mix of all activities.
fn mixed() -> Workload {
    let mut paced = worker(4, 0, walk(Kernel::CopyNt));
    paced.demand = Demand::Rate(GigabytesPerSecond(0.7));
    workload(vec![
        worker(0, 3, READS),
        worker(2, 0, walk(Kernel::Triad)),
        paced,
        worker(6, 1, Activity::Chase { chains: 2, pages: None }),
        Worker { demand: Demand::Delay(300), ..worker(7, 2, walk(Kernel::Mix3To1)) },
    ])
}

fn three_samples(engine: &mut dyn Engine) -> Vec<Sample> {
    let mut prepared = engine.prepare(&mixed()).unwrap();
    let window = prepared.window().unwrap();
    (0..3).map(|_| prepared.sample(window).unwrap()).collect()
}

#[test]
fn samples_repeat() {
    let mut engine = ModelEngine::new(Arc::new(machine()), 42);
    let first = three_samples(&mut engine);
    assert!(first[0] != first[1], "time advances between samples");
    assert_eq!(three_samples(&mut engine), first, "whatever ran before");
    assert_eq!(three_samples(&mut ModelEngine::new(Arc::new(machine()), 42)), first, "on another engine");
    assert_eq!(three_samples(engine.replica().unwrap().as_mut()), first, "on a replica");
}

#[test]
fn leaving_parts_out_changes_nothing_else() {
    let engine = ModelEngine::new(Arc::new(machine()), 42);
    let sampled = |leaves_parts_out: bool| {
        let mut engine = engine.replica().unwrap();
        let mut prepared = engine.prepare(&mixed()).unwrap();
        if leaves_parts_out {
            prepared.leave_parts_out();
        }
        let window = prepared.window().unwrap();
        [prepared.sample(window).unwrap(), prepared.extend(window).unwrap()]
    };
    let whole = sampled(false);
    assert!(whole.iter().all(|sample| sample.inside.is_some()));
    assert_eq!(sampled(true), whole.map(|sample| Sample { inside: None, ..sample }));
}

#[test]
fn samples_repeat_on_many_threads_at_once() {
    let engine = ModelEngine::new(Arc::new(machine()), 42);
    let alone = three_samples(engine.replica().unwrap().as_mut());
    let together: Vec<Vec<Sample>> = std::thread::scope(|scope| {
        let replicas: Vec<_> = (0..4).map(|_| engine.replica().unwrap()).collect();
        let threads: Vec<_> = replicas
            .into_iter()
            .map(|mut replica| scope.spawn(move || three_samples(replica.as_mut())))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for samples in together {
        assert_eq!(samples, alone);
    }
}

#[test]
fn splitting_a_run_into_samples_does_not_change_it() {
    let hardware = machine();
    let lines = |cuts: u32| {
        let mut prepared =
            PreparedModel::new(&hardware, &Blueprint::new(&hardware), &mixed(), 5, &StopFlag::new()).unwrap();
        for _ in 0..cuts {
            prepared.sample(std::time::Duration::from_micros(u64::from(60 / cuts))).unwrap();
        }
        (prepared.simulation.now(), prepared.simulation.events(), prepared.simulation.completed())
    };
    assert_eq!(lines(1), lines(6));
}

/// A result that depends on the moment at which workers start would be an artifact of streams in lockstep.
#[test]
fn another_seed_changes_results_only_slightly() {
    let square = machine();
    let pair = nodes(2, 16, &[[0, 1]], DIRECTORY);
    let crossfire = vec![worker(0, 1, READS), worker(2, 0, READS)];
    let mut half = workers(0..16, 0, READS);
    half.extend(workers(16..32, 0, walk(Kernel::Copy)));
    for (machine, workers) in [(&square, crossfire), (&pair, half)] {
        let of = |seed| bandwidth(&long_sample(machine, workers.clone(), 20, seed));
        let first = of(1);
        let others: Vec<f64> = (2..6).map(of).collect();
        assert!(others.iter().any(|&other| other != first), "the seed changes nothing at all");
        for other in others {
            assert_close(other, first, 0.01);
        }
    }
}

/// One sample of a workload by the event engine.
fn sample_of(hardware: &Arc<Hardware>, workers: Vec<Worker>) -> Sample {
    let mut engine = ModelEngine::new(Arc::clone(hardware), 7);
    let mut prepared = engine.prepare(&workload(workers)).unwrap();
    let window = prepared.window().unwrap();
    prepared.sample(window).unwrap()
}

/// What lets a survey simulate one pair of cores for all between two routers: on generated machines, workers change places with others of
/// their node.
#[test]
fn workloads_on_stand_ins_show_the_same_samples() {
    let mut moved = 0;
    for number in 0..40 {
        let Pair { name, hardware, workers } = pair(number);
        let hardware = Arc::new(hardware);
        let engine = ModelEngine::new(Arc::clone(&hardware), 7);
        let other = |pu: PuId| {
            let node = hardware.machine.pu(pu).unwrap().node;
            let pus = hardware.machine.usable_cores(node);
            pus[pus.len() - 1 - pus.iter().position(|&own| own == pu).unwrap()]
        };
        assert!(workers.iter().all(|worker| engine.stand_in(worker.pu) == engine.stand_in(other(worker.pu))));
        let others: Vec<Worker> =
            workers.iter().map(|worker| Worker { pu: other(worker.pu), ..worker.clone() }).collect();
        moved += usize::from(others != workers);
        assert!(sample_of(&hardware, workers) == sample_of(&hardware, others), "{name}");
    }
    assert!(moved > 20, "{moved}");
}

#[test]
fn cores_of_a_tile_stand_in_for_each_other() {
    let hardware = Arc::new(built_in("xeon-phi-7250", &[]));
    let engine = ModelEngine::new(Arc::clone(&hardware), 7);
    assert_eq!([0, 1, 2, 3, 68, 69].map(|pu| engine.stand_in(PuId(pu)).0), [0, 0, 2, 2, 0, 0]);
    let read = |pus: [u32; 2]| pus.map(|pu| worker(pu, 1, READS)).to_vec();
    // Two cores of one tile share its misses; a core of another tile does not.
    let [tile, same, apart] = [[0, 1], [1, 0], [0, 2]].map(|pus| sample_of(&hardware, read(pus)));
    assert!(tile == same && tile != apart);
}
