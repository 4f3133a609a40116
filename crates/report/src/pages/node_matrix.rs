//! Matrices from node to node, small enough to stand side by side.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_expectation::{Basis, Expectations};
use zerohop_expectation::{ComparablePairs, Deviation, usual_of_comparable};
use zerohop_machine::NodeId;
use zerohop_result::{Catalogue, Cell, Coordinates, Glance, Measure, ResultFile};

use crate::headline::find;
use crate::heat_table::{Beside, HeatCell, HeatTable, HeatTables, step};
use crate::number::{bound, counted, significant};
use crate::page::Page;
use crate::pages::grid::{Entry, Grid, Side};
use crate::proximity::{Proximity, between_nodes};
use crate::svg::Shade;
use zerohop_statistics::median;

/// More nodes than this are grouped by their distance.
const MOST_NODES: usize = 8;

/// More nodes than this have no table of their own either.
const MOST_IN_TABLE: usize = 64;

/// Before every line of a page.
const INDENT: usize = 2;

/// Between two matrices.
const GAP: usize = 4;

/// The values of a matrix, by initiator and target.
struct NodeMatrix<'a> {
    title: String,
    cells: BTreeMap<(u32, u32), &'a Cell>,
    /// Usual value of comparable pairs.
    usual: BTreeMap<(u32, u32), f64>,
    /// Pairs that deviate, as `Odd` has them.
    odd: [BTreeSet<(u32, u32)>; 2],
}

/// Deviations from comparable pairs, and from expectations.
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
    at.between_nodes().map(|(initiator, target)| (initiator.0, target.0))
}

/// Measurements from every node to every node: side by side, one below the other, or by distance, whichever fits first.
pub(super) fn write_matrices(page: &mut Page, file: &ResultFile, experiments: Catalogue, odd: Odd<'_>) {
    let pairs = ComparablePairs::of(file);
    let matrices = experiments.all().filter_map(|known| {
        let Some(Glance::NearAndFar(measure)) = known.glance else { return None };
        let result = find(file, known.name)?;
        let cells = result.cells.iter().filter(|cell| cell.measure == measure);
        let cells = cells.filter_map(|cell| Some((pair(&cell.at)?, cell)));
        let usual = usual_of_comparable(result, &pairs).into_iter();
        let usual = usual.filter(|(cell, _)| cell.measure == measure && cell.at.0.len() == 2);
        let usual = usual.filter_map(|(cell, usual)| Some((pair(&cell.at)?, usual)));
        let title = format!("{} ({})", measure.words(), measure.unit());
        Some(NodeMatrix { title, cells: cells.collect(), usual: usual.collect(), odd: odd.pairs(measure) })
    });
    // A single value is among the figures already.
    let matrices: Vec<NodeMatrix<'_>> = matrices.filter(|matrix| matrix.cells.len() > 1).collect();
    if matrices.is_empty() {
        return;
    }
    page.blank();
    let lines = lines(&matrices, page.style().columns() - INDENT);
    let all = || matrices.iter().flat_map(|matrix| matrix.cells.keys().map(move |pair| (matrix, *pair)));
    let marks: BTreeSet<Option<char>> = all().map(|(matrix, pair)| matrix.mark(pair)).collect();
    let from = |rank: usize| all().any(|(matrix, pair)| matrix.odd[rank].contains(&pair));
    let deviates = match [from(0), from(1)] {
        [_, false] => "deviates from comparable pairs",
        [false, true] => "not as expected",
        [true, true] => "deviates from comparable pairs, or from expected values",
    };
    let legend = [(DEVIATES, deviates), (DOUBTFUL, DOUBTFUL_WORDS)];
    let used = legend.into_iter().filter(|(mark, _)| marks.contains(&Some(*mark)));
    let used: Vec<String> = used.map(|(mark, words)| format!("{mark} {words}")).collect();
    let largest = matrices.iter().map(|matrix| matrix.targets().len()).max().unwrap_or(0);
    let is_table = largest <= MOST_IN_TABLE;
    let tables = matrices.iter().filter(|_| is_table).map(|matrix| matrix.table(&legend)).collect();
    let is_text = lines.is_some();
    page.matrices(HeatTables { tables, lines: lines.unwrap_or_default(), legend: used.join("   ") });
    if !is_text {
        write_by_distance(page, file, &matrices);
    }
}

