//! Loaded latencies, read off curves at the same bandwidths if the runs were paced differently.
//!
//! A pilot chooses the delays of each run on a host so that its points are evenly spaced: two runs seldom share them.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_result::{
    Axis, Cell, Coordinate, Coordinates, Estimate, ExperimentName, Measure, ResultFile, Warning,
};

use super::configuration::Configuration;

/// Shares of the base's highest bandwidth at which latencies are read off, in percent.
const SHARES: [u32; 3] = [25, 50, 75];

/// The identity of a curve: the coordinates that all of its points share.
type Name = (ExperimentName, Coordinates);

/// Curves for which not all results share the delays.
#[derive(Debug, Default)]
pub(super) struct Curves(BTreeMap<Name, Axes>);

/// What the points of a curve have in common in all results.
#[derive(Debug)]
struct Axes {
    /// Delays that all results have.
    delays: BTreeSet<Coordinate>,
    /// The highest bandwidth in the base, in GB/s.
    top: f64,
}

/// A latency of a curve, with an experiment's name.
pub(super) type ReadOff<'a> = (&'a ExperimentName, Cell);

/// A point of a curve.
#[derive(Debug, Clone, Copy)]
struct Point<'a> {
    latency: &'a Cell,
    bandwidth: Estimate,
}

impl Curves {
    /// Curves of these results. The first is the base.
    pub(super) fn of(results: &[Configuration<'_>]) -> Self {
        let all: Vec<_> = results.iter().flat_map(Configuration::runs).map(points).collect();
        let Some((base, others)) = all.split_first() else { return Self::default() };
        let curves = base.iter().filter_map(|(name, points)| {
            let mut delays: BTreeSet<Coordinate> = points.keys().cloned().collect();
            let mut differ = false;
            for other in others {
                let theirs: BTreeSet<_> = other.get(name)?.keys().cloned().collect();
                differ |= theirs != delays;
                delays.retain(|delay| theirs.contains(delay));
            }
            let top = points.values().map(|point| point.bandwidth.median).fold(0.0, f64::max);
            differ.then(|| (name.clone(), Axes { delays, top }))
        });
        Self(curves.collect())
    }

    /// Whether a cell is a point that other results lack: a value read off its curve replaces it.
    pub(super) fn replace(&self, experiment: &ExperimentName, at: &Coordinates) -> bool {
        let Some(delay) = at.get(Axis::Delay) else { return false };
        let axes = self.0.get(&(experiment.clone(), at.without(Axis::Delay)));
        axes.is_some_and(|axes| !axes.delays.contains(delay))
    }

    /// The latencies of `file` at shares of the base's bandwidth that its curves reach.
    pub(super) fn read_off<'a>(&self, file: &'a ResultFile) -> Vec<ReadOff<'a>> {
        let points = points(file);
        let curves = self.0.iter().filter_map(|(name, axes)| Some((name, axes, points.get(name)?)));
        let latencies = curves.flat_map(|(name, axes, points)| {
            let mut points: Vec<Point<'_>> = points.values().copied().collect();
            points.sort_by(|one, other| one.bandwidth.median.total_cmp(&other.bandwidth.median));
            let experiment = file.experiments.iter().find(|one| one.experiment == name.0);
            let cells = SHARES.iter().filter_map(move |&share| {
                let at = name.1.clone().with(Axis::LoadPercent, share);
                Some((&experiment?.experiment, cell(&points, axes.top * f64::from(share) / 100.0, at)?))
            });
            cells.collect::<Vec<_>>()
        });
        latencies.collect()
    }
}

/// The points of each curve of a result, by their delays.
fn points(file: &ResultFile) -> BTreeMap<Name, BTreeMap<Coordinate, Point<'_>>> {
    let mut curves: BTreeMap<Name, BTreeMap<Coordinate, Point<'_>>> = BTreeMap::new();
    for experiment in &file.experiments {
        let of = |measure| move |cell: &&Cell| cell.measure == measure && cell.at.is_whole();
        let bandwidths = experiment.cells.iter().filter(of(Measure::Bandwidth));
        let bandwidths: BTreeMap<&Coordinates, Estimate> =
            bandwidths.map(|cell| (&cell.at, cell.estimate)).collect();
        for latency in experiment.cells.iter().filter(of(Measure::Latency)) {
            let (Some(delay), Some(&bandwidth)) = (latency.at.get(Axis::Delay), bandwidths.get(&latency.at))
            else {
                continue;
            };
            let name = (experiment.experiment.clone(), latency.at.without(Axis::Delay));
            curves.entry(name).or_default().insert(delay.clone(), Point { latency, bandwidth });
        }
    }
    curves
}

/// The latency at `bandwidth`, between the two points around it.
fn cell(points: &[Point<'_>], bandwidth: f64, at: Coordinates) -> Option<Cell> {
    let pair = points
        .windows(2)
        .find(|pair| pair[0].bandwidth.median <= bandwidth && bandwidth <= pair[1].bandwidth.median)?;
    let [below, above] = [pair[0], pair[1]];
    let width = above.bandwidth.median - below.bandwidth.median;
    let share = if width > 0.0 { (bandwidth - below.bandwidth.median) / width } else { 0.0 };
    let (one, other) = (&below.latency.estimate, &above.latency.estimate);
    let between = |of: fn(&Estimate) -> f64| of(one) * (1.0 - share) + of(other) * share;
    // How much of the latency the error of the bandwidths stands for.
    let slope = if width > 0.0 { ((other.median - one.median) / width).abs() } else { 0.0 };
    let error = |point: Point<'_>| (point.bandwidth.high - point.bandwidth.low) / 2.0;
    let sideways = slope * error(below).max(error(above));
    let median = between(|estimate| estimate.median);
    let reach = |upright: f64| libm::hypot(upright, sideways);
    let nearest = if share < 0.5 { below.latency } else { above.latency };
    Some(Cell {
        at,
        estimate: Estimate {
            median,
            low: median - reach(median - between(|estimate| estimate.low)),
            high: median + reach(between(|estimate| estimate.high) - median),
            min: between(|estimate| estimate.min),
            max: between(|estimate| estimate.max),
            mean: between(|estimate| estimate.mean),
            standard_deviation: between(|estimate| estimate.standard_deviation),
        },
        warnings: Warning::union(below.latency.warnings.iter().chain(&above.latency.warnings)),
        ..nearest.clone()
    })
}
