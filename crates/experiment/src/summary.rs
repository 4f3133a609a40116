//! Cells that summarize other cells: over cores, or over pairs of cores.

use std::collections::BTreeMap;

use crate::plan::Summary;
use crate::reduce::worst;
use zerohop_result::{Axis, Cell, Estimate, Evidence, Measure};
use zerohop_statistics::{ascending, count_outliers, mean_and_deviation};
use zerohop_workload::{KernelForms, Meters, Warning};

/// The cells of these summaries, from the cells of each measurement by its rank: four for each summary with at least one
/// measurement. If a measurement has several cells, the first counts; the mean of their spreads over cache lines, `over_lines`, is a fifth cell.
pub(crate) fn summarize(summaries: &[Summary], done: &BTreeMap<usize, Vec<Cell>>) -> Vec<Cell> {
    let summaries = summaries.iter().flat_map(|summary| {
        let cells: Vec<&Cell> = summary
            .over
            .iter()
            .filter_map(|which| done.get(which))
            .filter_map(|cells| cells.first())
            .collect();
        let spreads: Vec<&Cell> = summary
            .over
            .iter()
            .filter_map(|which| done.get(which))
            .filter_map(|cells| cells.iter().find(|cell| cell.measure == Measure::LatencySpread))
            .collect();
        let spread =
            statistics(summary, &spreads).into_iter().find(|cell| cell.at.is(Axis::Statistic, "mean"));
        statistics(summary, &cells).into_iter().chain(
            spread.map(|mean| Cell { at: summary.at.clone().with(Axis::Statistic, "over_lines"), ..mean }),
        )
    });
    summaries.collect()
}

/// `min`, `mean`, `max` and `standard_deviation` of the cells' medians. The interval of the mean is the mean of their
/// intervals: it shows how certain the cells are, not how much they differ.
fn statistics(summary: &Summary, cells: &[&Cell]) -> Vec<Cell> {
    let by_median = |one: &&&Cell, other: &&&Cell| one.estimate.median.total_cmp(&other.estimate.median);
    let (Some(least), Some(most)) = (cells.iter().min_by(by_median), cells.iter().max_by(by_median)) else {
        return Vec::new();
    };
    let medians: Vec<f64> = cells.iter().map(|cell| cell.estimate.median).collect();
    let (mean, standard_deviation) = mean_and_deviation(&medians);
    let mean_of = |end: fn(&Estimate) -> f64| {
        cells.iter().map(|cell| end(&cell.estimate)).sum::<f64>() / cells.len() as f64
    };
    let interval = |estimate: &Estimate| (estimate.median, estimate.low, estimate.high);
    let rows = [
        ("min", interval(&least.estimate)),
        ("mean", (mean, mean_of(|estimate| estimate.low), mean_of(|estimate| estimate.high))),
        ("max", interval(&most.estimate)),
        ("standard_deviation", (standard_deviation, standard_deviation, standard_deviation)),
    ];
    let warnings = Warning::union(cells.iter().flat_map(|cell| &cell.warnings));
    let mut evidence = merged(cells);
    evidence.outliers = count_outliers(&ascending(&medians));
    rows.into_iter()
        .map(|(statistic, (median, low, high))| Cell {
            at: summary.at.clone().with(Axis::Statistic, statistic),
            measure: least.measure,
            estimate: Estimate {
                median,
                low,
                high,
                min: least.estimate.median,
                max: most.estimate.median,
                mean,
                standard_deviation,
            },
            evidence: evidence.clone(),
            samples: medians.clone(),
            warnings: warnings.clone(),
        })
        .collect()
}

/// The worst of the cells' evidence.
fn merged(cells: &[&Cell]) -> Evidence {
    let backings: Vec<_> = cells.iter().map(|cell| cell.evidence.backing.clone()).collect();
    let least = |value: fn(&Evidence) -> Option<f64>| {
        cells.iter().filter_map(|cell| value(&cell.evidence)).min_by(f64::total_cmp)
    };
    let most = |value: fn(&Evidence) -> Option<f64>| {
        cells.iter().filter_map(|cell| value(&cell.evidence)).max_by(f64::total_cmp)
    };
    let largest = cells.iter().max_by_key(|cell| (cell.evidence.workers, cell.evidence.buffers));
    let clocks = || cells.iter().filter_map(|cell| cell.evidence.clock_ghz);
    let slowest = clocks().map(|(low, _)| low).min_by(f64::total_cmp);
    let fastest = clocks().map(|(_, high)| high).max_by(f64::total_cmp);
    Evidence {
        workers: largest.map_or(0, |cell| cell.evidence.workers),
        buffers: largest.map_or_else(Default::default, |cell| cell.evidence.buffers),
        backing: worst(&backings),
        cpu_share: least(|evidence| evidence.cpu_share),
        involuntary_switches: cells
            .iter()
            .fold(0, |sum, cell| sum.saturating_add(cell.evidence.involuntary_switches)),
        steal_share: most(|evidence| evidence.steal_share),
        clock_ghz: slowest.zip(fastest),
        apart_ns: cells
            .iter()
            .filter_map(|cell| cell.evidence.apart_ns)
            .reduce(|one, other| (one.0.min(other.0), one.1.max(other.1))),
        other_load: most(|evidence| evidence.other_load),
        disturbed: cells.iter().fold(0, |sum, cell| sum.saturating_add(cell.evidence.disturbed)),
        let_in: cells.iter().fold(0, |sum, cell| sum.saturating_add(cell.evidence.let_in)),
        migrated: cells.iter().fold(0, |sum, cell| sum.saturating_add(cell.evidence.migrated)),
        outliers: 0,
        // The interval of a summary comes from its cells.
        replications: 0,
        rounds: Vec::new(),
        quiet: None,
        at_least: None,
        at_most: None,
        meters: Meters::default(),
        placings: Vec::new(),
        states: Vec::new(),
        round_spread: None,
        unseen_drift: None,
        kernel_forms: KernelForms::new(),
        window: largest.map_or_else(Default::default, |cell| cell.evidence.window),
    }
}
