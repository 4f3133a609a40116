//! Latencies under load of runs that a pilot paced differently.

use zerohop_compare::{ComparisonFile, Configuration, Numbering, Tendency, compare};
use zerohop_result::{Axis, Cell, Coordinates, Estimate, Evidence, ExperimentName, Measure, ResultFile};

use crate::comparisons::{experiment, file};

/// A loaded latency at these delays, on a machine whose latency rises from 100 ns by `rise` ns up to 80 GB/s.
fn loaded(delays: &[u32], rise: f64) -> ResultFile {
    let cells = delays.iter().flat_map(|&delay| {
        let bandwidth = 80.0 * 50.0 / (50.0 + f64::from(delay));
        let latency = 100.0 + rise * bandwidth / 80.0;
        [(Measure::Latency, latency), (Measure::Bandwidth, bandwidth)].map(|(measure, value)| {
            let (low, high) = (value * 0.99, value * 1.01);
            let estimate = Estimate { low, high, ..Estimate::exact(value) };
            let at = Coordinates::new().with(Axis::Initiator, 0u32).with(Axis::Delay, delay);
            let (evidence, warnings) = (Evidence::default(), Vec::new());
            Cell { at, measure, estimate, evidence, samples: vec![value], warnings }
        })
    });
    file(vec![experiment(ExperimentName::known("loaded-latency"), cells.collect())])
}

fn compared(base: &ResultFile, other: &ResultFile) -> ComparisonFile {
    let named = [("base", base), ("other", other)];
    compare(&named.map(|(name, result)| Configuration { name, result, repeats: &[] }), Numbering::ByTopology)
        .unwrap()
}

/// The load in percent, the latency in both, and what is said of it.
fn read_off(comparison: &ComparisonFile) -> Vec<(u64, f64, f64, Tendency)> {
    let cells = comparison.cells.iter().filter_map(|cell| {
        let other = &cell.others[0];
        Some((cell.at.number(Axis::LoadPercent)?, cell.base, other.value, other.tendency))
    });
    cells.collect()
}

/// `compare` of two surveys of a host left out nearly all of their loaded latencies, for "the options differ".
#[test]
fn curves_with_different_delays_are_read_off_at_the_same_bandwidths() {
    let base = loaded(&[0, 30, 70, 160, 500, 20_000], 60.0);
    let unchanged = compared(&base, &loaded(&[0, 35, 81, 190, 620, 20_000], 60.0));
    assert_eq!(unchanged.unmatched, []);
    // Delays that both have are compared as they are.
    assert_eq!(unchanged.cells.iter().filter(|cell| cell.at.get(Axis::Delay).is_some()).count(), 4);
    for ((load, one, other, tendency), percent) in read_off(&unchanged).into_iter().zip([25, 50, 75]) {
        let expected = 100.0 + 60.0 * percent as f64 / 100.0;
        assert_eq!((load, tendency), (percent, Tendency::Same));
        assert!((one - expected).abs() < 1e-9 && (other - expected).abs() < 1e-9, "{one} {other} {expected}");
    }
    let slower = compared(&base, &loaded(&[0, 35, 81, 190, 620, 20_000], 120.0));
    let tendencies: Vec<_> =
        read_off(&slower).into_iter().map(|(load, .., tendency)| (load, tendency)).collect();
    assert_eq!(tendencies, [25, 50, 75].map(|load| (load, Tendency::Worse)));
}

#[test]
fn curves_with_the_same_delays_are_compared_point_by_point() {
    let base = loaded(&[0, 50, 100], 60.0);
    let comparison = compared(&base, &loaded(&[0, 50, 100], 60.0));
    assert_eq!((read_off(&comparison).len(), comparison.cells.len()), (0, 6));
}

#[test]
fn a_load_that_a_machine_does_not_reach_is_not_compared() {
    let base = loaded(&[0, 30, 70, 160, 500, 20_000], 60.0);
    // It reaches 57 GB/s.
    let comparison = compared(&base, &loaded(&[20, 81, 190, 620, 20_000], 60.0));
    let loads: Vec<u64> = read_off(&comparison).into_iter().map(|(load, ..)| load).collect();
    assert_eq!(loads, [25, 50]);
    let [missing] = &comparison.unmatched[..] else { panic!("{:?}", comparison.unmatched) };
    assert_eq!((missing.only_in.as_str(), missing.cells), ("base", 1));
}
