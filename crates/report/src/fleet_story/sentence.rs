//! Sentences of rules and steps as elements.

use maud::{Markup, html};

use crate::printable::plain_line;

/// A sentence, in which what stands between backticks is code.
pub(super) fn code(text: &str) -> Markup {
    let text = plain_line(text);
    let parts: Vec<&str> = text.split('`').collect();
    let is_paired = parts.len() % 2 == 1;
    html! {
        @if is_paired {
            @for (rank, part) in parts.iter().enumerate() { @if rank % 2 == 1 { code { (part) } } @else { (part) } }
        } @else { (text) }
    }
}
