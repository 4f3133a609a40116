//! A described machine drawn as its NUMA nodes and the links between them, small enough to stand beside other things: routers that
//! hold the parts of the same nodes are one box. Optionally with threads, and with the load of links and channels.

use std::collections::BTreeMap;

use zerohop_machine::NodeId;
use zerohop_machine_file::{DirectedLink, Hardware};
use zerohop_result::{Catalogue, Query, ResultFile};
use zerohop_units::GigabytesPerSecond;

use super::areas::{Area as Part, Bundle, areas, bundles};
use super::faulty::{FaultyParts, faulty_parts};
use super::load::{Carried, Load, NoLoad};
use super::map_layout::{CELL_WIDTH, Layout, layout};
use crate::fabric::{direction_name, rate};
use crate::number::{counted, significant};
use crate::origin::name_and_settings;
use crate::svg::canvas::{Area, Canvas, Point, Type, area, at};
use crate::svg::palette::{FAINT, HAIRLINE, INK, PANEL, PAPER, Ramp, VOID};
use crate::wrap::wrap;

/// Threads of a workload at a node: `2 read node 3`.
type ThreadWords = BTreeMap<NodeId, Vec<String>>;

/// Text that a screen may shrink by a fifth and still show at 11 pixels.
const TEXT: f64 = 13.6;
const LINE: f64 = 18.0;
const PADDING: f64 = 8.0;
/// Height of a bar of channels.
const BAR: f64 = 21.0;
const LABEL: Type = Type::new(TEXT).bold().middle();
const LABEL_HEIGHT: f64 = 19.0;
/// Between the middles of the two directions of a link.
const APART: f64 = 5.0;
/// What carries threads.
const THREADS: &str = "#0b57a4";
/// What a fault concerns.
pub(super) const FAULT: &str = "#a3262a";
/// More lines than this of a node are counted.
const MOST_LINES: usize = 4;
/// Characters of a line of the note, below few boxes and below many.
const NOTE: [usize; 2] = [58, 72];
/// More bundles than this have no numbers, which would cover each other.
const NUMBERED: usize = 8;

/// The map, if its boxes are few enough to read.
///
/// # Errors
/// If a load is wanted that the result does not have.
pub(crate) fn node_map(
    hardware: &Hardware,
    load: Option<(&ResultFile, &Query, Catalogue)>,
    threads: &ThreadWords,
) -> Result<Option<String>, NoLoad> {
    let load = load.map(|(file, at, experiments)| Load::of(hardware, file, at, experiments)).transpose()?;
    let parts = areas(hardware);
    let map = Map {
        hardware,
        bundles: bundles(hardware, &parts),
        faulty: faulty_parts(hardware, &parts),
        threads,
        load: load.as_ref(),
    };
    let heights: Vec<Vec<f64>> =
        parts.iter().map(|part| part.nodes.iter().map(|node| map.cell_height(*node)).collect()).collect();
    // A link that is down keeps its place, so that a fault moves nothing.
    let gone = map.faulty.gone.iter().map(|(ends, _)| *ends);
    let ends: Vec<[usize; 2]> = map.bundles.iter().map(|bundle| bundle.ends).chain(gone).collect();
    Ok(layout(&heights, &ends).map(|layout| map.draw(&parts, &layout)))
}

struct Map<'a> {
    hardware: &'a Hardware,
    bundles: Vec<Bundle>,
    faulty: FaultyParts,
    threads: &'a ThreadWords,
    load: Option<&'a Load>,
}

