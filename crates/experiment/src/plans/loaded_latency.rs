//! Memory latency against the bandwidth that other cores use, from full load to almost none.
//!
//! One core chases; all other cores of the node run a kernel and pause after every few lines for a number of cycles, the delay. A pilot finds delays
//! with evenly spaced bandwidths. The memory is the node's own, or the memory of a node far from it, or of a neighbor whose cores load the first
//! node's memory at the same time; or all nodes load their own memory, the memory of all other nodes, or memory interleaved over all.

use std::cmp::Reverse;

use zerohop_machine::PuId;
use zerohop_units::Bytes;
use zerohop_workload::{Access, Activity, Demand, Kernel, Role, Worker, Workload};

use crate::chaser::chaser;
use crate::experiment::Experiment;
use crate::footprint::share;
use crate::kernel_workers::Destination;
use crate::plan::{Measurement, Plan, Reading};
use crate::planning::Planning;
use crate::protocol::Pace;
use crate::scope::{Initiator, Scope};
use crate::{Effort, ExperimentError, LoadPlace};
use zerohop_result::{
    Axis, By, Choice, Columns, Coordinates, Descriptor, Drawing, Headline, Layout, Measure, MlcBlock, Of,
    Remark, Survey, Topic,
};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    descriptor: Descriptor {
        name: "loaded-latency",
        summary: "latency against bandwidth as load grows",
        about: "One core chases pointers while the other cores of its node load the same memory, from almost idle to full speed.",
        accepts: &[
            Choice::Kernel,
            Choice::Chains,
            Choice::InstructionSet,
            Choice::Buffer,
            Choice::Interleave,
            Choice::Load,
        ],
        survey: Survey::Every,
        panel: 3,
        topic: Topic::Load,
        glance: None,
        headlines: &[
            Headline::new(Measure::Latency, Of::Most(Axis::Delay), By::Name("idle")),
            Headline::new(Measure::Latency, Of::Least(Axis::Delay), By::Name("loaded")),
            Headline::new(Measure::Bandwidth, Of::Everything, By::Name("peak")).highest(),
        ],
        layouts: &[Layout::new(
            "latency under load",
            Axis::Delay,
            Columns::Measures,
            &[Measure::Latency, Measure::Bandwidth, Measure::BusTraffic],
        )
        .drawn(Drawing::Curve)],
        remark: Some(Remark::LightLoad),
        mlc: Some(MlcBlock::LoadedLatency),
    },
    plan,
};

/// The delays, in cycles.
const DELAYS: [u32; 19] =
    [0, 2, 8, 15, 50, 100, 200, 300, 400, 500, 700, 1000, 1300, 1700, 2500, 3500, 5000, 9000, 20_000];

/// The delays of a quick run: few enough for its time, close enough to show the knee of the curve for two cores as well as
/// for sixty.
const QUICK_DELAYS: [u32; 8] = [0, 50, 100, 200, 400, 1000, 2500, 20_000];

pub(super) fn plan(scope: &Scope) -> Result<Plan, ExperimentError> {
    let full = scope.options.effort == Effort::Full;
    let kernel = kernel(scope);
    let delays = delays(scope, kernel);
    let place = scope.options.load.unwrap_or_default();
    if place != LoadPlace::Local && scope.options.interleave.is_some() {
        return Err(ExperimentError::Contradiction {
            one: format!("a load that is {place}"),
            other: "an interleave set".to_owned(),
        });
    }
    // A load needs a core besides the one that chases.
    let mut initiators = with_load(scope);
    let impossible = |reason: &str| ExperimentError::Impossible {
        experiment: EXPERIMENT.descriptor.name(),
        reason: reason.to_owned(),
    };
    if initiators.is_empty() {
        return Err(impossible("one CPU must chase and another generate load, but no node has two CPUs"));
    }
    initiators.retain(|initiator| sides(scope, initiator, place).is_some());
    if initiators.is_empty() {
        return Err(impossible(match place {
            LoadPlace::Local | LoadPlace::Machine => "no node has local memory",
            LoadPlace::Remote => "a remote load needs memory on another node",
            LoadPlace::Crossing => "a crossing load needs two nodes that have both memory and CPUs",
            LoadPlace::MachineRemote => "a remote load needs memory on another node",
            LoadPlace::MachineInterleaved => "a load cannot be interleaved over one node",
        }));
    }
    if !full && scope.options.nodes.is_none() {
        initiators.truncate(1);
    }
    let mut planning = Planning::new(EXPERIMENT.descriptor.name());
    for initiator in &initiators {
        let Some(sides) = sides(scope, initiator, place) else { continue };
        for &delay in delays {
            let label = format!("node {}{}, delay {delay}", initiator.node, sides.destination.words());
            let load = Load { place, kernel, delay };
            planning.add(&label, measurement(scope, initiator, &sides, load, initiators.len()))?;
        }
    }
    planning.in_order()
}

