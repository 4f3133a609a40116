//! Idle latency, every core by every target node, and summed up over cores for each target, as John McCalpin reports
//! his latency tests: minimum, mean, maximum and standard deviation over cores.

use crate::plan::{Measurement, Plan, Summary};
use crate::scope::Scope;
use crate::shuffle::shuffled;
use crate::{Axis, Coordinates, ExperimentError};

pub(super) fn plan(scope: &Scope) -> Result<Plan, ExperimentError> {
    let cores: Vec<_> = scope
        .initiators
        .iter()
        .flat_map(|initiator| initiator.pus.iter().map(move |&pu| (initiator, pu)))
        .collect();
    let destinations = scope.destinations();
    let count = cores.len() * destinations.len();
    let mut measurements: Vec<Measurement> = Vec::with_capacity(count);
    let mut order = Vec::with_capacity(count);
    let mut summaries = Vec::with_capacity(destinations.len());
    for (column, destination) in destinations.iter().enumerate() {
        // A column is about one target, so no initiator's own words for it are wanted.
        let target = destination.coordinate(scope, &[]);
        let at = Coordinates::new().with(Axis::Target, target);
        let first = measurements.len();
        for &(initiator, pu) in &cores {
            let label = format!("CPU {pu}{}", destination.words());
            let at = at.clone().with(Axis::Cpu, pu.0);
            measurements.push(scope.memory_chase(
                (initiator.node, pu),
                destination,
                destinations.len(),
                at,
                label,
            ));
        }
        // All cores chase through one target's memory before the next target's is touched.
        let seed = scope.options.seed.wrapping_add(column as u64);
        order.extend(shuffled(cores.len(), seed).into_iter().map(|rank| first + rank));
        summaries.push(Summary { at, over: (first..measurements.len()).collect() });
    }
    Ok(Plan { measurements, order, summaries, ..Plan::default() })
}
