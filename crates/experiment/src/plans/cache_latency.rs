//! Latency of each cache level and of memory, with and without address translation, from one core of the first node; with full effort, or where the caches are
//! unknown, also the curve of latency over buffer size. In a virtual machine, a part of that curve shows whether the last-level cache
//! is as large as the hypervisor says.

use zerohop_units::Bytes;
use zerohop_workload::Activity;

use crate::cell_accumulator::skipped;
use crate::chaser::chaser;
use crate::claimed_cache::sizes_within;
use crate::experiment::Experiment;
use crate::footprint::BEYOND_CACHE;
use crate::plan::{CacheClaim, Measurement, Plan, Reading};
use crate::protocol::Pace;
use crate::scope::{Initiator, Scope};
use crate::{Effort, ExperimentError};
use zerohop_result::{
    Axis, By, Choice, Columns, Coordinates, Descriptor, Drawing, Headline, Layout, Measure, Of, Survey, Topic,
};

pub(super) const EXPERIMENT: Experiment = Experiment {
    descriptor: Descriptor {
        name: "cache-latency",
        summary: "latency of each cache level and of memory",
        about: "One core chases pointers through buffers that fit each cache level, then through memory: all of it, and 64 pages at a time, which excludes address translation.",
        accepts: &[Choice::Chains, Choice::Buffer, Choice::Interleave],
        survey: Survey::Every,
        panel: 2,
        topic: Topic::Caches,
        glance: None,
        headlines: &[Headline::new(Measure::Latency, Of::Everything, By::Axis(Axis::Level))],
        layouts: &[
            Layout::new("latency by level", Axis::Level, Columns::Measures, &[Measure::Latency])
                .drawn(Drawing::Steps),
            Layout::new("latency by footprint", Axis::Footprint, Columns::Measures, &[Measure::Latency])
                .in_detail()
                .drawn(Drawing::Steps),
        ],
        remark: None,
        mlc: None,
    },
    plan,
};

/// Footprints are multiples of a page.
const STEP: u64 = 4 << 10;

/// The smallest size of the curve.
const SMALLEST: Bytes = Bytes::kib(8);

pub(super) fn plan(scope: &Scope) -> Result<Plan, ExperimentError> {
    let initiator = &scope.initiators[0];
    let pu = scope.quiet_pu(initiator);
    let caches = scope.machine.data_caches(pu);
    let mut measurements = Vec::new();
    let mut warnings = Vec::new();
    let memory = memory(scope, initiator)?;
    let beyond = memory.buffers();
    let mut nearer = Bytes(0);
    for cache in &caches {
        let level = format!("L{}", cache.level);
        let wanted = footprint_within(cache.size, nearer);
        // No buffer is larger than that of the chase through memory, which --buffer and free memory limit.
        let size = wanted.min(beyond);
        if size < wanted && size < nearer * BEYOND_CACHE {
            let reason = format!("a buffer of {size} does not exceed the {nearer} cache; {wanted} does");
            let what = format!("{}, {level}", EXPERIMENT.descriptor.name());
            warnings.push(skipped(what, &reason));
        } else {
            measurements.push(point(scope, initiator, size, Some(&level)));
        }
        nearer = cache.size;
    }
    let within = (!scope.simulated).then(|| within_pages(&memory));
    let memory_rank = measurements.len();
    measurements.push(memory);
    measurements.extend(within);
    let full = scope.options.effort == Effort::Full;
    let guest = !scope.simulated && scope.machine.system.hypervisor.is_some();
    let claim = match caches.as_slice() {
        [.., before, last] if guest => {
            let sizes = sizes_within(last.size, before.size).into_iter().filter(|&size| size <= beyond);
            let first = measurements.len();
            let sizes: Vec<Bytes> = sizes.collect();
            measurements.extend(sizes.iter().map(|&size| point(scope, initiator, size, None)));
            let within = (first..).zip(sizes).collect();
            Some(CacheClaim { advertised: last.size, within, memory: memory_rank })
        }
        _ => None,
    };
    if full || caches.is_empty() {
        let known = |size: &Bytes| {
            claim.as_ref().is_none_or(|claim| claim.within.iter().all(|(_, within)| within != size))
        };
        let curve: Vec<Bytes> =
            curve_sizes(beyond, if full { 2 } else { 1 }).into_iter().filter(known).collect();
        measurements.extend(curve.into_iter().map(|size| point(scope, initiator, size, None)));
    }
    Ok(Plan { claim, warnings, ..Plan::in_order(measurements) })
}

