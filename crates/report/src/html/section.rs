//! Sections that open and close, and the bar that leads to them.

use maud::{Markup, html};

use super::parts::Section;
use crate::printable::plain_line;

/// A section with its content.
pub(super) fn section(of: &Section, content: &Markup) -> Markup {
    let Section { id, title, count, is_open, is_printed, .. } = of;
    html! {
        details.section.ticket[*is_printed] open[*is_open] {
            summary { h2 { (plain_line(title)) @if let Some(count) = count { " " small { (plain_line(count)) } } } }
            // A browser opens a closed list around the target of a link, not below it.
            div.content id=(id) tabindex="-1" { (content) }
        }
    }
}

/// The bar that leads to the parts of a page.
pub(super) fn contents(links: &[[String; 2]]) -> Markup {
    html! {
        nav.contents aria-label="contents" {
            a href="#top" { "top" }
            @for [target, text] in links { " " a href={ "#" (target) } { (plain_line(text)) } }
        }
    }
}
