//! Content of an HTML file, from top to bottom.

use maud::Markup;

use super::values::Listed;
use crate::page::{Block, Page};

/// A document for a reader of HTML.
pub(crate) struct Story {
    /// Description, for a page without its own title.
    pub(crate) name: &'static str,
    /// From top to bottom.
    pub(crate) parts: Vec<Part>,
    /// Data of the page for programs, each as JSON.
    pub(crate) data: Vec<String>,
}

/// A part of it.
pub(crate) enum Part {
    Page(Page),
    /// The values of experiments, one by one.
    Values {
        /// Values of each experiment.
        all: Vec<Listed>,
        /// The command that opens the model of the machine in a page, if there is one.
        explore: Option<String>,
    },
    Picture {
        /// Name, as for a file.
        name: String,
        /// The picture, whose text is escaped.
        svg: String,
    },
    /// Elements whose text is escaped.
    Elements(Markup),
}

impl Story {
    /// Title of the first page.
    pub(crate) fn title(&self) -> String {
        let own = self.banner().map(str::to_owned);
        own.unwrap_or_else(|| {
            format!("zerohop: {}", self.name.trim_start_matches("a ").trim_start_matches("an "))
        })
    }

    /// The banner with which it begins, if it does.
    pub(crate) fn banner(&self) -> Option<&str> {
        let Some(Part::Page(first)) = self.parts.first() else { return None };
        match first.blocks().iter().find(|block| **block != Block::Blank) {
            Some(Block::Banner { left, .. }) => Some(left),
            _ => None,
        }
    }
}
