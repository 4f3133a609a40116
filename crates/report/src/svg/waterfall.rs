//! Breakdown of each node's bandwidth: a bar for the theoretical bandwidth of its channels, from which each loss takes a part from the right.

use zerohop_expectation::{Expectations, Standing, Waterfall};

use crate::number::significant;
use crate::svg::bars::plain;
use crate::svg::canvas::{Canvas, Type, area, at};
use crate::svg::palette::{CATEGORIES, DOUBT, FAINT, HAIRLINE};
use crate::svg::panel::{Breadth, Panel};
use crate::svg::scale::Scale;
use crate::waterfall::{COSTS, costs};

/// More nodes than this are in the table alone.
const MOST_NODES: usize = 16;
const BAR: f64 = 20.0;
const ROW: f64 = 28.0;
/// Room for the names of nodes, and for the value at the end.
const LEFT: f64 = 64.0;
const RIGHT: f64 = 56.0;
/// Above the bars, for the legend.
const TOP: f64 = 26.0;
/// What is left, then each cost from the last to the first.
const FILLS: [&str; 4] = [CATEGORIES[0], DOUBT, CATEGORIES[1], "#c3ccd5"];

/// A panel of all nodes; `None` if no model predicts them, or they are too many.
pub(crate) fn waterfall(expectations: &Expectations) -> Option<Panel> {
    let nodes = &expectations.waterfalls;
    if nodes.is_empty() || nodes.len() > MOST_NODES {
        return None;
    }
    let breadth = Breadth::Full;
    let most = nodes.iter().map(|node| node.theoretical.max(node.found)).fold(0.0, f64::max);
    let scale = Scale::from_zero(most, LEFT, breadth.content() - RIGHT);
    let bottom = TOP + nodes.len() as f64 * ROW;
    let mut drawing = Canvas::default();
    let mut x = LEFT;
    let names = std::iter::once("reads").chain(COSTS.iter().rev().copied());
    for (name, fill) in names.zip(FILLS) {
        drawing.rect(area(x, 2.0, 11.0, 11.0), 2.0, fill);
        drawing.text(at(x + 16.0, 12.0), Type::new(11.5), name);
        x += 34.0 + Type::new(11.5).width(name);
    }
    for tick in scale.ticks() {
        drawing.line(at(scale.at(tick), TOP), at(scale.at(tick), bottom), HAIRLINE, 1.0);
        drawing.text(at(scale.at(tick), bottom + 14.0), Type::new(10.5).fill(FAINT).middle(), &plain(tick));
    }
    for (rank, node) in nodes.iter().enumerate() {
        draw(&mut drawing, node, &scale, TOP + rank as f64 * ROW);
    }
    let title = "where each node's bandwidth goes".to_owned();
    let aside = "GB/s · from the peak of its channels (channels × rate) to the bandwidth that its cores read"
        .to_owned();
    Some(Panel { title, aside, breadth, height: bottom + 18.0, drawing })
}

fn draw(drawing: &mut Canvas, node: &Waterfall, scale: &Scale, y: f64) {
    drawing.text(at(LEFT - 8.0, y + 16.0), Type::new(11.5).fill(FAINT).end(), &format!("node {}", node.node));
    let [overheads, cores, missing] = costs(node);
    let parts = [node.found, missing, cores, overheads];
    let (mut begin, mut all) = (LEFT, 0.0);
    for (part, fill) in parts.into_iter().zip(FILLS) {
        all += part.max(0.0);
        let end = scale.at(all);
        drawing.rect(area(begin, y + 2.0, (end - begin).max(0.0), BAR), 0.0, fill);
        // A number that fits into its part.
        let words = significant(part);
        let look = Type::new(11.0).middle();
        if part > 0.0 && look.width(&words) + 8.0 < end - begin {
            let look = if fill == FILLS[3] || fill == FILLS[2] { look } else { look.fill("#ffffff") };
            drawing.text(at((begin + end) / 2.0, y + 16.0), look, &words);
        }
        begin = end;
    }
    let is_worse = node.standing == Standing::Worse;
    let look = Type::new(11.0).fill(if is_worse { DOUBT } else { FAINT });
    let mark = if is_worse { "! " } else { "" };
    let share = format!("{mark}{:.0} %", 100.0 * node.found / node.theoretical);
    drawing.text(at(begin + 6.0, y + 16.0), look, &share);
}
