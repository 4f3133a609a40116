//! The parts of a described machine, and the peak of each.

use std::collections::BTreeMap;

use zerohop_document::Grade;
use zerohop_machine_file::{Coherence, Collector, Combinations, Hardware, Link, OnFull};
use zerohop_units::{Bytes, Nanoseconds};

use crate::description::{cpu_list, identity};
use crate::fabric::{NodePlace, diameter, each_way, end, places, rate, start};
use crate::number::{counted, significant};
use crate::origin::name_and_settings;
use crate::page::Page;
use crate::pages::grid::{Entry, Grid, Side};
use crate::pages::idle::{write_ceilings, write_idle_reads};
use crate::pages::machine::write_distances;
use crate::pages::parameters::write_keys;
use crate::pages::style::Style;

/// More links than this are listed by kind, with counts.
const LISTED_LINKS: usize = 16;

/// More routes than this are not listed.
const LISTED_ROUTES: usize = 24;

/// Everything in a machine file: the parts, their places, the hops between them, and the peak of each.
pub(crate) fn hardware_page(hardware: &Hardware, style: &Style) -> Page {
    let mut page = Page::new(style);
    page.banner(&format!("machine {}", name_and_settings(&hardware.machine)), "described by a machine file");
    page.remark(&hardware.title);
    page.section("parts");
    for (label, text) in identity(&hardware.machine) {
        page.line(label, &text);
    }
    write_cores(&mut page, hardware);
    let places = places(hardware);
    page.section("nodes");
    write_nodes(&mut page, hardware, &places);
    page.section("links");
    write_links(&mut page, hardware);
    write_hops(&mut page, hardware, &places);
    write_routes(&mut page, hardware, &places);
    write_distances(&mut page, &hardware.machine);
    page.section("coherence");
    page.line("copies", &coherence(&hardware.coherence));
    write_homes(&mut page, hardware);
    page.section("should reach");
    write_peaks(&mut page, hardware);
    write_options(&mut page, hardware);
    page.section("parameters");
    write_parameters(&mut page, hardware);
    write_keys(&mut page, hardware);
    page
}

/// A machine file in a few lines: its description, and the basis of its parameters.
pub(crate) fn hardware_summary(hardware: &Hardware, combinations: Combinations, style: &Style) -> Page {
    let machine = &hardware.machine;
    let mut page = Page::new(style);
    page.banner(&format!("machine {}", name_and_settings(machine)), "the file is valid");
    page.remark(&hardware.title);
    write_prediction(&mut page, machine);
    page.blank();
    let lines = [
        ("cores", machine.cores.len().to_string()),
        ("NUMA nodes", machine.nodes.len().to_string()),
        ("routers", hardware.routers.len().to_string()),
        ("links", links_in_short(hardware)),
        ("diameter", counted(diameter(hardware), "hop")),
        ("home agents", hardware.homes.len().to_string()),
        ("memory", machine.nodes.iter().map(|node| node.memory).sum::<Bytes>().to_string()),
    ];
    for (label, text) in lines {
        page.line(label, &text);
    }
    write_peaks(&mut page, hardware);
    page.line("coherence", &coherence(&hardware.coherence));
    if !hardware.options.is_empty() {
        page.line("options", &tried(hardware, combinations));
    }
    write_parameters(&mut page, hardware);
    write_idle_reads(&mut page, hardware);
    write_ceilings(&mut page, hardware);
    page
}

/// Derivation of a machine that nobody measured, and the errors of such predictions.
pub(crate) fn write_prediction(page: &mut Page, machine: &zerohop_machine::Machine) {
    let Some(prediction) = &machine.prediction else { return };
    page.blank();
    if prediction.assumed.is_empty() {
        page.line("assumed", "nothing that affects bandwidth");
    } else {
        page.alert(
            &format!("assumed, because it was not given: {}", prediction.assumed.join("; ")),
            SAY_WHAT_IS_KNOWN,
        );
    }
    if !prediction.errors.is_empty() {
        page.line(
            "known errors",
            &format!(
                "{}: error of 9 of 10 such predictions (docs/validation.md)",
                prediction.errors.join(", ")
            ),
        );
    }
}

