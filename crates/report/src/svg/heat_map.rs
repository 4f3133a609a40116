//! A sheet as colored cells with their values in them.

use zerohop_machine::Machine;
use zerohop_result::Cell;

use crate::measure::shown_unit;
use crate::number::{figures_of, significant};
use crate::place::axis_words;
use crate::sheet::{Head, Sheet};
use crate::svg::canvas::{Area, Canvas, Type, area, at};
use crate::svg::palette::{DOUBT, FAINT, INK_ON_COLOR, VOID};
use crate::svg::panel::{Breadth, Panel};
use crate::svg::shade::{Shade, Shades};
use crate::svg::shares::{ROOM, Shares};
use crate::svg::zoomed::{draw_cells, write_data};

/// More columns than this need the whole page's width.
const HALF_COLUMNS: usize = 9;
/// The tallest cell of a small matrix, and of a large one.
const TALLEST: (f64, f64) = (52.0, 38.0);
/// More rows than this make a matrix large.
const SMALL_ROWS: usize = 4;
/// Narrower cells have no digits.
const NARROWEST: f64 = 9.0;
/// Names of rows, and of columns, that stand closer than this run into each other.
const CLOSEST: (f64, f64) = (11.0, 24.0);

/// A panel of the sheet, in which deviating cells have a frame and a mark, and CPUs show their shared packages and caches.
pub(crate) fn heat_map(sheet: &Sheet<'_>, machine: &Machine, deviates: impl Fn(&Cell) -> bool) -> Panel {
    let breadth = if sheet.columns.len() > HALF_COLUMNS { Breadth::Full } else { Breadth::Half };
    let short = sheet.columns.len() > 6;
    let name = |head: &Head<'_>| if short { head.in_short() } else { head.in_full() };
    let label = Type::new(11.5).end();
    let longest = sheet.rows.iter().map(|row| label.width(&name(&row.head))).fold(0.0, f64::max);
    let left = longest.min(180.0) + 10.0;
    let shares = Shares::of(sheet, machine);
    let top = 20.0 + if shares.is_some() { ROOM } else { 0.0 };
    let width = (breadth.content() - left) / sheet.columns.len().max(1) as f64;
    let shades = Shades::over(sheet);
    let dense = shades.only().filter(|_| width < NARROWEST);
    let tallest = if sheet.rows.len() > SMALL_ROWS { TALLEST.1 } else { TALLEST.0 };
    // Dense cells are squares.
    let height = if dense.is_some() { width } else { (width * 0.62).clamp(14.0, tallest) };
    let every = |closest: f64, step: f64| if dense.is_some() { (closest / step).ceil() as usize } else { 1 };

    let mut drawing = Canvas::default();
    for (rank, column) in sheet.columns.iter().enumerate().step_by(every(CLOSEST.1, width)) {
        let place = at(left + (rank as f64 + 0.5) * width, top - 6.0);
        let size = if dense.is_some() { 10.0 } else { font(width, &name(column)).min(11.5) };
        drawing.text(place, Type::new(size).fill(FAINT).middle(), &name(column));
    }
    for (rank, row) in sheet.rows.iter().enumerate().step_by(every(CLOSEST.0, height)) {
        let size = if dense.is_some() { 10.0 } else { (height * 0.8).min(11.5) };
        let y = top + (rank as f64 + 0.5) * height + 4.0;
        drawing.text(at(left - 8.0, y), Type::new(size).fill(FAINT).end(), &name(&row.head));
    }
    let sign = |cell: &Cell| match (deviates(cell), cell.is_doubtful(), cell.is_wide()) {
        (true, ..) => Some("!"),
        (_, true, _) => Some("?"),
        (.., true) => Some("≈"),
        _ => None,
    };
    match dense {
        Some(shade) => draw_cells(&mut drawing, sheet, shade, area(left, top, width, height)),
        None => draw_values(&mut drawing, sheet, &shades, &deviates, sign, area(left, top, width, height)),
    }
    if let Some(shares) = &shares {
        shares.draw(&mut drawing, (left, top), (width, height));
    }
    if let Some(shade) = shades.only().filter(|_| breadth == Breadth::Full) {
        write_data(&mut drawing, sheet, shade, shares.as_ref(), sign);
    }
    Panel {
        title: sheet.title.clone(),
        aside: dense.map_or(aside(sheet), |shade| format!("{} · {}", aside(sheet), key(shade))),
        breadth,
        height: top + sheet.rows.len() as f64 * height,
        drawing,
    }
}

