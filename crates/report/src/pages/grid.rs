//! Aligned columns: text to one side, numbers by their decimal points, with margins and marks next to them. An entry stays on one line regardless of
//! its content.

use crate::pages::style::{Look, Style};
use crate::printable::one_line;
use crate::reference::Reference;

/// A sign next to a number, so that color is never the only cue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mark {
    /// The best of its kind, or indistinguishable from it.
    Best,
    /// The worst of its kind, or indistinguishable from it.
    Worst,
    /// The interval is wide.
    Wide,
    /// It may be wrong.
    Doubtful,
}

impl Mark {
    pub(crate) const fn sign(self) -> char {
        match self {
            Self::Best => '▲',
            Self::Worst => '▼',
            Self::Wide => '≈',
            Self::Doubtful => '?',
        }
    }

    /// Meaning of the sign, for the legend.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Worst => "worst",
            Self::Wide => "wide interval",
            Self::Doubtful => "in doubt, see warnings",
        }
    }

    const fn look(self) -> Look {
        match self {
            Self::Best => Look::Best,
            Self::Worst => Look::Worst,
            Self::Wide | Self::Doubtful => Look::Doubtful,
        }
    }
}

/// A number in a grid.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Figure {
    pub(crate) value: String,
    /// `±0.4`, if it is to be shown.
    pub(crate) margin: Option<String>,
    pub(crate) marks: Vec<Mark>,
}

/// An entry of a grid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Entry {
    Text(String),
    /// Text that stands for something with pages of its own.
    Reference(String, Reference),
    /// A number, aligned with those above and below it.
    Number(Figure),
}

impl Entry {
    pub(crate) const BLANK: Self = Self::Text(String::new());

    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// The name of a machine of an archive.
    pub(crate) fn machine(name: &str) -> Self {
        Self::Reference(name.to_owned(), Reference::Machine(name.to_owned()))
    }

    fn on_one_line(self) -> Self {
        match self {
            Self::Text(text) => Self::Text(one_line(&text)),
            Self::Reference(text, of) => Self::Reference(one_line(&text), of),
            Self::Number(figure) => {
                let margin = figure.margin.as_deref().map(one_line);
                Self::Number(Figure { value: one_line(&figure.value), margin, ..figure })
            }
        }
    }

    pub(crate) fn number(value: &(impl ToString + ?Sized)) -> Self {
        Self::Number(Figure { value: value.to_string(), ..Figure::default() })
    }
}

/// The side to which a column's text aligns. Numbers align by their decimal points on either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    /// For heads of numbers.
    Right,
}

/// Rows of entries under column heads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Grid {
    heads: Vec<(String, Side)>,
    rows: Vec<Vec<Entry>>,
}

/// Widths of the parts of a column.
#[derive(Debug, Clone, Copy, Default)]
struct Measured {
    whole: usize,
    before_point: usize,
    from_point: usize,
    margin: usize,
    marks: usize,
}

/// Between two columns.
const GAP: usize = 2;
/// Before the first column.
const INDENT: usize = 2;

impl Grid {
    /// An empty grid with these heads.
    pub(crate) fn new(heads: impl IntoIterator<Item = (String, Side)>) -> Self {
        let heads = heads.into_iter().map(|(head, side)| (one_line(&head), side));
        Self { heads: heads.collect(), rows: Vec::new() }
    }

    /// Appends a row. Entries beyond the heads are not shown.
    pub(crate) fn push(&mut self, row: Vec<Entry>) {
        self.rows.push(row.into_iter().map(Entry::on_one_line).collect());
    }

    /// The heads of its columns, each with the side to which the column aligns.
    pub(crate) fn heads(&self) -> &[(String, Side)] {
        &self.heads
    }

    /// Rows from top to bottom.
    pub(crate) fn rows(&self) -> &[Vec<Entry>] {
        &self.rows
    }

    /// Characters of its longest line.
    pub(crate) fn width(&self) -> usize {
        let columns = self.measure();
        let gaps = GAP * columns.len().saturating_sub(1);
        INDENT + gaps + columns.iter().map(|column| column.whole).sum::<usize>()
    }

    /// Lines of the grid, each terminated.
    pub(crate) fn render(&self, style: &Style) -> String {
        let columns = self.measure();
        let mut text = String::new();
        if self.heads.iter().any(|(head, _)| !head.is_empty()) {
            let heads = self.heads.iter().zip(&columns).map(|((head, side), column)| {
                let numbers = column.before_point + column.from_point;
                // A head goes over the digits, not over the margins beside them.
                let over =
                    if *side == Side::Right && numbers >= length(head) { numbers } else { column.whole };
                let text = pad(&style.paint(Look::Label, head), length(head), over, *side);
                pad(&text, over, column.whole, Side::Left)
            });
            push_line(&mut text, heads);
        }
        for row in &self.rows {
            let entries = row.iter().zip(&self.heads).zip(&columns);
            let entries = entries.map(|((entry, (_, side)), column)| entry.render(*column, *side, style));
            push_line(&mut text, entries);
        }
        text
    }

