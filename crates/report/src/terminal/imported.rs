//! The page of an imported result: where it comes from, the machine as far as the text shows it, and its values.

use zerohop_insight::expectation::Expectations;
use zerohop_machine::Machine;
use zerohop_result::{Catalogue, ResultFile};
use zerohop_units::Bytes;

use crate::description::{cpu_list, identity};
use crate::origin::subject;
use crate::page::Page;
use crate::terminal::expected::write_expected;
use crate::terminal::experiment::{Extent, write_sheets};
use crate::terminal::grid::{Entry, Grid, Side};
use crate::terminal::machine::{write_distances, write_nodes};
use crate::terminal::style::Style;
use crate::terminal::trust::write_trust;

/// An imported result on one page.
pub(crate) fn imported_page(
    file: &ResultFile,
    experiments: Catalogue,
    expectations: Option<&Expectations>,
    style: &Style,
) -> Page {
    let mut page = Page::new(style);
    page.banner(&format!("{}: {}", file.produced_by, subject(file)), &file.origin.to_string());
    page.section("the machine, as far as the text shows it");
    write_machine(&mut page, &file.machine);
    if !file.experiments.is_empty() {
        page.section("what the tool reports");
        for experiment in &file.experiments {
            write_sheets(&mut page, file, experiment, experiments, Extent::Whole);
        }
    }
    if let Some(expectations) = expectations {
        page.section("what it should reach");
        write_expected(&mut page, expectations, experiments);
    }
    write_trust(&mut page, file, &file.experiments.iter().collect::<Vec<_>>());
    page
}

fn write_machine(page: &mut Page, machine: &Machine) {
    if machine.pus.is_empty() {
        if !machine.processor.model.is_empty() {
            page.line("processor", &machine.processor.model);
        }
    } else {
        for (label, text) in identity(machine) {
            page.line(label, &text);
        }
    }
    if !machine.nodes.is_empty() {
        page.blank();
        if machine.pus.is_empty() { write_listed_nodes(page, machine) } else { write_nodes(page, machine) }
    }
    if machine.distances.is_some() {
        write_distances(page, machine);
    }
    for gap in &machine.gaps {
        page.line("not shown", gap);
    }
}

/// The nodes of a text that lists nothing but them.
fn write_listed_nodes(page: &mut Page, machine: &Machine) {
    let heads = [("node", Side::Left), ("CPUs", Side::Left), ("memory", Side::Right), ("free", Side::Right)];
    let mut grid = Grid::new(heads.map(|(head, side)| (head.to_owned(), side)));
    for node in &machine.nodes {
        grid.push(vec![
            Entry::number(&node.id),
            Entry::text(if node.pus.is_empty() { "–".to_owned() } else { cpu_list(&node.pus) }),
            Entry::text(node.memory.to_string()),
            // A text that does not show it leaves 0 B, and no node with memory has none free.
            Entry::text(if node.free == Bytes(0) { "–".to_owned() } else { node.free.to_string() }),
        ]);
    }
    page.grid(grid);
}
