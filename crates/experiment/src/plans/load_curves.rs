//! Latency against bandwidth, one curve for each share of reads in the traffic: the curves of the Mess benchmark.
//!
//! Esmaili-Dokht et al., "A Mess of Memory System Benchmarking, Simulation and Application Profiling", MICRO 2024, pages 136-152. One core chases
//! while others load the same memory at several rates. Mess counts its traffic in the memory controller; here the kernels update in place, so that
//! bus traffic equals the requested traffic, and at most half of it can be writes.

use zerohop_workload::{Kernel, Role};

use super::loaded_latency::{Load, delays, of_first};
use crate::experiment::Experiment;
use crate::plan::{Measurement, Plan, Reading};
use crate::planning::Planning;
use crate::scope::Scope;
use crate::{Effort, ExperimentError};
use zerohop_result::{
    Axis, By, Choice, Columns, Coordinates, Descriptor, Drawing, Headline, Layout, Measure, Of, Survey, Topic,
};

pub(super) const EXPERIMENT: Experiment = Experiment {
    descriptor: Descriptor {
        name: "load-curves",
        summary: "latency against bandwidth, one curve per share of reads",
        about: "One core chases pointers while other cores load the same memory with different shares of reads, from half to all, each from almost idle to full speed: the curves of the Mess benchmark. `--format mess` writes them for its scripts.",
        accepts: &[Choice::Chains, Choice::InstructionSet, Choice::Buffer, Choice::Load],
        survey: Survey::None,
        panel: 13,
        topic: Topic::Load,
        glance: None,
        headlines: &[
            Headline::new(Measure::Bandwidth, Of::Everything, By::Axis(Axis::ReadPercent)).highest(),
            Headline::new(Measure::Latency, Of::Least(Axis::Delay), By::Axis(Axis::ReadPercent)),
        ],
        layouts: &[Layout::new(
            "latency by load and share of reads",
            Axis::ReadPercent,
            Columns::Measures,
            &[Measure::Latency, Measure::Bandwidth],
        )
        .by(Axis::Delay)
        .drawn(Drawing::Curve)],
        remark: None,
        mlc: None,
    },
    plan,
};

/// Kernels from all reads to as many writes as reads.
const KERNELS: [Kernel; 7] = [
    Kernel::Read,
    Kernel::Mix8To1,
    Kernel::Mix4To1,
    Kernel::Mix3To1,
    Kernel::Mix2To1,
    Kernel::Mix3To2,
    Kernel::Mix1To1,
];

/// Those of a quick run.
const QUICK: [Kernel; 3] = [Kernel::Read, Kernel::Mix3To1, Kernel::Mix1To1];

/// The kernels of its curves.
pub(super) fn kernels(scope: &Scope) -> &'static [Kernel] {
    match scope.options.effort {
        Effort::Quick => &QUICK,
        Effort::Full => &KERNELS,
    }
}

pub(super) fn plan(scope: &Scope) -> Result<Plan, ExperimentError> {
    let place = scope.options.load.unwrap_or_default();
    let impossible = || ExperimentError::Impossible {
        experiment: EXPERIMENT.descriptor.name(),
        reason: format!("no node has a core to chase, another to load, and a {place} load"),
    };
    let mut planning = Planning::new(EXPERIMENT.descriptor.name());
    for &kernel in kernels(scope) {
        for &delay in delays(scope, kernel) {
            let loaded = of_first(scope, Load { place, kernel, delay }, 1).ok_or_else(impossible)?;
            let percent = (kernel.traffic().read_share() * 100.0).round() as u64;
            let label = format!("{percent} % reads, delay {delay}");
            let measurement = loaded.map(|loaded| {
                let others = loaded.at.0.into_iter().filter(|(axis, _)| *axis != Axis::Kernel);
                Measurement {
                    at: Coordinates(others.collect()).with(Axis::ReadPercent, percent),
                    readings: vec![Reading::Latency, Reading::Bandwidth(Role::Background)],
                    ..loaded
                }
            });
            planning.add(&label, measurement)?;
        }
    }
    planning.in_order()
}
