//! Positions of the links' numbers: each on its own link, clear of other links, of boxes and of each other if there is room.

use crate::svg::canvas::{Area, Point, area, at};

/// Obstacles for labels.
#[derive(Debug, Default)]
pub(super) struct Obstacles {
    /// Links, each from one middle of a box to another.
    links: Vec<[Point; 2]>,
    boxes: Vec<Area>,
    labels: Vec<Area>,
}

/// Fractions of a link's length at which its number may be, the best first.
const PLACES: [f64; 13] = [0.5, 0.45, 0.55, 0.4, 0.6, 0.35, 0.65, 0.3, 0.7, 0.25, 0.75, 0.2, 0.8];

/// Free space around a label.
const MARGIN: f64 = 3.0;

impl Obstacles {
    /// Obstacles of these links between boxes of one size.
    pub(super) fn new(links: Vec<[Point; 2]>, middles: &[Point], (width, height): (f64, f64)) -> Self {
        let of = |middle: &Point| area(middle.x - width / 2.0, middle.y - height / 2.0, width, height);
        Self { links, boxes: middles.iter().map(of).collect(), labels: Vec::new() }
    }

    /// The middle of a label of this size on the link of that rank, shifted by so much: the first of the possible places from `wanted`
    /// that is free, or the one with the fewest conflicts.
    pub(super) fn place(&mut self, rank: usize, wanted: f64, shift: Point, size: (f64, f64)) -> Point {
        let [from, to] = self.links[rank];
        let along = |share: f64| {
            at(from.x + (to.x - from.x) * share + shift.x, from.y + (to.y - from.y) * share + shift.y)
        };
        let ground = |middle: Point| {
            let (width, height) = (size.0 + 2.0 * MARGIN, size.1 + 2.0 * MARGIN);
            area(middle.x - width / 2.0, middle.y - height / 2.0, width, height)
        };
        let candidates = std::iter::once(wanted).chain(PLACES).map(along);
        let best = candidates.min_by_key(|middle| self.conflicts(rank, ground(*middle)));
        let best = best.unwrap_or_else(|| along(wanted));
        self.labels.push(ground(best));
        best
    }

    fn conflicts(&self, rank: usize, ground: Area) -> usize {
        // A link that runs beside this one between the same boxes cannot be avoided.
        let own = self.links[rank];
        let beside = |other: &[Point; 2]| *other == own || [other[1], other[0]] == own;
        let links = self.links.iter().filter(|other| !beside(other) && crosses(**other, ground)).count();
        let boxes = self.boxes.iter().filter(|other| overlap(**other, ground)).count();
        let labels = self.labels.iter().filter(|other| overlap(**other, ground)).count();
        // What lies under a box or another label cannot be read; on a line it can.
        links + 4 * (boxes + labels)
    }
}

fn overlap(one: Area, other: Area) -> bool {
    one.x < other.x + other.width
        && other.x < one.x + one.width
        && one.y < other.y + other.height
        && other.y < one.y + one.height
}

/// Whether a line between two points passes through an area (Liang and Barsky's clipping).
fn crosses([from, to]: [Point; 2], ground: Area) -> bool {
    let (x, y) = (to.x - from.x, to.y - from.y);
    let edges = [
        (-x, from.x - ground.x),
        (x, ground.x + ground.width - from.x),
        (-y, from.y - ground.y),
        (y, ground.y + ground.height - from.y),
    ];
    let (mut enters, mut leaves) = (0.0f64, 1.0f64);
    for (speed, distance) in edges {
        if speed == 0.0 {
            if distance < 0.0 {
                return false;
            }
        } else if speed < 0.0 {
            enters = enters.max(distance / speed);
        } else {
            leaves = leaves.min(distance / speed);
        }
    }
    enters < leaves
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: (f64, f64) = (60.0, 17.0);

    #[test]
    fn a_line_crosses_what_it_passes_through() {
        let ground = area(10.0, 10.0, 20.0, 10.0);
        assert!(crosses([at(0.0, 0.0), at(40.0, 30.0)], ground));
        assert!(crosses([at(15.0, 12.0), at(16.0, 13.0)], ground), "it is inside");
        assert!(!crosses([at(0.0, 0.0), at(40.0, 5.0)], ground));
        assert!(!crosses([at(0.0, 15.0), at(9.0, 15.0)], ground), "it ends before");
    }

    #[test]
    fn a_label_keeps_its_place_where_it_is_free_and_moves_along_its_link_where_it_is_not() {
        let (left, right) = (at(0.0, 200.0), at(1000.0, 200.0));
        let free = vec![[left, right]];
        let mut alone = Obstacles::new(free, &[left, right], (100.0, 100.0));
        assert_eq!(alone.place(0, 0.5, at(0.0, 0.0), SIZE), at(500.0, 200.0));
        // Another link crosses in the middle.
        let crossed = vec![[left, right], [at(500.0, 0.0), at(500.0, 400.0)]];
        let mut crossed = Obstacles::new(crossed, &[left, right], (100.0, 100.0));
        let place = crossed.place(0, 0.5, at(0.0, 0.0), SIZE);
        assert!((place.x - 500.0).abs() > SIZE.0 / 2.0 && place.y == 200.0, "{place:?}");
        // Nor does the other link's label cover this one.
        let other = crossed.place(1, 0.5, at(0.0, 0.0), SIZE);
        assert!((other.y - 200.0).abs() > SIZE.1, "{other:?}");
    }
}