impl Map<'_> {
    fn draw(&self, parts: &[Part], layout: &Layout) -> String {
        let mut page = Canvas::default();
        let middles: Vec<Point> = layout.boxes.iter().map(middle).collect();
        for bundle in &self.bundles {
            self.draw_bundle(&mut page, bundle, bundle.ends.map(|end| middles[end]));
        }
        for (ends, words) in &self.faulty.gone {
            let [from, to] = ends.map(|end| middles[end]);
            page.named(&format!("fault: {words}"), |page| dashes(page, from, to));
        }
        for (part, (around, cells)) in parts.iter().zip(layout.boxes.iter().zip(&layout.cells)) {
            if part.nodes.len() > 1 {
                page.framed(*around, 8.0, PAPER, HAIRLINE);
            }
            for (node, cell) in part.nodes.iter().zip(cells) {
                self.draw_node(&mut page, *node, *cell);
            }
        }
        self.number_bundles(&mut page, &middles, layout);
        let mut y = layout.height + LINE;
        for line in self.note(NOTE[usize::from(layout.boxes.len() > 4)]) {
            page.text(at(PADDING, y), Type::new(TEXT).fill(FAINT), &line);
            y += LINE - 1.0;
        }
        let name = name_and_settings(&self.hardware.machine);
        let title = match self.load {
            Some(_) => format!("Nodes of the model of {name}, with the load of their links"),
            None => format!("Nodes of the model of {name}"),
        };
        let of_nodes = counted(self.hardware.machine.nodes.len(), "node");
        let of_links = counted(self.bundles.len(), "connection");
        page.finish(layout.width, y, &title, &format!("{of_nodes}, {of_links} between them"))
    }

    /// The lines of a node below its title, each with its color.
    fn lines(&self, node: NodeId) -> Vec<(&'static str, String)> {
        let machine = &self.hardware.machine;
        let pus = machine.node(node).map(|node| &node.pus);
        let here =
            |core: &&zerohop_machine::Core| pus.is_some_and(|pus| !core.pus.intersection(pus).is_empty());
        let cores = machine.cores.iter().filter(here).count();
        let mut lines =
            vec![(FAINT, if cores == 0 { "no cores".to_owned() } else { counted(cores, "core") })];
        lines.extend(self.faulty.nodes.get(&node).into_iter().flatten().map(|words| (FAULT, words.clone())));
        let threads = self.threads.get(&node).map(Vec::as_slice).unwrap_or_default();
        let shown = if threads.len() > MOST_LINES { MOST_LINES - 1 } else { threads.len() };
        lines.extend(threads[..shown].iter().map(|words| (THREADS, words.clone())));
        if shown < threads.len() {
            lines.push((THREADS, format!("{} more", threads.len() - shown)));
        }
        lines
    }

    fn cell_height(&self, node: NodeId) -> f64 {
        2.0 * PADDING + LINE + self.lines(node).len() as f64 * LINE + BAR + 2.0
    }

    fn draw_node(&self, page: &mut Canvas, node: NodeId, cell: Area) {
        let is_faulty = self.faulty.nodes.contains_key(&node);
        page.framed(cell, 6.0, PANEL, if is_faulty { FAULT } else { HAIRLINE });
        let left = cell.x + PADDING;
        let mut y = cell.y + PADDING + 13.0;
        page.text(at(left, y), Type::new(15.0).bold(), &format!("node {node}"));
        for (fill, words) in self.lines(node) {
            y += LINE;
            let look = Type::new(TEXT).fill(fill);
            page.text(at(left, y), if fill == FAINT { look } else { look.bold() }, &words);
        }
        self.draw_channels(page, node, area(left, y + 8.0, cell.width - 2.0 * PADDING, BAR));
    }

    /// The channels of a node as one bar, filled in proportion to their load.
    fn draw_channels(&self, page: &mut Canvas, node: NodeId, bar: Area) {
        let place = at(bar.x + 6.0, bar.y + 15.0);
        let Some(memory) = self.hardware.memory(node) else {
            page.text(place, Type::new(TEXT).fill(FAINT), "no memory");
            return;
        };
        let count = counted(memory.channels.len(), "channel");
        let peak: GigabytesPerSecond =
            memory.channels.iter().map(|&channel| self.hardware.channels[channel].bandwidth).sum();
        page.rect(bar, 4.0, VOID);
        let (text, carried) = match self.load {
            None => (rate(peak), Carried::default()),
            Some(load) => {
                let carried = load.channels(&memory.channels);
                (carried.in_short(), carried)
            }
        };
        let colour = Ramp::Cool.at(carried.share);
        page.rect(
            Area { width: bar.width * carried.share.clamp(0.0, 1.0), ..bar },
            4.0,
            &colour.hexadecimal(),
        );
        let ink = if carried.share > 0.5 { colour.text() } else { INK };
        page.named(&format!("memory of node {node}: {count}, {}, {text}", rate(peak)), |page| {
            page.text(place, Type::new(TEXT).fill(ink), &text);
        });
    }

    /// What the links of a bundle carry together in one of its directions.
    fn carried(&self, bundle: &Bundle, direction: usize) -> Option<Carried> {
        let load = self.load?;
        let links = bundle.links.iter().map(|&(rank, turned)| DirectedLink::new(rank, direction ^ turned));
        let parts: Vec<(Carried, f64)> =
            links.map(|link| (load.link(link), self.capacity(link).get())).collect();
        let capacity: f64 = parts.iter().map(|(_, capacity)| capacity).sum();
        Some(Carried {
            traffic: parts.iter().map(|(carried, _)| carried.traffic).sum(),
            share: parts.iter().map(|(carried, of)| carried.share * of).sum::<f64>() / capacity.max(1e-9),
            queue: parts.iter().map(|(carried, _)| carried.queue).sum(),
        })
    }

    fn capacity(&self, link: DirectedLink) -> GigabytesPerSecond {
        let of = &self.hardware.links[link.link()];
        of.back.filter(|_| link.direction() == 1).unwrap_or(of.capacity)
    }

    fn fault_of(&self, bundle: &Bundle) -> Option<&String> {
        bundle.links.iter().find_map(|(rank, _)| self.faulty.links.get(rank))
    }

    /// `4 × 46 GB/s`: the wires between two boxes, and what one direction of them can carry.
    fn capacity_words(&self, bundle: &Bundle) -> String {
        let links = bundle.links.iter().map(|(rank, _)| &self.hardware.links[*rank]);
        let wires: u32 = links.clone().map(|link| link.wires).sum();
        let total: GigabytesPerSecond = links.map(|link| link.capacity).sum();
        match wires {
            0 | 1 => rate(total),
            wires => format!("{wires} × {}", rate(GigabytesPerSecond(total.get() / f64::from(wires)))),
        }
    }

    fn draw_bundle(&self, page: &mut Canvas, bundle: &Bundle, [from, to]: [Point; 2]) {
        let fault = self.fault_of(bundle);
        let names: Vec<&str> =
            bundle.links.iter().map(|(rank, _)| self.hardware.links[*rank].name.as_str()).collect();
        let mut name = format!("{}: {} each way", names.join(", "), self.capacity_words(bundle));
        if let Some(fault) = fault {
            name = format!("{name}, fault: {fault}");
        }
        let aside = aside(from, to);
        for direction in [0, 1] {
            let Some(carried) = self.carried(bundle, direction) else {
                page.named(&name, |page| {
                    page.line(from, to, if fault.is_some() { FAULT } else { FAINT }, 3.0);
                });
                return;
            };
            let side = if direction == 0 { APART } else { -APART };
            let moved = |point: Point| at(point.x + side * aside.x, point.y + side * aside.y);
            let (start, end) = (moved(from), moved(to));
            let width = 2.0 + 6.0 * carried.share.clamp(0.0, 1.0);
            page.named(&format!("{name}; carries {}", carried.in_full()), |page| {
                page.line(start, end, if fault.is_some() { FAULT } else { FAINT }, width + 2.0);
                page.line(start, end, &Ramp::Cool.at(carried.share).hexadecimal(), width);
            });
        }
    }

    /// Numbers come after all lines, so that none runs through them.
    fn number_bundles(&self, page: &mut Canvas, middles: &[Point], layout: &Layout) {
        let ends_of = |bundle: &Bundle| bundle.ends.map(|end| middles[end]);
        let is_crowded = self.bundles.len() > NUMBERED;
        let numbered: Vec<&Bundle> =
            self.bundles.iter().filter(|bundle| !is_crowded || self.fault_of(bundle).is_some()).collect();
        let directions = if self.load.is_some() { 2 } else { 1 };
        let is_square = layout.boxes.len() <= 4;
        let rows = directions * numbered.iter().filter(|bundle| is_slanted(ends_of(bundle))).count();
        let mut row = 0.0;
        for bundle in numbered {
            let ends = ends_of(bundle);
            for direction in 0..directions {
                let below = if is_square && is_slanted(ends) {
                    // Where two cross, each of their numbers has a row of its own.
                    row += 1.0;
                    (row - 0.5 - rows as f64 / 2.0) * (LABEL_HEIGHT + 3.0)
                } else if directions == 2 {
                    below_middle(ends, direction)
                } else {
                    0.0
                };
                let Some(text) = self.number(bundle, ends, direction) else { continue };
                let (place, is_faulty) = (on_line(ends, below), self.fault_of(bundle).is_some());
                label(page, place, &text, is_faulty, layout.width);
                if is_faulty && self.load.is_none() {
                    label(page, at(place.x, place.y + LABEL_HEIGHT + 1.0), "fault", true, layout.width);
                }
            }
        }
        for (ends, _) in &self.faulty.gone {
            label(page, on_line(ends.map(|end| middles[end]), 0.0), "down", true, layout.width);
        }
    }

    /// What is on a direction of a bundle: its load, if it has any, or what it can carry.
    fn number(&self, bundle: &Bundle, ends: [Point; 2], direction: usize) -> Option<String> {
        if let Some(Carried { traffic, share, .. }) = self.carried(bundle, direction) {
            let arrow = arrow(ends, direction);
            let text = format!("{arrow} {} · {:.0} %", significant(traffic.get()), share * 100.0);
            return Some(text).filter(|_| traffic.get() > 0.0);
        }
        Some(self.capacity_words(bundle))
    }

    /// What the picture shows, below it.
    fn note(&self, characters: usize) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(load) = self.load {
            lines.extend(wrap(&format!("{}: {}.", load.workload, load.outcome), characters));
            lines.extend(wrap("On each direction of a link: GB/s, and share of capacity.", characters));
            let all = (0..2 * self.hardware.links.len()).map(DirectedLink);
            let busiest = all.max_by(|one, other| load.link(*one).share.total_cmp(&load.link(*other).share));
            if let Some(link) = busiest {
                let words = format!(
                    "Busiest link: {}, {}.",
                    direction_name(self.hardware, link),
                    load.link(link).in_short()
                );
                lines.extend(wrap(&words, characters));
            }
        } else {
            lines.extend(wrap(
                "On each link: what one direction can carry. In each node: its memory channels.",
                characters,
            ));
        }
        let faults = &self.hardware.machine.faults;
        if !faults.is_empty() {
            lines.extend(wrap(&format!("Injected: {}.", faults.join(", ")), characters));
        }
        lines
    }
}

