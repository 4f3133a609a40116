//! The whole engine against closed forms and conservation laws.

mod attached;
mod balance;
mod closed_forms;
mod cut_through;
mod demands;
mod determinism;
mod digests;
pub(crate) mod idle;
mod interleaved;
mod memory_side;
mod parallel_wires;
mod queueing;
mod replications;
mod retries;
mod stopping;

use std::sync::Arc;

use zerohop_machine::{NodeId, PuId};
use zerohop_machine_file::Hardware;
use zerohop_units::Bytes;
use zerohop_workload::{
    Access, Activity, Carries, Demand, Engine, Inside, Kernel, Measure, Pages, Part, Placement, Role, Sample,
    Stage, Worker, Workload,
};

use crate::ModelEngine;

pub(crate) fn worker(pu: u32, node: u32, activity: Activity) -> Worker {
    Worker {
        pu: PuId(pu),
        role: Role::Foreground,
        placement: Placement::Node(NodeId(node)),
        buffer: Bytes::mib(64),
        activity,
        demand: Demand::Unlimited,
    }
}

/// A worker on each of these CPUs, all with their memory on one node.
fn workers(pus: std::ops::Range<u32>, node: u32, activity: Activity) -> Vec<Worker> {
    pus.map(|pu| worker(pu, node, activity)).collect()
}

const fn walk(kernel: Kernel) -> Activity {
    Activity::Kernel { kernel, access: Access::Sequential }
}

const READS: Activity = walk(Kernel::Read);

pub(crate) fn workload(workers: Vec<Worker>) -> Workload {
    Workload { workers, pages: Pages::Best, instruction_set: None }
}

/// A sample of `times` times the model's default length.
fn long_sample(hardware: &Hardware, workers: Vec<Worker>, times: u32, seed: u64) -> Sample {
    let mut engine = ModelEngine::new(Arc::new(hardware.clone()), seed);
    let mut prepared = engine.prepare(&workload(workers)).unwrap();
    let window = prepared.window().unwrap() * times;
    prepared.sample(window).unwrap()
}

fn sample(hardware: &Hardware, workers: Vec<Worker>) -> Sample {
    long_sample(hardware, workers, 8, 1)
}

/// Bandwidth of all workers, in GB/s.
fn bandwidth(sample: &Sample) -> f64 {
    sample.bandwidth(0..sample.workers.len()).get()
}

/// Mean ns of a line in a stage.
fn time_in(inside: &Inside, stage: Stage) -> f64 {
    inside.all(|part| *part == Part::Stage(stage), Measure::Latency)[0]
}

/// A measure of each link's directions.
pub(crate) fn at_links(sample: &Sample, measure: Measure) -> Vec<f64> {
    sample.inside.as_ref().unwrap().all(|part| matches!(part, Part::Link { .. }), measure)
}

/// A measure of each channel.
fn at_channels(sample: &Sample, measure: Measure) -> Vec<f64> {
    sample.inside.as_ref().unwrap().all(|part| matches!(part, Part::Channel { .. }), measure)
}

/// A measure of each home agent.
pub(crate) fn at_homes(sample: &Sample, measure: Measure) -> Vec<f64> {
    sample.inside.as_ref().unwrap().all(|part| matches!(part, Part::Home { .. }), measure)
}

/// GB/s that each channel's bus carries in one direction.
pub(crate) fn carried(sample: &Sample, way: Carries) -> Vec<f64> {
    let is_meant = |part: &Part| matches!(part, Part::ChannelBus { carries, .. } if *carries == way);
    sample.inside.as_ref().unwrap().all(is_meant, Measure::BusTraffic)
}

/// Asserts that a value equals another, give or take a share of it.
#[track_caller]
fn assert_close(value: f64, expected: f64, share: f64) {
    assert!((value - expected).abs() <= share * expected.abs(), "{value} is not {expected} +- {share}");
}