/// What mends an assumption.
const SAY_WHAT_IS_KNOWN: &str =
    "give properties such as `--set links=2`; `zerohop machine templates NAME` lists them";

fn links_in_short(hardware: &Hardware) -> String {
    let count = hardware.links.len();
    let unlike = hardware.links.iter().any(|link| link.back.is_some());
    let words = |link: &Link| if unlike { each_way(link) } else { rate(link.capacity) };
    let kinds: Vec<String> = alike(hardware.links.iter().map(words))
        .into_iter()
        .map(|(rate, of_kind)| if of_kind == count { rate } else { format!("{of_kind} of {rate}") })
        .collect();
    match kinds.is_empty() {
        true => "none".to_owned(),
        false if unlike => format!("{count}: {}", kinds.join(", ")),
        false => format!("{count}: {} each way", kinds.join(", ")),
    }
}

/// Each text once, with its count.
fn alike(texts: impl Iterator<Item = String>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for text in texts {
        *counts.entry(text).or_default() += 1;
    }
    counts
}

/// `links, nps: 8 combinations are sound, the file refuses 1`.
fn tried(hardware: &Hardware, combinations: Combinations) -> String {
    let names: Vec<&str> = hardware.options.iter().map(|option| option.name.as_str()).collect();
    let Combinations { sound, refused, all } = combinations;
    let which = if all { "" } else { " of up to two values" };
    format!("{}: all {sound} combinations{which} are valid, and the file rejects {refused}", names.join(", "))
}

/// The options, their values, and the value chosen.
fn write_options(page: &mut Page, hardware: &Hardware) {
    if hardware.options.is_empty() {
        return;
    }
    page.section("options");
    let lines = hardware.options.iter().map(|option| {
        let values = option.values.join(", ");
        let usual = match option.chosen == option.default {
            true => String::new(),
            false => format!(", by default {}", option.default),
        };
        (option.name.as_str(), format!("{}: {values}; here {}{usual}", option.meaning, option.chosen))
    });
    page.lines(&lines.collect::<Vec<_>>());
    page.remark("--set NAME=VALUE chooses another value");
}

fn nanoseconds(time: Nanoseconds) -> String {
    format!("{} {}", significant(time.get()), Nanoseconds::UNIT)
}

fn grid<const COLUMNS: usize>(heads: [(&str, Side); COLUMNS]) -> Grid {
    Grid::new(heads.map(|(head, side)| (head.to_owned(), side)))
}

fn write_cores(page: &mut Page, hardware: &Hardware) {
    for (rank, kind) in hardware.core_kinds.iter().enumerate() {
        let count = hardware.cores.iter().filter(|core| core.kind == rank).count();
        let of_kind = &kind.parameters;
        let flight = of_kind.in_flight;
        let lines = format!(
            "lines in flight: {} sequential, {} strided, {} random",
            flight.sequential, flight.strided, flight.random
        );
        let (name, clock, evictions) =
            (&kind.name, of_kind.clock, counted(of_kind.evictions as usize, "eviction"));
        page.line("core", &format!("{count} × {name} at {clock}; {lines}; {evictions}"));
    }
}

fn write_nodes(page: &mut Page, hardware: &Hardware, places: &[NodePlace]) {
    let mut grid = grid([
        ("node", Side::Left),
        ("CPUs", Side::Left),
        ("memory", Side::Right),
        ("routers", Side::Left),
        ("home agents", Side::Right),
        ("channels", Side::Right),
        ("peak (GB/s)", Side::Right),
    ]);
    for (node, place) in hardware.machine.nodes.iter().zip(places) {
        let memory = hardware.memory(node.id);
        let mut routers: Vec<usize> = [&place.cores[..], &place.homes, &place.channels].concat();
        routers.sort_unstable();
        routers.dedup();
        grid.push(vec![
            Entry::number(&node.id),
            Entry::text(if node.pus.is_empty() { "–".to_owned() } else { cpu_list(&node.pus) }),
            Entry::text(node.memory.to_string()),
            Entry::text(router_names(hardware, &routers)),
            Entry::number(&memory.map_or(0, |memory| memory.homes.len())),
            Entry::number(&memory.map_or(0, |memory| memory.channels.len())),
            hardware
                .memory_peak(node.id)
                .map_or(Entry::text("–"), |peak| Entry::number(&significant(peak.get()))),
        ]);
    }
    page.grid(grid);
}

