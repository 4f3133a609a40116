//! Matrices as tables whose cells are colored: every value is text, and a row and a column head name its nodes.

use maud::{Markup, html};

use crate::heat_table::{HeatCell, HeatTable, HeatTables, STEPS};
use crate::printable::plain_line;
use crate::svg::Ramp;

/// More columns than this are set small.
const SMALL: usize = 12;

/// Matrices with more columns than this do not fit beside each other.
const ABREAST: usize = 5;

/// Matrices side by side, and each value relative to comparable pairs, in a list that opens.
pub(super) fn matrices(matrices: &HeatTables) -> Markup {
    let HeatTables { tables, legend, lines: _ } = matrices;
    let percents: Vec<[u32; 2]> = tables.iter().filter_map(HeatTable::percents).collect();
    let least = percents.iter().map(|ends| ends[0]).min();
    let most = percents.iter().map(|ends| ends[1]).max();
    html! {
        div.matrices { @for table in tables { (of_values(table)) } }
        @if !legend.is_empty() { p.remark { (plain_line(legend)) } }
        @if let (Some(least), Some(most)) = (least, most) && [least, most] != [100, 100] {
            details {
                summary { "percent of comparable pairs: " (least) " % to " (most) " %" }
                div.matrices { @for table in tables.iter().filter(|table| table.percents().is_some()) { (of_percents(table)) } }
                p.remark { "Pairs are comparable if their firmware distance is equal and their nodes have the same size. Blue is better, brown is worse; – has no comparable pair, or is in doubt." }
            }
        }
    }
}

fn of_values(of: &HeatTable) -> Markup {
    let [least, most] = &of.ends;
    let key = html! {
        p.key { (least) " " span aria-hidden="true" { @for step in 1..STEPS - 1 { i class=(class(of.ramp, step)) {} } } " " (most) " · darker is " (of.dark_is) }
    };
    table(of, &of.title, &key, |cell| {
        html! {
            td class={ "number " (class(of.ramp, cell.step)) } {
                (plain_line(&cell.value))
                @if let Some((sign, words)) = cell.mark { " " span.mark title=(words) { (sign) span.unseen { " (" (words) ")" } } }
            }
        }
    })
}

fn of_percents(of: &HeatTable) -> Markup {
    let title = of.title.split(" (").next().unwrap_or_default();
    table(of, &format!("{title} (% of comparable pairs)"), &html! {}, |cell| match cell.beside {
        Some(beside) => {
            let shade = beside.shade.map_or(String::new(), |(ramp, step)| class(ramp, step));
            html! { td class={ "number " (shade) } { (beside.percent) } }
        }
        None => html! { td.number { "–" } },
    })
}

fn table(of: &HeatTable, title: &str, key: &Markup, cell: impl Fn(&HeatCell) -> Markup) -> Markup {
    let small = of.targets.len() > SMALL;
    html! {
        div.wide[of.targets.len() > ABREAST] {
            div.scroll tabindex="0" role="group" aria-label=(plain_line(title)) {
                table.heat.small[small] {
                    caption { (plain_line(title)) }
                    thead { tr {
                        td { span title="rows: from node, columns: memory of node" { "from ↓ to →" } }
                        @for target in &of.targets { th.number scope="col" { span.unseen { "to node " } (target) } }
                    } }
                    tbody { @for (initiator, row) in of.initiators.iter().zip(&of.cells) {
                        tr {
                            th.number scope="row" { span.unseen { "from node " } (initiator) }
                            @for one in row { @match one { Some(one) => (cell(one)), None => td.number { "–" } } }
                        }
                    } }
                }
            }
            (key)
        }
    }
}

/// The name that the style sheet has for a step of a ramp.
fn class(ramp: Ramp, step: usize) -> String {
    let name = match ramp {
        Ramp::Warm => "warm",
        Ramp::Cool => "cool",
        Ramp::Grey => "grey",
    };
    format!("{name}-{step}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::STYLE;

    /// The style sheet is a file: its colors are those that pictures have.
    #[test]
    fn tables_have_the_colours_of_pictures() {
        for ramp in [Ramp::Warm, Ramp::Cool] {
            for step in 0..STEPS {
                let colour = ramp.at((step as f64 + 0.5) / STEPS as f64);
                let rule = format!(
                    ".{} {{ background: {}; color: {}; }}",
                    class(ramp, step),
                    colour.hexadecimal(),
                    colour.text()
                );
                assert!(STYLE.contains(&rule), "{rule}");
            }
        }
    }
}