/// A footprint that misses the `nearer` cache and fits a cache of `size` with room to spare. It is halfway between them on
/// a logarithmic scale, so that it still fits when other cores or, unseen, other virtual machines occupy part of a shared
/// cache. To miss the nearer cache, it is at least four times as large (see [`crate::footprint`]), unless that exceeds half
/// of this cache.
fn footprint_within(size: Bytes, nearer: Bytes) -> Bytes {
    let halfway = (size.get() as f64 * nearer.get() as f64).sqrt() as u64;
    let beyond = (nearer.get() * 4).min(size.get() / 2);
    let wanted = if nearer == Bytes(0) { size.get() / 2 } else { halfway.max(beyond) };
    Bytes((wanted & !(STEP - 1)).max(STEP))
}

/// The chase far beyond all caches.
fn memory(scope: &Scope, initiator: &Initiator) -> Result<Measurement, ExperimentError> {
    let at = Coordinates::new().with(Axis::Level, "memory");
    let from = (initiator.node, scope.quiet_pu(initiator));
    // The same buffer as in the latency matrix, so that one survey measures it once.
    let preparations = scope.destinations().len();
    let mut memory = scope.memory_chase(from, &scope.local(), preparations, at, "memory".to_owned())?;
    let size = memory.buffers();
    memory.at = memory.at.with(Axis::Footprint, size.get());
    Ok(memory)
}

/// Pages that the chase through memory stays within for a while: few enough for any first-level TLB, where a processor has
/// one for pages of that size.
const PAGES: u16 = 64;

/// The same chase through memory, but within 64 pages at a time. The difference is the share of address translation, and of what
/// memory gains by staying in one part of it.
fn within_pages(memory: &Measurement) -> Measurement {
    let mut within = memory.clone();
    within.at = within.at.with(Axis::Level, "memory_in_64_pages");
    within.label = format!("memory, {PAGES} pages at a time");
    for worker in &mut within.workload.workers {
        if let Activity::Chase { pages, .. } = &mut worker.activity {
            *pages = Some(PAGES);
        }
    }
    within
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
        twin: None,
        label: level.map_or_else(|| size.to_string(), |level| format!("{level}, {size}")),
        workload: scope.workload(vec![chaser(scope.quiet_pu(initiator), placement, size, chains)]),
        readings: vec![Reading::Latency],
        fill_time: false,
        pace: Pace::CacheLatency,
        warnings: Vec::new(),
    }
}

/// Sizes from the smallest to `largest`: every power of two and, with two points per octave, one halfway to the next.
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
    fn footprints_are_between_two_levels() {
        assert_eq!(footprint_within(Bytes::kib(32), Bytes(0)), Bytes::kib(16));
        assert_eq!(footprint_within(Bytes::mib(64), Bytes::mib(1)), Bytes::mib(8));
        // Levels near each other: half of the outer one.
        assert_eq!(footprint_within(Bytes::mib(8), Bytes::mib(1)), Bytes::mib(4));
        assert_eq!(footprint_within(Bytes(0), Bytes::mib(1)), Bytes::kib(4));
    }

    #[test]
    fn the_curve_has_even_steps_and_ends_at_the_largest_size() {
        assert_eq!(curve_sizes(Bytes::kib(20), 2), [8, 12, 16].map(Bytes::kib));
        assert_eq!(curve_sizes(Bytes::kib(32), 1), [8, 16, 32].map(Bytes::kib));
        assert!(curve_sizes(Bytes(0), 2).is_empty());
    }
}