fn router_names(hardware: &Hardware, routers: &[usize]) -> String {
    // A longer list says no more than a count.
    const NAMED: usize = 4;
    if routers.len() > NAMED {
        return counted(routers.len(), "router");
    }
    routers.iter().map(|&rank| hardware.routers[rank].name.as_str()).collect::<Vec<_>>().join(", ")
}

fn write_links(page: &mut Page, hardware: &Hardware) {
    if hardware.links.is_empty() {
        page.remark("there is one router and no link");
        return;
    }
    let rows = hardware.links.iter().map(|link| {
        [
            link.back.map_or_else(
                || significant(link.capacity.get()),
                |back| format!("{}/{}", significant(link.capacity.get()), significant(back.get())),
            ),
            significant(link.read_peak().get()),
            significant(link.write_peak().get()),
            significant(link.parameters.latency.get()),
        ]
    });
    let heads = |first| {
        grid([
            (first, Side::Left),
            ("each way (GB/s)", Side::Right),
            ("lines read (GB/s)", Side::Right),
            ("lines written (GB/s)", Side::Right),
            ("latency (ns)", Side::Right),
        ])
    };
    let numbers = |row: &[String; 4]| row.iter().map(Entry::number).collect::<Vec<_>>();
    if hardware.links.len() <= LISTED_LINKS {
        let mut grid = heads("link");
        for (link, row) in hardware.links.iter().zip(rows) {
            grid.push([vec![Entry::text(&link.name)], numbers(&row)].concat());
        }
        page.grid(grid);
    } else {
        let mut kinds: BTreeMap<[String; 4], usize> = BTreeMap::new();
        for row in rows {
            *kinds.entry(row).or_default() += 1;
        }
        let mut grid = heads("links");
        for (row, count) in kinds {
            grid.push([vec![Entry::number(&count)], numbers(&row)].concat());
        }
        page.grid(grid);
    }
    page.remark("lines read, lines written: the capacity of one direction without other traffic");
}

fn write_hops(page: &mut Page, hardware: &Hardware, places: &[NodePlace]) {
    let targets: Vec<&NodePlace> = places.iter().filter(|place| !place.homes.is_empty()).collect();
    let initiators: Vec<&NodePlace> = places.iter().filter(|place| !place.cores.is_empty()).collect();
    if initiators.len() < 2 && targets.len() < 2 && hardware.routers.len() < 2 {
        return;
    }
    page.title("hops", "(links on the path to remote memory, minus those to local memory)");
    let matrix = hardware.hop_matrix();
    let rank = |place: &NodePlace| places.iter().position(|known| known.node == place.node).unwrap_or(0);
    let columns: Vec<usize> = targets.iter().map(|to| rank(to)).collect();
    if targets.len() > page.style().columns() {
        let mut pairs: BTreeMap<usize, usize> = BTreeMap::new();
        for row in initiators.iter().map(|from| &matrix[rank(from)]) {
            columns.iter().for_each(|&column| *pairs.entry(row[column]).or_default() += 1);
        }
        let pairs = pairs.into_iter().map(|(hops, count)| format!("{hops} ({})", counted(count, "pair")));
        page.remark(&pairs.collect::<Vec<_>>().join(", "));
        return;
    }
    let words = |from: &NodePlace, to: &NodePlace| matrix[rank(from)][rank(to)].to_string();
    let heads = targets.iter().map(|place| (place.node.to_string(), Side::Right));
    let mut grid = Grid::new(std::iter::once(("from node ↓ to →".to_owned(), Side::Left)).chain(heads));
    for from in &initiators {
        let row = targets.iter().map(|to| Entry::number(&words(from, to)));
        grid.push(std::iter::once(Entry::number(&from.node)).chain(row).collect());
    }
    if grid.width() <= page.style().columns() {
        page.grid(grid);
        return;
    }
    let pairs = initiators.iter().flat_map(|from| targets.iter().map(|to| words(from, to)));
    let pairs = alike(pairs).into_iter().map(|(hops, count)| format!("{hops} ({})", counted(count, "pair")));
    page.remark(&pairs.collect::<Vec<_>>().join(", "));
}

