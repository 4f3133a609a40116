//! Replications spread around what a long simulation shows: they do not agree on a value that is off.

use std::sync::Arc;

use zerohop_machine::{Hardware, NodeId};
use zerohop_workload::{Engine, Worker};

use super::idle::built_in;
use super::{READS, bandwidth, long_sample, worker, workload};
use crate::ModelEngine;
use crate::flow::tests::settling::template;

/// Replications with each of the seeds.
const REPLICATIONS: u32 = 8;
const SEEDS: u64 = 6;

/// Standard errors that a mean may be off: one of a thousand means of eight is off by more.
const FAR: f64 = 5.4;

/// Mean and standard error of replications that begin with this seed, of reads of a node's own memory.
fn replicated(hardware: &Hardware, seed: u64) -> (f64, f64) {
    let mut engine = ModelEngine::new(Arc::new(hardware.clone()), seed);
    let values: Vec<f64> = (0..REPLICATIONS)
        .map(|replication| {
            engine.replicate(replication);
            let mut prepared = engine.prepare(&workload(readers(hardware))).unwrap();
            let window = prepared.window().unwrap();
            bandwidth(&prepared.sample(window).unwrap())
        })
        .collect();
    let count = f64::from(REPLICATIONS);
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, (variance / count).sqrt())
}

fn readers(hardware: &Hardware) -> Vec<Worker> {
    hardware.machine.usable_cores(NodeId(0)).into_iter().map(|pu| worker(pu.0, 0, READS)).collect()
}

/// All replications began at the same point of a pattern that repeats itself: lines of two cores that come together, or refreshes of two channels.
/// They agreed to the last line, and other seeds on another value.
#[test]
fn replications_do_not_all_begin_at_the_same_point() {
    for hardware in [built_in("quartet", &[]), template("epyc-7001")] {
        let long = bandwidth(&long_sample(&hardware, readers(&hardware), 400, 99));
        for seed in 1..=SEEDS {
            let (mean, error) = replicated(&hardware, seed);
            assert!(
                (mean - long).abs() <= FAR * error,
                "{}, seed {seed}: {mean} ± {error} GB/s, where {long} GB/s are reached",
                hardware.machine.name
            );
        }
    }
}
