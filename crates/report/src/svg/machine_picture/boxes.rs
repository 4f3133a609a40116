//! Boxes that grow around their content, and rows of them.

use std::collections::BTreeMap;

use zerohop_machine::{Cache, CacheKind, Machine, NumaNode, PuSet};

use crate::svg::canvas::{Canvas, Type, area, at};
use crate::svg::palette::{CATEGORIES, FAINT, HAIRLINE, INK, PANEL, PAPER, VOID};

/// A drawn box and its size.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Block {
    drawing: Canvas,
    width: f64,
    height: f64,
}

/// The style of a kind of box, and the widest row of its contents.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    fill: &'static str,
    stroke: &'static str,
    title: f64,
    widest: f64,
}

pub(crate) const PACKAGE: Kind = Kind { fill: PANEL, stroke: "#aab6c2", title: 14.5, widest: 1120.0 };
pub(crate) const NODE: Kind = Kind { fill: PAPER, stroke: "#0072b2", title: 12.5, widest: 1080.0 };
/// Cores that share a cache.
const CLUSTER: Kind = Kind { fill: "#fdf3e1", stroke: "#e0b969", title: 11.0, widest: 1000.0 };

const PADDING: f64 = 10.0;
const BETWEEN: f64 = 8.0;
/// Machines with more cores than this have smaller ones.
const ROOMY_CORES: usize = 96;

impl Block {
    /// A box with a title and, under it, an aside, around others.
    pub(crate) fn around(title: &str, aside: &str, contents: &[Self], kind: Kind) -> Self {
        Self::around_rows(title, aside, contents, kind, usize::MAX)
    }

    /// Like [`Self::around`], with a limit on the boxes in a row.
    fn around_rows(title: &str, aside: &str, contents: &[Self], kind: Kind, most: usize) -> Self {
        let (inner, (inner_width, inner_height)) = rows(contents, kind.widest, BETWEEN, most);
        let title_type = Type::new(kind.title).bold();
        let aside_type = Type::new(11.0).fill(FAINT);
        let written = title_type.width(title).max(aside_type.width(aside));
        let head = kind.title + 12.0 + if aside.is_empty() { 0.0 } else { 16.0 };
        let width = inner_width.max(written) + 2.0 * PADDING;
        let height = head + inner_height + if contents.is_empty() { 0.0 } else { PADDING };
        let mut drawing = Canvas::default();
        drawing.framed(area(0.0, 0.0, width, height), 8.0, kind.fill, kind.stroke);
        drawing.text(at(PADDING, kind.title + 5.0), title_type, title);
        drawing.text(at(PADDING, kind.title + 20.0), aside_type, aside);
        drawing.place(at(PADDING, head), &inner);
        Self { drawing, width, height }
    }

    /// A box of lines of text under a title.
    pub(crate) fn of_text(title: &str, lines: &[String], fill: &'static str) -> Self {
        let text = Type::new(11.5).fill(fill);
        let longest =
            lines.iter().map(|line| text.width(line)).fold(Type::new(12.5).bold().width(title), f64::max);
        let (width, height) = (longest + 2.0 * PADDING, 30.0 + 17.0 * lines.len() as f64);
        let mut drawing = Canvas::default();
        drawing.framed(area(0.0, 0.0, width, height), 8.0, NODE.fill, NODE.stroke);
        drawing.text(at(PADDING, 19.0), Type::new(12.5).bold(), title);
        for (rank, line) in lines.iter().enumerate() {
            drawing.text(at(PADDING, 37.0 + 17.0 * rank as f64), text, line);
        }
        Self { drawing, width, height }
    }
}

/// Arranges boxes from left to right, in rows no wider than `widest`; returns the drawing with its width and height.
pub(crate) fn flow(blocks: &[Block], widest: f64, gap: f64) -> (Canvas, (f64, f64)) {
    rows(blocks, widest, gap, usize::MAX)
}

fn rows(blocks: &[Block], widest: f64, gap: f64, most: usize) -> (Canvas, (f64, f64)) {
    let mut drawing = Canvas::default();
    let (mut x, mut y, mut tallest, mut reached, mut in_row) = (0.0, 0.0, 0.0f64, 0.0f64, 0);
    for block in blocks {
        if in_row > 0 && (in_row == most || x + block.width > widest) {
            (x, y, tallest, in_row) = (0.0, y + tallest + gap, 0.0, 0);
        }
        drawing.place(at(x, y), &block.drawing);
        reached = reached.max(x + block.width);
        tallest = tallest.max(block.height);
        x += block.width + gap;
        in_row += 1;
    }
    (drawing, (reached, y + tallest))
}

