//! A sheet as bars: one group per row, one bar per column.

use crate::number::figures_of;
use crate::sheet::Sheet;
use crate::svg::canvas::{Canvas, Type, area, at};
use crate::svg::palette::{CATEGORIES, DOUBT, FAINT, HAIRLINE, INK};
use crate::svg::panel::{Breadth, Panel};
use crate::svg::scale::Scale;

/// With more series than this, only the machine as a whole is drawn.
const MOST_SERIES: usize = 4;
const BAR: f64 = 15.0;
const BETWEEN_ROWS: f64 = 9.0;

/// A panel of the sheet, whose cells share a unit.
pub(crate) fn bars(sheet: &Sheet<'_>) -> Panel {
    let breadth = Breadth::Half;
    let shown = series(sheet);
    let label = Type::new(11.5).fill(FAINT).end();
    let longest = sheet.rows.iter().map(|row| label.width(&row.head.in_full())).fold(0.0, f64::max);
    let left = longest.min(170.0) + 10.0;
    let values = sheet.rows.iter().flat_map(|row| shown.iter().filter_map(|&column| row.cells[column]));
    let most = values.map(|cell| cell.estimate.high.max(cell.estimate.median)).fold(0.0, f64::max);
    // Room for the number at the end of the longest bar.
    let scale = Scale::from_zero(most, left, breadth.content() - 92.0);
    let top = if shown.len() > 1 { 26.0 } else { 4.0 };
    let row_height = shown.len() as f64 * BAR + BETWEEN_ROWS;
    let bottom = top + sheet.rows.len() as f64 * row_height;

    let mut drawing = Canvas::default();
    if shown.len() > 1 {
        let mut x = left;
        for (rank, &column) in shown.iter().enumerate() {
            let name = sheet.columns[column].in_full();
            drawing.rect(area(x, 2.0, 11.0, 11.0), 2.0, CATEGORIES[rank % CATEGORIES.len()]);
            drawing.text(at(x + 16.0, 12.0), Type::new(11.5), &name);
            x += 34.0 + Type::new(11.5).width(&name);
        }
    }
    for tick in scale.ticks() {
        drawing.line(at(scale.at(tick), top), at(scale.at(tick), bottom), HAIRLINE, 1.0);
        let text = Type::new(10.5).fill(FAINT).middle();
        drawing.text(at(scale.at(tick), bottom + 14.0), text, &plain(tick));
    }
    for (rank, row) in sheet.rows.iter().enumerate() {
        let y = top + rank as f64 * row_height;
        let middle = y + shown.len() as f64 * BAR / 2.0;
        drawing.text(at(left - 8.0, middle + 4.0), label, &row.head.in_full());
        for (rank, &column) in shown.iter().enumerate() {
            let Some(cell) = row.cells[column] else { continue };
            let y = y + rank as f64 * BAR;
            let end = scale.at(cell.estimate.median);
            let colour = CATEGORIES[rank % CATEGORIES.len()];
            drawing.rect(area(left, y + 1.0, end - left, BAR - 2.0), 2.0, colour);
            let (low, high) = (scale.at(cell.estimate.low), scale.at(cell.estimate.high));
            drawing.line(at(low, y + BAR / 2.0), at(high, y + BAR / 2.0), INK, 1.5);
            let (value, margin) = figures_of(cell);
            let margin = margin.map_or(String::new(), |margin| format!(" {margin}"));
            let (fill, sign) = match (cell.is_doubtful(), cell.is_wide()) {
                (true, _) => (DOUBT, " ?"),
                (_, true) => (INK, " ≈"),
                _ => (INK, ""),
            };
            let text = format!("{value}{margin}{sign}");
            drawing.text(at(end.max(high) + 6.0, y + BAR / 2.0 + 4.0), Type::new(11.0).fill(fill), &text);
        }
    }
    // All bars share a unit, even if the sheet also has measures that are not drawn.
    let unit = sheet.cells().next().map_or("", |(_, _, cell)| cell.measure.unit());
    let aside = match sheet.columns.len() - shown.len() {
        left_out if left_out > 0 && sheet.column_axis.is_some() => {
            format!("{unit} · {}; the table lists each node", sheet.columns[shown[0]].in_full())
        }
        _ => unit.to_owned(),
    };
    Panel { title: sheet.title.clone(), aside, breadth, height: bottom + 18.0, drawing }
}

/// The columns to draw: all if they are few, else those of the machine as a whole, else the first ones. If columns are
/// measures, only the first: another one does not fit the same scale.
fn series(sheet: &Sheet<'_>) -> Vec<usize> {
    if sheet.column_axis.is_none() {
        return vec![0];
    }
    let all: Vec<usize> = (0..sheet.columns.len()).collect();
    if all.len() <= MOST_SERIES {
        return all;
    }
    let whole: Vec<usize> =
        all.iter().copied().filter(|&rank| sheet.columns[rank].number().is_none()).collect();
    if whole.is_empty() { all.into_iter().take(MOST_SERIES).collect() } else { whole }
}

/// A tick's number without needless decimals.
pub(crate) fn plain(value: f64) -> String {
    if value != 0.0 && !(0.0005..1e9).contains(&value.abs()) {
        return format!("{value:e}");
    }
    let rounded = (value * 1000.0).round() / 1000.0;
    rounded.to_string()
}
