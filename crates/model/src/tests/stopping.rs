//! Engines that are stopped.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use zerohop_machine_file::Hardware;
use zerohop_workload::{Engine, EngineError, Prepared, StopFlag};

use super::{READS, workers, workload};
use crate::machines::{DIRECTORY, nodes};
use crate::{AutoEngine, FlowEngine, ModelEngine};

fn machine() -> Arc<Hardware> {
    Arc::new(nodes(2, 4, &[[0, 1]], DIRECTORY))
}

#[test]
fn a_running_sample_ends_when_the_flag_is_raised() {
    let stop = StopFlag::new();
    let engine = ModelEngine::new(machine(), 1).stopped_by(stop.clone());
    let mut prepared = engine.place(&workload(workers(0..8, 0, READS))).unwrap();
    let raised = thread::spawn(move || {
        thread::sleep(Duration::from_millis(50));
        stop.raise();
        Instant::now()
    });
    // Simulating a minute would take hours.
    assert_eq!(prepared.sample(Duration::from_secs(60)), Err(EngineError::Interrupted));
    let late = raised.join().unwrap().elapsed();
    assert!(late < Duration::from_secs(60), "{late:?}");
}

#[test]
fn every_engine_and_its_replicas_prepare_nothing_once_the_flag_is_raised() {
    let stop = StopFlag::new();
    let mut engines: [Box<dyn Engine + Send>; 3] = [
        Box::new(ModelEngine::new(machine(), 1).stopped_by(stop.clone())),
        Box::new(FlowEngine::new(machine()).stopped_by(stop.clone())),
        Box::new(AutoEngine::new(machine(), 1).stopped_by(stop.clone())),
    ];
    let asked = workload(workers(0..8, 0, READS));
    for engine in &mut engines {
        engine.prepare(&asked).map(drop).unwrap();
    }
    stop.raise();
    for engine in &mut engines {
        assert_eq!(engine.prepare(&asked).map(drop), Err(EngineError::Interrupted));
        let mut replica = engine.replica().unwrap();
        assert_eq!(replica.prepare(&asked).map(drop), Err(EngineError::Interrupted));
    }
}
