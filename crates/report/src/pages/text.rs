//! A page as text for a terminal, within its width.

use crate::page::{Block, Page};
use crate::pages::style::{Look, Style};
use crate::printable::printable;
use crate::wrap::{folded, hanging, wrap};

/// The page as text, with foreign control characters made visible.
pub(crate) fn text(page: &Page) -> String {
    let style = page.style();
    let mut sheet = Paper { text: String::new(), head: 0, style };
    page.blocks().iter().for_each(|block| sheet.put(block));
    let text = printable(&sheet.text, style);
    let width = usize::from(style.width);
    if width < style.columns() { folded(&text, width) } else { text.into_owned() }
}

/// The text so far.
struct Paper<'a> {
    text: String,
    /// Length of the text up to the head of a section, if one was the last that was written.
    head: usize,
    style: &'a Style,
}

impl Paper<'_> {
    fn put(&mut self, block: &Block) {
        match block {
            Block::Banner { left, right } => self.banner(left, right),
            Block::Section(head) => self.section(head),
            Block::Title { title, aside } => self.title(title, aside),
            Block::Line { label, room, text } => self.labelled(label, *room, text),
            Block::Verbatim(line) => self.verbatim(line),
            Block::Command(command) => self.text.push_str(&format!("    {}\n", command.trim_end())),
            Block::Paragraph(text) => self.text.push_str(&hanging("  ", text, self.style.columns())),
            Block::Item(text) => self.text.push_str(&hanging("  – ", text, self.style.columns())),
            Block::Remark(text) => self.remark(text),
            Block::Alert { text, advice, .. } => self.alert(text, advice),
            Block::Grid(grid) => self.text.push_str(&grid.render(self.style)),
            Block::Matrices(matrices) => {
                matrices.lines.iter().for_each(|line| self.verbatim(line));
                // Without lines, nothing is marked.
                if !matrices.lines.is_empty() && !matrices.legend.is_empty() {
                    self.remark(&matrices.legend);
                }
            }
            Block::Blank => self.blank(),
        }
    }

    fn verbatim(&mut self, line: &str) {
        self.text.push_str(&format!("  {}\n", line.trim_end()));
    }

    fn remark(&mut self, text: &str) {
        for line in wrap(text, self.style.columns() - 2) {
            self.text.push_str(&format!("  {}\n", self.style.paint(Look::Faint, &line)));
        }
    }

    /// Title and aside on one line, or one below the other if they do not fit.
    fn banner(&mut self, left: &str, right: &str) {
        let width = self.style.columns();
        let used = left.chars().count() + right.chars().count();
        let gap = if used + 2 <= width { " ".repeat(width - used) } else { "\n".to_owned() };
        let gap = if right.is_empty() { String::new() } else { gap };
        self.text.push_str(&self.style.paint(Look::Heading, left));
        self.text.push_str(&gap);
        self.text.push_str(&self.style.paint(Look::Faint, right));
        self.text.push('\n');
    }

    /// A head with a rule beside it, after an empty line.
    fn section(&mut self, head: &str) {
        self.blank();
        let rule = "─".repeat(self.style.columns().saturating_sub(head.chars().count() + 1));
        let head = self.style.paint(Look::Heading, head);
        let rule = self.style.paint(Look::Faint, &rule);
        self.text.push_str(&format!("{head} {rule}\n"));
        self.head = self.text.len();
    }

    /// After an empty line, unless a section's head is just above.
    fn title(&mut self, title: &str, aside: &str) {
        if self.head != self.text.len() {
            self.blank();
        }
        let aside = if aside.is_empty() { String::new() } else { format!("  {aside}") };
        let title = self.style.paint(Look::Label, title);
        self.text.push_str(&format!("  {title}{}\n", self.style.paint(Look::Faint, &aside)));
    }

    /// Wrapped at the width with a hanging indent.
    fn labelled(&mut self, label: &str, room: usize, text: &str) {
        let first = format!("  {label:<room$}  ");
        let lines = hanging(&first, text, self.style.columns());
        let painted = self.style.paint(Look::Label, &first);
        self.text.push_str(&lines.replacen(&first, &painted, 1));
    }

    fn alert(&mut self, text: &str, advice: &str) {
        let lines = hanging("  ! ", text, self.style.columns());
        self.text.push_str(&lines.replacen(
            "  ! ",
            &format!("  {} ", self.style.paint(Look::Doubtful, "!")),
            1,
        ));
        if !advice.is_empty() {
            for line in hanging("    → ", advice, self.style.columns()).lines() {
                self.text.push_str(&self.style.paint(Look::Faint, line));
                self.text.push('\n');
            }
        }
    }

    /// An empty line, unless the page begins here.
    fn blank(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::grid::{Entry, Grid, Side};

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
        page.command("a\nb");
        let mut grid = Grid::new([("a\nb".to_owned(), Side::Left)]);
        grid.push(vec![Entry::text("a\nb")]);
        grid.push(vec![Entry::number("a\nb")]);
        page.grid(grid);
        page.section("a\nb");
        let shown = text(&page);
        assert_eq!(shown.lines().filter(|line| !line.is_empty()).count(), 15, "{shown}");
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
                let shown = text(&page);
                let plain = looks.replace_all(&shown, "").into_owned();
                let longest = plain.lines().map(|line| line.chars().count()).max().unwrap();
                assert!(longest <= usize::from(width), "{longest} in {width}: {plain}");
            }
        }
    }
}
