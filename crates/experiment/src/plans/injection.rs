//! All nodes at once: bandwidth of the whole machine when every node uses its own memory, the memory of all other nodes, or memory interleaved over
//! all nodes; and latency under this load.
//!
//! The latency is that of [`loaded_latency`](super::loaded_latency) without any delay: one core of the first node chases instead of reading, through
//! the memory that its node reads.

use zerohop_workload::Kernel;

use super::loaded_latency::{Load, of_first};
use crate::experiment::Experiment;
use crate::kernel_workers::Destination;
use crate::plan::{Measurement, Plan, Reading};
use crate::planning::Planning;
use crate::scope::{Initiator, Scope};
use crate::{ExperimentError, LoadPlace};
use zerohop_result::{
    Axis, By, Choice, Columns, Coordinates, Descriptor, Drawing, Headline, Layout, Measure, Of, Survey, Topic,
};

pub(super) const EXPERIMENT: Experiment = Experiment {
    descriptor: Descriptor {
        name: "injection",
        summary: "bandwidth and loaded latency of all nodes at once, by the node of the memory",
        about: "All cores of all nodes read at once: local memory, the memory of all other nodes, or memory interleaved over all nodes. One core then chases pointers instead. Shows what the whole machine sustains when data is not local.",
        accepts: &[Choice::Kernel, Choice::Chains, Choice::InstructionSet, Choice::Buffer],
        survey: Survey::SeveralNodes,
        panel: 5,
        topic: Topic::Bandwidth,
        glance: None,
        headlines: &[
            Headline::new(Measure::Bandwidth, Of::Everything, By::Axis(Axis::Target)),
            Headline::new(Measure::Latency, Of::Everything, By::Axis(Axis::Target)),
        ],
        layouts: &[Layout::new(
            "all nodes at once",
            Axis::Target,
            Columns::Measures,
            &[Measure::Bandwidth, Measure::BusTraffic, Measure::Latency],
        )
        .drawn(Drawing::Bars)],
        remark: None,
        mlc: None,
    },
    plan,
};

/// Whose memory the nodes use, and the load of the same kind.
fn places(scope: &Scope) -> [(&'static str, Destination, LoadPlace); 3] {
    [
        ("local", Destination::Local, LoadPlace::Machine),
        ("remote", Destination::Others, LoadPlace::MachineRemote),
        ("interleaved", Destination::Interleaved(scope.targets.clone()), LoadPlace::MachineInterleaved),
    ]
}

pub(super) fn plan(scope: &Scope) -> Result<Plan, ExperimentError> {
    if scope.targets.len() < 2 {
        return Err(ExperimentError::Impossible {
            experiment: EXPERIMENT.descriptor.name(),
            reason: "it needs the memory of two nodes, but there is only one (mixes measures it)".to_owned(),
        });
    }
    let kernel = scope.options.kernel.unwrap_or(Kernel::Read);
    let everyone: Vec<&Initiator> = scope.initiators.iter().collect();
    let places = places(scope);
    let mut planning = Planning::new(EXPERIMENT.descriptor.name());
    for (word, destination, load) in &places {
        let at = Coordinates::new().with(Axis::Initiator, "all").with(Axis::Target, *word);
        let at = if kernel == Kernel::Read { at } else { at.with(Axis::Kernel, kernel.name()) };
        let kernel_workers = scope.kernel_workers(&everyone, destination, kernel, places.len());
        let label = format!("all nodes, {kernel}, {word} memory");
        planning.add(&label, kernel_workers.map(|workers| workers.traffic(scope, at.clone(), &label)))?;
        // Without a node of two cores, nobody can chase beside a load of that node.
        if let Some(loaded) = of_first(scope, Load { place: *load, kernel, delay: 0 }, places.len()) {
            let label = format!("latency while all nodes {kernel}, {word} memory");
            let loaded = loaded.map(|loaded| Measurement {
                at: at.with(Axis::Load, load.name()),
                label: label.clone(),
                readings: vec![Reading::Latency],
                ..loaded
            });
            planning.add(&label, loaded)?;
        }
    }
    planning.in_order()
}
