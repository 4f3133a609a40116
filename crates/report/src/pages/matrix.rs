//! A sheet as text: whole with margins, whole without them, transposed, or summarized, whichever fits first.

use std::collections::BTreeSet;

use zerohop_machine::Machine;
use zerohop_result::{Axis, Cell};

use crate::number::{figures_of, half_width, value_of};
use crate::page::Page;
use crate::pages::cases::write_cases;
use crate::pages::grid::{Entry, Figure, Grid, Mark, Side};
use crate::pages::summary::write_summary;
use crate::place::axis_words;
use crate::rank::{Standing, standings};
use crate::sheet::{Head, Sheet};
use zerohop_statistics::median;

/// A matrix with more rows is summarized: it would push everything else off the screen.
const MOST_ROWS: usize = 32;

/// More columns or rows than this have short heads.
const MOST_FULL_HEADS: usize = 4;

/// The orientation of a sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    Upright,
    Turned,
}

/// Writes a sheet under its title.
pub(crate) fn write_sheet(page: &mut Page, sheet: &Sheet<'_>, machine: &Machine) {
    let unit = sheet.unit().filter(|_| !sheet.columns.iter().any(Head::names_unit));
    let unit = unit.filter(|unit| !unit.is_empty());
    page.title(&sheet.title, &unit.map_or(String::new(), |unit| format!("({unit})")));
    let all_have = |marked: fn(&Cell) -> bool| {
        let mut cells = sheet.cells().map(|(_, _, cell)| cell);
        sheet.cells().count() > 1 && cells.all(marked)
    };
    // A mark on every cell distinguishes none.
    let (all_doubtful, all_wide) = (all_have(Cell::is_doubtful), all_have(Cell::is_wide));
    let marks = marks(sheet, !all_doubtful, !all_wide);
    let width = page.style().columns();
    let forms = [(Turn::Upright, true), (Turn::Upright, false), (Turn::Turned, true), (Turn::Turned, false)];
    let mut grids = forms.into_iter().map(|(turn, margins)| (grid(sheet, &marks, turn, margins), margins));
    let long = sheet.column_axis.is_some() && sheet.rows.len() > MOST_ROWS;
    match grids.find(|(grid, _)| grid.width() <= width).filter(|_| !long) {
        _ if sheet.row_axis == Some(Axis::Case) && sheet.rows.len() > MOST_ROWS => write_cases(page, sheet),
        Some((grid, margins)) => {
            page.grid(grid);
            write_remarks(page, sheet, &marks, margins);
        }
        None => write_summary(page, sheet, machine),
    }
    if all_doubtful {
        page.remark(&format!("all of these are {}", Mark::Doubtful.words()));
    }
    if all_wide {
        page.remark("all of these intervals are wide");
    }
}

fn grid(sheet: &Sheet<'_>, marks: &[Vec<Vec<Mark>>], turn: Turn, margins: bool) -> Grid {
    let entry = |row: usize, column: usize| {
        sheet.rows[row].cells[column].map_or(Entry::BLANK, |cell| number(cell, &marks[row][column], margins))
    };
    // If there are few heads, each reads "node 0"; if there are many, they are bare numbers and the corner names the
    // axis.
    let name = |head: &Head<'_>, crowded: bool| if crowded { head.in_short() } else { head.in_full() };
    let crowded_columns = sheet.columns.len() > MOST_FULL_HEADS;
    let crowded_rows = crowded_columns || sheet.rows.len() > MOST_FULL_HEADS;
    let mut rows: Vec<String> = sheet.rows.iter().map(|row| name(&row.head, crowded_rows)).collect();
    if turn == Turn::Turned {
        // Beside a row there is room for a note; above a column, it is all that tells two of the same name apart.
        for (name, row) in rows.iter_mut().zip(&sheet.rows).filter(|(_, row)| !row.note.is_empty()) {
            *name = format!("{name}, {}", row.note);
        }
    }
    let columns: Vec<String> = sheet.columns.iter().map(|column| name(column, crowded_columns)).collect();
    let noted = sheet.rows.iter().any(|row| !row.note.is_empty());
    let corner = corner(sheet, turn, if turn == Turn::Upright { crowded_columns } else { crowded_rows });
    match turn {
        Turn::Upright => {
            let note_head = noted.then(|| (String::new(), Side::Left));
            let heads = std::iter::once((corner, Side::Left)).chain(note_head);
            let mut grid = Grid::new(heads.chain(columns.into_iter().map(|head| (head, Side::Right))));
            for (rank, (name, row)) in rows.into_iter().zip(&sheet.rows).enumerate() {
                let label = if sheet.rows[rank].head.number().is_some() {
                    Entry::number(&name)
                } else {
                    Entry::text(name)
                };
                let note = noted.then(|| Entry::text(row.note.clone()));
                let entries = (0..sheet.columns.len()).map(|column| entry(rank, column));
                grid.push(std::iter::once(label).chain(note).chain(entries).collect());
            }
            grid
        }
        Turn::Turned => {
            let heads = std::iter::once((corner, Side::Left));
            let mut grid = Grid::new(heads.chain(rows.into_iter().map(|head| (head, Side::Right))));
            for (rank, name) in columns.into_iter().enumerate() {
                let entries = (0..sheet.rows.len()).map(|row| entry(row, rank));
                grid.push(std::iter::once(Entry::text(name)).chain(entries).collect());
            }
            grid
        }
    }
}

