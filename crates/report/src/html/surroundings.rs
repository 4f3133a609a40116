//! A page that is one of many: what stands above its document, and where its references lead.

use crate::html::Allowance;
use crate::reference::Reference;

/// Where the references of a page lead.
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

/// What a document's page has around it.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// What stands above the document, as elements: all text in it is escaped.
    pub above: &'a str,
    /// What stands below it, likewise.
    pub below: &'a str,
    pub links: &'a dyn Links,
    pub styles: &'a [&'a str],
    pub scripts: &'a [&'a str],
    /// What else the page may do.
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
    /// Its Content-Security-Policy, for the head of an answer.
    pub policy: String,
}
