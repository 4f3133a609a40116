//! Latency over bandwidth as the load grows.

use std::collections::HashMap;

use zerohop_expectation::Expectations;
use zerohop_result::{Axis, Cell, Measure};

use crate::expected_words::Ends;
use crate::number::significant;
use crate::sheet::{Head, Sheet};
use crate::svg::bars::plain;
use crate::svg::canvas::{Canvas, Point, Type, area, at};
use crate::svg::curve_marks::{BAND, Beside, OnCurve};
use crate::svg::labels::Labels;
use crate::svg::palette::{CATEGORIES, FAINT, HAIRLINE, INK};
use crate::svg::panel::{Breadth, Panel};
use crate::svg::scale::Scale;

const LEFT: f64 = 46.0;
const BOTTOM: f64 = 262.0;
const HEIGHT: f64 = 300.0;
/// Between an axis's numbers and its zero.
const INSET: f64 = 8.0;

/// A point: its latency, its bandwidth, and its delay in words.
type Measured<'a> = (&'a Cell, &'a Cell, String);

/// The points of one curve.
pub(super) struct Series<'a> {
    /// Name in words, if there are several.
    pub(super) name: Option<String>,
    points: Vec<Measured<'a>>,
}

/// The curves of a sheet: one, or one for each head of its rows.
pub(super) fn series<'a>(sheet: &Sheet<'a>) -> Option<Vec<Series<'a>>> {
    let column = |measure| sheet.columns.iter().position(|head| *head == Head::Measure(measure));
    let (latency, bandwidth) = (column(Measure::Latency)?, column(Measure::Bandwidth)?);
    let several = sheet.row_axis != Some(Axis::Delay);
    let mut all: Vec<Series<'a>> = Vec::new();
    let mut places: HashMap<Option<String>, usize> = HashMap::new();
    for row in &sheet.rows {
        let (Some(latency), Some(bandwidth)) = (row.cells[latency], row.cells[bandwidth]) else { continue };
        let (name, delay) = match several {
            true => (Some(row.head.in_full()), row.note.clone()),
            false => (None, format!("delay {}", row.head.in_short())),
        };
        let point = (latency, bandwidth, delay);
        let place = *places.entry(name).or_insert_with_key(|name| {
            all.push(Series { name: name.clone(), points: Vec::new() });
            all.len() - 1
        });
        all[place].points.push(point);
    }
    (!all.is_empty()).then_some(all)
}

/// A panel of a sheet that has latencies and bandwidths; `None` without both.
pub(super) fn curve(sheet: &Sheet<'_>, beside: Beside<'_>) -> Option<Panel> {
    Some(curves(sheet.title.clone(), &series(sheet)?, Breadth::Half, Some(beside)))
}

