//! A router's box: its name, and the cores, home agents and memory channels at it.

use zerohop_machine_file::Hardware;
use zerohop_units::GigabytesPerSecond;

use super::load::Load;
use crate::fabric::rate;
use crate::number::counted;
use crate::svg::canvas::{Canvas, Point, Type, area, at};
use crate::svg::palette::{FAINT, HAIRLINE, INK, PANEL, Ramp, VOID};
use crate::wrap::wrap;

/// Width of every box.
pub(super) const BOX_WIDTH: f64 = 216.0;
/// Height of a line of text.
const LINE: f64 = 17.0;
const PADDING: f64 = 12.0;
/// Height of a channel's bar, its text in it.
const BAR: f64 = 20.0;
/// More channels at one router than this share a bar.
const BARS: usize = 4;
/// Characters of a line.
const CHARACTERS: usize = 32;

/// The parts at a router, by rank.
#[derive(Debug, Clone, Default)]
pub(super) struct RouterParts {
    cores: Vec<usize>,
    homes: Vec<usize>,
    pub(super) channels: Vec<usize>,
    /// Nodes that have cores, home agents or channels there.
    nodes: Vec<String>,
}

/// The parts at each router.
pub(super) fn sits_at(hardware: &Hardware) -> Vec<RouterParts> {
    let mut sits = vec![RouterParts::default(); hardware.routers.len()];
    hardware.cores.iter().enumerate().for_each(|(rank, core)| sits[core.router].cores.push(rank));
    hardware.homes.iter().enumerate().for_each(|(rank, home)| sits[home.router].homes.push(rank));
    hardware.channels.iter().enumerate().for_each(|(rank, channel)| sits[channel.router].channels.push(rank));
    for place in crate::fabric::places(hardware) {
        let mut routers = [place.cores, place.homes, place.channels].concat();
        routers.sort_unstable();
        routers.dedup();
        routers.into_iter().for_each(|router| sits[router].nodes.push(place.node.to_string()));
    }
    sits
}

/// The height of every box: that of the box with the most parts.
pub(super) fn box_height(hardware: &Hardware, sits: &[RouterParts]) -> f64 {
    let heights = sits.iter().map(|here| {
        let bars = here.channels.len().min(BARS);
        2.0 * PADDING + 20.0 + lines(hardware, here).len() as f64 * LINE + bars as f64 * (BAR + 4.0)
    });
    heights.fold(60.0, f64::max)
}

/// Draws a router's box around `middle`.
pub(super) fn draw_router(
    graph: &mut Canvas,
    hardware: &Hardware,
    router: usize,
    here: &RouterParts,
    (middle, height): (Point, f64),
    load: Option<&Load>,
) {
    let (left, top) = (middle.x - BOX_WIDTH / 2.0, middle.y - height / 2.0);
    graph.framed(area(left, top, BOX_WIDTH, height), 8.0, PANEL, HAIRLINE);
    let mut y = top + PADDING + 12.0;
    graph.text(at(left + PADDING, y), Type::new(14.0).bold(), &title(hardware, router, here));
    y += 20.0;
    for line in lines(hardware, here) {
        graph.text(at(left + PADDING, y), Type::new(11.5).fill(FAINT), &line);
        y += LINE;
    }
    y -= 10.0;
    let all = &here.channels;
    // One bar per channel; if there are many, one for all of them.
    let groups: Vec<&[usize]> = if all.len() > BARS { vec![all] } else { all.chunks(1).collect() };
    for group in groups {
        draw_channels(graph, hardware, group, at(left + PADDING, y), load);
        y += BAR + 4.0;
    }
}

/// A bar for channels, filled in proportion to their utilization.
fn draw_channels(
    graph: &mut Canvas,
    hardware: &Hardware,
    group: &[usize],
    corner: Point,
    load: Option<&Load>,
) {
    let width = BOX_WIDTH - 2.0 * PADDING;
    let name = match group {
        [only] => format!("channel {}", hardware.channels[*only].name),
        many => counted(many.len(), "channel"),
    };
    let peak: GigabytesPerSecond = group.iter().map(|&channel| hardware.channels[channel].bandwidth).sum();
    graph.rect(area(corner.x, corner.y, width, BAR), 4.0, VOID);
    let carried = load.map(|load| load.channels(group));
    let text = match &carried {
        None => format!("{name}: {}", rate(peak)),
        Some(carried) => format!("{name}: {}", carried.in_short()),
    };
    let mut ink = INK;
    if let Some(carried) = &carried {
        let colour = Ramp::Cool.at(carried.share);
        graph.rect(
            area(corner.x, corner.y, width * carried.share.clamp(0.0, 1.0), BAR),
            4.0,
            &colour.hexadecimal(),
        );
        if carried.share > 0.5 {
            ink = colour.text();
        }
    }
    let hint =
        carried.as_ref().map_or_else(|| text.clone(), |carried| format!("{name}: {}", carried.in_full()));
    graph.named(&hint, |graph| {
        graph.text(at(corner.x + 6.0, corner.y + 14.0), Type::new(11.5).fill(ink), &text);
    });
}

/// The router's name; and the node's, if it belongs to one node.
fn title(hardware: &Hardware, router: usize, here: &RouterParts) -> String {
    let name = &hardware.routers[router].name;
    match here.nodes.as_slice() {
        [node] if node == name => format!("node {node}"),
        [node] => format!("{name} (node {node})"),
        _ => name.clone(),
    }
}

/// The parts at a router, in words.
pub(super) fn lines(hardware: &Hardware, here: &RouterParts) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(&first) = here.cores.first() {
        let name = &hardware.core_kinds[hardware.cores[first].kind].name;
        lines.push(format!("{} ({name})", counted(here.cores.len(), "core")));
    }
    if let Some(&first) = here.homes.first() {
        let table = format!("table of {}", hardware.homes[first].parameters.table);
        lines.push(match here.homes.len() {
            1 => format!("home agent, {table}"),
            count => format!("{}, {table} each", counted(count, "home agent")),
        });
    }
    lines.iter().flat_map(|line| wrap(line, CHARACTERS)).collect()
}
