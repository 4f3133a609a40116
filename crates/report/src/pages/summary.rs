//! Summarizes a sheet that is too large to print.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use zerohop_machine::Machine;
use zerohop_result::{Cell, Ranking};

use crate::number::{counted, significant};
use crate::page::Page;
use crate::pages::grid::{Entry, Grid, Side};
use crate::proximity::{Proximity, proximity};
use crate::sheet::{Head, Row, Sheet};
use zerohop_statistics::median;

/// Minimum, median and maximum of each comparable group, and where to find the rest.
pub(crate) fn write_summary(page: &mut Page, sheet: &Sheet<'_>, machine: &Machine) {
    let groups = grouped(sheet, machine);
    // A value under a word ("all nodes") is a total, not one of many.
    let apart: Vec<usize> = match sheet.ranking {
        Ranking::EachRow => {
            (0..sheet.columns.len()).filter(|&rank| sheet.columns[rank].number().is_none()).collect()
        }
        _ => Vec::new(),
    };
    let heads = [("", Side::Left), ("values", Side::Right), ("min", Side::Right), ("median", Side::Right)];
    let heads = heads.into_iter().chain([("max", Side::Right), ("worst", Side::Left)]);
    let heads = heads.map(|(head, side)| (head.to_owned(), side));
    let apart_heads = apart.iter().map(|&rank| (sheet.columns[rank].in_full(), Side::Right));
    let mut grid = Grid::new(heads.chain(apart_heads));
    for (rank, (name, cells)) in groups.iter().enumerate() {
        let values = || cells.iter().map(|placed| placed.cell.estimate.median);
        let Some(least) = cells.iter().min_by(|one, other| one.by_median(other)) else { continue };
        let Some(most) = cells.iter().max_by(|one, other| one.by_median(other)) else { continue };
        let worst = if most.cell.measure.larger_is_better() { least } else { most };
        let mut row = vec![
            Entry::text(name),
            Entry::number(&cells.len()),
            Entry::number(&significant(least.cell.estimate.median)),
            Entry::number(&significant(median(values()).unwrap_or(f64::NAN))),
            Entry::number(&significant(most.cell.estimate.median)),
            Entry::text(worst.words(sheet.ranking)),
        ];
        row.extend(apart.iter().map(|&column| {
            let cell = sheet.rows[rank].cells[column];
            cell.map_or(Entry::BLANK, |cell| Entry::number(&significant(cell.estimate.median)))
        }));
        grid.push(row);
    }
    page.grid(grid);
    let whole = counted(sheet.cells().count(), "value");
    page.remark(&format!("the JSON and CSV formats contain the whole matrix, {whole}"));
}

/// A cell and its position.
struct Placed<'a> {
    row: &'a Head<'a>,
    column: &'a Head<'a>,
    cell: &'a Cell,
}

impl Placed<'_> {
    fn by_median(&self, other: &Self) -> Ordering {
        self.cell.estimate.median.total_cmp(&other.cell.estimate.median)
    }

    fn words(&self, ranking: Ranking) -> String {
        match ranking {
            Ranking::EachRow => self.column.in_full(),
            Ranking::EachColumn => self.row.in_full(),
            Ranking::Whole | Ranking::None => format!("{} → {}", self.row.in_full(), self.column.in_full()),
        }
    }
}

/// Comparable cells: those of a row, those of a column, or those whose places are equally near to each other.
fn grouped<'a>(sheet: &'a Sheet<'a>, machine: &Machine) -> Vec<(String, Vec<Placed<'a>>)> {
    let placed = |row: &'a Row<'a>, rank: usize| {
        let column = &sheet.columns[rank];
        row.cells[rank].map(|cell| Placed { row: &row.head, column, cell })
    };
    let ranks = 0..sheet.columns.len();
    match sheet.ranking {
        Ranking::EachRow => {
            let numbered = || ranks.clone().filter(|&rank| sheet.columns[rank].number().is_some());
            let rows = sheet.rows.iter().map(|row| (row, numbered().filter_map(|rank| placed(row, rank))));
            rows.map(|(row, cells)| (row.head.in_full(), cells.collect())).collect()
        }
        Ranking::EachColumn => {
            let column = |rank| sheet.rows.iter().filter_map(|row| placed(row, rank)).collect();
            ranks.map(|rank| (sheet.columns[rank].in_full(), column(rank))).collect()
        }
        Ranking::Whole | Ranking::None => {
            let mut kinds: BTreeMap<Proximity, Vec<Placed<'a>>> = BTreeMap::new();
            for pair in
                sheet.rows.iter().flat_map(|row| ranks.clone().filter_map(move |rank| placed(row, rank)))
            {
                kinds.entry(proximity(machine, pair.row, pair.column)).or_default().push(pair);
            }
            kinds.into_iter().map(|(kind, cells)| (kind.words(), cells)).collect()
        }
    }
}
