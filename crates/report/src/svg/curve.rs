//! Latency over bandwidth as the load grows.

use zerohop_result::{Cell, Measure};

use crate::number::significant;
use crate::sheet::{Head, Sheet};
use crate::svg::bars::plain;
use crate::svg::canvas::{Canvas, Point, Type, at};
use crate::svg::palette::{CATEGORIES, FAINT, HAIRLINE, INK};
use crate::svg::panel::{Breadth, Panel};
use crate::svg::scale::Scale;

const LEFT: f64 = 46.0;
const BOTTOM: f64 = 262.0;
const HEIGHT: f64 = 300.0;

/// A panel of a sheet that has latencies and bandwidths; `None` without both.
pub(crate) fn curve(sheet: &Sheet<'_>) -> Option<Panel> {
    let column = |measure| sheet.columns.iter().position(|head| *head == Head::Measure(measure));
    let (latency, bandwidth) = (column(Measure::Latency)?, column(Measure::Bandwidth)?);
    let mut points: Vec<(&Cell, &Cell, String)> = Vec::new();
    for row in &sheet.rows {
        if let (Some(latency), Some(bandwidth)) = (row.cells[latency], row.cells[bandwidth]) {
            points.push((latency, bandwidth, row.head.in_short()));
        }
    }
    if points.is_empty() {
        return None;
    }
    let breadth = Breadth::Half;
    let most = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
    let most_bandwidth = most(&mut points.iter().map(|point| point.1.estimate.high));
    let most_latency = most(&mut points.iter().map(|point| point.0.estimate.high));
    let across = Scale::from_zero(most_bandwidth, LEFT, breadth.content() - 16.0);
    let up = Scale::from_zero(most_latency, BOTTOM, 8.0);

    let mut drawing = Canvas::default();
    for tick in up.ticks() {
        drawing.line(at(LEFT, up.at(tick)), at(breadth.content() - 16.0, up.at(tick)), HAIRLINE, 1.0);
        drawing.text(at(LEFT - 8.0, up.at(tick) + 4.0), Type::new(10.5).fill(FAINT).end(), &plain(tick));
    }
    for tick in across.ticks() {
        drawing.line(at(across.at(tick), 8.0), at(across.at(tick), BOTTOM), HAIRLINE, 1.0);
        drawing.text(at(across.at(tick), BOTTOM + 15.0), Type::new(10.5).fill(FAINT).middle(), &plain(tick));
    }
    let axis = Type::new(11.0).fill(FAINT);
    drawing.text(at(breadth.content() - 16.0, BOTTOM + 32.0), axis.end(), "bandwidth of the load (GB/s)");
    let place = |latency: &Cell, bandwidth: &Cell| {
        at(across.at(bandwidth.estimate.median), up.at(latency.estimate.median))
    };
    let line: Vec<Point> = points.iter().map(|(latency, bandwidth, _)| place(latency, bandwidth)).collect();
    drawing.polyline(&line, CATEGORIES[0], 2.0);
    for (latency, bandwidth, delay) in &points {
        let spot = place(latency, bandwidth);
        let high = at(spot.x, up.at(latency.estimate.high));
        drawing.line(at(spot.x, up.at(latency.estimate.low)), high, INK, 1.0);
        let name = format!(
            "delay {delay}: {} ns at {} GB/s",
            significant(latency.estimate.median),
            significant(bandwidth.estimate.median)
        );
        drawing.named(&name, |drawing| drawing.dot(spot, 4.0, CATEGORIES[0]));
    }
    label_ends(&mut drawing, &points, &line);
    Some(Panel {
        title: sheet.title.clone(),
        aside: "latency in ns, over the bandwidth that other cores take meanwhile".to_owned(),
        breadth,
        height: HEIGHT,
        drawing,
    })
}

/// Labels the points of the lightest and of the heaviest load.
fn label_ends(drawing: &mut Canvas, points: &[(&Cell, &Cell, String)], line: &[Point]) {
    let words = |(latency, bandwidth, _): &(&Cell, &Cell, String)| {
        format!(
            "{} ns at {} GB/s",
            significant(latency.estimate.median),
            significant(bandwidth.estimate.median)
        )
    };
    let by_load = |one: &usize, other: &usize| {
        points[*one].1.estimate.median.total_cmp(&points[*other].1.estimate.median)
    };
    let ranks = || 0..points.len();
    let (Some(light), Some(heavy)) = (ranks().min_by(by_load), ranks().max_by(by_load)) else { return };
    let text = Type::new(11.5).bold();
    // Below where the curve begins and above where it ends: clear of it whether it rises or stays flat.
    drawing.text(at(line[light].x.max(LEFT + 8.0), line[light].y + 22.0), text, &words(&points[light]));
    if heavy != light {
        drawing.text(at(line[heavy].x - 6.0, line[heavy].y - 10.0), text.end(), &words(&points[heavy]));
    }
}