/// The matrices as lines of text: side by side, or one below the other; `None` if they fit neither way.
fn lines(matrices: &[NodeMatrix<'_>], width: usize) -> Option<Vec<String>> {
    if matrices.iter().any(|matrix| matrix.targets().len() > MOST_NODES) {
        return None;
    }
    let blocks = |form| matrices.iter().map(|matrix| matrix.lines(form)).collect::<Vec<_>>();
    let beside = [Form::Full, Form::Narrow].map(blocks).into_iter().find(|blocks| {
        let gaps = GAP * (blocks.len() - 1);
        blocks.iter().map(|block| widest(block)).sum::<usize>() + gaps <= width
    });
    if let Some(blocks) = beside {
        return Some(beside_each_other(&blocks));
    }
    let below = blocks(Form::Full);
    below.iter().all(|block| widest(block) <= width).then(|| below.into_iter().flatten().collect())
}

/// How a matrix is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Three digits, the title next to the heads.
    Full,
    /// Whole numbers, the title above.
    Narrow,
}

/// A value that is worse than the comparable others, and one that carries a warning.
const DEVIATES: char = '!';
const DOUBTFUL: char = '?';
const DOUBTFUL_WORDS: &str = "in doubt: see warnings";

fn beside_each_other(blocks: &[Vec<String>]) -> Vec<String> {
    let rows = blocks.iter().map(Vec::len).max().unwrap_or(0);
    let line_of = |row: usize| {
        let parts = blocks.iter().map(|block| {
            let line = block.get(row).map_or("", String::as_str);
            format!("{line}{}", " ".repeat(widest(block) - line.chars().count()))
        });
        parts.collect::<Vec<_>>().join(&" ".repeat(GAP))
    };
    (0..rows).map(line_of).collect()
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

    /// Its cells with their colors, their marks with the meaning that a legend gives them, and comparable pairs.
    fn table(&self, legend: &[(char, &'static str)]) -> HeatTable {
        let cells: Vec<&Cell> = self.cells.values().copied().collect();
        let shade = Shade::over(&cells);
        let (initiators, targets) = (self.initiators(), self.targets());
        let larger_is_better = cells.first().is_some_and(|cell| cell.measure.larger_is_better());
        let one = |pair: (u32, u32)| {
            let cell = *self.cells.get(&pair)?;
            let usual = self.usual.get(&pair);
            let mark = self.mark(pair);
            Some(HeatCell {
                value: Form::Full.shown(cell),
                step: step(shade.share(cell)),
                mark: legend.iter().find(|(sign, _)| Some(*sign) == mark).copied(),
                beside: usual.and_then(|usual| Beside::of(cell.estimate.median, *usual, larger_is_better)),
            })
        };
        let row = |&from: &u32| targets.iter().map(|&to| one((from, to))).collect();
        let medians = || cells.iter().map(|cell| cell.estimate.median).filter(|value| value.is_finite());
        let ends = [medians().reduce(f64::min), medians().reduce(f64::max)];
        HeatTable {
            title: self.title.clone(),
            cells: initiators.iter().map(row).collect(),
            initiators,
            targets,
            ramp: shade.ramp(),
            dark_is: if larger_is_better { "higher" } else { "slower" },
            ends: ends.map(|end| end.map_or("–".to_owned(), |value| Form::Full.digits(value))),
        }
    }

    /// A head, then a row for each initiator. A mark may follow a value.
    fn lines(&self, form: Form) -> Vec<String> {
        let targets = self.targets();
        let value = |pair| self.cells.get(&pair).map_or("–".to_owned(), |cell| form.shown(cell));
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
    /// A value, or what is certain of it.
    fn shown(self, cell: &Cell) -> String {
        match cell.certain() {
            Some(certain) => bound(certain, cell.measure).replace(' ', ""),
            None => self.digits(cell.estimate.median),
        }
    }

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
    page.remark(&format!("`--all` and the saved files show {}", counted(cells, "value")));
}
