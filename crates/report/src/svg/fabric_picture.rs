//! A described machine drawn as its routers and the links between them, with the cores, home agents and memory channels
//! at each router; optionally with the load of links and channels in a simulation.

mod areas;
mod faulty;
mod labels;
mod load;
mod map_layout;
mod node_map;
mod places;
mod router_box;
mod summary;

use zerohop_machine_file::{DirectedLink, Hardware};
use zerohop_result::{Catalogue, Query, ResultFile};

use crate::description::{caches, memory, processor, topology};
use crate::fabric::{direction_name, each_way, rate};
use crate::number::significant;
use crate::origin::name_and_settings;
use crate::svg::canvas::{Canvas, Point, Type, area, at};
use crate::svg::palette::{FAINT, HAIRLINE, INK, PAPER, Ramp};
use crate::svg::panel::GAP;
use crate::svg::sums::BREADTH;
use crate::wrap::wrap;
use labels::Obstacles;
use load::{Carried, Load};
use places::places;
use router_box::{BOX_WIDTH, box_height, draw_router, sits_at};

pub use load::NoLoad;
pub(crate) use node_map::node_map;

/// Under the lines on top.
const HEAD_GAP: f64 = 26.0;
/// Where the lines on top begin, after their labels.
const LINES_LEFT: f64 = GAP + 90.0;
/// The narrowest page, for the lines on top.
const NARROWEST: f64 = 760.0;
/// Characters of a line on top.
const LINE_WIDTH: usize = 96;
/// Between the middles of the two directions of a link.
const APART: f64 = 9.0;

/// Typography of numbers on links.
const LABEL: Type = Type::new(11.0).bold().middle();
/// Height of their background.
const LABEL_HEIGHT: f64 = 17.0;

/// A picture of the machine's hardware.
pub(crate) fn hardware_picture(hardware: &Hardware) -> String {
    let machine = &hardware.machine;
    let lines = [
        ("processor", processor(machine)),
        ("topology", topology(machine)),
        ("caches", caches(machine)),
        ("memory", memory(machine)),
        ("bandwidth", format!("{} of all memory channels", rate(hardware.total_memory_peak()))),
        ("model", hardware.title.clone()),
    ];
    let note =
        "On each link: the capacity of one direction. Each box is a router with the parts attached to it.";
    draw(hardware, &lines, note, None)
}

/// The picture with the load of each link and each channel in a result of the same machine, for the first workload at `at`.
///
/// # Errors
/// If the result is of another machine, or does not have the loads.
pub(crate) fn load_picture(
    hardware: &Hardware,
    file: &ResultFile,
    at: &Query,
    experiments: Catalogue,
) -> Result<String, NoLoad> {
    let load = Load::of(hardware, file, at, experiments)?;
    let lines = [
        ("experiment", load.experiment.clone()),
        ("workload", load.workload.clone()),
        ("result", load.outcome.clone()),
        ("others", load.others.clone()),
    ];
    let note = "On each link and direction: GB/s including overhead, and the share of its capacity. \
                Darker and wider means more load. Simulated, not measured.";
    Ok(draw(hardware, &lines, note, Some(&load)))
}

/// More routers or links than this are summarized: nobody could find one of them in such a picture.
const DRAWN_ROUTERS: usize = 128;
const DRAWN_LINKS: usize = 1024;

fn draw(hardware: &Hardware, lines: &[(&str, String)], note: &str, load: Option<&Load>) -> String {
    let is_drawn = hardware.routers.len() <= DRAWN_ROUTERS && hardware.links.len() <= DRAWN_LINKS;
    let name = name_and_settings(&hardware.machine);
    let mut page = Canvas::default();
    page.text(at(GAP, 42.0), Type::new(24.0).bold(), &format!("model of {name}"));
    let mut y = 68.0;
    for (label, text) in lines.iter().filter(|(_, text)| !text.is_empty()) {
        page.text(at(GAP, y), Type::new(12.5).bold(), label);
        for line in wrap(text, LINE_WIDTH) {
            page.text(at(LINES_LEFT, y), Type::new(12.5), &line);
            y += 19.0;
        }
    }
    let description: Vec<String> = lines.iter().map(|(label, text)| format!("{label}: {text}")).collect();
    let title = match load {
        Some(_) => format!("Load of the model of {name}"),
        None => format!("Model of {name}"),
    };
    if !is_drawn {
        y = summary::draw(&mut page, hardware, at(GAP, y + HEAD_GAP / 2.0), load);
        return page.finish(NARROWEST.max(BREADTH), y + GAP / 2.0, &title, &description.join("; "));
    }
    let sits = sits_at(hardware);
    let height = box_height(hardware, &sits);
    let places = places(hardware, height);
    let width = (places.width + 2.0 * GAP).max(NARROWEST);
    let corner = at((width - places.width) / 2.0, y + HEAD_GAP);
    let mut graph = Canvas::default();
    let ends: Vec<[Point; 2]> =
        hardware.links.iter().map(|link| link.ends.map(|router| places.middles[router])).collect();
    for (rank, ends) in ends.iter().enumerate() {
        draw_link(&mut graph, hardware, rank, *ends, load);
    }
    // Numbers come after all lines, so that none runs through them.
    let mut obstacles = Obstacles::new(ends.clone(), &places.middles, (BOX_WIDTH, height));
    for (rank, ends) in ends.iter().enumerate() {
        label_link(&mut graph, hardware, (rank, *ends), load, &mut obstacles);
    }
    for (router, middle) in places.middles.iter().enumerate() {
        draw_router(&mut graph, hardware, router, &sits[router], (*middle, height), load);
    }
    page.place(corner, &graph);
    y = corner.y + places.height + HEAD_GAP;
    for line in wrap(note, LINE_WIDTH + 20) {
        page.text(at(GAP, y), Type::new(11.0).fill(FAINT), &line);
        y += 16.0;
    }
    page.finish(width, y + GAP / 2.0, &title, &description.join("; "))
}

