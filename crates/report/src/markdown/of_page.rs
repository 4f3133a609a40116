//! Any page in Markdown: its blocks, one after the other.

use std::borrow::Cow;

use super::page::{MarkdownPage, mark, prose};
use crate::page::{Block, Page};
use crate::pages::grid::{Entry, Figure, Grid, Side};

/// A page in Markdown.
pub(crate) fn page_markdown(page: &Page) -> String {
    let mut text = MarkdownPage::default();
    for block in page.blocks() {
        match block {
            Block::Banner { left, right } => {
                text.line(&[mark("# "), prose(left)]);
                if !right.is_empty() {
                    text.paragraph(&[prose(right)]);
                }
            }
            Block::Section(head) => {
                text.paragraph(&[mark("## "), prose(head)]);
            }
            Block::Title { title, aside } => {
                text.paragraph(&[mark("### "), prose(title), mark(" "), prose(aside)]);
            }
            Block::Line { label, text: words, .. } => {
                text.line(&[mark("- **"), prose(label), mark("** "), prose(words)]);
            }
            Block::Item(words) => text.line(&[mark("- "), prose(words)]),
            Block::Verbatim(line) | Block::Command(line) => text.listing([Cow::from(line)]),
            Block::Paragraph(words) | Block::Remark(words) => text.paragraph(&[prose(words)]),
            Block::Alert { text: words, advice, .. } => {
                text.paragraph(&[mark("**"), prose(words), mark("** "), prose(advice)]);
            }
            Block::Grid(grid) => write_grid(&mut text, grid),
            // Without lines, nothing is marked.
            Block::Matrices(matrices) if matrices.lines.is_empty() => {}
            Block::Matrices(matrices) => {
                text.listing(matrices.lines.iter().map(Cow::from));
                text.paragraph(&[prose(&matrices.legend)]);
            }
            Block::Blank => {}
        }
    }
    text.finish()
}

fn write_grid(text: &mut MarkdownPage, grid: &Grid) {
    text.blank();
    text.row(grid.heads().iter().map(|(head, _)| prose(head)));
    let rules = grid.heads().iter().map(|(_, side)| match side {
        Side::Left => mark("---|"),
        Side::Right => mark("--:|"),
    });
    text.line(&std::iter::once(mark("|")).chain(rules).collect::<Vec<_>>());
    for row in grid.rows() {
        text.row(row.iter().map(|entry| prose(words(entry))));
    }
    text.blank();
}

fn words(entry: &Entry) -> Cow<'_, str> {
    match entry {
        Entry::Text(text) | Entry::Reference(text, _) => text.into(),
        Entry::Number(Figure { value, margin, marks }) => {
            let signs = marks.iter().map(|mark| mark.sign().to_string());
            let parts = std::iter::once(value.clone()).chain(margin.clone()).chain(signs);
            parts.collect::<Vec<_>>().join(" ").into()
        }
    }
}
