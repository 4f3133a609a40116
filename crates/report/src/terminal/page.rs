//! A page: sections with heads, labelled lines, paragraphs and grids, within a width.
//!
//! Every text is written on the line or the paragraph that it is given to: line ends in a name never begin a line of the page.

use crate::printable::{one_line, printable};
use crate::terminal::grid::Grid;
use crate::terminal::style::{Look, Style};
use crate::wrap::{folded, hanging, wrap};

/// A page being written.
pub(crate) struct Page<'a> {
    text: String,
    /// Length of the text up to the head of a section, if one was the last that was written.
    head: usize,
    style: &'a Style,
}

/// Room for the label of a labelled line.
const LABEL: usize = 14;

impl<'a> Page<'a> {
    /// An empty page.
    pub(crate) fn new(style: &'a Style) -> Self {
        Self { text: String::new(), head: 0, style }
    }

    /// How it looks.
    pub(crate) fn style(&self) -> &'a Style {
        self.style
    }

    /// The top line: the title on the left, time and method on the right, or one below the other if they do not fit.
    pub(crate) fn banner(&mut self, left: &str, right: &str) {
        let (left, right) = (&one_line(left), &one_line(right));
        let width = self.style.columns();
        let used = left.chars().count() + right.chars().count();
        let gap = if used + 2 <= width { " ".repeat(width - used) } else { "\n".to_owned() };
        let gap = if right.is_empty() { String::new() } else { gap };
        self.text.push_str(&self.style.paint(Look::Heading, left));
        self.text.push_str(&gap);
        self.text.push_str(&self.style.paint(Look::Faint, right));
        self.text.push('\n');
    }

    /// Begins a section: its head, after an empty line.
    pub(crate) fn section(&mut self, head: &str) {
        self.blank();
        let head = &one_line(head);
        let rule = "─".repeat(self.style.columns().saturating_sub(head.chars().count() + 1));
        let head = self.style.paint(Look::Heading, head);
        let rule = self.style.paint(Look::Faint, &rule);
        self.text.push_str(&format!("{head} {rule}\n"));
        self.head = self.text.len();
    }

    /// The head of a grid, after an empty line unless a section's head is just above.
    pub(crate) fn title(&mut self, title: &str, aside: &str) {
        if self.head != self.text.len() {
            self.blank();
        }
        let aside = if aside.is_empty() { String::new() } else { format!("  {}", one_line(aside)) };
        let title = self.style.paint(Look::Label, &one_line(title));
        self.text.push_str(&format!("  {title}{}\n", self.style.paint(Look::Faint, &aside)));
    }

    /// `label  text`, wrapped at the width with a hanging indent. Nothing if the text is empty.
    pub(crate) fn line(&mut self, label: &str, text: &str) {
        if text.is_empty() {
            return;
        }
        self.labelled(label, LABEL, text);
    }

    /// Labels with their texts, which align in one column however long the labels are.
    pub(crate) fn lines(&mut self, lines: &[(&str, String)]) {
        let widest = lines.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
        for (label, text) in lines {
            self.labelled(label, widest.max(LABEL), text);
        }
    }

    fn labelled(&mut self, label: &str, width: usize, text: &str) {
        let first = format!("  {:<width$}  ", one_line(label));
        let lines = hanging(&first, &one_line(text), self.style.columns());
        let painted = self.style.paint(Look::Label, &first);
        self.text.push_str(&lines.replacen(&first, &painted, 1));
    }

    /// A line as it is.
    pub(crate) fn verbatim(&mut self, line: &str) {
        self.text.push_str(&format!("  {}\n", one_line(line).trim_end()));
    }

    /// Text, wrapped at the width.
    pub(crate) fn paragraph(&mut self, text: &str) {
        self.text.push_str(&hanging("  ", &one_line(text), self.style.columns()));
    }

    /// An item of a list.
    pub(crate) fn item(&mut self, text: &str) {
        self.text.push_str(&hanging("  – ", &one_line(text), self.style.columns()));
    }

    /// A faint remark, wrapped at the width.
    pub(crate) fn remark(&mut self, text: &str) {
        for line in wrap(&one_line(text), self.style.columns() - 2) {
            self.text.push_str(&format!("  {}\n", self.style.paint(Look::Faint, &line)));
        }
    }

    /// A remark after a sign that stands out.
    pub(crate) fn alert(&mut self, text: &str, advice: &str) {
        let lines = hanging("  ! ", &one_line(text), self.style.columns());
        self.text.push_str(&lines.replacen(
            "  ! ",
            &format!("  {} ", self.style.paint(Look::Doubtful, "!")),
            1,
        ));
        if !advice.is_empty() {
            for line in hanging("    → ", &one_line(advice), self.style.columns()).lines() {
                self.text.push_str(&self.style.paint(Look::Faint, line));
                self.text.push('\n');
            }
        }
    }

    /// A grid.
    pub(crate) fn grid(&mut self, grid: &Grid) {
        self.text.push_str(&grid.render(self.style));
    }

    /// An empty line, unless the page begins here.
    pub(crate) fn blank(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    /// The text, with foreign control characters made visible.
    pub(crate) fn finish(self) -> String {
        let text = printable(&self.text, self.style);
        let width = usize::from(self.style.width);
        if width < self.style.columns() { folded(&text, width) } else { text.into_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::grid::{Entry, Side};

    /// A file's name with a line end looked like two lines of the page.
    #[test]
    fn names_with_line_ends_stay_on_their_line() {
        let style = Style::default();
        let mut page = Page::new(&style);
        page.banner("a\nb", "imported from a\nb");
        page.line("origin", "a\nb");
        page.lines(&[("a\nb", "a\nb".to_owned())]);
        page.verbatim("a\nb");
        page.paragraph("a\nb");
        page.item("a\nb");
        page.remark("a\nb");
        page.alert("a\nb", "a\nb");
        page.title("a\nb", "a\nb");
        let mut grid = Grid::new([("a\nb".to_owned(), Side::Left)]);
        grid.push(vec![Entry::text("a\nb")]);
        grid.push(vec![Entry::number("a\nb")]);
        page.grid(&grid);
        page.section("a\nb");
        let shown = page.finish();
        assert_eq!(shown.lines().filter(|line| !line.is_empty()).count(), 14, "{shown}");
        let lines = shown.lines().filter(|line| !line.is_empty());
        assert!(lines.clone().all(|line| line.contains(r"a\u000ab")), "{shown}");
    }

    /// Lines were 40 characters long whatever the terminal had.
    #[test]
    fn a_page_fits_a_terminal_of_any_width() {
        let looks = regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap();
        for width in [1, 5, 19, 39] {
            for colour in [false, true] {
                let style = Style { colour, width };
                let mut page = Page::new(&style);
                page.banner("a title of some length", "and what stands beside it");
                page.section("a section");
                page.line("label", "a text that is much longer than the terminal is wide");
                page.alert("something is wrong", "advice");
                page.verbatim("averylongcommandwithoutanyblank");
                let shown = page.finish();
                let plain = looks.replace_all(&shown, "").into_owned();
                let longest = plain.lines().map(|line| line.chars().count()).max().unwrap();
                assert!(longest <= usize::from(width), "{longest} in {width}: {plain}");
            }
        }
    }
}
