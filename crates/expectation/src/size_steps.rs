//! Steps of a curve over sizes: where buffers stop fitting into a cache.

use std::collections::BTreeMap;

use zerohop_machine::{CacheKind, Machine};
use zerohop_result::{Axis, Coordinates, ExperimentResult, Measure};
use zerohop_units::Bytes;

/// A curve over sizes, in steps.
#[derive(Debug, Clone, PartialEq)]
pub struct SizeCurve {
    /// Coordinates of the values, without the size.
    pub at: Coordinates,
    pub measure: Measure,
    /// Steps in ascending order of sizes.
    pub steps: Vec<SizeStep>,
}

/// Sizes whose values are alike.
#[derive(Debug, Clone, PartialEq)]
pub struct SizeStep {
    /// Memory level that holds such buffers (`L1`, `memory`), if known.
    pub holder: Option<String>,
    /// The smallest and the largest size.
    pub sizes: (Bytes, Bytes),
    /// The median of its values.
    pub value: f64,
}

/// Neighbours in a step differ by less than this, as a ratio.
const LATENCY_STEP: f64 = 1.5;

/// The same, of bandwidths: caches differ less in them.
const BANDWIDTH_STEP: f64 = 1.25;

/// Fewer sizes have no steps.
const FEWEST: usize = 3;

/// No first-level cache of data is larger.
const LARGEST_FIRST: u64 = 256 << 10;

/// Nor is a second-level cache of a core.
const LARGEST_SECOND: u64 = 8 << 20;

/// Nor are all caches that one thread reaches.
const LARGEST_LAST: u64 = 1 << 30;

/// The curves of an experiment over sizes that have steps.
pub fn size_curves(experiment: &ExperimentResult, machine: &Machine) -> Vec<SizeCurve> {
    let mut curves: BTreeMap<(Measure, Coordinates), Vec<(u64, f64)>> = BTreeMap::new();
    for cell in &experiment.cells {
        let Some(size) = cell.at.number(Axis::Footprint) else { continue };
        let mut at = cell.at.clone();
        at.0.remove(&Axis::Footprint);
        curves.entry((cell.measure, at)).or_default().push((size, cell.estimate.median));
    }
    let curves = curves.into_iter().filter_map(|((measure, at), mut points)| {
        points.sort_by_key(|point| point.0);
        let steps = steps(&points, measure);
        let several = points.len() >= FEWEST && steps.len() > 1;
        several.then(|| SizeCurve { at, measure, steps: named(steps, &capacities(machine)) })
    });
    curves.collect()
}

/// Sizes in ascending order, divided where values leave those before them.
fn steps(points: &[(u64, f64)], measure: Measure) -> Vec<SizeStep> {
    let apart = if measure == Measure::Latency { LATENCY_STEP } else { BANDWIDTH_STEP };
    let mut groups: Vec<Vec<(u64, f64)>> = Vec::new();
    for &(size, value) in points {
        let is_alike = groups.last().and_then(|group| Some(group.first()?.1)).is_some_and(|first| {
            let ratio = value / first;
            ratio < apart && ratio > 1.0 / apart
        });
        match groups.last_mut().filter(|_| is_alike) {
            Some(group) => group.push((size, value)),
            None => groups.push(vec![(size, value)]),
        }
    }
    let steps = groups.into_iter().filter_map(|group| {
        let sizes = (Bytes(group.first()?.0), Bytes(group.last()?.0));
        let value = zerohop_statistics::median(group.iter().map(|point| point.1))?;
        Some(SizeStep { holder: None, sizes, value })
    });
    steps.collect()
}

/// The capacities of the caches of data that one thread reaches, by level, where the machine shows them.
fn capacities(machine: &Machine) -> Vec<(u8, u64)> {
    let mut known: BTreeMap<u8, u64> = BTreeMap::new();
    for cache in machine.caches.iter().filter(|cache| cache.kind != CacheKind::Instruction) {
        known.insert(cache.level, cache.size.get());
    }
    for cache in machine.stated.caches.iter().filter(|cache| cache.kind != CacheKind::Instruction) {
        if let Some(one) = cache.one {
            known.entry(cache.level).or_insert(one.get());
        }
    }
    known.into_iter().collect()
}

/// Names the steps: by the capacities of caches or, where these are not known, by their order if their sizes are those that caches have.
fn named(mut steps: Vec<SizeStep>, capacities: &[(u8, u64)]) -> Vec<SizeStep> {
    let largest = |step: &SizeStep| step.sizes.1.get();
    if !capacities.is_empty() {
        for step in &mut steps {
            let fitting = capacities.iter().find(|(_, capacity)| largest(step) <= *capacity);
            step.holder = Some(fitting.map_or_else(|| "memory".to_owned(), |(level, _)| format!("L{level}")));
        }
        return steps;
    }
    let bounds = [("L1", LARGEST_FIRST), ("L2", LARGEST_SECOND), ("L3", LARGEST_LAST)];
    let last = steps.len().saturating_sub(1);
    // A curve may descend in more steps than there are caches: the beginning alone is then certain.
    for (rank, ((name, bound), step)) in bounds.into_iter().zip(&mut steps).enumerate() {
        if rank == last || largest(step) > bound {
            break;
        }
        step.holder = Some(name.to_owned());
    }
    if last == bounds.len() && steps.iter().take(last).all(|step| step.holder.is_some()) {
        steps[last].holder = Some("beyond L3".to_owned());
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holders(points: &[(u64, f64)], measure: Measure, capacities: &[(u8, u64)]) -> Vec<Option<String>> {
        named(steps(points, measure), capacities).into_iter().map(|step| step.holder).collect()
    }

    #[test]
    fn a_curve_through_three_caches_has_their_names() {
        let points = [
            (8 << 10, 140.0),
            (32 << 10, 136.0),
            (256 << 10, 90.0),
            (512 << 10, 88.0),
            (4 << 20, 50.0),
            (64 << 20, 12.0),
        ];
        let names: Vec<_> = holders(&points, Measure::Bandwidth, &[]).into_iter().flatten().collect();
        assert_eq!(names, ["L1", "L2", "L3", "beyond L3"]);
        let latencies = points.map(|(size, value)| (size, 200.0 / value));
        assert_eq!(holders(&latencies, Measure::Latency, &[]).len(), 4);
    }

    #[test]
    fn capacities_decide_where_they_are_known() {
        let points = [(16 << 10, 1.2), (1 << 20, 4.0), (256 << 20, 90.0)];
        let known = [(1, 48 << 10), (2, 2 << 20), (3, 60 << 20)];
        let names: Vec<_> = holders(&points, Measure::Latency, &known).into_iter().flatten().collect();
        assert_eq!(names, ["L1", "L2", "memory"]);
    }

    #[test]
    fn sizes_that_no_first_cache_has_are_not_named() {
        let points = [(1 << 20, 4.0), (32 << 20, 20.0), (512 << 20, 90.0)];
        assert_eq!(holders(&points, Measure::Latency, &[]), [None, None, None]);
    }
}
