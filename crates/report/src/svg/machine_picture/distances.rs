//! The firmware's distances, as a panel.

use zerohop_machine::{DistanceMatrix, Machine};

use crate::svg::canvas::{Canvas, Type, area, at};
use crate::svg::palette::{FAINT, Ramp};
use crate::svg::panel::{Breadth, Panel};

/// More nodes than this need the whole page's width.
const HALF_NODES: usize = 12;
const LEFT: f64 = 60.0;
const TOP: f64 = 20.0;

/// A panel of the matrix; `None` without a matrix, or with only one node.
pub(crate) fn panel(machine: &Machine) -> Option<Panel> {
    let distances = machine.distances.as_ref().filter(|distances| distances.nodes.len() > 1)?;
    let count = distances.nodes.len();
    let breadth = if count > HALF_NODES { Breadth::Full } else { Breadth::Half };
    let width = ((breadth.content() - LEFT) / count as f64).min(64.0);
    let height = (width * 0.6).clamp(16.0, 34.0);
    // Shades cover reachable nodes only: with 255 on the scale, all other distances would look alike.
    let reachable =
        distances.rows.iter().flatten().copied().filter(|&distance| distance != DistanceMatrix::UNREACHABLE);
    let most = reachable.max().unwrap_or(10).max(11);
    let mut drawing = Canvas::default();
    for (rank, node) in distances.nodes.iter().enumerate() {
        let along = rank as f64 + 0.5;
        let text = Type::new(11.0).fill(FAINT);
        drawing.text(at(LEFT + along * width, TOP - 6.0), text.middle(), &node.to_string());
        drawing.text(at(LEFT - 8.0, TOP + along * height + 4.0), text.end(), &format!("node {node}"));
    }
    for (row, values) in distances.rows.iter().enumerate() {
        for (column, distance) in values.iter().enumerate().take(count) {
            let place = area(
                LEFT + column as f64 * width + 0.5,
                TOP + row as f64 * height + 0.5,
                width - 1.0,
                height - 1.0,
            );
            let far = f64::from(distance.saturating_sub(10).min(most - 10)) / f64::from(most - 10);
            let colour = Ramp::Grey.at(far * 0.9);
            drawing.rect(place, 2.0, &colour.hexadecimal());
            let text = Type::new((height * 0.55).min(13.0)).middle().fill(colour.text());
            drawing.text(
                at(place.x + place.width / 2.0, place.y + place.height / 2.0 + 4.0),
                text,
                &distance.to_string(),
            );
        }
    }
    let unreachable = if distances.has_unreachable() { ", 255 unreachable" } else { "" };
    Some(Panel {
        title: "distances".to_owned(),
        aside: format!(
            "firmware's SLIT, 10 is local{unreachable} · rows: from node, columns: memory of node"
        ),
        breadth,
        height: TOP + count as f64 * height,
        drawing,
    })
}