/// The corner over the row heads: names both axes if the heads do not.
fn corner(sheet: &Sheet<'_>, turn: Turn, crowded: bool) -> String {
    let (down, across) = match turn {
        Turn::Upright => (sheet.row_axis, sheet.column_axis),
        Turn::Turned => (sheet.column_axis, sheet.row_axis),
    };
    match (down.map(axis_words), across) {
        (Some(down), Some(Axis::Target)) if crowded => format!("{down} ↓ memory →"),
        (Some(down), Some(across @ (Axis::Initiator | Axis::To | Axis::From | Axis::Cpu))) if crowded => {
            format!("{down} ↓ {} →", axis_words(across))
        }
        (Some(down), _) => down.to_owned(),
        (None, _) => String::new(),
    }
}

fn number(cell: &Cell, marks: &[Mark], margins: bool) -> Entry {
    let (value, margin) = if margins { figures_of(cell) } else { (value_of(cell), None) };
    Entry::Number(Figure { value, margin, marks: marks.to_vec() })
}

fn marks(sheet: &Sheet<'_>, doubts: bool, widths: bool) -> Vec<Vec<Vec<Mark>>> {
    let standings = standings(sheet);
    let rows = sheet.rows.iter().zip(&standings);
    let rows = rows.map(|(row, standings)| {
        let cells = row.cells.iter().zip(standings);
        let marks = cells.map(|(cell, standing)| {
            let standing = standing.map(|standing| match standing {
                Standing::Best => Mark::Best,
                Standing::Worst => Mark::Worst,
            });
            let doubt = cell.and_then(|cell| match (cell.is_doubtful(), cell.is_wide()) {
                (true, _) => doubts.then_some(Mark::Doubtful),
                (_, wide) => (wide && widths).then_some(Mark::Wide),
            });
            standing.into_iter().chain(doubt).collect()
        });
        marks.collect()
    });
    rows.collect()
}

/// The legend of the marks used, and typical margins if there was no room for all.
fn write_remarks(page: &mut Page, sheet: &Sheet<'_>, marks: &[Vec<Vec<Mark>>], margins: bool) {
    let used: BTreeSet<Mark> = marks.iter().flatten().flatten().copied().collect();
    let mut remarks: Vec<String> =
        used.into_iter().map(|mark| format!("{} {}", mark.sign(), mark.words())).collect();
    if sheet.cells().any(|(_, _, cell)| cell.certain().is_some()) {
        remarks.push("≥ ≤ at least, at most (95 %): the interval is too wide for a value".to_owned());
    }
    if !margins {
        let halves = sheet.cells().map(|(_, _, cell)| cell.estimate.relative_margin());
        let halves: Vec<f64> = halves.filter(|half| half.is_finite()).collect();
        let widest = halves.iter().copied().fold(0.0, f64::max);
        if let Some(typical) = median(halves).filter(|_| widest > 0.0) {
            remarks.push(format!("{} typically, {} at most", half_width(typical), half_width(widest)));
        }
    }
    if !remarks.is_empty() {
        page.remark(&remarks.join("   "));
    }
}
