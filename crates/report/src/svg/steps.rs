//! Latency by footprint: a step for each level of the hierarchy, both axes logarithmic.

use zerohop_result::{Axis, Cell, ExperimentResult, Measure, Query, Wanted};
use zerohop_units::Bytes;

use crate::number::significant;
use crate::svg::bars::plain;
use crate::svg::canvas::{Canvas, Point, Type, at};
use crate::svg::palette::{CATEGORIES, FAINT, HAIRLINE};
use crate::svg::panel::{Breadth, Panel};
use crate::svg::scale::Scale;

const LEFT: f64 = 46.0;
const BOTTOM: f64 = 262.0;
const HEIGHT: f64 = 300.0;

/// A panel of the experiment; `None` if no cell has a footprint.
pub(crate) fn steps(result: &ExperimentResult) -> Option<Panel> {
    let query = Query::of(Measure::Latency).at(Axis::Footprint, Wanted::Any);
    let mut cells: Vec<(u64, &Cell)> = result
        .cells
        .iter()
        .filter(|cell| query.selects(cell))
        .filter_map(|cell| Some((cell.at.number(Axis::Footprint).filter(|&size| size > 0)?, cell)))
        .collect();
    cells.sort_by_key(|(size, _)| *size);
    let (first, last) = (cells.first()?.0, cells.last()?.0);
    let values = || cells.iter().map(|(_, cell)| cell.estimate.median).filter(|value| *value > 0.0);
    let breadth = Breadth::Half;
    let right = breadth.content() - 20.0;
    let across = Scale::powers(4.0, first as f64 / 2.0, last as f64 * 2.0, LEFT, right);
    let least = values().fold(f64::INFINITY, f64::min);
    // The first level stays clear of the numbers on the other axis.
    let up = Scale::powers(10.0, least / 1.5, values().fold(0.0, f64::max) * 1.8, BOTTOM, 14.0);

    let mut drawing = Canvas::default();
    for tick in up.power_ticks(10.0) {
        drawing.line(at(LEFT, up.at(tick)), at(right, up.at(tick)), HAIRLINE, 1.0);
        drawing.text(at(LEFT - 8.0, up.at(tick) + 4.0), Type::new(10.5).fill(FAINT).end(), &plain(tick));
    }
    let ticks = across.power_ticks(4.0);
    let every = ticks.len().div_ceil(9);
    for tick in ticks.into_iter().step_by(every.max(1)) {
        drawing.line(at(across.at(tick), BOTTOM), at(across.at(tick), BOTTOM + 4.0), FAINT, 1.0);
        let text = Type::new(10.0).fill(FAINT).middle();
        drawing.text(at(across.at(tick), BOTTOM + 17.0), text, &Bytes(tick as u64).to_string());
    }
    drawing.text(at(right, BOTTOM + 34.0), Type::new(11.0).fill(FAINT).end(), "size of the buffer");
    let spots: Vec<Point> =
        cells.iter().map(|(size, cell)| at(across.at(*size as f64), up.at(cell.estimate.median))).collect();
    // Two values of one size would be a step of no width: the second is a mark below the first.
    let again = |rank: usize| rank > 0 && cells[rank].0 == cells[rank - 1].0;
    let once: Vec<Point> = (0..cells.len()).filter(|&rank| !again(rank)).map(|rank| spots[rank]).collect();
    drawing.polyline(&stairs(&once, right), CATEGORIES[0], 2.0);
    for (rank, ((size, cell), spot)) in cells.iter().zip(&spots).enumerate() {
        let latency = significant(cell.estimate.median);
        let Some(level) = cell.at.get(Axis::Level) else {
            drawing.named(&format!("{}: {latency} ns", Bytes(*size)), |drawing| {
                drawing.dot(*spot, 3.0, CATEGORIES[4]);
            });
            continue;
        };
        let level = level.to_string().replace('_', " ");
        let (radius, color, below) =
            if again(rank) { (3.5, CATEGORIES[4], 18.0) } else { (4.5, CATEGORIES[0], -10.0) };
        let words = format!("{level}  {latency} ns");
        drawing.named(&format!("{level}, {}: {latency} ns", Bytes(*size)), |drawing| {
            drawing.dot(*spot, radius, color);
        });
        let text = Type::new(11.5).middle();
        let text = if again(rank) { text } else { text.bold() };
        let half = text.width(&words) / 2.0;
        drawing.text(at(spot.x.max(LEFT + half).min(right - half), spot.y + below), text, &words);
    }
    Some(Panel {
        title: "latency by level of the hierarchy".to_owned(),
        aside: "ns per dependent load, over buffer size; both axes logarithmic".to_owned(),
        breadth,
        height: HEIGHT,
        drawing,
    })
}

/// Flat from each spot to halfway before the next, and the last one to the edge.
fn stairs(spots: &[Point], right: f64) -> Vec<Point> {
    let mut line = Vec::new();
    for (rank, spot) in spots.iter().enumerate() {
        let begin = if rank == 0 { LEFT } else { f64::midpoint(spots[rank - 1].x, spot.x) };
        let end = spots.get(rank + 1).map_or(right, |next| f64::midpoint(spot.x, next.x));
        line.push(at(begin, spot.y));
        line.push(at(end, spot.y));
    }
    line
}