/// Delays of a load with this kernel: found by a pilot, or the usual ones.
pub(super) fn delays(scope: &Scope, kernel: Kernel) -> &[u32] {
    match (scope.delays.get(&kernel), scope.options.effort) {
        (Some(found), _) => found,
        (None, Effort::Full) => &DELAYS,
        (None, Effort::Quick) => &QUICK_DELAYS,
    }
}

/// Kernel of the cores that load.
pub(crate) fn kernel(scope: &Scope) -> Kernel {
    scope.options.kernel.unwrap_or(Kernel::Read)
}

/// Initiators with a core besides the one that chases.
fn with_load(scope: &Scope) -> Vec<&Initiator> {
    scope.initiators.iter().filter(|initiator| initiator.pus.len() > 1).collect()
}

/// The first initiator's workload with this load; `None` where there is no such one.
pub(crate) fn workload(scope: &Scope, kernel: Kernel, delay: u32) -> Option<Workload> {
    let preparations = if scope.options.effort == Effort::Full { with_load(scope).len() } else { 1 };
    let place = scope.options.load.unwrap_or_default();
    Some(of_first(scope, Load { place, kernel, delay }, preparations)?.ok()?.workload)
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Load {
    /// The memory that it uses.
    pub(super) place: LoadPlace,
    /// Kernel of the workers.
    pub(super) kernel: Kernel,
    /// Their pause, in cycles.
    pub(super) delay: u32,
}

/// The measurement of the first initiator that can have this load; `None` where none can.
pub(super) fn of_first(
    scope: &Scope,
    load: Load,
    preparations: usize,
) -> Option<Result<Measurement, ExperimentError>> {
    let mut initiators = with_load(scope).into_iter();
    let (initiator, sides) =
        initiators.find_map(|initiator| Some((initiator, sides(scope, initiator, load.place)?)))?;
    Some(measurement(scope, initiator, &sides, load, preparations))
}

/// The memory that the chase and its node's load use, and the nodes that load memory meanwhile: each with the memory that it
/// loads.
struct Sides<'a> {
    destination: Destination,
    others: Vec<(&'a Initiator, Destination)>,
}

/// The sides of such a load; `None` where the machine does not have them.
fn sides<'a>(scope: &'a Scope, initiator: &Initiator, place: LoadPlace) -> Option<Sides<'a>> {
    let node = initiator.node;
    match place {
        LoadPlace::Local => Some(Sides { destination: scope.local(), others: Vec::new() }),
        LoadPlace::Remote => {
            let own = scope.own_memory(node);
            let others = scope.targets.iter().copied().filter(|&target| target != own);
            let farthest = others.min_by_key(|&target| Reverse(scope.distance(node, target)))?;
            Some(Sides { destination: Destination::Node(farthest), others: Vec::new() })
        }
        LoadPlace::Crossing => {
            let whole = |initiator: &&Initiator| scope.targets.contains(&initiator.node);
            let others = scope.initiators.iter().filter(|other| other.node != node).filter(whole);
            let nearest = others.min_by_key(|other| scope.distance(node, other.node))?;
            let others = vec![(nearest, Destination::Node(node))];
            let sides = Sides { destination: Destination::Node(nearest.node), others };
            scope.targets.contains(&node).then_some(sides)
        }
        LoadPlace::Machine => {
            let others = scope.initiators.iter().filter(|other| other.node != node);
            let own = |other: &Initiator| Destination::Node(scope.own_memory(other.node));
            let others = others.map(|other| (other, own(other))).collect();
            Some(Sides { destination: scope.local(), others })
        }
        LoadPlace::MachineRemote => everyone(scope, initiator, Destination::Others),
        LoadPlace::MachineInterleaved => {
            everyone(scope, initiator, Destination::Interleaved(scope.targets.clone()))
        }
    }
}

