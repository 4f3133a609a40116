//! A page that is one of many: what stands above its document, and where its references lead.

use crate::html::Allowance;
use crate::reference::Reference;

/// Targets of a page's references.
pub trait Links {
    /// The address of what a reference stands for; `None` for plain text.
    fn address(&self, reference: &Reference) -> Option<String>;

    /// The form to which boxes belong that pick results, if they can be picked.
    fn picked_by(&self) -> Option<&str> {
        None
    }
}

/// A page by itself: its references lead nowhere.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Alone;

impl Links for Alone {
    fn address(&self, _: &Reference) -> Option<String> {
        None
    }
}

/// Surroundings of a document on its page.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// Elements above the document: all text in them is escaped.
    pub above: &'a str,
    /// Elements below the document: all text in them is escaped.
    pub below: &'a str,
    pub links: &'a dyn Links,
    pub styles: &'a [&'a str],
    pub scripts: &'a [&'a str],
    /// Additional permissions of the page.
    pub also: Allowance<'a>,
}

impl Surroundings<'_> {
    pub const NONE: Surroundings<'static> = Surroundings {
        above: "",
        below: "",
        links: &Alone,
        styles: &[],
        scripts: &[],
        also: Allowance::NONE,
    };
}

/// A page as one of many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SurroundedPage {
    pub file: String,
    /// Content-Security-Policy for the header of a response.
    pub policy: String,
}
