//! Latency of each cache level and of memory, from one core; with full effort, or where the caches are not known, also
//! the curve of latency over buffer size.

use zerohop_units::Bytes;

use crate::chaser::chaser;
use crate::plan::{Measurement, Plan, Reading};
use crate::protocol::Pace;
use crate::scope::{Initiator, Scope};
use crate::{Axis, Coordinates, Effort, ExperimentError};

/// Where the curve begins.
const SMALLEST: Bytes = Bytes::kib(8);

pub(super) fn plan(scope: &Scope) -> Result<Plan, ExperimentError> {
    let initiator = &scope.initiators[0];
    let pu = scope.quiet_pu(initiator);
    let caches = scope.machine.data_caches(pu);
    let mut measurements: Vec<Measurement> = caches
        .iter()
        .map(|cache| {
            let level = format!("L{}", cache.level);
            // Half of a cache holds the whole chain with room to spare for what else the core touches.
            point(scope, initiator, cache.size / 2, Some(&level))
        })
        .collect();
    let memory = memory(scope, initiator);
    let beyond = memory.buffers();
    measurements.push(memory);
    let full = scope.options.effort == Effort::Full;
    if full || caches.is_empty() {
        let curve = curve_sizes(beyond, if full { 2 } else { 1 });
        measurements.extend(curve.into_iter().map(|size| point(scope, initiator, size, None)));
    }
    Ok(Plan::in_order(measurements))
}

/// The chase far beyond all caches.
fn memory(scope: &Scope, initiator: &Initiator) -> Measurement {
    let at = Coordinates::new().with(Axis::Level, "memory");
    let from = (initiator.node, scope.quiet_pu(initiator));
    let mut memory = scope.memory_chase(from, &scope.local(), 1, at, "memory".to_owned());
    let size = memory.buffers();
    memory.at = memory.at.with(Axis::Footprint, size.get());
    memory
}

/// The chase through a buffer of that size.
fn point(scope: &Scope, initiator: &Initiator, size: Bytes, level: Option<&str>) -> Measurement {
    let placement = scope.local().placement(scope, initiator.node);
    let chains = scope.chains();
    let mut at = Coordinates::new().with(Axis::Footprint, size.get());
    if let Some(level) = level {
        at = at.with(Axis::Level, level);
    }
    if chains != 1 {
        at = at.with(Axis::Chains, u32::from(chains));
    }
    Measurement {
        at,
        label: level.map_or_else(|| size.to_string(), |level| format!("{level}, {size}")),
        workload: scope.workload(vec![chaser(scope.quiet_pu(initiator), placement, size, chains)]),
        readings: vec![Reading::Latency],
        pace: Pace::CacheLatency,
        warnings: Vec::new(),
    }
}

/// Sizes from the smallest to `largest`: every power of two and, with two points an octave, what lies halfway to the next.
fn curve_sizes(largest: Bytes, per_octave: u64) -> Vec<Bytes> {
    let octaves = std::iter::successors(Some(SMALLEST), |&size| Some(size * 2));
    let octaves = octaves.take_while(|&size| size <= largest);
    let sizes = octaves.flat_map(|size| (0..per_octave).map(move |step| size + size * step / per_octave));
    sizes.filter(|&size| size <= largest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_has_even_steps_and_ends_in_time() {
        assert_eq!(curve_sizes(Bytes::kib(20), 2), [8, 12, 16].map(Bytes::kib));
        assert_eq!(curve_sizes(Bytes::kib(32), 1), [8, 16, 32].map(Bytes::kib));
        assert!(curve_sizes(Bytes(0), 2).is_empty());
    }
}
