//! The measured machine: packages and their nodes, each with its performance relative to the expectation, and the traffic between packages.

use std::collections::BTreeMap;

use zerohop_expectation::{Expectations, Standing};
use zerohop_machine::{NodeId, PackageId};
use zerohop_result::{Axis, Cell, Coordinates, ExperimentName, Measure};

use crate::assessed_result::AssessedResult;
use crate::number::significant;
use crate::svg::canvas::{Area, Canvas, Point, Type, area, at};
use crate::svg::marks::Marks;
use crate::svg::palette::{DOUBT, FAINT, HAIRLINE, INK, PANEL, PAPER};
use crate::svg::panel::{Breadth, Chart, Panel};

/// More packages or nodes than this are in the matrices alone.
const MOST_PACKAGES: usize = 4;
const MOST_NODES: usize = 32;
/// Nodes of a package side by side.
const ABREAST: usize = 2;
const NODE: (f64, f64) = (168.0, 66.0);
const BETWEEN_NODES: f64 = 8.0;
const INSIDE: f64 = 12.0;
const HEAD: f64 = 26.0;
/// Between packages, where the labels of what goes between them stand.
const BETWEEN_PACKAGES: (f64, f64) = (190.0, 74.0);
/// What a node reached of what it should: from this share on, and the fill of its box. The words in the box say the same.
const FILLS: [(f64, &str); 4] =
    [(0.95, "#dff0e8"), (0.85, "#fbf1d6"), (0.0, "#f7d9c8"), (f64::NEG_INFINITY, PAPER)];

/// The values between nodes.
struct Values<'a> {
    judged: &'a AssessedResult<'a>,
    marks: &'a Marks,
    cells: BTreeMap<(Measure, NodeId, NodeId), (&'a ExperimentName, &'a Cell)>,
}

/// A value with what it should be, and whether it deserves a look.
struct Value {
    found: f64,
    share: Option<f64>,
    is_odd: bool,
}

/// A panel of the machine; `None` without a bandwidth of each node and of several packages or nodes, or with too many of them.
pub(crate) fn reach(judged: &AssessedResult<'_>, marks: &Marks) -> Option<Panel> {
    let Reach { drawing: machine, size: (width, height), title, aside } = Reach::of(judged, marks)?;
    let breadth = Breadth::Full;
    let mut drawing = Canvas::default();
    drawing.place(at(((breadth.content() - width) / 2.0).max(0.0), 0.0), &machine);
    Some(Panel { title, aside, breadth, height, drawing })
}

/// The same as a chart, as wide as the machine.
pub(super) fn machine_chart(judged: &AssessedResult<'_>, marks: &Marks) -> Option<Chart> {
    let Reach { drawing, size: (width, height), title, aside } = Reach::of(judged, marks)?;
    let svg = drawing.finish_inside(width, height, &title);
    Some(Chart { title, aside, is_wide: true, svg })
}

/// A drawing of the machine.
struct Reach {
    drawing: Canvas,
    size: (f64, f64),
    title: String,
    aside: String,
}

