//! The rates that a machine's memory allows: a row for each place of the data, ramps, and lines to paste.

use zerohop_advise::placement::{Ceiling, CeilingRow, Sensitivity};

use super::placement_advice::{with_interval, write_lines};
use crate::number::significant;
use crate::page::Page;
use crate::pages::grid::{Entry, Grid, Side};
use crate::pages::style::Style;

pub(crate) fn ceiling_page(ceiling: &Ceiling, style: &Style) -> Page {
    let mut page = Page::new(style);
    page.banner(&format!("streaming through data on {}", ceiling.machine), &ceiling.origin.short());
    page.line(
        "each step",
        &format!("reads {}: for a language model, all weights for each token", ceiling.bytes_per_step),
    );
    page.line("threads", &format!("at most {}", ceiling.threads));
    page.line("from", ceiling.result.as_deref().unwrap_or_default());
    page.section("ceilings");
    let heads = [
        ("data", Side::Left),
        ("GB/s", Side::Right),
        ("steps/s", Side::Right),
        ("enough threads", Side::Right),
        ("memory", Side::Right),
    ];
    let mut grid = Grid::new(heads.map(|(head, side)| (head.to_owned(), side)));
    for row in &ceiling.rows {
        grid.push(vec![
            Entry::text(row.data.words()),
            Entry::text(significant(row.bandwidth.value)),
            Entry::text(significant(row.steps_per_second.value)),
            Entry::text(row.enough_threads.map_or("–".to_owned(), |threads| threads.to_string())),
            Entry::text(row.memory.to_string()),
        ]);
    }
    page.grid(grid);
    page.remark("steps/s: tokens per second, if each step reads all weights; enough threads: more threads add less than 3 %");
    for impossible in &ceiling.impossible {
        page.remark(impossible);
    }
    for row in &ceiling.rows {
        write_row(&mut page, row);
    }
    if !ceiling.unknown.is_empty() {
        page.section("what these values do not include");
        for unknown in &ceiling.unknown {
            page.item(unknown);
        }
    }
    page
}

fn write_row(page: &mut Page, row: &CeilingRow) {
    page.section(row.data.words());
    page.line("placement", &row.words);
    page.line("rate", &with_interval(&row.bandwidth, Sensitivity::Bandwidth));
    page.line("limit", row.limit.as_deref().unwrap_or_default());
    let points =
        row.ramp.iter().map(|point| format!("{} {}", point.threads, significant(point.bandwidth.value)));
    let points = points.collect::<Vec<_>>().join(", ");
    if !points.is_empty() {
        page.line("by threads", &format!("threads and GB/s: {points}"));
    }
    write_lines(page, &row.lines);
}
