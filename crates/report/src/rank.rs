//! Finds the best and the worst cells of a sheet, as far as their intervals distinguish them.

use zerohop_result::{Cell, Estimate, Ranking};

use crate::number::value_of;
use crate::sheet::Sheet;

/// A cell's standing among those it may be compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// The best, or indistinguishable from it.
    Best,
    /// The worst, or indistinguishable from it.
    Worst,
}

/// Below this ratio of worst to best, cells count as equal: nobody would act on the difference.
const WORTH_MENTIONING: f64 = 1.05;

/// Of more cells than this, a sign on half of them says nothing: it is what is usual.
const FEW: usize = 2;

/// The standing of every cell, in the shape of the sheet's rows.
pub(crate) fn standings(sheet: &Sheet<'_>) -> Vec<Vec<Option<Standing>>> {
    let mut standings: Vec<Vec<Option<Standing>>> =
        sheet.rows.iter().map(|row| vec![None; row.cells.len()]).collect();
    for group in groups(sheet) {
        let cells: Vec<&Cell> =
            group.iter().filter_map(|&(row, column)| sheet.rows[row].cells[column]).collect();
        let Some((best, worst)) = extremes(&cells) else { continue };
        let stands_out = |extreme: &Cell| {
            cells.len() <= FEW
                || 2 * cells.iter().filter(|cell| are_alike(cell, extreme)).count() < cells.len()
        };
        let [marks_best, marks_worst] = [stands_out(best), stands_out(worst)];
        for (row, column) in group {
            let Some(cell) = sheet.rows[row].cells[column] else { continue };
            standings[row][column] = if are_alike(cell, best) {
                marks_best.then_some(Standing::Best)
            } else if are_alike(cell, worst) {
                marks_worst.then_some(Standing::Worst)
            } else {
                None
            };
        }
    }
    standings
}

/// Rows and columns of the cells that may be compared with each other.
fn groups(sheet: &Sheet<'_>) -> Vec<Vec<(usize, usize)>> {
    let rows = 0..sheet.rows.len();
    let columns = 0..sheet.columns.len();
    let whole = || rows.clone().flat_map(|row| columns.clone().map(move |column| (row, column)));
    match sheet.ranking {
        Ranking::None => Vec::new(),
        Ranking::Whole => vec![whole().collect()],
        Ranking::EachColumn => {
            columns.clone().map(|column| rows.clone().map(|row| (row, column)).collect()).collect()
        }
        Ranking::EachRow => {
            let numbered: Vec<usize> =
                columns.filter(|&column| sheet.columns[column].number().is_some()).collect();
            rows.clone().map(|row| numbered.iter().map(|&column| (row, column)).collect()).collect()
        }
    }
}

/// The best and the worst cell, unless they are too close to distinguish.
fn extremes<'a>(cells: &[&'a Cell]) -> Option<(&'a Cell, &'a Cell)> {
    let by_median = |one: &&&Cell, other: &&&Cell| one.estimate.median.total_cmp(&other.estimate.median);
    let low = cells.iter().min_by(by_median)?;
    let high = cells.iter().max_by(by_median)?;
    let apart = high.estimate.median > low.estimate.median * WORTH_MENTIONING;
    if !apart || overlap(&low.estimate, &high.estimate) {
        return None;
    }
    Some(if low.measure.larger_is_better() { (high, low) } else { (low, high) })
}

/// Whether intervals overlap, or a reader sees the same digits: of two cells with 17.0, not one alone is the worst.
fn are_alike(one: &Cell, other: &Cell) -> bool {
    overlap(&one.estimate, &other.estimate) || value_of(one) == value_of(other)
}

fn overlap(one: &Estimate, other: &Estimate) -> bool {
    one.low <= other.high && other.low <= one.high
}