fn middle(around: &Area) -> Point {
    at(around.x + around.width / 2.0, around.y + around.height / 2.0)
}

/// A unit vector at a right angle to a line.
fn aside(from: Point, to: Point) -> Point {
    let (x, y) = (to.x - from.x, to.y - from.y);
    let length = libm::hypot(x, y).max(1.0);
    at(-y / length, x / length)
}

/// The sense of a direction, for its number.
fn arrow([from, to]: [Point; 2], direction: usize) -> char {
    let (from, to) = if direction == 0 { (from, to) } else { (to, from) };
    let (x, y) = (to.x - from.x, to.y - from.y);
    match (x.abs() < 1.0, y.abs() < 1.0, x > 0.0, y > 0.0) {
        (_, true, true, _) => '→',
        (_, true, false, _) => '←',
        (true, _, _, true) => '↓',
        (true, _, _, false) => '↑',
        (_, _, true, true) => '↘',
        (_, _, true, false) => '↗',
        (_, _, false, true) => '↙',
        (_, _, false, false) => '↖',
    }
}

fn is_slanted([from, to]: [Point; 2]) -> bool {
    (from.x - to.x).abs() > 1.0 && (from.y - to.y).abs() > 1.0
}

/// How far below the middle of a line the number of a direction is: beside its own side of a level line, one after the other on an
/// upright one.
fn below_middle([from, to]: [Point; 2], direction: usize) -> f64 {
    let side = if direction == 0 { 0.5 } else { -0.5 };
    let rise = to.y - from.y;
    if rise.abs() < 1.0 {
        side * aside(from, to).y * (LABEL_HEIGHT + 2.0 * (APART + 5.0))
    } else {
        -side * rise.signum() * (LABEL_HEIGHT + 4.0)
    }
}

