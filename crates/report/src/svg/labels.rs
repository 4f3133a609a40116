//! Labels next to spots of a drawing, without overlap.

use crate::svg::canvas::{Area, Canvas, Point, Type, area, at};
use crate::svg::palette::FAINT;

/// Between a spot and its label, ring by ring.
const RINGS: [f64; 6] = [10.0, 22.0, 36.0, 52.0, 70.0, 90.0];
/// A label farther from its spot than this has a line to it.
const NEAR: f64 = 16.0;
/// Between two looks along a line, and looks along the line to a label.
const STEP: f64 = 6.0;
const LOOKS: u8 = 12;
/// What a line of text has above and below its base line, as a share of its size.
const RISE: f64 = 0.8;
const FALL: f64 = 0.25;

/// Occupied parts of an area that contains the labels.
pub(super) struct Labels {
    within: Area,
    taken: Vec<Area>,
    /// Texts, which no line to a label may cross either.
    texts: Vec<Area>,
}

impl Labels {
    /// None, within an area.
    pub(super) const fn within(within: Area) -> Self {
        Self { within, taken: Vec::new(), texts: Vec::new() }
    }

    /// A spot that no label may cover.
    pub(super) fn keep_clear(&mut self, spot: Point, radius: f64) {
        self.taken.push(area(spot.x - radius, spot.y - radius, 2.0 * radius, 2.0 * radius));
    }

    /// A line that no label may cover.
    pub(super) fn keep_clear_along(&mut self, line: &[Point]) {
        for pair in line.windows(2) {
            let steps = (libm::hypot(pair[1].x - pair[0].x, pair[1].y - pair[0].y) / STEP).ceil().max(1.0);
            for step in 0..steps as usize {
                self.keep_clear(between(pair[0], pair[1], step as f64 / steps), 2.0);
            }
        }
    }

    /// A text that was drawn with its base line here.
    pub(super) fn take(&mut self, base: Point, size: f64, width: f64) {
        self.texts.push(of_text(base, size, width));
    }

    /// Writes a label at a free place, as near to its spot as possible: preferably to the lower right, where a rising curve leaves room. Without such
    /// a place it is not written, and the return value says so.
    pub(super) fn write(
        &mut self,
        drawing: &mut Canvas,
        spot: Point,
        look: Type,
        size: f64,
        words: &str,
    ) -> bool {
        let width = look.width(words);
        let bases = RINGS.iter().flat_map(|ring| {
            let (right, left) = (spot.x + ring, spot.x - ring - width);
            let (below, above) = (spot.y + ring + size * RISE, spot.y - ring);
            let (beside, over) = (spot.y + size * 0.3, spot.x - width / 2.0);
            [
                at(right, below - ring / 2.0),
                at(right, beside),
                at(over, below),
                at(left, above),
                at(over, above),
                at(left, beside),
                at(right, above),
                at(left, below),
            ]
        });
        let is_free = |base: &Point| {
            let own = of_text(*base, size, width);
            let crosses = |text: &Area| {
                let nearest = nearest(own, spot);
                (1..=LOOKS)
                    .any(|look| is_in(*text, between(spot, nearest, f64::from(look) / f64::from(LOOKS + 1))))
            };
            contains(self.within, own)
                && !self.taken.iter().chain(&self.texts).any(|taken| overlap(*taken, own))
                && !self.texts.iter().any(crosses)
        };
        let Some(base) = bases.into_iter().find(is_free) else { return false };
        let own = of_text(base, size, width);
        let nearest = nearest(own, spot);
        if libm::hypot(nearest.x - spot.x, nearest.y - spot.y) > NEAR {
            drawing.line(spot, nearest, FAINT, 1.0);
        }
        drawing.text(base, look, words);
        self.texts.push(own);
        true
    }
}

/// The place of an area that is nearest to a spot.
fn nearest(own: Area, spot: Point) -> Point {
    at(spot.x.clamp(own.x, own.x + own.width), spot.y.clamp(own.y, own.y + own.height))
}

fn between(from: Point, to: Point, share: f64) -> Point {
    at(from.x + share * (to.x - from.x), from.y + share * (to.y - from.y))
}

fn is_in(area: Area, spot: Point) -> bool {
    overlap(area, Area { x: spot.x, y: spot.y, width: 0.0, height: 0.0 })
}

fn of_text(base: Point, size: f64, width: f64) -> Area {
    area(base.x, base.y - size * RISE, width, size * (RISE + FALL))
}

fn contains(outer: Area, inner: Area) -> bool {
    inner.x >= outer.x
        && inner.y >= outer.y
        && inner.x + inner.width <= outer.x + outer.width
        && inner.y + inner.height <= outer.y + outer.height
}

fn overlap(one: Area, other: Area) -> bool {
    one.x < other.x + other.width
        && other.x < one.x + one.width
        && one.y < other.y + other.height
        && other.y < one.y + one.height
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn labels_cover_neither_each_other_nor_a_spot(spots in prop::collection::vec((10.0..490.0f64, 10.0..290.0f64), 1..9)) {
            let mut labels = Labels::within(area(0.0, 0.0, 500.0, 300.0));
            for &(x, y) in &spots {
                labels.keep_clear(at(x, y), 4.0);
            }
            let mut drawing = Canvas::default();
            for &(x, y) in &spots {
                labels.write(&mut drawing, at(x, y), Type::new(11.0), 11.0, "program: 95.0 GB/s");
            }
            let (clear, written) = (&labels.taken, &labels.texts);
            for (rank, one) in written.iter().enumerate() {
                prop_assert!(contains(labels.within, *one));
                prop_assert!(!written[..rank].iter().any(|other| overlap(*one, *other)));
                prop_assert!(!clear.iter().any(|spot| overlap(*one, *spot)));
            }
        }
    }

    #[test]
    fn where_there_is_no_room_nothing_is_written() {
        let mut labels = Labels::within(area(0.0, 0.0, 50.0, 30.0));
        let mut drawing = Canvas::default();
        assert!(!labels.write(&mut drawing, at(20.0, 20.0), Type::new(11.0), 11.0, "a long name: 95.0 GB/s"));
        assert_eq!(drawing, Canvas::default());
    }
}
