//! Matrices from node to node, small enough to stand side by side.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_insight::Deviation;
use zerohop_insight::expectation::{Basis, Expectations};
use zerohop_machine::NodeId;
use zerohop_result::{Axis, Catalogue, Cell, Coordinates, Glance, Measure, ResultFile};

use crate::headline::find;
use crate::number::{bound, counted, significant};
use crate::page::Page;
use crate::proximity::{Proximity, between_nodes};
use crate::terminal::grid::{Entry, Grid, Side};
use zerohop_statistics::median;

/// More nodes than this are grouped by their distance.
const MOST_NODES: usize = 8;

/// Before every line of a page.
const INDENT: usize = 2;

/// Between two matrices.
const GAP: usize = 4;

/// The values of a matrix, by initiator and target.
struct NodeMatrix<'a> {
    title: String,
    cells: BTreeMap<(u32, u32), &'a Cell>,
    /// Pairs that deviate, as `Odd` has them.
    odd: [BTreeSet<(u32, u32)>; 2],
}

/// What deviates: from comparable pairs, and from what is expected.
#[derive(Clone, Copy)]
pub(super) struct Odd<'a> {
    pub(super) sisters: &'a [Deviation],
    pub(super) expectations: Option<&'a Expectations>,
}

impl Odd<'_> {
    /// The pairs whose values deviate from comparable pairs, and those whose values do from what is expected.
    fn pairs(self, measure: Measure) -> [BTreeSet<(u32, u32)>; 2] {
        let sisters = self.sisters.iter().filter(|odd| odd.measure == measure && odd.others.0.is_empty());
        let cells = self.expectations.into_iter().flat_map(|known| &known.cells);
        let unexpected = cells.filter(|cell| {
            cell.measure == measure && cell.deviates() && cell.expected.basis != Basis::Sisters
        });
        [
            sisters.map(|odd| (odd.initiator.0, odd.target.0)).collect(),
            unexpected.filter(|cell| cell.at.0.len() == 2).filter_map(|cell| pair(&cell.at)).collect(),
        ]
    }
}

fn pair(at: &Coordinates) -> Option<(u32, u32)> {
    let node = |axis| u32::try_from(at.number(axis)?).ok();
    Some((node(Axis::Initiator)?, node(Axis::Target)?))
}

/// What is measured from every node to every node: side by side, one below the other, or by distance, whichever fits first.
pub(super) fn write_matrices(page: &mut Page, file: &ResultFile, experiments: Catalogue, odd: Odd<'_>) {
    let matrices = experiments.all().filter_map(|known| {
        let Some(Glance::NearAndFar(measure)) = known.glance else { return None };
        let cells = find(file, known.name)?.cells.iter().filter(|cell| cell.measure == measure);
        let cells = cells.filter_map(|cell| Some((pair(&cell.at)?, cell)));
        let title = format!("{} ({})", measure.words(), measure.unit());
        Some(NodeMatrix { title, cells: cells.collect(), odd: odd.pairs(measure) })
    });
    // A single value is among the figures already.
    let matrices: Vec<NodeMatrix<'_>> = matrices.filter(|matrix| matrix.cells.len() > 1).collect();
    if matrices.is_empty() {
        return;
    }
    page.blank();
    let width = page.style().columns() - INDENT;
    let blocks = |form| matrices.iter().map(|matrix| matrix.lines(form)).collect::<Vec<_>>();
    if matrices.iter().any(|matrix| matrix.targets().len() > MOST_NODES) {
        return write_by_distance(page, file, &matrices);
    }
    let beside = [Form::Full, Form::Narrow].map(blocks).into_iter().find(|blocks| {
        let gaps = GAP * (blocks.len() - 1);
        blocks.iter().map(|block| widest(block)).sum::<usize>() + gaps <= width
    });
    let below = blocks(Form::Full);
    match beside {
        Some(blocks) => write_beside(page, &blocks),
        None if below.iter().all(|block| widest(block) <= width) => {
            below.iter().flatten().for_each(|line| page.verbatim(line));
        }
        None => return write_by_distance(page, file, &matrices),
    }
    let all = || matrices.iter().flat_map(|matrix| matrix.cells.keys().map(move |pair| (matrix, *pair)));
    let marks: BTreeSet<Option<char>> = all().map(|(matrix, pair)| matrix.mark(pair)).collect();
    let from = |rank: usize| all().any(|(matrix, pair)| matrix.odd[rank].contains(&pair));
    let deviates = match [from(0), from(1)] {
        [_, false] => "deviates from comparable pairs",
        [false, true] => "not as expected",
        [true, true] => "deviates from comparable pairs, or from what is expected",
    };
    let legend = [(DEVIATES, deviates), (DOUBTFUL, "doubtful: see warnings")];
    let legend = legend.into_iter().filter(|(mark, _)| marks.contains(&Some(*mark)));
    let legend: Vec<String> = legend.map(|(mark, words)| format!("{mark} {words}")).collect();
    if !legend.is_empty() {
        page.remark(&legend.join("   "));
    }
}

/// How a matrix is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Three digits, the title beside the heads.
    Full,
    /// Whole numbers, the title above.
    Narrow,
}

