//! Replications spread around what a long simulation shows: they do not agree on a value that is off.

use std::sync::Arc;

use zerohop_machine::NodeId;
use zerohop_machine_file::Hardware;
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

/// Mean and standard error of replications that begin with this seed.
fn replicated(hardware: &Hardware, workers: &[Worker], seed: u64) -> (f64, f64) {
    let mut engine = ModelEngine::new(Arc::new(hardware.clone()), seed);
    let values: Vec<f64> = (0..REPLICATIONS)
        .map(|replication| {
            engine.replicate(replication);
            let mut prepared = engine.prepare(&workload(workers.to_vec())).unwrap();
            let window = prepared.window().unwrap();
            bandwidth(&prepared.sample(window).unwrap())
        })
        .collect();
    let count = f64::from(REPLICATIONS);
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, (variance / count).sqrt())
}

/// All cores of node 0 read memory of this node.
fn readers(hardware: &Hardware, node: u32) -> Vec<Worker> {
    hardware.machine.usable_cores(NodeId(0)).into_iter().map(|pu| worker(pu.0, node, READS)).collect()
}

/// All replications began at the same point of a pattern that repeats itself: lines of two cores that come together, or refreshes of two channels.
/// They agreed to the last line, and other seeds on another value.
#[test]
fn replications_do_not_all_begin_at_the_same_point() {
    for hardware in [built_in("quartet", &[]), template("epyc-7001")] {
        let readers = readers(&hardware, 0);
        let long = bandwidth(&long_sample(&hardware, readers.clone(), 400, 99));
        for seed in 1..=SEEDS {
            let (mean, error) = replicated(&hardware, &readers, seed);
            // A sample begins and ends in the middle of a line.
            assert!(
                (mean - long).abs() <= (FAR * error).max(5e-4 * long),
                "{}, seed {seed}: {mean} ± {error} GB/s, where {long} GB/s are reached",
                hardware.machine.name
            );
        }
    }
}

/// A full link gives each of 32 cores several lines at once and then none for a while, but all of them together hardly ever pause. What each gets
/// between its own last lines varied by half a percent from sample to sample, and was 0.2 % too much on average.
#[test]
fn a_full_link_carries_the_same_in_every_replication() {
    let hardware = built_in("sr665-v3", &[]);
    let readers = readers(&hardware, 1);
    let long = bandwidth(&long_sample(&hardware, readers.clone(), 100, 99));
    for seed in 1..=SEEDS {
        let (mean, error) = replicated(&hardware, &readers, seed);
        assert!(error < 5e-4 * mean, "seed {seed}: {mean} ± {error} GB/s");
        assert!((mean / long - 1.0).abs() < 1e-3, "seed {seed}: {mean} GB/s, where {long} GB/s are reached");
    }
}
