//! The nodes of a group as a strip of squares, or a strip for each rack.

use std::collections::BTreeMap;

use crate::svg::canvas::{Canvas, Type, area, at};
use crate::svg::fleet_dot::Dot;
use crate::svg::palette::{FAINT, HAIRLINE, PAPER, Ramp, VOID};
use crate::svg::panel::{Breadth, Panel};

/// A square, and the step to the next one.
const SIDE: f64 = 15.0;
const STEP: f64 = 18.0;

/// Room for the name of a rack.
const LABEL: f64 = 120.0;
const LONGEST: usize = 16;

/// A panel of the nodes.
pub(crate) fn fleet_map(nodes: &[Dot<'_>]) -> Panel {
    let breadth = Breadth::Full;
    let has_racks = nodes.iter().any(|node| node.member.rack.is_some());
    let left = if has_racks { LABEL } else { 0.0 };
    let across = ((breadth.content() - left) / STEP).floor().max(1.0) as usize;
    let mut racks: BTreeMap<&str, Vec<&Dot<'_>>> = BTreeMap::new();
    for node in nodes {
        let rack = if has_racks { node.member.rack.as_deref().unwrap_or("no rack") } else { "" };
        racks.entry(rack).or_default().push(node);
    }
    let mut drawing = Canvas::default();
    let mut top = 0.0;
    for (rack, nodes) in &racks {
        if has_racks {
            drawing.text(at(0.0, top + 12.0), Type::new(11.5).fill(FAINT), &cut(rack));
        }
        for (rank, node) in nodes.iter().enumerate() {
            let (x, y) = (left + (rank % across) as f64 * STEP, top + (rank / across) as f64 * STEP);
            node.draw(&mut drawing, "", |drawing| square(drawing, node.loss, x, y));
        }
        top += nodes.len().div_ceil(across) as f64 * STEP;
    }
    let aside = "one square per node; nodes with ! are bad, and darker ones lose more".to_owned();
    let title = if has_racks { "nodes by rack" } else { "nodes" };
    Panel { title: title.to_owned(), aside, breadth, height: top, drawing }
}

fn square(drawing: &mut Canvas, loss: Option<f64>, x: f64, y: f64) {
    let place = area(x, y, SIDE, SIDE);
    let Some(loss) = loss else {
        drawing.framed(place, 3.0, VOID, HAIRLINE);
        return;
    };
    // A loss of a tenth is dark enough to be seen among a thousand.
    let colour = Ramp::Warm.at(0.35 + loss);
    drawing.rect(place, 3.0, &colour.hexadecimal());
    let text =
        Type::new(11.5).bold().middle().fill(if colour.text() == PAPER { PAPER } else { colour.text() });
    drawing.text(at(x + SIDE / 2.0, y + 11.5), text, "!");
}

fn cut(rack: &str) -> String {
    if rack.chars().count() <= LONGEST {
        return rack.to_owned();
    }
    rack.chars().take(LONGEST - 1).chain(['…']).collect()
}
