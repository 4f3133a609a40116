//! The blocks of a page as elements: neighbors of one kind become one list, one table of terms, or one listing.

use maud::{Markup, html};

use crate::html::heat::matrices;
use crate::html::surroundings::Links;
use crate::page::Block;
use crate::pages::grid::{Entry, Figure, Grid, Mark, Side};
use crate::printable::plain_line;
use crate::reference::Reference;

/// Blocks from top to bottom; `first` if the file begins with them.
pub(super) fn blocks(blocks: &[Block], first: bool, links: &dyn Links) -> Markup {
    let told: Vec<&Block> = blocks.iter().filter(|block| **block != Block::Blank).collect();
    let runs: Vec<&[&Block]> = told.chunk_by(|one, other| are_one(one, other)).collect();
    // Whether a section has begun, since the last banner.
    let in_section: Vec<bool> = runs
        .iter()
        .scan(false, |begun, run| {
            *begun = match run[0] {
                Block::Section(_) => true,
                Block::Banner { .. } => false,
                _ => *begun,
            };
            Some(*begun)
        })
        .collect();
    html! {
        @for (rank, run) in runs.iter().enumerate() {
            @match run[0] {
                Block::Line { .. } => dl { @for block in *run { (line(block)) } },
                Block::Item(_) => ul { @for block in *run { (item(block)) } },
                Block::Verbatim(_) => pre tabindex="0" { @for block in *run { (verbatim(block)) } },
                Block::Banner { left, right } => (banner(left, right, first && rank == 0)),
                Block::Title { title, aside } => (heading(title, aside, in_section[rank])),
                block => (one(block, links)),
            }
        }
    }
}

/// Whether neighbors are parts of one element.
fn are_one(one: &Block, other: &Block) -> bool {
    matches!(
        (one, other),
        (Block::Line { .. }, Block::Line { .. })
            | (Block::Item(_), Block::Item(_))
            | (Block::Verbatim(_), Block::Verbatim(_))
    )
}

fn one(block: &Block, links: &dyn Links) -> Markup {
    match block {
        Block::Banner { left, right } => banner(left, right, false),
        Block::Section(head) => html! { h2 { (prose(head)) } },
        Block::Title { title, aside } => heading(title, aside, true),
        Block::Command(command) => html! { p.command { code { (plain_line(command)) } } },
        Block::Paragraph(text) => html! { p { (prose(text)) } },
        Block::Remark(text) => html! { p.remark { (prose(text)) } },
        Block::Alert { text, advice, state } => html! {
            div.alert.(state.class()) { p { (prose(text)) } @if !advice.is_empty() { p.remark { "→ " (prose(advice)) } } }
        },
        Block::Grid(of) => grid(of, links),
        Block::Matrices(all) => matrices(all),
        Block::Line { .. } => line(block),
        Block::Item(_) => item(block),
        Block::Verbatim(_) => verbatim(block),
        Block::Blank => html! {},
    }
}

fn banner(left: &str, right: &str, is_title: bool) -> Markup {
    html! {
        header {
            @if is_title { h1 { (prose(left)) } } @else { h2.title { (prose(left)) } }
            @if !right.is_empty() { p.remark { (prose(right)) } }
        }
    }
}

/// The head of a grid: below that of its section, if it is in one.
fn heading(title: &str, aside: &str, in_section: bool) -> Markup {
    let words = html! { (prose(title)) @if !aside.is_empty() { " " small { (prose(aside)) } } };
    if in_section {
        html! { h3 { (words) } }
    } else {
        html! { h2 { (words) } }
    }
}

fn line(block: &Block) -> Markup {
    let Block::Line { label, text, .. } = block else { return html! {} };
    html! { div { dt { (prose(label)) } dd { (prose(text)) } } }
}

fn item(block: &Block) -> Markup {
    let Block::Item(text) = block else { return html! {} };
    html! { li { (prose(text)) } }
}

fn verbatim(block: &Block) -> Markup {
    let Block::Verbatim(text) = block else { return html! {} };
    html! { (plain_line(text)) "\n" }
}

/// A table. It scrolls within itself, so that the page never does sideways.
fn grid(grid: &Grid, links: &dyn Links) -> Markup {
    let has_heads = grid.heads().iter().any(|(head, _)| !head.is_empty());
    html! {
        div.scroll tabindex="0" {
            table {
                @if has_heads {
                    thead { tr { @for (head, side) in grid.heads() {
                        @if head.is_empty() { td {} } @else { th scope="col" class=(side_class(*side)) { (prose(head)) } }
                    } } }
                }
                tbody { @for row in grid.rows() {
                    tr { @for (entry, (_, side)) in row.iter().zip(grid.heads()) { (cell(entry, *side, links)) } }
                } }
            }
        }
    }
}

fn cell(entry: &Entry, side: Side, links: &dyn Links) -> Markup {
    match entry {
        Entry::Text(text) => html! { td class=(side_class(side)) { (prose(text)) } },
        Entry::Reference(text, of) => html! { td class=(side_class(side)) { (reference(text, of, links)) } },
        Entry::Number(Figure { value, margin, marks }) => html! {
            td.number {
                (plain_line(value))
                @if let Some(margin) = margin { " " small { (plain_line(margin)) } }
                @for mark in marks { " " (sign(*mark)) }
            }
        },
    }
}

/// A text that leads to what it stands for; a box beside it where results can be picked.
fn reference(text: &str, of: &Reference, links: &dyn Links) -> Markup {
    let box_of = match of {
        Reference::Result(id) => links.picked_by().map(|form| (form, id)),
        Reference::Machine(_) => None,
    };
    html! {
        @if let Some((form, id)) = box_of {
            input type="checkbox" name="id" form=(form) value=(id) aria-label={ "pick " (plain_line(text)) }; " "
        }
        @match links.address(of) {
            Some(address) => { a href=(address) { (plain_line(text)) } }
            None => (prose(text)),
        }
    }
}

/// A sign, with its meaning for who cannot see it, or does not know it.
fn sign(mark: Mark) -> Markup {
    let class = match mark {
        Mark::Best => "best",
        Mark::Worst => "worst",
        Mark::Wide | Mark::Doubtful => "doubtful",
    };
    html! { span class=(class) title=(mark.words()) { (mark.sign()) span.unseen { " (" (mark.words()) ")" } } }
}

const fn side_class(side: Side) -> &'static str {
    match side {
        Side::Left => "words",
        Side::Right => "number",
    }
}

/// Text, in which what stands between backticks is code.
pub(super) fn prose(text: &str) -> Markup {
    let text = plain_line(text);
    let parts: Vec<&str> = text.split('`').collect();
    // An odd number of backticks has no pairs.
    let is_paired = parts.len() % 2 == 1;
    html! {
        @if is_paired {
            @for (rank, part) in parts.iter().enumerate() {
                @if rank % 2 == 1 { code { (part) } } @else { (part) }
            }
        } @else { (text) }
    }
}
