//! A machine drawn as nested boxes: packages, their nodes, groups that share a cache, cores and their CPUs; then
//! memory-only nodes, and the distances.

mod boxes;
mod distances;
mod summary;

use zerohop_machine::{Machine, NumaNode, PackageId, PuSet};
use zerohop_units::Bytes;

use crate::description::{caches, memory, processor, topology};
use crate::number::significant;
use crate::peak::{reported, theoretical};
use crate::svg::canvas::{Canvas, Type, at};
use crate::svg::palette::FAINT;
use crate::svg::panel::{GAP, PAGE, stack};
use crate::svg::sums::BREADTH;
use boxes::{Block, flow};

/// More nodes or cores than this are summarized: nobody could find one of them in such a picture.
const DRAWN_NODES: usize = 128;
const DRAWN_CORES: usize = 8192;
const NARROWEST: f64 = 640.0;
/// Where the lines on top begin, after their labels.
const LINES_LEFT: f64 = GAP + 90.0;

/// A picture of the machine.
pub(crate) fn machine_picture(machine: &Machine) -> String {
    let mut page = Canvas::default();
    let mut widest = NARROWEST;
    page.text(at(GAP, 42.0), Type::new(24.0).bold(), &machine.name);
    let lines = [
        ("processor", processor(machine)),
        ("topology", topology(machine)),
        ("caches", caches(machine)),
        ("memory", memory(machine)),
        ("bandwidth", theoretical(machine)),
    ];
    let mut y = 68.0;
    for (label, text) in &lines {
        page.text(at(GAP, y), Type::new(12.5).bold(), label);
        page.text(at(LINES_LEFT, y), Type::new(12.5), text);
        widest = widest.max(LINES_LEFT + Type::new(12.5).width(text) + GAP);
        y += 19.0;
    }
    y += 6.0;

    let description: Vec<String> = lines.iter().map(|(label, text)| format!("{label}: {text}")).collect();
    if machine.nodes.len() > DRAWN_NODES || machine.cores.len() > DRAWN_CORES {
        y = summary::draw(&mut page, machine, at(GAP, y));
        let title = format!("Machine {}", machine.name);
        return page.finish(widest.clamp(BREADTH, PAGE), y + GAP / 2.0, &title, &description.join("; "));
    }
    let packages: Vec<Block> =
        machine.packages.iter().map(|package| package_block(machine, package.id, &package.pus)).collect();
    let (packages, (width, height)) = flow(&packages, PAGE - 2.0 * GAP, GAP);
    page.place(at(GAP, y), &packages);
    widest = widest.max(width + 2.0 * GAP);
    y += height + 18.0;
    page.text(at(GAP, y), Type::new(11.0).fill(FAINT), LEGEND);
    y += GAP;

    let alone: Vec<Block> = machine
        .nodes
        .iter()
        .filter(|node| node.pus.is_empty())
        .map(|node| memory_block(machine, node))
        .collect();
    if !alone.is_empty() {
        page.text(at(GAP, y + 14.0), Type::new(14.5).bold(), "nodes without CPUs");
        let (nodes, (width, height)) = flow(&alone, PAGE - 2.0 * GAP, GAP);
        page.place(at(GAP, y + 26.0), &nodes);
        widest = widest.max(width + 2.0 * GAP);
        y += 26.0 + height + GAP;
    }
    if let Some(panel) = distances::panel(machine) {
        widest = widest.max(panel.breadth.content() + 4.0 * GAP);
        y = stack(&mut page, &[panel], y);
    }
    page.finish(widest.min(PAGE), y, &format!("Machine {}", machine.name), &description.join("; "))
}

/// How to read a core.
const LEGEND: &str =
    "Each box is a core, and its numbers are its CPUs; gray, crossed-out boxes may not be used.";

fn package_block(machine: &Machine, package: PackageId, pus: &PuSet) -> Block {
    let nodes: Vec<Block> = machine
        .nodes
        .iter()
        .filter(|node| !node.pus.intersection(pus).is_empty())
        .map(|node| node_block(machine, node, &node.pus.intersection(pus)))
        .collect();
    Block::around(&format!("package {package}"), "", &nodes, boxes::PACKAGE)
}

/// A node's part in one package: all of it, unless the firmware hides the packages (node interleaving).
fn node_block(machine: &Machine, node: &NumaNode, pus: &PuSet) -> Block {
    let spread = if pus.len() < node.pus.len() { ", spread over packages" } else { "" };
    let name = format!("NUMA node {}", node.id);
    let aside = format!("{}{spread}", capacity(node));
    let cores: Vec<&PuSet> = machine
        .cores
        .iter()
        .filter(|core| !core.pus.intersection(pus).is_empty())
        .map(|core| &core.pus)
        .collect();
    let clusters = boxes::clusters(machine, node, &cores);
    Block::around(&name, &aside, &clusters, boxes::NODE)
}

fn memory_block(machine: &Machine, node: &NumaNode) -> Block {
    let mut lines = vec![capacity(node)];
    lines.extend(node.memory_side_caches.iter().map(|cache| format!("memory-side cache {}", cache.size)));
    for access in reported(machine).filter(|access| access.target == node.id) {
        let read = [
            access.read_latency.map(|latency| format!("{} ns", significant(latency.get()))),
            access.read_bandwidth.map(|bandwidth| format!("{} GB/s", significant(bandwidth.get()))),
        ];
        let read: Vec<String> = read.into_iter().flatten().collect();
        lines.push(format!("firmware reports reads of {}", read.join(", ")));
    }
    Block::of_text(&format!("NUMA node {}", node.id), &lines, FAINT)
}

fn capacity(node: &NumaNode) -> String {
    let pools = node.huge_pages.iter().filter(|pool| pool.total > 0);
    let pools: Vec<String> = pools.map(|pool| format!(", {} × {} pages", pool.total, pool.page)).collect();
    if node.memory == Bytes(0) {
        "no memory".to_owned()
    } else {
        format!("{}, {} free{}", node.memory, node.free, pools.concat())
    }
}
