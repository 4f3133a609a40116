//! The nodes of a group as a strip of squares, or a strip for each rack.

use std::collections::BTreeMap;

use crate::svg::canvas::{Area, Canvas, Type, area, at};
use crate::svg::fleet_dot::Dot;
use crate::svg::palette::{FAINT, HAIRLINE, INK, PAPER, VOID};
use crate::svg::panel::{Breadth, Panel};

/// The step from a square to the next one: the largest at which the squares of a group fit so much height.
const STEPS: [f64; 4] = [34.0, 26.0, 18.0, 12.0];
const HEIGHT: f64 = 320.0;

/// Room for the name of a rack.
const LABEL: f64 = 120.0;
const LONGEST: usize = 16;

/// A panel of the nodes.
pub(crate) fn fleet_map(nodes: &[Dot<'_>]) -> Panel {
    let breadth = Breadth::Full;
    let has_racks = nodes.iter().any(|node| node.member.rack.is_some());
    let left = if has_racks { LABEL } else { 0.0 };
    let mut racks: BTreeMap<&str, Vec<&Dot<'_>>> = BTreeMap::new();
    for node in nodes {
        let rack = if has_racks { node.member.rack.as_deref().unwrap_or("no rack") } else { "" };
        racks.entry(rack).or_default().push(node);
    }
    let across = |step: f64| ((breadth.content() - left) / step).floor().max(1.0) as usize;
    let high = |step: f64| {
        step * racks.values().map(|nodes| nodes.len().div_ceil(across(step))).sum::<usize>() as f64
    };
    let step = STEPS.into_iter().find(|step| high(*step) <= HEIGHT).unwrap_or(STEPS[STEPS.len() - 1]);
    let across = across(step);
    let mut drawing = Canvas::default();
    let mut top = 0.0;
    for (rack, nodes) in &racks {
        if has_racks {
            drawing.text(at(0.0, top + step / 2.0 + 3.0), Type::new(11.5).fill(FAINT), &cut(rack));
        }
        for (rank, node) in nodes.iter().enumerate() {
            let (x, y) = (left + (rank % across) as f64 * step, top + (rank / across) as f64 * step);
            node.draw(&mut drawing, "", |drawing| {
                square(drawing, node.bad.map(|bad| bad.loss), area(x, y, step * 0.86, step * 0.86));
            });
        }
        top += nodes.len().div_ceil(across) as f64 * step;
    }
    let aside = "one square per node; nodes with ! are bad, and darker ones lose more".to_owned();
    let title = if has_racks { "nodes by rack" } else { "nodes" };
    Panel { title: title.to_owned(), aside, breadth, height: top, drawing }
}

/// Losses from which a square has the next darker red, and these.
const LOSSES: [f64; 3] = [0.05, 0.15, 0.3];
const REDS: [&str; 4] = ["#f8cfcd", "#ec9a95", "#bf3f3c", "#7d1518"];

fn square(drawing: &mut Canvas, loss: Option<f64>, place: Area) {
    let Some(loss) = loss else {
        drawing.framed(place, 3.0, VOID, HAIRLINE);
        return;
    };
    let level = LOSSES.iter().filter(|least| loss >= **least).count();
    drawing.rect(place, 3.0, REDS[level]);
    let size = (place.height * 0.75).min(13.0);
    let text = Type::new(size).bold().middle().fill(if level > 1 { PAPER } else { INK });
    drawing.text(at(place.x + place.width / 2.0, place.y + place.height / 2.0 + size * 0.36), text, "!");
}

fn cut(rack: &str) -> String {
    if rack.chars().count() <= LONGEST {
        return rack.to_owned();
    }
    rack.chars().take(LONGEST - 1).chain(['…']).collect()
}
