//! A matrix of ratios: blue cells are better, brown ones worse, grey ones the same; a sign says so too.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_compare::{CellScore, Tendency};

use crate::svg::canvas::{Canvas, Type, area, at};
use crate::svg::palette::{DOUBT, FAINT, INK, VOID};
use crate::svg::panel::{Breadth, Panel};
use crate::svg::ratio_dots::words;
use crate::svg::shade::divergence;

/// More columns than this need the page's width.
const HALF_COLUMNS: usize = 9;
/// Of cells narrower than this, only those that changed or decide nothing are drawn: a hundred thousand are the same.
const DENSE: f64 = 9.0;
/// Cells narrower than this have no digits, and rows lower than this no names.
const NARROWEST: f64 = 26.0;
const LOWEST: f64 = 11.0;
const TALLEST: f64 = 38.0;
const LEFT: f64 = 36.0;
const TOP: f64 = 22.0;

/// A panel of scores by row and column.
pub(super) fn ratio_map(title: String, aside: String, cells: &BTreeMap<(u64, u64), CellScore>) -> Panel {
    let rows: Vec<u64> = cells.keys().map(|(row, _)| *row).collect::<BTreeSet<_>>().into_iter().collect();
    let columns: Vec<u64> =
        cells.keys().map(|(_, column)| *column).collect::<BTreeSet<_>>().into_iter().collect();
    let breadth = if columns.len() > HALF_COLUMNS { Breadth::Full } else { Breadth::Half };
    let width = (breadth.content() - LEFT) / columns.len() as f64;
    let height = (width * 0.62).min(TALLEST);
    let mut drawing = Canvas::default();
    let head = Type::new(11.0).fill(FAINT);
    let every = |closest: f64, step: f64| (closest / step).ceil().max(1.0) as usize;
    for (rank, column) in columns.iter().enumerate().step_by(every(NARROWEST, width)) {
        let x = LEFT + (rank as f64 + 0.5) * width;
        drawing.text(at(x, TOP - 7.0), head.middle(), &column.to_string());
    }
    for (rank, row) in rows.iter().enumerate() {
        let y = TOP + rank as f64 * height;
        if rank % every(LOWEST, height) == 0 {
            drawing.text(at(LEFT - 8.0, y + height / 2.0 + 4.0), head.end(), &row.to_string());
        }
        for (place, column) in columns.iter().enumerate() {
            let Some(score) = cells.get(&(*row, *column)) else { continue };
            let is_same = score.tendency == Tendency::Same && !score.doubtful;
            if width < DENSE && is_same {
                continue;
            }
            let gap = if width < 6.0 { 0.0 } else { 0.5 };
            let own = area(LEFT + place as f64 * width + gap, y + gap, width - 2.0 * gap, height - 2.0 * gap);
            let shade =
                divergence(score.ratio.value).filter(|_| !score.doubtful && score.tendency != Tendency::Same);
            let colour = shade.map(|(ramp, share)| ramp.at(share));
            let (fill, ink) =
                colour.map_or((VOID.to_owned(), INK), |colour| (colour.hexadecimal(), colour.text()));
            let ink = if score.doubtful { DOUBT } else { ink };
            drawing.named(&format!("{row} → {column}: {}", words(*score)), |drawing| {
                drawing.rect(own, 2.0, &fill);
                if width >= NARROWEST && height >= LOWEST {
                    let digits = format!("{:.2}", score.ratio.value);
                    // A change that its digits do not show is in the title alone.
                    let sign = match (score.doubtful, score.tendency) {
                        (true, _) => "?",
                        _ if digits == "1.00" => "",
                        (_, Tendency::Better) => "▲",
                        (_, Tendency::Worse) => "▼",
                        (_, Tendency::Same) => "",
                    };
                    let digits = format!("{sign}{digits}");
                    let size = ((width - 6.0) / Type::new(1.0).width(&digits)).min(13.0).min(height * 0.6);
                    let base = y + height / 2.0 + size * 0.36;
                    drawing.text(
                        at(own.x + own.width / 2.0, base),
                        Type::new(size).fill(ink).middle(),
                        &digits,
                    );
                }
            });
        }
    }
    let aside = if width < DENSE { format!("{aside}, and not drawn") } else { aside };
    Panel { title, aside, breadth, height: TOP + rows.len() as f64 * height, drawing }
}
