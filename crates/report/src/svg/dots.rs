//! A family of values as dots: one for each node, stacked where they are alike.

use zerohop_fleet::Distribution;

use crate::fleet_words::value as shown;
use crate::measure::shown_unit;
use crate::svg::bars::plain;
use crate::svg::canvas::{Area, Canvas, Point, Type, area, at};
use crate::svg::fleet_dot::Dot;
use crate::svg::name_tags::{NameTag, name_tags};
use crate::svg::palette::{CATEGORIES, FAINT, HAIRLINE, INK};
use crate::svg::panel::{Breadth, Panel};
use crate::svg::scale::Scale;

const TOP: f64 = 50.0;
const BOTTOM: f64 = 190.0;
const HEIGHT: f64 = 222.0;

/// A column of dots, and the largest step from one to the next above it.
const COLUMN: f64 = 6.0;
const STEP: f64 = 13.0;

const SOUND: f64 = 2.5;
const BAD: f64 = 4.5;

/// Red is for faults alone.
const FAULT: &str = "#a3262a";

/// Rows for the names of bad nodes, between the usual value and the dots.
const ROWS: usize = 2;

/// A panel of the values; `None` if no node has one.
pub(crate) fn dots(distribution: &Distribution, usual: f64, nodes: &[Dot<'_>]) -> Option<Panel> {
    let measure = distribution.scope.measure;
    let dimension = measure.dimension();
    let mut values: Vec<(f64, &Dot<'_>)> = distribution
        .values
        .iter()
        .zip(nodes)
        .filter_map(|(value, node)| Some((value.filter(|value| value.is_finite())?, node)))
        .collect();
    values.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (least, most) = (values.first()?.0.min(usual), values.last()?.0.max(usual));
    let breadth = Breadth::Half;
    let [least, most] = [least, most].map(|end| dimension.shown(end));
    let across = Scale::between(least, most, 12.0, breadth.content() - 12.0);
    let x = |value: f64| across.at(dimension.shown(value));

    let mut drawing = Canvas::default();
    for tick in across.ticks() {
        drawing.line(at(across.at(tick), TOP), at(across.at(tick), BOTTOM), HAIRLINE, 1.0);
        let text = Type::new(10.5).fill(FAINT).middle();
        drawing.text(at(across.at(tick), BOTTOM + 16.0), text, &plain(tick));
    }
    drawing.line(at(x(usual), TOP - 36.0), at(x(usual), BOTTOM), INK, 1.5);
    let label = Type::new(11.5).middle();
    let words = format!("usual: {}", shown(measure, usual));
    let half = label.width(&words) / 2.0;
    let middle = x(usual).max(half).min(breadth.content() - half);
    drawing.text(at(middle, TOP - 40.0), label, &words);

    let places = stacked(values.iter().map(|(value, _)| x(*value)));
    // Bad ones last, so that nothing covers them.
    let (bad, sound): (Vec<_>, Vec<_>) =
        values.iter().zip(places).partition(|((_, node), _)| node.bad.is_some());
    let unit = shown_unit(measure);
    for ((value, node), place) in sound.into_iter().chain(bad.iter().copied()) {
        let words = format!("{} {unit}", shown(measure, *value));
        // Rims of thousands of dots would cover these.
        let draw = |drawing: &mut Canvas| match node.bad {
            Some(_) => drawing.dot(place, BAD, FAULT),
            None => drawing.rect(around(place), SOUND, CATEGORIES[0]),
        };
        node.draw(&mut drawing, words.trim_end(), draw);
    }
    let is_lost = |node: &Dot<'_>| {
        node.bad.is_some_and(|bad| bad.deficits.iter().any(|one| one.scope == distribution.scope))
    };
    let lost = bad.iter().filter(|((_, node), _)| is_lost(node));
    let lost: Vec<(Point, &str)> =
        lost.map(|((_, node), place)| (*place, node.member.node.as_str())).collect();
    let label = Type::new(11.0);
    for NameTag { left, base, words, .. } in name_tags(&lost, ROWS, breadth.content(), label.width("n")) {
        drawing.text(at(left, base), label, &words);
    }
    let aside = match unit {
        "" => "one dot per node; large dots are bad nodes".to_owned(),
        unit => format!("{unit} · one dot per node; large dots are bad nodes"),
    };
    Some(Panel { title: distribution.scope.to_string(), aside, breadth, height: HEIGHT, drawing })
}

/// The square around a dot, whose corners are rounded until none is left.
fn around(place: Point) -> Area {
    area(place.x - SOUND, place.y - SOUND, 2.0 * SOUND, 2.0 * SOUND)
}

/// Places on the axis, of which those that would cover each other are stacked: as high as they are many, and no higher than the panel.
fn stacked(ascending: impl Iterator<Item = f64>) -> Vec<Point> {
    let columns: Vec<i64> = ascending.map(|x| (x / COLUMN).round() as i64).collect();
    let most = columns.chunk_by(|one, other| one == other).map(<[i64]>::len).max().unwrap_or(1);
    let step = STEP.min((BOTTOM - TOP - 2.0 * BAD) / most as f64);
    let column = |column: &[i64]| -> Vec<Point> {
        let place = |rank: usize| at(column[0] as f64 * COLUMN, BOTTOM - BAD - rank as f64 * step);
        (0..column.len()).map(place).collect()
    };
    columns.chunk_by(|one, other| one == other).flat_map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_has_a_place_of_its_own_within_the_panel() {
        let places = stacked((0..5000).map(|rank| 100.0 + f64::from(rank / 1000) * 20.0));
        assert_eq!(places.len(), 5000);
        assert!(places.iter().all(|place| place.y <= BOTTOM && place.y >= TOP));
        assert!(places.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
