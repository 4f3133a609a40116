//! What an HTML file shows, from top to bottom.

use crate::page::{Block, Page};

/// A document for a reader of HTML.
pub(crate) struct Story {
    /// From top to bottom.
    pub(crate) parts: Vec<Part>,
    /// What the page carries for programs, each as JSON.
    pub(crate) data: Vec<String>,
}

/// A part of it.
pub(crate) enum Part {
    /// A page.
    Page(Page),
    /// A picture.
    Picture {
        /// Its name, as a file's.
        name: String,
        /// The picture, whose text is escaped.
        svg: String,
    },
}

impl Story {
    /// Its title: that of its first page.
    pub(crate) fn title(&self) -> String {
        let pages = self.parts.iter().filter_map(|part| match part {
            Part::Page(page) => Some(page),
            Part::Picture { .. } => None,
        });
        let banners = pages.flat_map(|page| page.blocks()).find_map(|block| match block {
            Block::Banner { left, .. } => Some(left.clone()),
            _ => None,
        });
        banners.unwrap_or_else(|| "zerohop".to_owned())
    }
}
