//! A heat map as data, which a page's script draws on a canvas that zooms, and its cells as a picture where they are too small for digits.
//!
//! Both have colors in steps, and these are the picture's: the script computes nothing, and shows the digits that it is given.

use serde::Serialize;
use zerohop_result::Cell;

use crate::measure::shown_unit;
use crate::number::value_of;
use crate::sheet::Sheet;
use crate::svg::canvas::{Area, Canvas};
use crate::svg::palette::Colour;
use crate::svg::shade::Shade;
use crate::svg::shares::Shares;

/// The class of the data in a picture. The script looks for it.
const CLASS: &str = "zerohop-map";

/// Steps of the colors: a letter each.
const STEPS: u8 = 26;

/// What the script is given.
#[derive(Serialize)]
struct Zoomed<'a> {
    title: &'a str,
    unit: &'static str,
    rows: Vec<String>,
    columns: Vec<String>,
    /// The digits of each cell, row by row, between commas.
    values: String,
    /// The step of each cell's color as a letter; a blank without a value.
    shades: String,
    /// A sign for each cell; empty if none has one.
    signs: String,
    /// Each step's color, and that of text on it.
    palette: Vec<[String; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shares: Option<&'a Shares>,
}

/// Adds the data of a map.
pub(super) fn write_data(
    drawing: &mut Canvas,
    sheet: &Sheet<'_>,
    shade: &Shade,
    shares: Option<&Shares>,
    sign: impl Fn(&Cell) -> Option<&'static str>,
) {
    let cells = || sheet.rows.iter().flat_map(|row| &row.cells).copied();
    let values: Vec<String> = cells().map(|cell| cell.map_or(String::new(), value_of)).collect();
    let signs: String =
        cells().map(|cell| cell.and_then(&sign).unwrap_or(" ").chars().next().unwrap_or(' ')).collect();
    let colour = |step: u8| {
        let colour = colour(shade, step);
        [colour.hexadecimal(), colour.text().to_owned()]
    };
    let data = Zoomed {
        title: &sheet.title,
        unit: cells().flatten().next().map_or("", |cell| shown_unit(cell.measure)),
        rows: sheet.rows.iter().map(|row| row.head.in_full()).collect(),
        columns: sheet.columns.iter().map(crate::sheet::Head::in_full).collect(),
        values: values.join(","),
        shades: cells().map(|cell| cell.map_or(' ', |cell| (b'a' + step(shade, cell)) as char)).collect(),
        signs: if signs.trim().is_empty() { String::new() } else { signs },
        palette: (0..STEPS).map(colour).collect(),
        shares,
    };
    if let Ok(json) = serde_json::to_string(&data) {
        drawing.data(CLASS, &json);
    }
}

/// Draws the cells as bars of neighbors of one color: a hundred thousand cells are a few paths.
pub(super) fn draw_cells(drawing: &mut Canvas, sheet: &Sheet<'_>, shade: &Shade, grid: Area) {
    let mut paths = vec![String::new(); STEPS.into()];
    for (rank, row) in sheet.rows.iter().enumerate() {
        let steps: Vec<Option<u8>> =
            row.cells.iter().map(|cell| cell.map(|cell| step(shade, cell))).collect();
        let mut column = 0;
        for run in steps.chunk_by(|one, other| one == other) {
            if let Some(step) = run[0] {
                paths[usize::from(step)].push_str(&format!("M{column} {rank}h{}", run.len()));
            }
            column += run.len();
        }
    }
    let drawn = (0..STEPS).zip(paths).filter(|(_, path)| !path.is_empty());
    drawing.bars_in_grid(grid, drawn.map(|(step, path)| (path, colour(shade, step).hexadecimal())));
}

fn step(shade: &Shade, cell: &Cell) -> u8 {
    let share = shade.share(cell);
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    ((share * f64::from(STEPS)) as u8).min(STEPS - 1)
}

fn colour(shade: &Shade, step: u8) -> Colour {
    shade.ramp().at((f64::from(step) + 0.5) / f64::from(STEPS))
}