/// The point of a line that is so far below its middle; on a level line, the point below.
fn on_line([from, to]: [Point; 2], below: f64) -> Point {
    let rise = to.y - from.y;
    let share = if rise.abs() > 1.0 { 0.5 + below / rise } else { 0.5 };
    at(from.x + (to.x - from.x) * share, (from.y + to.y) / 2.0 + below)
}

/// A number on its own background, within the page.
fn label(page: &mut Canvas, place: Point, text: &str, is_faulty: bool, width: f64) {
    let own = (LABEL.width(text) * 0.92 + 8.0).min(CELL_WIDTH + 24.0);
    let x = place.x.clamp(own / 2.0 + 1.0, (width - own / 2.0 - 1.0).max(own / 2.0 + 1.0));
    let ground = area(x - own / 2.0, place.y - LABEL_HEIGHT / 2.0, own, LABEL_HEIGHT);
    page.framed(ground, 4.0, PAPER, if is_faulty { FAULT } else { HAIRLINE });
    page.text(at(x, place.y + 4.8), if is_faulty { LABEL.fill(FAULT) } else { LABEL }, text);
}

/// Where a link was.
fn dashes(page: &mut Canvas, from: Point, to: Point) {
    const COUNT: usize = 24;
    for step in (0..COUNT).step_by(2) {
        let at_share = |step: usize| {
            let share = step as f64 / COUNT as f64;
            at(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share)
        };
        page.line(at_share(step), at_share(step + 1), FAULT, 3.0);
    }
}