/// The cores of a node, those behind one last-level cache together.
pub(crate) fn clusters(machine: &Machine, node: &NumaNode, cores: &[&PuSet]) -> Vec<Block> {
    let mut groups: BTreeMap<Option<usize>, Vec<&PuSet>> = BTreeMap::new();
    for core in cores {
        groups.entry(last_level(machine, core)).or_default().push(core);
    }
    let look = Look::of(machine);
    let blocks = groups.into_iter().map(|(cache, cores)| {
        let cells: Vec<Block> = cores.iter().map(|core| core_block(machine, core, look)).collect();
        let most = even_rows(cells.len());
        match cache.map(|rank| &machine.caches[rank]) {
            Some(cache) => {
                let shared =
                    if cache.pus.difference(&node.pus).is_empty() { "" } else { "shared with other nodes" };
                let title = format!("L{} {}", cache.level, cache.size);
                Block::around_rows(&title, shared, &cells, CLUSTER, most)
            }
            None => {
                let (drawing, (width, height)) = rows(&cells, CLUSTER.widest, BETWEEN, most);
                Block { drawing, width, height }
            }
        }
    });
    blocks.collect()
}

/// The number of boxes in a row, from four to eight, that fills the last row if possible; else eight.
fn even_rows(count: usize) -> usize {
    if count <= 8 { count } else { (4..=8).rev().find(|row| count.is_multiple_of(*row)).unwrap_or(8) }
}

/// How all cores of a machine are drawn: alike, so that they align.
#[derive(Debug, Clone, Copy)]
struct Look {
    roomy: bool,
    text: Type,
    width: f64,
}

impl Look {
    fn of(machine: &Machine) -> Self {
        let roomy = machine.cores.len() <= ROOMY_CORES;
        let text = Type::new(if roomy { 11.5 } else { 9.5 }).middle();
        let labels = machine.cores.iter().map(|core| text.width(&label(&core.pus)));
        Self { roomy, text, width: (labels.fold(0.0, f64::max) + 10.0).max(if roomy { 58.0 } else { 24.0 }) }
    }
}

fn label(core: &PuSet) -> String {
    core.iter().map(|pu| pu.to_string()).collect::<Vec<_>>().join("·")
}

/// The outermost cache that a core shares with others.
fn last_level(machine: &Machine, core: &PuSet) -> Option<usize> {
    let behind =
        |cache: &Cache| cache.kind != CacheKind::Instruction && !cache.pus.intersection(core).is_empty();
    let shared =
        machine.caches.iter().enumerate().filter(|(_, cache)| behind(cache) && cache.pus.len() > core.len());
    shared.max_by_key(|(_, cache)| cache.level).map(|(rank, _)| rank)
}

/// A core: its CPUs' numbers, with color and a sign marking those that may not be used, and its own caches.
fn core_block(machine: &Machine, core: &PuSet, look: Look) -> Block {
    let Look { roomy, text, width } = look;
    let allowed = core.iter().all(|pu| machine.pu(pu).is_some_and(|pu| pu.allowed));
    let own = own_caches(machine, core);
    let label = label(core);
    let text = text.fill(if allowed { INK } else { FAINT });
    let height = if roomy { 24.0 + 12.0 * own.len() as f64 } else { 17.0 };
    let mut drawing = Canvas::default();
    let sign = if allowed { "" } else { " (not allowed)" };
    let caches: Vec<String> = own.iter().map(|line| format!(", {line}")).collect();
    drawing.named(&format!("core with CPUs {core}{sign}{}", caches.concat()), |drawing| {
        let fill = if allowed { PAPER } else { VOID };
        drawing.framed(area(0.0, 0.0, width, height), 3.0, fill, HAIRLINE);
        drawing.rect(area(0.0, 0.0, 3.0, height), 1.0, if allowed { CATEGORIES[2] } else { FAINT });
        drawing.text(at(width / 2.0 + 1.5, if roomy { 16.0 } else { 12.0 }), text, &label);
        if roomy {
            for (rank, line) in own.iter().enumerate() {
                let small = Type::new(8.5).middle().fill(FAINT);
                drawing.text(at(width / 2.0 + 1.5, 28.0 + 12.0 * rank as f64), small, line);
            }
        }
        if !allowed {
            let strike = if roomy { 12.0 } else { height / 2.0 };
            drawing.line(at(3.0, strike), at(width, strike), FAINT, 1.0);
        }
    });
    Block { drawing, width, height }
}

/// The data caches that a core shares with no other core, nearest first.
fn own_caches(machine: &Machine, core: &PuSet) -> Vec<String> {
    let own = machine.caches.iter().filter(|cache| {
        cache.kind != CacheKind::Instruction
            && !cache.pus.intersection(core).is_empty()
            && cache.pus.len() <= core.len()
    });
    let mut own: Vec<&Cache> = own.collect();
    own.sort_by_key(|cache| cache.level);
    own.dedup_by_key(|cache| cache.level);
    own.iter().map(|cache| format!("L{} {}", cache.level, cache.size)).collect()
}