/// All nodes load such memory, of several nodes.
fn everyone<'a>(scope: &'a Scope, initiator: &Initiator, destination: Destination) -> Option<Sides<'a>> {
    let others = scope.initiators.iter().filter(|other| other.node != initiator.node);
    let others = others.map(|other| (other, destination.clone())).collect();
    (scope.targets.len() > 1).then_some(Sides { destination, others })
}

fn measurement(
    scope: &Scope,
    initiator: &Initiator,
    sides: &Sides<'_>,
    Load { place, kernel, delay }: Load,
    preparations: usize,
) -> Result<Measurement, ExperimentError> {
    let destination = &sides.destination;
    let placement = destination.placement(scope, initiator.node);
    // One half is for the chase, one for the load; under a light load, the chase has the caches to itself.
    let caches = scope.caches_in_front(&initiator.pus).of_one_part_in(2).of_chase();
    let footprint = scope.footprint_of(&placement, caches, preparations);
    let quiet = scope.quiet_pu(initiator);
    let loaders: Vec<PuId> = initiator.pus.iter().copied().filter(|&pu| pu != quiet).collect();
    // Rounded to whole huge pages.
    let half = Bytes((footprint.size.get() / 2).next_multiple_of(2 << 20)).min(footprint.size);
    let each = share(footprint.size - half, loaders.len(), kernel.arrays())
        .ok_or_else(|| scope.too_small(footprint.size, loaders.len() + 1, &placement))?;
    let mut load: Vec<_> = loaders.into_iter().map(|pu| (pu, placement.clone(), each)).collect();
    for (other, destination) in &sides.others {
        let placement = destination.placement(scope, other.node);
        let caches = scope.caches_in_front(&other.pus);
        let footprint = scope.footprint_of(&placement, caches, preparations);
        let each = share(footprint.size, other.pus.len(), kernel.arrays())
            .ok_or_else(|| scope.too_small(footprint.size, other.pus.len(), &placement))?;
        load.extend(other.pus.iter().map(|&pu| (pu, placement.clone(), each)));
    }
    let load = load.into_iter().map(|(pu, placement, buffer)| Worker {
        pu,
        role: Role::Background,
        placement,
        buffer,
        activity: Activity::Kernel { kernel, access: Access::Sequential },
        demand: if delay == 0 { Demand::Unlimited } else { Demand::Delay(delay) },
    });
    let at = Coordinates::new()
        .with(Axis::Initiator, initiator.node.0)
        .with(Axis::Target, destination.coordinate(scope, &[initiator]))
        .with(Axis::Delay, delay);
    let at = if place == LoadPlace::Local { at } else { at.with(Axis::Load, place.name()) };
    let chase = chaser(quiet, placement.clone(), half, scope.chains());
    Ok(Measurement {
        at: if kernel == Kernel::Read { at } else { at.with(Axis::Kernel, kernel.name()) },
        twin: None,
        label: format!("node {}{} under {kernel}, delay {delay}", initiator.node, destination.words()),
        workload: scope.workload(std::iter::once(chase).chain(load).collect()),
        readings: vec![Reading::Latency, Reading::Bandwidth(Role::Background)],
        fill_time: false,
        pace: Pace::Bandwidth,
        warnings: footprint.warnings,
    })
}