/// A value that is worse than the comparable others, and one that carries a warning.
const DEVIATES: char = '!';
const DOUBTFUL: char = '?';

fn write_beside(page: &mut Page, blocks: &[Vec<String>]) {
    let rows = blocks.iter().map(Vec::len).max().unwrap_or(0);
    for row in 0..rows {
        let parts = blocks.iter().map(|block| {
            let line = block.get(row).map_or("", String::as_str);
            format!("{line}{}", " ".repeat(widest(block) - line.chars().count()))
        });
        page.verbatim(&parts.collect::<Vec<_>>().join(&" ".repeat(GAP)));
    }
}

fn widest(lines: &[String]) -> usize {
    lines.iter().map(|line| line.chars().count()).max().unwrap_or(0)
}

impl NodeMatrix<'_> {
    fn initiators(&self) -> Vec<u32> {
        let mut nodes: Vec<u32> = self.cells.keys().map(|pair| pair.0).collect();
        nodes.dedup();
        nodes
    }

    fn targets(&self) -> Vec<u32> {
        let mut nodes: Vec<u32> = self.cells.keys().map(|pair| pair.1).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    fn mark(&self, pair: (u32, u32)) -> Option<char> {
        let cell = self.cells.get(&pair)?;
        let doubtful = cell.is_doubtful().then_some(DOUBTFUL);
        if self.odd.iter().any(|odd| odd.contains(&pair)) { Some(DEVIATES) } else { doubtful }
    }

    /// A head, then a row for each initiator. A mark may follow a value.
    fn lines(&self, form: Form) -> Vec<String> {
        let targets = self.targets();
        let digits = |cell: &Cell| match cell.certain() {
            Some(certain) => bound(certain, cell.measure).replace(' ', ""),
            None => form.digits(cell.estimate.median),
        };
        let value = |pair| self.cells.get(&pair).map_or("–".to_owned(), |cell| digits(cell));
        let (title, label) = match form {
            Form::Full => (self.title.as_str(), self.title.chars().count()),
            Form::Narrow => ("", 2),
        };
        let longest = self.cells.keys().map(|&pair| value(pair).chars().count()).max().unwrap_or(0);
        let row_of = |label: String, entries: &mut dyn Iterator<Item = (String, char)>| {
            let entries = entries.map(|(entry, mark)| format!("{entry:>longest$}{mark}"));
            format!("{label} {}", entries.collect::<String>()).trim_end().to_owned()
        };
        let mut lines = Vec::new();
        if form == Form::Narrow {
            lines.push(self.title.clone());
        }
        lines.push(row_of(format!("{title:<label$}"), &mut targets.iter().map(|to| (to.to_string(), ' '))));
        for from in self.initiators() {
            let entry = |&to: &u32| (value((from, to)), self.mark((from, to)).unwrap_or(' '));
            lines.push(row_of(format!("{from:>label$}"), &mut targets.iter().map(entry)));
        }
        lines
    }
}

impl Form {
    /// As few digits as a comparison needs.
    fn digits(self, value: f64) -> String {
        match self {
            Self::Full if value.abs() < 100.0 => significant(value),
            Self::Narrow if value.abs() < 10.0 => format!("{value:.1}"),
            Self::Full | Self::Narrow => format!("{value:.0}"),
        }
    }
}

/// Medians and ranges of pairs at the same distance.
fn write_by_distance(page: &mut Page, file: &ResultFile, matrices: &[NodeMatrix<'_>]) {
    let heads = std::iter::once(("by distance".to_owned(), Side::Left))
        .chain(std::iter::once(("pairs".to_owned(), Side::Right)))
        .chain(matrices.iter().flat_map(|matrix| {
            [
                (matrix.title.clone(), Side::Right),
                ("from".to_owned(), Side::Right),
                ("to".to_owned(), Side::Right),
            ]
        }));
    let mut grid = Grid::new(heads);
    let mut groups: BTreeMap<Proximity, Vec<Vec<f64>>> = BTreeMap::new();
    for (rank, matrix) in matrices.iter().enumerate() {
        for (&(from, to), cell) in &matrix.cells {
            let proximity = between_nodes(&file.machine, NodeId(from), NodeId(to));
            let group = groups.entry(proximity).or_insert_with(|| vec![Vec::new(); matrices.len()]);
            group[rank].push(cell.estimate.median);
        }
    }
    for (proximity, values) in groups {
        let pairs = values.iter().map(Vec::len).max().unwrap_or(0);
        let mut row = vec![Entry::text(proximity.words()), Entry::number(&pairs)];
        for values in values {
            let (least, most) =
                (values.iter().copied().reduce(f64::min), values.iter().copied().reduce(f64::max));
            for value in [median(values.iter().copied()), least, most] {
                row.push(value.map_or(Entry::BLANK, |value| Entry::number(&significant(value))));
            }
        }
        grid.push(row);
    }
    page.grid(grid);
    let cells: usize = matrices.iter().map(|matrix| matrix.cells.len()).sum();
    page.remark(&format!("`--all` and the files hold {}", counted(cells, "value")));
}