/// A panel of these curves; a single one is shown with its expectation and with programs.
pub(super) fn curves(
    title: String,
    all: &[Series<'_>],
    breadth: Breadth,
    beside: Option<Beside<'_>>,
) -> Panel {
    let only = all.first().filter(|_| all.len() == 1);
    let beside = beside.zip(only);
    let points = || all.iter().flat_map(|series| &series.points);
    let band = beside.map_or(Vec::new(), |(beside, series)| band(beside, series));
    let programs = beside.map_or(Vec::new(), |(beside, series)| programs(beside, series));
    let most = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
    let most_bandwidth =
        most(&mut points().map(|point| point.1.estimate.high).chain(programs.iter().map(OnCurve::bandwidth)));
    let most_latency = most(
        &mut points()
            .map(|point| point.0.estimate.high)
            .chain(programs.iter().filter_map(|program| program.latency))
            .chain(band.iter().map(|(_, _, high)| *high)),
    );
    // Almost no load is a point near the axis: it stays clear of the axis's numbers.
    let across = Scale::from_zero(most_bandwidth, LEFT + INSET, breadth.content() - 16.0);
    let up = Scale::from_zero(most_latency, BOTTOM, 8.0);

    let mut drawing = Canvas::default();
    if band.len() > 1 {
        let low = band.iter().map(|&(bandwidth, low, _)| at(across.at(bandwidth), up.at(low)));
        let high = band.iter().rev().map(|&(bandwidth, _, high)| at(across.at(bandwidth), up.at(high)));
        drawing.polygon(&low.chain(high).collect::<Vec<_>>(), BAND, "none");
    }
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
    let place = |(latency, bandwidth, _): &Measured<'_>| {
        at(across.at(bandwidth.estimate.median), up.at(latency.estimate.median))
    };
    let mut labels = Labels::within(area(LEFT + 2.0, 2.0, breadth.content() - LEFT - 4.0, BOTTOM - 4.0));
    for (rank, Series { name, points }) in all.iter().enumerate() {
        let colour = CATEGORIES[rank % CATEGORIES.len()];
        let line: Vec<Point> = points.iter().map(place).collect();
        drawing.polyline(&line, colour, 2.0);
        for point in points {
            let (latency, bandwidth, delay) = point;
            let spot = place(point);
            let high = at(spot.x, up.at(latency.estimate.high));
            drawing.line(at(spot.x, up.at(latency.estimate.low)), high, INK, 1.0);
            let name = name.as_ref().map_or(String::new(), |name| format!("{name}, "));
            let name = format!(
                "{name}{delay}: {} ns at {} GB/s",
                significant(latency.estimate.median),
                significant(bandwidth.estimate.median)
            );
            drawing.named(&name, |drawing| drawing.dot(spot, 4.0, colour));
        }
        match name {
            None => {
                labels.keep_clear_along(&line);
                line.iter().for_each(|spot| labels.keep_clear(*spot, 5.0));
                for program in &programs {
                    labels.keep_clear(program.spot([&across, &up], end_of(points, &line)), 7.0);
                }
                label_ends(&mut drawing, points, &line, &mut labels);
                for program in &programs {
                    program.draw(&mut drawing, &mut labels, [&across, &up], end_of(points, &line));
                }
            }
            Some(name) => {
                // A key in the corner that latencies under load leave free: above the points of light loads.
                let y = 22.0 + 17.0 * rank as f64;
                if y > BOTTOM {
                    continue;
                }
                drawing.rect(area(LEFT + 10.0, y - 9.0, 11.0, 11.0), 2.0, colour);
                drawing.text(at(LEFT + 26.0, y), Type::new(11.5), name);
            }
        }
    }
    let mut aside = "latency in ns, over the bandwidth of the cores that load memory".to_owned();
    if band.len() > 1 {
        aside.push_str(" · green: as expected");
    }
    Panel { title, aside, breadth, height: HEIGHT, drawing }
}

/// The expected ends of the latencies of a curve, by ascending bandwidth: GB/s, and ns.
fn band(beside: Beside<'_>, series: &Series<'_>) -> Vec<(f64, f64, f64)> {
    let cells = beside.expectations.map(Expectations::by_place).unwrap_or_default();
    let ends = beside.expectations.map(Ends::of).unwrap_or_default();
    let of = |(latency, bandwidth, _): &Measured<'_>| {
        let (low, high) = beside.expected(latency, (&cells, &ends))?;
        Some((bandwidth.estimate.median, low, high))
    };
    let mut band: Vec<(f64, f64, f64)> = series.points.iter().filter_map(of).collect();
    band.sort_by(|one, other| one.0.total_cmp(&other.0));
    band
}

/// The programs beside a curve.
fn programs<'a>(beside: Beside<'a>, series: &Series<'_>) -> Vec<OnCurve<'a>> {
    series.points.first().map_or(Vec::new(), |(latency, ..)| beside.on_curve(latency))
}

/// The point of the heaviest load.
fn end_of(points: &[Measured<'_>], line: &[Point]) -> Point {
    let by_load = |one: &usize, other: &usize| {
        points[*one].1.estimate.median.total_cmp(&points[*other].1.estimate.median)
    };
    (0..points.len()).max_by(by_load).map_or(at(LEFT, BOTTOM), |rank| line[rank])
}

/// A label above a point that is higher than this would leave the drawing.
const TOP_OF_LABELS: f64 = 24.0;

/// Labels the points of the lightest and of the heaviest load.
fn label_ends(drawing: &mut Canvas, points: &[Measured<'_>], line: &[Point], labels: &mut Labels) {
    let words = |(latency, bandwidth, _): &Measured<'_>| {
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
    let place = at(line[light].x.max(LEFT + 8.0), line[light].y + 22.0);
    drawing.text(place, text, &words(&points[light]));
    labels.take(place, 11.5, text.width(&words(&points[light])));
    if heavy != light {
        let Point { x, y } = line[heavy];
        // Near the top, the label would run into the panel's own words: beside the point, the curve rises out of its way.
        let place = if y < TOP_OF_LABELS { at(x - 12.0, y + 4.0) } else { at(x - 6.0, y - 10.0) };
        drawing.text(place, text.end(), &words(&points[heavy]));
        let width = text.width(&words(&points[heavy]));
        labels.take(at(place.x - width, place.y), 11.5, width);
    }
}
