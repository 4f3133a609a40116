//! Where the boxes of a node map are: two side by side, four in a square, more on a ring.

use std::f64::consts::TAU;

use crate::svg::canvas::{Area, area, at};

/// Width of a node's cell.
pub(super) const CELL_WIDTH: f64 = 138.0;
/// Around the cells of a box, and between them.
const PADDING: f64 = 6.0;
/// Width of a map of up to four boxes: that of a small screen, or little more.
const NARROW: f64 = 440.0;
/// Width of a map of more.
const WIDE: f64 = 560.0;
/// Around all boxes.
const MARGIN: f64 = 4.0;
/// Between rows of boxes: room for the numbers of links that cross.
const BETWEEN_ROWS: f64 = 96.0;
/// More boxes than this are no map.
const MOST: usize = 8;
/// Columns of cells in a single box.
const COLUMNS: usize = 3;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Layout {
    /// Around the nodes of each area.
    pub(super) boxes: Vec<Area>,
    /// The cell of each node of each area.
    pub(super) cells: Vec<Vec<Area>>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// The layout of areas with cells of these heights, joined by links between these ends; none if there are too many.
pub(super) fn layout(heights: &[Vec<f64>], ends: &[[usize; 2]]) -> Option<Layout> {
    let count = heights.len();
    let most_cells = heights.iter().map(Vec::len).max()?;
    if count == 0 || count > MOST || most_cells > 4 * COLUMNS {
        return None;
    }
    let columns = if count == 1 { most_cells.min(COLUMNS) } else { 1 };
    if columns == 1 && most_cells > 4 {
        return None;
    }
    let tallest = heights.iter().flatten().copied().fold(0.0, f64::max);
    let rows = most_cells.div_ceil(columns);
    let size =
        (columns as f64 * (CELL_WIDTH + PADDING) + PADDING, rows as f64 * (tallest + PADDING) + PADDING);
    let (corners, width, height) = corners(count, size, ends);
    let placed = |(x, y)| area(x + MARGIN, y + MARGIN, size.0, size.1);
    let boxes: Vec<Area> = corners.into_iter().map(placed).collect();
    let cells = boxes.iter().zip(heights).map(|(around, heights)| {
        let cell = |(rank, height): (usize, &f64)| {
            let (column, row) = (rank % columns, rank / columns);
            let corner = at(
                around.x + PADDING + column as f64 * (CELL_WIDTH + PADDING),
                around.y + PADDING + row as f64 * (tallest + PADDING),
            );
            // A single cell stands in the middle of its box, where its links end.
            let lower = if rows == 1 { (tallest - height) / 2.0 } else { 0.0 };
            area(corner.x, corner.y + lower, CELL_WIDTH, *height)
        };
        heights.iter().enumerate().map(cell).collect()
    });
    Some(Layout { cells: cells.collect(), boxes, width: width + 2.0 * MARGIN, height: height + MARGIN })
}

/// The upper left corner of each box, and the size of them all.
fn corners(count: usize, (wide, high): (f64, f64), ends: &[[usize; 2]]) -> (Vec<(f64, f64)>, f64, f64) {
    let narrow = NARROW - 2.0 * MARGIN;
    let far = narrow - wide;
    match count {
        1 => (vec![(far.max(0.0) / 2.0, 0.0)], narrow.max(wide), high),
        2 => (vec![(0.0, 0.0), (far, 0.0)], narrow, high),
        3 | 4 => {
            let spots = [(0.0, 0.0), (far, 0.0), (far, high + BETWEEN_ROWS), (0.0, high + BETWEEN_ROWS)];
            let mut corners = vec![spots[0]; count];
            for (router, spot) in ring(count, ends).into_iter().zip(spots) {
                corners[router] = spot;
            }
            (corners, narrow, 2.0 * high + BETWEEN_ROWS)
        }
        _ => {
            let across = (WIDE - 2.0 * MARGIN - wide) / 2.0;
            // Neighbors on a side of a ring of eight are half of its radius apart.
            let down = (across * 0.95).max(high * 1.9);
            let mut corners = vec![(0.0, 0.0); count];
            for (step, router) in ring(count, ends).into_iter().enumerate() {
                // A half step from the top, so that an even number has a flat top.
                let angle = TAU * ((step as f64 + 0.5) / count as f64 - 0.25);
                corners[router] = (across * (1.0 + libm::cos(angle)), down * (1.0 + libm::sin(angle)));
            }
            (corners, WIDE - 2.0 * MARGIN, 2.0 * down + high)
        }
    }
}

/// Areas in an order in which each is linked to the one before if possible: depth first from the first, lowest rank first.
fn ring(count: usize, ends: &[[usize; 2]]) -> Vec<usize> {
    let mut order = Vec::with_capacity(count);
    let mut stack: Vec<usize> = (0..count).rev().collect();
    while let Some(area) = stack.pop() {
        if order.contains(&area) {
            continue;
        }
        order.push(area);
        let mut neighbours: Vec<usize> = ends
            .iter()
            .filter_map(|ends| match *ends {
                [one, other] | [other, one] if one == area => Some(other),
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
    fn boxes_do_not_overlap_and_stay_on_the_page() {
        for count in 1..=MOST {
            let heights = vec![vec![84.0, 102.0]; count];
            let Layout { boxes, width, height, .. } = layout(&heights, &[]).unwrap();
            for (rank, one) in boxes.iter().enumerate() {
                assert!(one.x >= 0.0 && one.x + one.width <= width + 0.1, "{count}: {one:?}");
                assert!(one.y >= 0.0 && one.y + one.height <= height + 0.1, "{count}: {one:?}");
                for other in &boxes[..rank] {
                    let apart = one.x + one.width <= other.x + 0.1
                        || other.x + other.width <= one.x + 0.1
                        || one.y + one.height <= other.y + 0.1
                        || other.y + other.height <= one.y + 0.1;
                    assert!(apart, "{count}: {one:?} and {other:?}");
                }
            }
        }
    }

    #[test]
    fn a_ring_of_four_is_drawn_as_one() {
        assert_eq!(ring(4, &[[0, 1], [1, 3], [3, 2], [2, 0]]), [0, 1, 3, 2]);
    }

    #[test]
    fn too_many_boxes_are_no_map() {
        assert_eq!(layout(&vec![vec![84.0]; MOST + 1], &[]), None);
    }
}
