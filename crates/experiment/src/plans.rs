//! The experiments, one file each: what of a machine becomes which measurements.

mod bandwidth_matrix;
mod cache_latency;
mod cases;
mod core_latency;
mod core_to_core;
mod crossfire;
mod global_bandwidth;
mod hops;
mod latency_matrix;
mod loaded_latency;
mod memory_suite;
mod mixes;
mod ramp;
mod relation;
mod stream;
mod subscription;

use crate::plan::Plan;
use crate::scope::Scope;
use crate::{ExperimentError, Options};
use zerohop_result::ExperimentName;

/// The plan of an experiment.
///
/// # Errors
/// When the experiment makes no sense on what takes part, or there is too little memory for it.
pub(crate) fn plan(name: ExperimentName, scope: &Scope) -> Result<Plan, ExperimentError> {
    match name {
        ExperimentName::LatencyMatrix => latency_matrix::plan(scope),
        ExperimentName::BandwidthMatrix => bandwidth_matrix::plan(scope),
        ExperimentName::Stream => stream::plan(scope),
        ExperimentName::Mixes => mixes::plan(scope),
        ExperimentName::LoadedLatency => loaded_latency::plan(scope),
        ExperimentName::CacheLatency => cache_latency::plan(scope),
        ExperimentName::CoreToCore => core_to_core::plan(scope),
        ExperimentName::CoreLatency => core_latency::plan(scope),
        ExperimentName::GlobalBandwidth => global_bandwidth::plan(scope),
        ExperimentName::Hops => hops::plan(scope),
        ExperimentName::Crossfire => crossfire::plan(scope),
        ExperimentName::Ramp => ramp::plan(scope),
        ExperimentName::MemorySuite => memory_suite::plan(scope),
    }
}

/// Whether an experiment run by itself has a use for what was chosen. A survey leaves choices to those experiments that
/// have one.
///
/// # Errors
/// When it has none.
pub(crate) fn check_choices(name: ExperimentName, options: &Options) -> Result<(), ExperimentError> {
    use ExperimentName::{
        BandwidthMatrix, CacheLatency, CoreLatency, CoreToCore, Crossfire, GlobalBandwidth, Hops,
        LatencyMatrix, LoadedLatency, MemorySuite, Mixes, Ramp, Stream,
    };
    let one_kernel =
        matches!(name, BandwidthMatrix | Stream | LoadedLatency | GlobalBandwidth | Ramp | MemorySuite);
    let chases = matches!(name, LatencyMatrix | LoadedLatency | CacheLatency | CoreLatency);
    let has_buffers = name != CoreToCore;
    // These say themselves whose memory is used.
    let sets_memory = matches!(name, Hops | Crossfire | Ramp | MemorySuite);
    let two_sides = matches!(name, Hops | Ramp);
    for (chosen, has_use, what) in [
        (options.kernel.is_some(), one_kernel, "kernel"),
        (options.chains.is_some(), chases, "chains"),
        (
            options.instruction_set.is_some(),
            one_kernel || matches!(name, Mixes | Hops | Crossfire),
            "instruction set",
        ),
        (options.buffer.is_some(), has_buffers, "buffer"),
        (options.interleave.is_some(), has_buffers && !sets_memory, "interleave set"),
        (options.cases.is_some(), name == Crossfire, "cases"),
        (options.background.is_some(), name == Crossfire, "background"),
        (options.subscription.is_some(), name == Crossfire, "subscription"),
        (options.initiators.is_some(), two_sides, "initiators"),
        (options.targets.is_some(), two_sides, "targets"),
        (options.load.is_some(), name == LoadedLatency, "place of the load"),
    ] {
        if chosen && !has_use {
            return Err(ExperimentError::NoChoice { experiment: name, what });
        }
    }
    Ok(())
}