/// What colors of cells without digits mean.
fn key(shade: &Shade) -> String {
    let [low, high] = shade.ends().map(significant);
    format!("light is {low}, dark is {high}")
}

/// The cells with their digits, from the upper left corner of the first, as large as that.
fn draw_values(
    drawing: &mut Canvas,
    sheet: &Sheet<'_>,
    shades: &Shades,
    deviates: impl Fn(&Cell) -> bool,
    sign: impl Fn(&Cell) -> Option<&'static str>,
    first: Area,
) {
    let Area { x: left, y: top, width, height } = first;
    for (rank, row) in sheet.rows.iter().enumerate() {
        let y = top + rank as f64 * height;
        for (column, cell) in row.cells.iter().enumerate() {
            let place = area(left + column as f64 * width + 0.5, y + 0.5, width - 1.0, height - 1.0);
            let Some(cell) = cell else {
                drawing.rect(place, 2.0, VOID);
                continue;
            };
            let colour = shades.colour(cell);
            let (digits, interval) = figures_of(cell);
            let mark = deviates(cell);
            let words = words(&row.head, &sheet.columns[column], cell, mark);
            drawing.named(&words, |drawing| {
                if mark {
                    drawing.rect(
                        area(place.x - 2.0, place.y - 2.0, place.width + 4.0, place.height + 4.0),
                        3.0,
                        DOUBT,
                    );
                }
                drawing.rect(place, 2.0, &colour.hexadecimal());
                let interval = interval.filter(|_| width > 52.0 && height > 36.0);
                let size = font(width, &digits).min(if interval.is_some() {
                    16.0f64.min(height * 0.38)
                } else {
                    16.0f64.min(height * 0.62)
                });
                let middle = at(place.x + place.width / 2.0, place.y + place.height / 2.0);
                let base = middle.y + size * 0.36 - if interval.is_some() { 6.0 } else { 0.0 };
                drawing.text(at(middle.x, base), Type::new(size).fill(colour.text()).middle(), &digits);
                if let Some(interval) = interval {
                    let small = Type::new(10.0).fill(colour.text()).middle();
                    drawing.text(at(middle.x, base + 14.0), small, &interval);
                }
                if let Some(sign) = sign(cell) {
                    let corner = at(place.x + place.width - 4.0, place.y + 11.0);
                    drawing.text(corner, Type::new(10.0).bold().fill(doubt(colour.text())).end(), sign);
                }
            });
        }
    }
}

/// The size at which `text` fits into `width`.
fn font(width: f64, text: &str) -> f64 {
    (width - 4.0) / Type::new(1.0).width(text).max(1.0)
}

fn doubt(text: &'static str) -> &'static str {
    if text == INK_ON_COLOR { DOUBT } else { text }
}

fn aside(sheet: &Sheet<'_>) -> String {
    let unit = sheet.unit().unwrap_or_default();
    match (sheet.row_axis, sheet.column_axis) {
        (Some(rows), Some(columns)) => {
            format!("{unit} · rows: {}, columns: {}", axis_words(rows), axis_words(columns))
        }
        _ => unit.to_owned(),
    }
}

fn words(row: &Head<'_>, column: &Head<'_>, cell: &Cell, deviates: bool) -> String {
    let (value, margin) = figures_of(cell);
    let margin = margin.map_or(String::new(), |margin| format!(" {margin}"));
    let warnings: Vec<String> = cell.warnings.iter().map(|warning| format!("; {warning}")).collect();
    let (row, column) = (row.in_full(), column.in_full());
    let deviates = if deviates { "; deviates from comparable values" } else { "" };
    format!("{row} → {column}: {value}{margin} {}{deviates}{}", shown_unit(cell.measure), warnings.concat())
}
