//! Latency of a node's memory against the bandwidth that its other cores take from it, from full load to hardly any.
//!
//! One core chases; all others of the node run a kernel, pausing after every few lines for a number of cycles, the
//! delay. The delays are those that Intel's Memory Latency Checker steps through.

use zerohop_machine::PuId;
use zerohop_units::Bytes;
use zerohop_workload::{Access, Activity, Demand, Kernel, Role, Worker};

use crate::chaser::chaser;
use crate::footprint::share;
use crate::plan::{Measurement, Plan, Reading};
use crate::protocol::Pace;
use crate::scope::{Initiator, Scope};
use crate::{Axis, Coordinates, Effort, ExperimentError, ExperimentName};

/// In cycles.
const DELAYS: [u32; 19] =
    [0, 2, 8, 15, 50, 100, 200, 300, 400, 500, 700, 1000, 1300, 1700, 2500, 3500, 5000, 9000, 20_000];

/// What a quick run takes of them: few enough for its time, close enough to show where the curve bends both for two cores
/// and for sixty.
const QUICK_DELAYS: [u32; 8] = [0, 50, 100, 200, 400, 1000, 2500, 20_000];

pub(super) fn plan(scope: &Scope) -> Result<Plan, ExperimentError> {
    let full = scope.options.effort == Effort::Full;
    let delays = if full { DELAYS.as_slice() } else { &QUICK_DELAYS };
    // A load needs a core beside the one that chases.
    let mut initiators: Vec<&Initiator> =
        scope.initiators.iter().filter(|initiator| initiator.pus.len() > 1).collect();
    if !full && scope.options.nodes.is_none() {
        initiators.truncate(1);
    }
    if initiators.is_empty() {
        let reason = "one CPU chases and another makes the load, and no node has two".to_owned();
        return Err(ExperimentError::Impossible { experiment: ExperimentName::LoadedLatency, reason });
    }
    let mut measurements = Vec::with_capacity(initiators.len() * delays.len());
    for initiator in &initiators {
        for &delay in delays {
            measurements.push(measurement(scope, initiator, delay, initiators.len())?);
        }
    }
    Ok(Plan::in_order(measurements))
}

fn measurement(
    scope: &Scope,
    initiator: &Initiator,
    delay: u32,
    preparations: usize,
) -> Result<Measurement, ExperimentError> {
    let kernel = scope.options.kernel.unwrap_or(Kernel::Read);
    let destination = scope.local();
    let placement = destination.placement(scope, initiator.node);
    // Half is for the chase, half for the load; under a light load, the chase has the caches to itself.
    let caches = scope.caches_in_front(&initiator.pus).of_one_part_in(2).of_chase();
    let footprint = scope.footprint_of(&placement, caches, preparations);
    let quiet = scope.quiet_pu(initiator);
    let loaders: Vec<PuId> = initiator.pus.iter().copied().filter(|&pu| pu != quiet).collect();
    // In whole huge pages.
    let half = Bytes((footprint.size.get() / 2).next_multiple_of(2 << 20)).min(footprint.size);
    let each = share(footprint.size - half, loaders.len(), kernel.arrays())?;
    let load = loaders.into_iter().map(|pu| Worker {
        pu,
        role: Role::Background,
        placement: placement.clone(),
        buffer: each,
        activity: Activity::Kernel { kernel, access: Access::Sequential },
        demand: if delay == 0 { Demand::Unlimited } else { Demand::Delay(delay) },
    });
    let at = Coordinates::new()
        .with(Axis::Initiator, initiator.node.0)
        .with(Axis::Target, destination.coordinate(scope, &[initiator]))
        .with(Axis::Delay, delay);
    let chase = chaser(quiet, placement.clone(), half, scope.chains());
    Ok(Measurement {
        at: if kernel == Kernel::Read { at } else { at.with(Axis::Kernel, kernel.name()) },
        label: format!("node {}{} under {kernel}, delay {delay}", initiator.node, destination.words()),
        workload: scope.workload(std::iter::once(chase).chain(load).collect()),
        readings: vec![Reading::Latency, Reading::Bandwidth(Role::Background)],
        pace: Pace::Bandwidth,
        warnings: footprint.warnings,
    })
}
