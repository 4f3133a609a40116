//! Summarizes many cases of crossfire: the distribution of their times, and the worst and the best cases.

use std::collections::BTreeSet;

use zerohop_result::{Cell, Measure};

use crate::measure::{head, shown, shown_unit};
use crate::number::{counted, significant};
use crate::page::Page;
use crate::pages::grid::{Entry, Grid, Side};
use crate::sheet::{Head, Row, Sheet};

/// Number of cases named at either end.
const NAMED: usize = 10;

/// Quantiles of the cases' times that the page prints.
const QUANTILES: [(f64, &str); 7] =
    [(0.0, "min"), (0.05, "p5"), (0.25, "p25"), (0.5, "median"), (0.75, "p75"), (0.95, "p95"), (1.0, "max")];

/// Writes the distribution of the cases' times, the ten worst and the ten best.
pub(crate) fn write_cases(page: &mut Page, sheet: &Sheet<'_>) {
    let column = [Measure::RelativeTime, Measure::TimePerLine]
        .into_iter()
        .find_map(|measure| sheet.columns.iter().position(|head| *head == Head::Measure(measure)));
    let Some(column) = column else { return };
    let mut cases: Vec<(&Row<'_>, &Cell)> =
        sheet.rows.iter().filter_map(|row| Some((row, row.cells[column]?))).collect();
    cases.sort_by(|one, other| one.1.estimate.median.total_cmp(&other.1.estimate.median));
    let (Some(first), last) = (cases.first(), cases.len() - 1) else { return };
    let measure = first.1.measure;
    let mut quantiles = Grid::new(
        std::iter::once((head(measure), Side::Left))
            .chain(QUANTILES.map(|(_, words)| (words.to_owned(), Side::Right))),
    );
    let values = QUANTILES.map(|(share, _)| {
        let rank = (share * last as f64).round() as usize;
        Entry::number(&significant(shown(cases[rank].1).median))
    });
    quantiles.push(std::iter::once(Entry::text(counted(cases.len(), "case"))).chain(values).collect());
    page.grid(quantiles);
    page.blank();
    // A case and its permutation of threads are listed once.
    let mut known = BTreeSet::new();
    cases.retain(|(row, _)| {
        let name = row.head.in_full();
        let mut threads: Vec<String> = name.split_whitespace().map(str::to_owned).collect();
        threads.sort_unstable();
        known.insert(threads)
    });
    let last = cases.len() - 1;
    let named = NAMED.min(cases.len() / 2);
    let heads = [
        (format!("{named} worst"), Side::Left),
        (shown_unit(measure).to_owned(), Side::Right),
        (format!("{named} best"), Side::Left),
        (shown_unit(measure).to_owned(), Side::Right),
    ];
    let mut ends = Grid::new(heads);
    let entries = |(row, cell): &(&Row<'_>, &Cell)| {
        [Entry::text(row.head.in_full()), Entry::number(&significant(shown(cell).median))]
    };
    for rank in 0..named {
        ends.push([entries(&cases[last - rank]), entries(&cases[rank])].concat());
    }
    page.grid(ends);
    page.remark("`--format csv` and `--format json` list every case");
}