impl Reach {
    fn of(judged: &AssessedResult<'_>, marks: &Marks) -> Option<Self> {
        let values = Values::of(judged, marks);
        let packages = packages(judged, &values);
        let nodes: usize = packages.values().map(Vec::len).sum();
        let has_all = packages.values().flatten().all(|&node| values.bandwidth(node, node).is_some());
        if !(2..=MOST_NODES).contains(&nodes) || packages.len() > MOST_PACKAGES || !has_all {
            return None;
        }
        let rows = |nodes: &Vec<NodeId>| nodes.len().div_ceil(ABREAST);
        let most_rows = packages.values().map(rows).max().unwrap_or(1);
        let abreast = packages.values().map(Vec::len).max().unwrap_or(1).min(ABREAST);
        let size = (
            2.0 * INSIDE + abreast as f64 * (NODE.0 + BETWEEN_NODES) - BETWEEN_NODES,
            HEAD + INSIDE + most_rows as f64 * (NODE.1 + BETWEEN_NODES) - BETWEEN_NODES,
        );
        let columns = packages.len().min(2);
        let width = columns as f64 * (size.0 + BETWEEN_PACKAGES.0) - BETWEEN_PACKAGES.0;
        let places: Vec<Area> = (0..packages.len())
            .map(|rank| {
                let (column, row) = ((rank % 2) as f64, (rank / 2) as f64);
                area(
                    1.0 + column * (size.0 + BETWEEN_PACKAGES.0),
                    1.0 + row * (size.1 + BETWEEN_PACKAGES.1),
                    size.0,
                    size.1,
                )
            })
            .collect();
        let mut drawing = Canvas::default();
        let list: Vec<(&Option<PackageId>, &Vec<NodeId>)> = packages.iter().collect();
        for one in 0..list.len() {
            for other in one + 1..list.len() {
                draw_way(&mut drawing, &values, [list[one].1, list[other].1], [places[one], places[other]]);
            }
        }
        for ((package, nodes), place) in list.iter().zip(&places) {
            draw_package(&mut drawing, &values, **package, nodes, *place);
        }
        let bottom = places.iter().map(|place| place.y + place.height).fold(0.0, f64::max);
        let known = judged.expectations.is_some_and(|expectations| !expectations.waterfalls.is_empty());
        let beside = if known { "expected by its model" } else { "its best node" };
        Some(Self {
            drawing,
            size: (width + 2.0, bottom + 4.0),
            title: "the machine and its performance".to_owned(),
            aside: format!(
                "reads of local memory, as a share of {beside}; between packages: the worst pair of nodes, in either direction"
            ),
        })
    }
}

/// The nodes with CPUs of each package; of no package where the result does not show them.
fn packages(judged: &AssessedResult<'_>, values: &Values<'_>) -> BTreeMap<Option<PackageId>, Vec<NodeId>> {
    let mut of: BTreeMap<Option<PackageId>, Vec<NodeId>> = BTreeMap::new();
    let mut nodes: Vec<NodeId> = values.cells.keys().map(|(_, from, _)| *from).collect();
    nodes.sort_unstable();
    nodes.dedup();
    for node in nodes {
        let pu = judged.result.machine.pus.iter().find(|pu| pu.node == node);
        of.entry(pu.map(|pu| pu.package)).or_default().push(node);
    }
    of
}

impl<'a> Values<'a> {
    fn of(judged: &'a AssessedResult<'a>, marks: &'a Marks) -> Self {
        let mut cells = BTreeMap::new();
        for experiment in &judged.result.experiments {
            // From node to node, under no load and with no kernel named.
            for cell in experiment.cells.iter().filter(|cell| cell.at.0.len() == 2) {
                let end = |axis| cell.at.number(axis).and_then(|node| u32::try_from(node).ok()).map(NodeId);
                if let (Some(from), Some(to)) = (end(Axis::Initiator), end(Axis::Target)) {
                    cells.entry((cell.measure, from, to)).or_insert((&experiment.experiment, cell));
                }
            }
        }
        Self { judged, marks, cells }
    }

    fn bandwidth(&self, from: NodeId, to: NodeId) -> Option<Value> {
        let (experiment, cell) = self.cells.get(&(Measure::Bandwidth, from, to))?;
        let found = cell.estimate.median;
        let expected = self.judged.expectations.and_then(|all| expected(all, experiment, &cell.at));
        let own =
            self.cells.iter().filter(|((measure, from, to), _)| *measure == Measure::Bandwidth && from == to);
        let best = || own.map(|(_, (_, cell))| cell.estimate.median).reduce(f64::max).filter(|_| from == to);
        let share = expected.map(|(value, _)| value).or_else(best).map(|value| found / value);
        let is_worse = expected.is_some_and(|(_, is_worse)| is_worse);
        Some(Value { found, share, is_odd: is_worse || self.marks.has(experiment, cell) })
    }

    fn latency(&self, node: NodeId) -> Option<f64> {
        self.cells.get(&(Measure::Latency, node, node)).map(|(_, cell)| cell.estimate.median)
    }
}

