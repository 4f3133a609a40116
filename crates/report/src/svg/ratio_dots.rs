//! Ratios as rows of marks with their intervals: a triangle up is better, one down is worse, a dot is the same, a ring decides nothing.

use zerohop_compare::{CellScore, Ratio, Tendency};

use crate::svg::canvas::{Canvas, Point, Type, at};
use crate::svg::palette::{CATEGORIES, DOUBT, FAINT, INK, PAPER};
use crate::svg::panel::{Breadth, Panel};
use crate::svg::ratio_scale::RatioScale;

const ROW: f64 = 20.0;
const TOP: f64 = 4.0;
/// The most room of names, and that of the words behind the marks.
const NAMES: f64 = 470.0;
const WORDS: f64 = 210.0;
const MARK: f64 = 5.0;

/// A row: its name, its ratio, and what stands behind it.
pub(super) struct RatioRow {
    pub(super) name: String,
    pub(super) score: CellScore,
    pub(super) words: String,
}

/// A panel of rows.
pub(super) fn ratio_dots(title: String, aside: String, rows: &[RatioRow]) -> Panel {
    let breadth = Breadth::Full;
    let label = Type::new(11.5).end();
    let left = rows.iter().map(|row| label.width(&row.name)).fold(0.0, f64::max).min(NAMES) + 12.0;
    let right = breadth.content() - WORDS;
    let ends = rows.iter().flat_map(|row| [row.score.ratio.low, row.score.ratio.value, row.score.ratio.high]);
    let scale = RatioScale::over(ends, left, right);
    let bottom = TOP + rows.len() as f64 * ROW;
    let mut drawing = Canvas::default();
    scale.draw(&mut drawing, TOP, bottom);
    for (rank, row) in rows.iter().enumerate() {
        let y = TOP + (rank as f64 + 0.5) * ROW;
        let name = shortened(&row.name, left - 12.0);
        drawing.text(at(left - 10.0, y + 4.0), label.fill(INK), &name);
        let Ratio { value, low, high } = row.score.ratio;
        let ink = colour(row.score);
        drawing.named(&format!("{}: {}", row.name, row.words), |drawing| {
            drawing.line(at(scale.at(low), y), at(scale.at(high), y), ink, 1.5);
            mark(drawing, at(scale.at(value), y), row.score);
        });
        drawing.text(at(right + 14.0, y + 4.0), Type::new(11.0).fill(ink_of_words(row.score)), &row.words);
    }
    Panel { title, aside, breadth, height: bottom + 18.0, drawing }
}

/// A ratio in words: its sign, its digits, and its meaning.
pub(super) fn words(score: CellScore) -> String {
    let ratio = score.ratio.value;
    match (score.doubtful, score.tendency) {
        (true, _) => format!("? {ratio:.3} doubtful"),
        (_, Tendency::Better) => format!("▲ {ratio:.3} better"),
        (_, Tendency::Same) => format!("= {ratio:.3} same"),
        (_, Tendency::Worse) => format!("▼ {ratio:.3} worse"),
    }
}

fn colour(score: CellScore) -> &'static str {
    match (score.doubtful, score.tendency) {
        (true, _) => DOUBT,
        (_, Tendency::Better) => CATEGORIES[0],
        (_, Tendency::Same) => FAINT,
        (_, Tendency::Worse) => CATEGORIES[5],
    }
}

/// Vermilion is too light for letters.
fn ink_of_words(score: CellScore) -> &'static str {
    match (score.doubtful, score.tendency) {
        (false, Tendency::Worse) => INK,
        _ => colour(score),
    }
}

fn mark(drawing: &mut Canvas, spot: Point, score: CellScore) {
    let ink = colour(score);
    let Point { x, y } = spot;
    match (score.doubtful, score.tendency) {
        (true, _) => {
            drawing.dot(spot, MARK, ink);
            drawing.dot(spot, MARK - 2.0, PAPER);
        }
        (_, Tendency::Same) => drawing.dot(spot, MARK - 1.0, ink),
        (_, Tendency::Better) => {
            drawing.polygon(&[at(x, y - MARK), at(x + MARK, y + MARK), at(x - MARK, y + MARK)], ink, PAPER);
        }
        (_, Tendency::Worse) => {
            drawing.polygon(&[at(x, y + MARK), at(x + MARK, y - MARK), at(x - MARK, y - MARK)], ink, PAPER);
        }
    }
}

/// As much of a name as has room.
fn shortened(name: &str, room: f64) -> String {
    let most = (room / Type::new(11.5).width("n")) as usize;
    if name.chars().count() <= most {
        return name.to_owned();
    }
    name.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}
