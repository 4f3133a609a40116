//! A summary picture of a machine that is too large to draw part by part: counts of identical parts, and histograms.

use std::collections::BTreeMap;

use crate::number::counted;
use crate::svg::canvas::{Canvas, Point, Type, area, at};
use crate::svg::palette::{CATEGORIES, FAINT};
use crate::wrap::wrap;

/// Height of a line of text.
const LINE: f64 = 19.0;
const LONGEST: f64 = 420.0;
/// Left of the bars, for their names.
const NAMES: f64 = 190.0;
/// Most lines of one list.
const LISTED: usize = 24;
/// Characters of a line.
const CHARACTERS: usize = 100;
/// The narrowest page that holds a summary from one margin of 20 to the other: its longest line, and its longest bar
/// with a count.
pub(crate) const BREADTH: f64 = 800.0;

/// Texts with their counts, the most frequent first.
pub(crate) fn alike(texts: impl Iterator<Item = String>) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for text in texts {
        *counts.entry(text).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

/// Draws the kinds of parts under a title, with their counts; returns the lower end of the drawing.
pub(crate) fn draw_alike(page: &mut Canvas, corner: Point, title: &str, kinds: &[(String, usize)]) -> f64 {
    let mut y = draw_title(page, corner, title);
    for (text, count) in kinds.iter().take(LISTED) {
        for line in wrap(&format!("{count} × {text}"), CHARACTERS) {
            page.text(at(corner.x, y), Type::new(12.5), &line);
            y += LINE;
        }
    }
    y + draw_rest(page, at(corner.x, y), kinds.len())
}

/// Draws a bar for each value, as long as its count; returns the lower end of the drawing.
pub(crate) fn draw_bars(page: &mut Canvas, corner: Point, title: &str, bars: &[(String, usize)]) -> f64 {
    let mut y = draw_title(page, corner, title);
    let most = bars.iter().map(|(_, count)| *count).max().unwrap_or(1).max(1) as f64;
    for (name, count) in bars.iter().take(LISTED) {
        let width = LONGEST * *count as f64 / most;
        page.text(at(corner.x, y), Type::new(12.5), name);
        page.rect(area(corner.x + NAMES, y - 11.0, width.max(1.0), 14.0), 2.0, CATEGORIES[0]);
        page.text(at(corner.x + NAMES + width + 8.0, y), Type::new(11.5).fill(FAINT), &count.to_string());
        y += LINE;
    }
    y + draw_rest(page, at(corner.x, y), bars.len())
}

fn draw_title(page: &mut Canvas, corner: Point, title: &str) -> f64 {
    page.text(at(corner.x, corner.y + 14.0), Type::new(14.5).bold(), title);
    corner.y + 14.0 + LINE + 4.0
}

fn draw_rest(page: &mut Canvas, corner: Point, count: usize) -> f64 {
    if count > LISTED {
        let text = format!("and {} more", counted(count - LISTED, "kind"));
        page.text(corner, Type::new(11.5).fill(FAINT), &text);
        return 2.0 * LINE;
    }
    LINE
}