/// Routes that pass a router between their ends.
fn write_routes(page: &mut Page, hardware: &Hardware, places: &[NodePlace]) {
    let single = |routers: &[usize]| if let [router] = routers { Some(*router) } else { None };
    let mut routes = Vec::new();
    for from in places {
        if routes.len() > LISTED_ROUTES {
            return;
        }
        for to in places {
            let (Some(start_router), Some(home)) = (single(&from.cores), single(&to.homes)) else { continue };
            let route = hardware.path(start_router, home);
            if route.len() > 1 {
                let through = route
                    .iter()
                    .map(|&link| start(hardware, link))
                    .chain([end(hardware, route[route.len() - 1])]);
                let names: Vec<&str> = through.map(|rank| hardware.routers[rank].name.as_str()).collect();
                routes.push(names.join(" → "));
            }
        }
    }
    if routes.is_empty() || routes.len() > LISTED_ROUTES {
        return;
    }
    page.title("routes of more than one hop", "");
    page.remark(&routes.join(";  "));
}

fn coherence(coherence: &Coherence) -> String {
    match coherence {
        Coherence::Directory { lookup } => {
            format!("a directory at the home agent finds them; a lookup takes {}", nanoseconds(*lookup))
        }
        Coherence::Broadcast { lookup, collector } => {
            let who = match collector {
                Collector::Requester => "the requester",
                Collector::Home => "the home agent",
            };
            format!(
                "every other node with cores is probed and responds after {}; {who} collects the responses",
                nanoseconds(*lookup)
            )
        }
    }
}

fn write_homes(page: &mut Page, hardware: &Hardware) {
    let described = hardware.homes.iter().map(|home| {
        let of_kind = &home.parameters;
        let delay = nanoseconds(of_kind.retry_delay.unwrap_or_default());
        let full = match of_kind.on_full {
            OnFull::Wait => "wait".to_owned(),
            OnFull::Retry => format!("are sent back and retried after {delay}"),
            OnFull::Recirculate => format!("are checked again after {delay}"),
        };
        format!(
            "table of {} requests, at most {} local and {} remote; others {full}",
            of_kind.table, of_kind.local_limit, of_kind.remote_limit
        )
    });
    for (text, count) in alike(described) {
        page.line("home agents", &format!("{count} × {text}"));
    }
}

fn write_peaks(page: &mut Page, hardware: &Hardware) {
    let channels = counted(hardware.channels.len(), "memory channel");
    page.line("bandwidth", &format!("{} over {channels}", rate(hardware.total_memory_peak())));
    let nodes = hardware.machine.nodes.iter().filter_map(|node| hardware.memory_peak(node.id));
    let peaks = alike(nodes.map(rate)).into_iter().map(|(peak, count)| match count {
        1 => peak,
        count => format!("{peak} ({count} nodes)"),
    });
    page.line("per node", &peaks.collect::<Vec<_>>().join(", "));
    let links = alike(hardware.links.iter().map(|link| {
        let (read, written) = (rate(link.read_peak()), rate(link.write_peak()));
        format!("{read} of lines read, {written} of lines written")
    }));
    if !links.is_empty() {
        let links: Vec<String> = links.into_keys().collect();
        page.line("per link", &format!("{}, each way", links.join("; ")));
    }
}

/// The number of parameters by basis, and those that were fitted.
fn write_parameters(page: &mut Page, hardware: &Hardware) {
    let grades = Grade::ALL.map(|grade| {
        let count = hardware.parameters.iter().filter(|parameter| parameter.grade == grade).count();
        format!("{count} {}", grade.words())
    });
    let count = counted(hardware.parameters.len(), "number");
    page.line("parameters", &format!("{count}: {}", grades.join(", ")));
    for (parameter, to) in hardware.fitted() {
        page.item(&format!("{} = {}, fitted to {to}", parameter.path, parameter.value));
    }
}