/// What a value should be, if a model says it, and whether the value is worse.
fn expected(all: &Expectations, experiment: &ExperimentName, place: &Coordinates) -> Option<(f64, bool)> {
    all.waterfalls.first()?;
    let is_it = |cell: &&zerohop_expectation::ExpectedCell| {
        cell.experiment == *experiment && cell.measure == Measure::Bandwidth && cell.at == *place
    };
    all.cells.iter().find(is_it).map(|cell| (cell.expected.value, cell.standing == Standing::Worse))
}

fn draw_package(
    drawing: &mut Canvas,
    values: &Values<'_>,
    package: Option<PackageId>,
    nodes: &[NodeId],
    place: Area,
) {
    drawing.framed(place, 8.0, PAPER, HAIRLINE);
    let name = package.map_or("nodes".to_owned(), |package| format!("package {package}"));
    drawing.text(at(place.x + INSIDE, place.y + 18.0), Type::new(12.5).bold(), &name);
    for (rank, &node) in nodes.iter().enumerate() {
        let (column, row) = ((rank % ABREAST) as f64, (rank / ABREAST) as f64);
        let x = place.x + INSIDE + column * (NODE.0 + BETWEEN_NODES);
        let y = place.y + HEAD + row * (NODE.1 + BETWEEN_NODES);
        let Some(value) = values.bandwidth(node, node) else { continue };
        let share = value.share.unwrap_or(f64::NEG_INFINITY);
        let fill = FILLS.iter().find(|(least, _)| share >= *least).map_or(PAPER, |(_, fill)| *fill);
        let (stroke, ink) = if value.is_odd { (DOUBT, DOUBT) } else { (HAIRLINE, INK) };
        drawing.framed(area(x, y, NODE.0, NODE.1), 6.0, fill, stroke);
        let mark = if value.is_odd { "! " } else { "" };
        drawing.text(at(x + 10.0, y + 18.0), Type::new(12.0).bold(), &format!("node {node}"));
        let percent = value.share.map_or(String::new(), |share| format!(" ({:.0} %)", 100.0 * share));
        let bandwidth = format!("{mark}{} GB/s{percent}", significant(value.found));
        drawing.text(at(x + 10.0, y + 37.0), Type::new(12.0).fill(ink), &bandwidth);
        if let Some(latency) = values.latency(node) {
            let latency = format!("{} ns", significant(latency));
            drawing.text(at(x + 10.0, y + 55.0), Type::new(12.0).fill(FAINT), &latency);
        }
    }
}

/// What goes between two packages.
fn draw_way(drawing: &mut Canvas, values: &Values<'_>, nodes: [&Vec<NodeId>; 2], places: [Area; 2]) {
    let pairs = nodes[0].iter().flat_map(|&one| nodes[1].iter().map(move |&other| (one, other)));
    let both = pairs.flat_map(|(one, other)| [values.bandwidth(one, other), values.bandwidth(other, one)]);
    let Some(worst) = both.flatten().min_by(|one, other| one.found.total_cmp(&other.found)) else { return };
    let middle = |place: Area| at(place.x + place.width / 2.0, place.y + place.height / 2.0);
    let [from, to] = places.map(middle);
    let (ink, width) = if worst.is_odd { (DOUBT, 4.0) } else { (FAINT, 2.5) };
    drawing.line(from, to, ink, width);
    // Diagonals cross: each has its label in the gap beside its own package.
    let is_diagonal = from.x != to.x && from.y != to.y;
    let along = if is_diagonal { 0.32 } else { 0.5 };
    let Point { x, y } = at(from.x + along * (to.x - from.x), from.y + along * (to.y - from.y));
    let gap = places[0].y + places[0].height;
    let y = if is_diagonal { y.max(gap + 16.0) } else { y };
    let mark = if worst.is_odd { "! " } else { "" };
    let words = format!("{mark}{} GB/s", significant(worst.found));
    let text = Type::new(12.0).bold().middle().fill(if worst.is_odd { DOUBT } else { INK });
    let half = text.width(&words) / 2.0 + 6.0;
    drawing.rect(area(x - half, y - 10.0, 2.0 * half, 20.0), 4.0, PANEL);
    drawing.text(at(x, y + 4.0), text, &words);
}
