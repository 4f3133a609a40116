//! Positions of routers in a picture: as given by the machine file, else on a square or a circle.

use std::f64::consts::TAU;

use zerohop_machine_file::Hardware;

use super::router_box::BOX_WIDTH;
use crate::svg::canvas::{Point, at};

/// Between boxes in a row or a column: room for a link's numbers.
const SPACE: f64 = 130.0;

/// Most routers on a circle; more are placed in rows.
const ON_A_CIRCLE: usize = 8;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Places {
    /// The middle of each router's box, by rank.
    pub(super) middles: Vec<Point>,
    /// Width of all boxes together.
    pub(super) width: f64,
    /// Height of all boxes together.
    pub(super) height: f64,
}

/// The place of every router, for boxes of this height. The same machine always gives the same places.
pub(super) fn places(hardware: &Hardware, box_height: f64) -> Places {
    let count = hardware.routers.len();
    let positions: Option<Vec<[i32; 2]>> = hardware.routers.iter().map(|router| router.position).collect();
    let spots: Vec<Point> = match (positions, count) {
        (Some(positions), _) if apart(&positions) => {
            positions.iter().map(|[x, y]| at(f64::from(*x), f64::from(*y))).collect()
        }
        (_, 4) => square(hardware),
        (_, count) if count <= ON_A_CIRCLE => circle(count, hardware, box_height),
        (_, count) => rows(count),
    };
    let (pitch_x, pitch_y) = (BOX_WIDTH + SPACE, box_height + SPACE);
    let least = |of: fn(&Point) -> f64| spots.iter().map(of).fold(f64::INFINITY, f64::min);
    let most = |of: fn(&Point) -> f64| spots.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
    let (left, top) = (least(|spot| spot.x), least(|spot| spot.y));
    let middles = spots.iter().map(|spot| {
        at((spot.x - left) * pitch_x + BOX_WIDTH / 2.0, (spot.y - top) * pitch_y + box_height / 2.0)
    });
    Places {
        middles: middles.collect(),
        width: (most(|spot| spot.x) - left) * pitch_x + BOX_WIDTH,
        height: (most(|spot| spot.y) - top) * pitch_y + box_height,
    }
}

/// Whether no two routers share a place.
fn apart(positions: &[[i32; 2]]) -> bool {
    positions.iter().enumerate().all(|(rank, position)| !positions[..rank].contains(position))
}

/// Four routers in a square, such that as few links as possible cross.
fn square(hardware: &Hardware) -> Vec<Point> {
    let corners = [at(0.0, 0.0), at(1.0, 0.0), at(1.0, 1.0), at(0.0, 1.0)];
    let ring = ring(hardware);
    let mut spots = vec![corners[0]; 4];
    for (corner, router) in corners.into_iter().zip(ring) {
        spots[router] = corner;
    }
    spots
}

/// Routers on a circle, clockwise from the top, whose neighbors do not touch.
fn circle(count: usize, hardware: &Hardware, box_height: f64) -> Vec<Point> {
    if count < 3 {
        return (0..count).map(|rank| at(rank as f64, 0.0)).collect();
    }
    // In units of the pitch, a chord of one between neighbors is far enough.
    let radius = 0.5 / libm::sin(TAU / 2.0 / count as f64) * (1.0 + 20.0 / box_height);
    let mut spots = vec![at(0.0, 0.0); count];
    for (step, router) in ring(hardware).into_iter().enumerate() {
        let angle = TAU * (step as f64 / count as f64 - 0.25);
        spots[router] = at(radius * libm::cos(angle), radius * libm::sin(angle));
    }
    spots
}

/// Routers in rows, as close to a square as possible.
fn rows(count: usize) -> Vec<Point> {
    let columns = (count as f64).sqrt().ceil() as usize;
    (0..count).map(|rank| at((rank % columns) as f64, (rank / columns) as f64)).collect()
}

/// Routers in an order in which each is linked to the one before if possible: depth first from the first, lowest rank
/// first.
fn ring(hardware: &Hardware) -> Vec<usize> {
    let count = hardware.routers.len();
    let mut order = Vec::with_capacity(count);
    let mut stack: Vec<usize> = (0..count).rev().collect();
    while let Some(router) = stack.pop() {
        if order.contains(&router) {
            continue;
        }
        order.push(router);
        let mut neighbours: Vec<usize> = hardware
            .links
            .iter()
            .filter_map(|link| match link.ends {
                [one, other] if one == router => Some(other),
                [one, other] if other == router => Some(one),
                _ => None,
            })
            .collect();
        neighbours.sort_unstable();
        stack.extend(neighbours.into_iter().rev());
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_nearly_square() {
        let spots = rows(38);
        assert_eq!(spots.len(), 38);
        assert_eq!(spots.iter().map(|spot| spot.x).fold(0.0, f64::max), 6.0);
        assert_eq!(spots.iter().map(|spot| spot.y).fold(0.0, f64::max), 5.0);
    }

    #[test]
    fn two_at_one_place_are_not_apart() {
        assert!(apart(&[[0, 0], [0, 1]]));
        assert!(!apart(&[[0, 0], [1, 0], [0, 0]]));
    }
}
