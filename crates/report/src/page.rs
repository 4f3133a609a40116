//! A page as blocks: sections with heads, labeled lines, paragraphs, remarks and grids. Each output form renders them in its own way.

use crate::heat_table::HeatTables;
use crate::pages::Style;
use crate::pages::grid::Grid;
use crate::printable::one_line;
use crate::state::State;

/// A page being written.
pub(crate) struct Page {
    blocks: Vec<Block>,
    style: Style,
}

/// A part of a page. Every text is on one line: a name with line ends never looks like another block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Block {
    /// The top line: a title, with time and method next to it.
    Banner {
        left: String,
        right: String,
    },
    /// The head of a section.
    Section(String),
    /// The head of a grid, with a faint remark next to it.
    Title {
        title: String,
        aside: String,
    },
    /// A text after its label, which has this much room.
    Line {
        label: String,
        room: usize,
        text: String,
    },
    /// A line as it is: spaces count.
    Verbatim(String),
    /// A command to copy.
    Command(String),
    Paragraph(String),
    /// An item of a list.
    Item(String),
    Remark(String),
    /// A remark that stands out, and what to do about it.
    Alert {
        text: String,
        advice: String,
        /// What it says of a machine; a warning if it says nothing of one.
        state: State,
    },
    Grid(Grid),
    /// Matrices side by side.
    Matrices(HeatTables),
    Blank,
}

/// Room for the label of a labeled line.
const LABEL: usize = 14;

impl Page {
    /// An empty page for this style.
    pub(crate) const fn new(style: &Style) -> Self {
        Self { blocks: Vec::new(), style: *style }
    }

    pub(crate) const fn style(&self) -> &Style {
        &self.style
    }

    /// Blocks from top to bottom.
    pub(crate) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Adds the blocks of another page.
    pub(crate) fn append(&mut self, other: Self) {
        self.blocks.extend(other.blocks);
    }

    /// Puts the blocks of another page below the top line.
    pub(crate) fn insert_below_banner(&mut self, other: Self) {
        let banner = self.blocks.iter().position(|block| matches!(block, Block::Banner { .. }));
        let below = banner.map_or(0, |rank| rank + 1);
        self.blocks.splice(below..below, other.blocks);
    }

    /// The top line: the title on the left, time and method on the right.
    pub(crate) fn banner(&mut self, left: &str, right: &str) {
        self.blocks.push(Block::Banner { left: one_line(left), right: one_line(right) });
    }

    pub(crate) fn section(&mut self, head: &str) {
        self.blocks.push(Block::Section(one_line(head)));
    }

    /// The head of a grid.
    pub(crate) fn title(&mut self, title: &str, aside: &str) {
        self.blocks.push(Block::Title { title: one_line(title), aside: one_line(aside) });
    }

    /// `label  text`. Nothing if the text is empty.
    pub(crate) fn line(&mut self, label: &str, text: &str) {
        if !text.is_empty() {
            self.labelled(label, LABEL, text);
        }
    }

    /// Labels with their texts, which align in one column however long the labels are.
    pub(crate) fn lines(&mut self, lines: &[(&str, String)]) {
        let widest = lines.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
        for (label, text) in lines {
            self.labelled(label, widest.max(LABEL), text);
        }
    }

    fn labelled(&mut self, label: &str, room: usize, text: &str) {
        self.blocks.push(Block::Line { label: one_line(label), room, text: one_line(text) });
    }

    /// A line as it is.
    pub(crate) fn verbatim(&mut self, line: &str) {
        self.blocks.push(Block::Verbatim(one_line(line)));
    }

    /// A command that a reader may run.
    pub(crate) fn command(&mut self, command: &str) {
        self.blocks.push(Block::Command(one_line(command)));
    }

    pub(crate) fn paragraph(&mut self, text: &str) {
        self.blocks.push(Block::Paragraph(one_line(text)));
    }

    /// An item of a list.
    pub(crate) fn item(&mut self, text: &str) {
        self.blocks.push(Block::Item(one_line(text)));
    }

    pub(crate) fn remark(&mut self, text: &str) {
        self.blocks.push(Block::Remark(one_line(text)));
    }

    /// A remark that stands out.
    pub(crate) fn alert(&mut self, text: &str, advice: &str) {
        self.finding(State::Warning, text, advice);
    }

    /// What was found about a machine.
    pub(crate) fn finding(&mut self, state: State, text: &str, advice: &str) {
        self.blocks.push(Block::Alert { text: one_line(text), advice: one_line(advice), state });
    }

    pub(crate) fn grid(&mut self, grid: Grid) {
        self.blocks.push(Block::Grid(grid));
    }

    /// Matrices side by side.
    pub(crate) fn matrices(&mut self, matrices: HeatTables) {
        self.blocks.push(Block::Matrices(matrices));
    }

    /// Space, unless the page begins here.
    pub(crate) fn blank(&mut self) {
        self.blocks.push(Block::Blank);
    }
}