    fn measure(&self) -> Vec<Measured> {
        let mut columns = Vec::new();
        for (rank, (head, _)) in self.heads.iter().enumerate() {
            let mut column = Measured::default();
            let mut texts = length(head);
            for entry in self.rows.iter().filter_map(|row| row.get(rank)) {
                match entry {
                    Entry::Text(text) | Entry::Reference(text, _) => texts = texts.max(length(text)),
                    Entry::Number(figure) => {
                        let (before, from) = figure.split();
                        column.before_point = column.before_point.max(length(before));
                        column.from_point = column.from_point.max(length(from));
                        column.margin = column
                            .margin
                            .max(figure.margin.as_deref().map_or(0, |margin| length(margin) + 1));
                        column.marks = column.marks.max(if figure.marks.is_empty() {
                            0
                        } else {
                            figure.marks.len() + 1
                        });
                    }
                }
            }
            let numbers = column.before_point + column.from_point + column.margin + column.marks;
            // Extra width for a long head goes before the digits.
            column.before_point += if numbers > 0 { texts.saturating_sub(numbers) } else { 0 };
            column.whole = texts.max(numbers);
            columns.push(column);
        }
        columns
    }
}

impl Figure {
    fn split(&self) -> (&str, &str) {
        self.value.find('.').map_or((&self.value, ""), |point| self.value.split_at(point))
    }
}

impl Entry {
    fn render(&self, column: Measured, side: Side, style: &Style) -> String {
        let figure = match self {
            Self::Text(text) | Self::Reference(text, _) => {
                return pad(text, length(text), column.whole, side);
            }
            Self::Number(figure) => figure,
        };
        let (before, from) = figure.split();
        let look = figure.marks.iter().min().map(|mark| mark.look());
        let digits = look.map_or_else(|| figure.value.clone(), |look| style.paint(look, &figure.value));
        let margin = figure.margin.as_deref().map_or(String::new(), |margin| format!(" {margin}"));
        let marks: String = figure.marks.iter().map(|mark| mark.sign()).collect();
        let marks = if marks.is_empty() { marks } else { format!(" {marks}") };
        let painted_marks = look.map_or_else(|| marks.clone(), |look| style.paint(look, &marks));
        let mut text = " ".repeat(column.before_point - length(before));
        text.push_str(&digits);
        text.push_str(&" ".repeat(column.from_point - length(from)));
        text.push_str(&pad(&style.paint(Look::Faint, &margin), length(&margin), column.margin, Side::Left));
        text.push_str(&painted_marks);
        let shown = column.before_point + column.from_point + column.margin + length(&marks);
        pad(&text, shown, column.whole, Side::Left)
    }
}

fn push_line(text: &mut String, entries: impl Iterator<Item = String>) {
    let line = format!("{:INDENT$}{}", "", entries.collect::<Vec<_>>().join(&" ".repeat(GAP)));
    text.push_str(line.trim_end());
    text.push('\n');
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// `text`, of which `length` characters are visible, filled up to `width`.
fn pad(text: &str, length: usize, width: usize, side: Side) -> String {
    let fill = " ".repeat(width.saturating_sub(length));
    match side {
        Side::Left => format!("{text}{fill}"),
        Side::Right => format!("{fill}{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(value: &str, margin: &str, marks: &[Mark]) -> Entry {
        let margin = (!margin.is_empty()).then(|| margin.to_owned());
        Entry::Number(Figure { value: value.to_owned(), margin, marks: marks.to_vec() })
    }

    fn example() -> Grid {
        let mut grid = Grid::new([
            (String::new(), Side::Left),
            ("node 0".to_owned(), Side::Right),
            ("a long head".to_owned(), Side::Right),
        ]);
        grid.push(vec![Entry::text("node 0"), figure("95.3", "±0.4", &[Mark::Best]), Entry::number(&7)]);
        grid.push(vec![
            Entry::text("x"),
            figure("1145.9", "±12.1", &[Mark::Worst, Mark::Doubtful]),
            Entry::BLANK,
        ]);
        grid
    }

    #[test]
    fn points_margins_and_marks_align() {
        insta::assert_snapshot!(example().render(&Style::default()), @r"
                node 0           a long head
        node 0    95.3 ±0.4  ▲             7
        x       1145.9 ±12.1 ▼?
        ");
    }

    #[test]
    fn colour_changes_no_visible_character() {
        let coloured = example().render(&Style { colour: true, width: 80 });
        let plain = regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap().replace_all(&coloured, "").into_owned();
        let trimmed: Vec<&str> = plain.lines().map(str::trim_end).collect();
        assert_eq!(trimmed.join("\n") + "\n", example().render(&Style::default()));
        assert_eq!(example().width(), plain.lines().map(length).max().unwrap());
    }
}
