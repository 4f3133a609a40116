//! Content of an HTML file, from top to bottom.

use maud::Markup;

use super::values::Listed;
use crate::page::{Block, Page};
use crate::svg::Chart;

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
    /// Charts side by side, and their values as tables.
    Charts {
        charts: Vec<Chart>,
        /// Title and content of the tables.
        tables: Option<(String, Page)>,
    },
    /// Elements whose text is escaped.
    Elements {
        /// Title of the page, if they begin with its head.
        title: Option<String>,
        /// Target and text of the link in the contents of the page, if they are one of several such parts.
        link: Option<[String; 2]>,
        markup: Markup,
    },
    Section(Section),
}

/// Parts under a head that opens and closes. The contents of the page lead to it.
pub(crate) struct Section {
    /// Identifier of the section in the address of the page.
    pub(crate) id: String,
    pub(crate) title: String,
    /// Text of the link in the contents of the page; none if they do not list it.
    pub(crate) link: Option<String>,
    /// Number of things in it, for its head.
    pub(crate) count: Option<String>,
    pub(crate) parts: Vec<Part>,
    pub(crate) is_open: bool,
    /// Whether it belongs to a printed ticket.
    pub(crate) is_printed: bool,
}

impl Story {
    /// Title of the first part.
    pub(crate) fn title(&self) -> String {
        let own = self.head().map(str::to_owned);
        own.unwrap_or_else(|| {
            format!("zerohop: {}", self.name.trim_start_matches("a ").trim_start_matches("an "))
        })
    }

    /// The title with which it begins, if it does.
    pub(crate) fn head(&self) -> Option<&str> {
        match self.parts.first()? {
            Part::Elements { title, .. } => title.as_deref(),
            Part::Page(first) => match first.blocks().iter().find(|block| **block != Block::Blank)? {
                Block::Banner { left, .. } => Some(left),
                _ => None,
            },
            _ => None,
        }
    }

    /// Targets and texts of the links to its parts.
    pub(crate) fn contents(&self) -> Vec<[String; 2]> {
        self.parts.iter().filter_map(Part::link).collect()
    }
}

impl Part {
    /// Target and text of the link to it, if the contents of the page list it.
    pub(crate) fn link(&self) -> Option<[String; 2]> {
        match self {
            Self::Section(section) => section.link.clone().map(|text| [section.id.clone(), text]),
            Self::Elements { link, .. } => link.clone(),
            _ => None,
        }
    }
}
