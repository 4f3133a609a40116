//! Summarizes routers and links that are too many to draw one by one.

use std::collections::BTreeMap;

use zerohop_machine_file::{DirectedLink, Hardware};

use super::load::Load;
use super::router_box::{lines, sits_at};
use crate::fabric::{each_way, rate};
use crate::number::{counted, significant};
use crate::svg::canvas::{Canvas, Point, at};
use crate::svg::sums::{alike, draw_alike, draw_bars};

/// Between two lists.
const GAP: f64 = 8.0;

/// Draws the kinds of routers and links with their counts, and the distances of nodes or the utilization of links.
/// Returns the lower end of the drawing.
pub(super) fn draw(page: &mut Canvas, hardware: &Hardware, corner: Point, load: Option<&Load>) -> f64 {
    let sits = sits_at(hardware);
    let routers = sits.iter().map(|here| {
        let channels = here.channels.iter().map(|&channel| hardware.channels[channel].bandwidth).sum();
        let mut parts = lines(hardware, here);
        if !here.channels.is_empty() {
            parts.push(format!("{}, {}", counted(here.channels.len(), "channel"), rate(channels)));
        }
        if parts.is_empty() { "nothing but links".to_owned() } else { parts.join(", ") }
    });
    let mut y = draw_alike(page, corner, &counted(hardware.routers.len(), "router"), &alike(routers));
    let links = hardware
        .links
        .iter()
        .map(|link| format!("{}, {} ns", each_way(link), significant(link.parameters.latency.get())));
    y = draw_alike(page, at(corner.x, y + GAP), &counted(hardware.links.len(), "link"), &alike(links));
    let (title, bars) = match load {
        None => ("pairs of nodes by hops", hops(hardware)),
        Some(load) => ("link directions by used share of capacity", shares(hardware, load)),
    };
    draw_bars(page, at(corner.x, y + GAP), title, &bars)
}

fn hops(hardware: &Hardware) -> Vec<(String, usize)> {
    let mut pairs: BTreeMap<usize, usize> = BTreeMap::new();
    for hops in hardware.hop_matrix().into_iter().flatten() {
        *pairs.entry(hops).or_default() += 1;
    }
    pairs.into_iter().map(|(hops, count)| (counted(hops, "hop"), count)).collect()
}

/// By tenths of the capacity.
fn shares(hardware: &Hardware, load: &Load) -> Vec<(String, usize)> {
    let mut tenths = [0; 10];
    for direction in 0..2 * hardware.links.len() {
        let share = load.link(DirectedLink(direction)).share;
        tenths[((share * 10.0) as usize).min(9)] += 1;
    }
    let named = |(tenth, count)| (format!("{} to {} %", 10 * tenth, 10 * (tenth + 1)), count);
    tenths.into_iter().enumerate().map(named).collect()
}
