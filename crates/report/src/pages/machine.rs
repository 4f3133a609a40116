//! Describes a machine.

use std::collections::BTreeMap;

use zerohop_machine::{DistanceMatrix, Machine, NumaNode};
use zerohop_units::{Bytes, GigabytesPerSecond, Nanoseconds};

use crate::description::{cpu_list, identity, settings};
use crate::number::{counted, significant};
use crate::page::Page;
use crate::pages::grid::{Entry, Grid, Side};
use crate::pages::style::Style;
use crate::peak::{reported, theoretical};

/// Everything known about a machine: parts, nodes, distances, settings, expected peaks, and what could not be read.
pub(crate) fn machine_page(machine: &Machine, style: &Style) -> Page {
    let mut page = Page::new(style);
    page.banner(&format!("machine {}", machine.name), "");
    page.section("parts");
    for (label, text) in identity(machine) {
        page.line(label, &text);
    }
    page.line("instructions", &machine.processor.instruction_sets.join(", "));
    page.section("nodes");
    write_nodes(&mut page, machine);
    write_distances(&mut page, machine);
    let settings = settings(&machine.system);
    if settings.iter().any(|(_, text)| !text.is_empty()) {
        page.section("settings");
        settings.iter().for_each(|(label, text)| page.line(label, text));
    }
    page.section("should reach");
    write_peaks(&mut page, machine);
    write_gaps(&mut page, machine);
    page
}

/// One row per node.
pub(crate) fn write_nodes(page: &mut Page, machine: &Machine) {
    let heads = [
        ("node", Side::Left),
        ("CPUs", Side::Left),
        ("cores", Side::Right),
        ("memory", Side::Right),
        ("free", Side::Right),
        ("reserved huge pages", Side::Left),
        ("", Side::Left),
    ];
    let mut grid = Grid::new(heads.map(|(head, side)| (head.to_owned(), side)));
    for node in &machine.nodes {
        let cores = machine.cores.iter().filter(|core| !core.pus.intersection(&node.pus).is_empty()).count();
        let pools = node.huge_pages.iter().filter(|pool| pool.total > 0);
        let pools: Vec<String> =
            pools.map(|pool| format!("{} × {}, {} free", pool.total, pool.page, pool.free)).collect();
        grid.push(vec![
            Entry::number(&node.id),
            Entry::text(if node.pus.is_empty() { "–".to_owned() } else { cpu_list(&node.pus) }),
            Entry::number(&cores),
            Entry::text(node.memory.to_string()),
            Entry::text(node.free.to_string()),
            Entry::text(if pools.is_empty() { "none".to_owned() } else { pools.join("; ") }),
            Entry::text(peculiarities(machine, node).join(", ")),
        ]);
    }
    page.grid(grid);
}

fn peculiarities(machine: &Machine, node: &NumaNode) -> Vec<String> {
    let mut words = Vec::new();
    if machine.is_generic_initiator(node.id) {
        return vec!["generic initiator: neither CPUs nor memory".to_owned()];
    }
    let own = |pu| machine.pu(pu).is_some_and(|pu| pu.node == node.id);
    if node.pus.is_empty() {
        words.push("no CPUs".to_owned());
    } else if !node.pus.iter().any(own) {
        // As `numa=fake` makes them: each CPU counts for one node only.
        let whose = node.pus.first().and_then(|pu| machine.pu(pu));
        words.extend(whose.map(|pu| format!("shares the CPUs of node {}", pu.node)));
    } else if machine.usable_pus(node.id).is_empty() {
        let isolated = machine.isolated_pus();
        let all = node.pus.iter().filter(|&pu| own(pu)).all(|pu| isolated.contains(pu));
        words.push(if all { "CPUs isolated" } else { "CPUs not allowed" }.to_owned());
    }
    if node.memory == Bytes(0) {
        words.push("no memory".to_owned());
    } else if !node.allowed {
        words.push("memory not allowed".to_owned());
    }
    words.extend(node.memory_side_caches.iter().map(|cache| format!("memory-side cache of {}", cache.size)));
    words
}

/// The firmware's distances, or how often each occurs if the matrix is too wide.
pub(crate) fn write_distances(page: &mut Page, machine: &Machine) {
    let Some(distances) = machine.distances.as_ref().filter(|distances| distances.nodes.len() > 1) else {
        return;
    };
    let asymmetric = if distances.is_symmetric() { "" } else { ", asymmetric" };
    page.title("distances", &format!("(firmware's SLIT, 10 is local{asymmetric})"));
    let fits = distances.nodes.len() < page.style().columns();
    let grid = fits.then(|| distance_grid(distances)).filter(|grid| grid.width() <= page.style().columns());
    let unreachable = "255: the firmware reports this memory as unreachable from that node";
    if let Some(grid) = grid {
        page.grid(grid);
        if distances.has_unreachable() {
            page.remark(unreachable);
        }
        return;
    }
    let mut pairs: BTreeMap<u32, usize> = BTreeMap::new();
    for distance in distances.rows.iter().flatten() {
        *pairs.entry(*distance).or_default() += 1;
    }
    let pairs = pairs.into_iter().map(|(distance, count)| format!("{distance} ({})", counted(count, "pair")));
    page.remark(&pairs.collect::<Vec<_>>().join(", "));
    if distances.has_unreachable() {
        page.remark(unreachable);
    }
    page.remark("the JSON and CSV formats contain the whole matrix");
}

fn distance_grid(distances: &DistanceMatrix) -> Grid {
    let heads = distances.nodes.iter().map(|node| (node.to_string(), Side::Right));
    let mut grid = Grid::new(std::iter::once(("from node ↓ to →".to_owned(), Side::Left)).chain(heads));
    for (node, row) in distances.nodes.iter().zip(&distances.rows) {
        grid.push(std::iter::once(Entry::number(node)).chain(row.iter().map(Entry::number)).collect());
    }
    grid
}

/// The expected peaks of the memory, by its DIMMs and by its firmware.
pub(crate) fn write_peaks(page: &mut Page, machine: &Machine) {
    page.line("bandwidth", &theoretical(machine));
    let mut reported = reported(machine).peekable();
    if reported.peek().is_none() {
        return;
    }
    page.title("reported by firmware", "(HMAT)");
    let heads = [
        ("memory of node", Side::Left),
        ("from node", Side::Left),
        ("read (ns)", Side::Right),
        ("write (ns)", Side::Right),
        ("read (GB/s)", Side::Right),
        ("write (GB/s)", Side::Right),
    ];
    let mut grid = Grid::new(heads.map(|(head, side)| (head.to_owned(), side)));
    for access in reported {
        let initiators: Vec<String> = access.initiators.iter().map(ToString::to_string).collect();
        let number = |value: Option<f64>| Entry::number(&value.map_or("–".to_owned(), significant));
        grid.push(vec![
            Entry::number(&access.target),
            Entry::text(initiators.join(", ")),
            number(access.read_latency.map(Nanoseconds::get)),
            number(access.write_latency.map(Nanoseconds::get)),
            number(access.read_bandwidth.map(GigabytesPerSecond::get)),
            number(access.write_bandwidth.map(GigabytesPerSecond::get)),
        ]);
    }
    page.grid(grid);
}

/// Properties that could not be read.
pub(crate) fn write_gaps(page: &mut Page, machine: &Machine) {
    if machine.gaps.is_empty() {
        return;
    }
    page.section("could not be read");
    for gap in &machine.gaps {
        page.item(gap);
    }
}
