//! Cells derived from others: times relative to a base, and a curve's peak, knee and fall.
//!
//! The interval of a quotient covers everything it can be: from the numerator's lower end over the denominator's upper
//! end to the numerator's upper end over the denominator's lower end. It is wider than necessary for independent values,
//! and assumes nothing about their distributions.

use std::collections::BTreeMap;

use crate::plan::{Curve, Measurement, Ratio};
use zerohop_result::{Axis, Cell, Estimate, Measure};
use zerohop_workload::Warning;

/// A curve's knee is where it first reaches this share of its peak.
const KNEE: f64 = 0.9;

/// Cells by the rank of their measurement.
type Done = BTreeMap<usize, Vec<Cell>>;

/// The relative times of these ratios, where both sides were measured.
pub(crate) fn relative_times(ratios: &[Ratio], measurements: &[Measurement], done: &Done) -> Vec<Cell> {
    let relative = ratios.iter().flat_map(|ratio| {
        let base = total(&measurements[ratio.base], Measure::TimePerLine, done.get(&ratio.base));
        let measurement = &measurements[ratio.of];
        let cells = done.get(&ratio.of).into_iter().flatten();
        let totals = cells.filter(|cell| {
            cell.measure == Measure::TimePerLine && measurement.places().any(|place| *place == cell.at)
        });
        totals.filter_map(move |cell| {
            let mut relative = quotient(cell, base?)?;
            // A measurement relative to itself is exactly 1.
            if ratio.of == ratio.base {
                relative.estimate.low = 1.0;
                relative.estimate.high = 1.0;
            }
            relative.measure = Measure::RelativeTime;
            Some(relative)
        })
    });
    relative.collect()
}

/// `peak`, `knee` and `fall` of these curves; nothing for a curve that is incomplete.
pub(crate) fn curve_cells(curves: &[Curve], measurements: &[Measurement], done: &Done) -> Vec<Cell> {
    let cells = curves.iter().filter_map(|curve| {
        let point = |which: &usize| total(&measurements[*which], Measure::Bandwidth, done.get(which));
        let points: Vec<&Cell> = curve.over.iter().map(point).collect::<Option<_>>()?;
        let last = *points.last()?;
        // Of equally high points, take the first.
        let peak = points
            .iter()
            .copied()
            .reduce(|peak, point| if median(point) > median(peak) { point } else { peak })?;
        let knee = points.iter().copied().find(|point| median(point) >= KNEE * median(peak))?;
        let mut fall = quotient(last, peak)?;
        fall.measure = Measure::RelativeBandwidth;
        if last.at == peak.at {
            (fall.estimate.low, fall.estimate.high) = (1.0, 1.0);
        }
        // The peak depends on all points.
        let warnings = Warning::union(points.iter().flat_map(|point| &point.warnings));
        let cells = [("peak", peak.clone()), ("knee", knee.clone()), ("fall", fall)];
        Some(cells.map(|(statistic, cell)| Cell {
            at: cell.at.clone().with(Axis::Statistic, statistic),
            warnings: warnings.clone(),
            ..cell
        }))
    });
    cells.flatten().collect()
}

fn median(cell: &Cell) -> f64 {
    cell.estimate.median
}

/// The measurement's own cell of this measure.
fn total<'a>(measurement: &Measurement, measure: Measure, cells: Option<&'a Vec<Cell>>) -> Option<&'a Cell> {
    cells?.iter().find(|cell| cell.measure == measure && cell.at == measurement.at)
}

/// `cell` divided by the median of `base`, at the coordinates of `cell`, with the warnings of both.
fn quotient(cell: &Cell, base: &Cell) -> Option<Cell> {
    let (over, under) = (&cell.estimate, &base.estimate);
    if under.low <= 0.0 {
        return None;
    }
    let scaled = |value: f64| value / under.median;
    Some(Cell {
        estimate: Estimate {
            median: scaled(over.median),
            low: over.low / under.high,
            high: over.high / under.low,
            min: scaled(over.min),
            max: scaled(over.max),
            mean: scaled(over.mean),
            standard_deviation: scaled(over.standard_deviation),
        },
        samples: cell.samples.iter().copied().map(scaled).collect(),
        warnings: Warning::union(cell.warnings.iter().chain(&base.warnings)),
        ..cell.clone()
    })
}