/// Both directions of a link, beside each other.
fn draw_link(graph: &mut Canvas, hardware: &Hardware, rank: usize, ends: [Point; 2], load: Option<&Load>) {
    let link = &hardware.links[rank];
    let [from, to] = ends;
    let (along, aside) = directions(from, to);
    let Some(load) = load else {
        let name = format!(
            "link {}: {}, {} ns",
            link.name,
            each_way(link),
            significant(link.parameters.latency.get())
        );
        graph.named(&name, |graph| {
            graph.line(from, to, HAIRLINE, 9.0);
            graph.line(from, to, FAINT, 1.5);
        });
        return;
    };
    for direction in [0, 1] {
        let directed = DirectedLink::new(rank, direction);
        let carried = load.link(directed);
        let side = if direction == 0 { 1.0 } else { -1.0 };
        let shift = |point: Point| at(point.x + side * aside.x * APART, point.y + side * aside.y * APART);
        let (start, end) = if direction == 0 { (shift(from), shift(to)) } else { (shift(to), shift(from)) };
        let name = format!("{}: {}", direction_name(hardware, directed), carried.in_full());
        graph.named(&name, |graph| {
            graph.line(start, end, INK, carried.stroke() + 2.0);
            graph.line(start, end, &Ramp::Cool.at(carried.share).hexadecimal(), carried.stroke());
            // An arrow's head in the middle tells the direction from its number's place.
            let sense = if direction == 0 { 1.0 } else { -1.0 };
            let tip = middle(start, end, 0.5);
            for turn in [-1.0, 1.0] {
                let wing = at(
                    tip.x - sense * along.x * 9.0 + turn * aside.x * 6.0,
                    tip.y - sense * along.y * 9.0 + turn * aside.y * 6.0,
                );
                graph.line(wing, tip, INK, 2.0);
            }
        });
    }
}

/// The numbers of a link: its capacity, or what each direction carried, each beside its direction.
fn label_link(
    graph: &mut Canvas,
    hardware: &Hardware,
    (rank, [from, to]): (usize, [Point; 2]),
    load: Option<&Load>,
    obstacles: &mut Obstacles,
) {
    let Some(load) = load else {
        let link = &hardware.links[rank];
        let back = link.back.map(|back| format!(" / {}", rate(back)));
        let text = format!("{}{}", rate(link.capacity), back.unwrap_or_default());
        let place = obstacles.place(rank, 0.5, at(0.0, 0.0), (label_width(&text), LABEL_HEIGHT));
        label(graph, place, &text);
        return;
    };
    let (along, aside) = directions(from, to);
    for direction in [0, 1] {
        let text = load.link(DirectedLink::new(rank, direction)).in_short();
        let side = if direction == 0 { 1.0 } else { -1.0 };
        // Where links cross, they do so in the middle.
        let slanted = along.x.abs().min(along.y.abs()) > 0.1;
        let away = APART + LABEL_HEIGHT * aside.y.abs() + (label_width(&text) / 2.0 + 8.0) * aside.x.abs();
        let shift = at(side * aside.x * away, side * aside.y * away);
        let size = (label_width(&text), LABEL_HEIGHT);
        let place = obstacles.place(rank, if slanted { 0.3 } else { 0.5 }, shift, size);
        label(graph, place, &text);
    }
}

/// A unit vector from one point to another, and one at a right angle to it.
fn directions(from: Point, to: Point) -> (Point, Point) {
    let (x, y) = (to.x - from.x, to.y - from.y);
    let length = libm::hypot(x, y).max(1.0);
    (at(x / length, y / length), at(-y / length, x / length))
}

/// The point at this fraction of the distance from one point to another.
fn middle(from: Point, to: Point, share: f64) -> Point {
    at(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share)
}

/// A number on a link, on a background of its own.
fn label(graph: &mut Canvas, place: Point, text: &str) {
    let width = label_width(text);
    let ground = area(place.x - width / 2.0, place.y - LABEL_HEIGHT / 2.0, width, LABEL_HEIGHT);
    graph.framed(ground, 4.0, PAPER, HAIRLINE);
    graph.text(at(place.x, place.y + 3.5), LABEL, text);
}

fn label_width(text: &str) -> f64 {
    LABEL.width(text) + 8.0
}

impl Carried {
    /// Wider for a higher load.
    fn stroke(&self) -> f64 {
        2.0 + 8.0 * self.share.clamp(0.0, 1.0)
    }
}
