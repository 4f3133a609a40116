//! Bandwidth over the number of active cores: a ramp's rise, its peak, and its fall, if any.

use zerohop_result::{Axis, Cell, Measure};

use crate::number::significant;
use crate::sheet::{Head, Sheet};
use crate::svg::bars::plain;
use crate::svg::canvas::{Canvas, Point, Type, at};
use crate::svg::palette::{CATEGORIES, DOUBT, FAINT, HAIRLINE, INK};
use crate::svg::panel::{Breadth, Panel};
use crate::svg::scale::Scale;

const LEFT: f64 = 46.0;
const BOTTOM: f64 = 262.0;
const HEIGHT: f64 = 300.0;

/// A panel of a sheet with bandwidths by cores per node; `None` for any other.
pub(crate) fn rise(sheet: &Sheet<'_>) -> Option<Panel> {
    if sheet.row_axis != Some(Axis::CoresPerNode) {
        return None;
    }
    let column = sheet.columns.iter().position(|head| *head == Head::Measure(Measure::Bandwidth))?;
    let points: Vec<(u64, &Cell)> =
        sheet.rows.iter().filter_map(|row| Some((row.head.number()?, row.cells[column]?))).collect();
    let breadth = Breadth::Half;
    let right = breadth.content() - 16.0;
    let most_cores = points.iter().map(|point| point.0).max()?;
    let most = points.iter().map(|point| point.1.estimate.high).fold(0.0, f64::max);
    let across = Scale::from_zero(most_cores as f64, LEFT, right);
    // Room above for the peak's number.
    let up = Scale::from_zero(most * 1.1, BOTTOM, 8.0);

    let mut drawing = Canvas::default();
    for tick in up.ticks() {
        drawing.line(at(LEFT, up.at(tick)), at(right, up.at(tick)), HAIRLINE, 1.0);
        drawing.text(at(LEFT - 8.0, up.at(tick) + 4.0), Type::new(10.5).fill(FAINT).end(), &plain(tick));
    }
    for tick in across.ticks().into_iter().filter(|tick| tick.fract() == 0.0) {
        drawing.text(at(across.at(tick), BOTTOM + 15.0), Type::new(10.5).fill(FAINT).middle(), &plain(tick));
    }
    drawing.text(at(right, BOTTOM + 32.0), Type::new(11.0).fill(FAINT).end(), "cores on each node");
    let place = |(cores, cell): &(u64, &Cell)| at(across.at(*cores as f64), up.at(cell.estimate.median));
    let line: Vec<Point> = points.iter().map(place).collect();
    drawing.polyline(&line, CATEGORIES[0], 2.0);
    for (point, spot) in points.iter().zip(&line) {
        let (cores, cell) = point;
        drawing.line(at(spot.x, up.at(cell.estimate.low)), at(spot.x, up.at(cell.estimate.high)), INK, 1.0);
        let name = format!("{cores} per node: {} GB/s", significant(cell.estimate.median));
        drawing.named(&name, |drawing| drawing.dot(*spot, 4.0, CATEGORIES[0]));
    }
    label(&mut drawing, &points, &line, right);
    Some(Panel {
        title: sheet.title.clone(),
        aside: "GB/s of all cores together, over the number of active cores".to_owned(),
        breadth,
        height: HEIGHT,
        drawing,
    })
}

/// An end below this share of the peak is a collapse, as in the rule of the diagnosis.
const COLLAPSE: f64 = 0.6;

/// Labels the peak and, if it is lower, the end: a collapse is called one.
fn label(drawing: &mut Canvas, points: &[(u64, &Cell)], line: &[Point], right: f64) {
    let value = |rank: usize| points[rank].1.estimate.median;
    let Some(peak) = (0..points.len()).max_by(|&one, &other| value(one).total_cmp(&value(other))) else {
        return;
    };
    let mut write = |rank: usize| {
        let share = value(rank) / value(peak);
        let mut lines = vec![format!("{} GB/s", significant(value(rank)))];
        let is_collapse = share < COLLAPSE;
        // Above the value: what is left of the end is where the curve falls.
        lines.extend(is_collapse.then(|| format!("a collapse by {:.0} %", 100.0 * (1.0 - share))));
        let text = Type::new(11.5).bold().middle().fill(if is_collapse { DOUBT } else { INK });
        for (above, words) in lines.iter().enumerate() {
            let half = text.width(words) / 2.0;
            let x = line[rank].x.max(LEFT + half + 4.0).min(right - half);
            drawing.text(at(x, line[rank].y - 10.0 - 15.0 * above as f64), text, words);
        }
    };
    write(peak);
    let last = points.len() - 1;
    if last > peak && points[last].1.estimate.high < points[peak].1.estimate.low {
        write(last);
    }
}
