//! Charts with their titles, side by side, and their values as tables.

use maud::{Markup, PreEscaped, html};

use super::blocks::blocks;
use super::surroundings::Alone;
use crate::page::Page;
use crate::printable::plain_line;
use crate::svg::Chart;

/// The charts of an experiment, and a list that opens with their tables.
pub(super) fn charts(charts: &[Chart], tables: Option<&(String, Page)>) -> Markup {
    let is_wide = charts.len() != 1 || charts.iter().any(|chart| chart.is_wide);
    html! {
        div.exhibit.wide[is_wide] {
            @if charts.len() > 1 { div.content { @for chart in charts { (figure(chart)) } } }
            @else { @for chart in charts { (figure(chart)) } }
            @if let Some((title, page)) = tables.filter(|(_, page)| !page.blocks().is_empty()) {
                details.tables {
                    summary { (plain_line(title)) }
                    (blocks(page.blocks(), false, &Alone))
                }
            }
        }
    }
}

/// A chart under its title.
pub(super) fn figure(of: &Chart) -> Markup {
    let Chart { title, aside, is_wide, svg } = of;
    html! {
        figure.drawing.wide[*is_wide] {
            figcaption { strong { (plain_line(title)) } @if !aside.is_empty() { " " small { (plain_line(aside)) } } }
            div.scroll.plot tabindex="0" role="group" aria-label=(plain_line(title)) { (PreEscaped(svg)) }
        }
    }
}
