//! The page of an imported result: where it comes from, the machine as far as the text shows it, and its values.

use std::collections::BTreeMap;

use zerohop_expectation::Expectations;
use zerohop_expectation::{SizeCurve, size_curves};
use zerohop_machine::{Machine, NodeId, PuSet};
use zerohop_result::{Catalogue, ExperimentResult, ResultFile};
use zerohop_units::Bytes;
use zerohop_workload::{ImportedOrigin, Origin};

use crate::description::{cpu_list, identity, stated, stated_caches};
use crate::number::significant;
use crate::origin::subject;
use crate::page::Page;
use crate::pages::expected::write_expected;
use crate::pages::experiment::{Extent, write_sheets};
use crate::pages::grid::{Entry, Grid, Side};
use crate::pages::machine::{write_distances, write_nodes};
use crate::pages::style::Style;
use crate::pages::trust::write_trust;

/// An imported result on one page.
pub(crate) fn imported_page(
    file: &ResultFile,
    experiments: Catalogue,
    expectations: Option<&Expectations>,
    style: &Style,
) -> Page {
    let mut page = Page::new(style);
    page.banner(&format!("{}: {}", file.produced_by, subject(file)), &file.origin.to_string());
    page.section("the machine, as far as the text describes it");
    write_machine(&mut page, &file.machine);
    write_run(&mut page, &file.origin);
    write_gaps(&mut page, &file.machine);
    if !file.experiments.is_empty() {
        page.section("what the tool reports");
        for experiment in &file.experiments {
            write_sheets(&mut page, file, experiment, experiments, Extent::Whole);
            write_steps(&mut page, experiment, &file.machine);
        }
    }
    if let Some(expectations) = expectations {
        page.section("expected values");
        write_expected(&mut page, expectations, experiments);
    }
    write_trust(&mut page, file, &file.experiments.iter().collect::<Vec<_>>());
    page
}

fn write_machine(page: &mut Page, machine: &Machine) {
    if machine.pus.is_empty() {
        for (label, text) in stated(machine) {
            page.line(label, &text);
        }
    } else {
        for (label, text) in identity(machine) {
            page.line(label, &text);
        }
        // A text may show the sizes of caches, and not all that a cache of a machine has.
        if machine.caches.is_empty() {
            page.line("caches", &stated_caches(&machine.stated.caches));
        }
    }
    for message in &machine.stated.kernel_messages {
        page.line("kernel says", message);
    }
    if !machine.nodes.is_empty() || !machine.stated.node_pus.is_empty() {
        page.blank();
        if machine.pus.is_empty() {
            write_listed_nodes(page, machine);
        } else {
            write_nodes(page, machine);
        }
        write_taken(page, machine);
    }
    if machine.distances.is_some() {
        write_distances(page, machine);
    }
}

/// Where a series of sizes leaves a cache.
fn write_steps(page: &mut Page, experiment: &ExperimentResult, machine: &Machine) {
    for SizeCurve { at, measure, steps } in size_curves(experiment, machine) {
        let words = steps.iter().map(|step| {
            let holder = step.holder.as_ref().map_or_else(String::new, |holder| format!("{holder} "));
            format!("{holder}up to {}: {} {}", step.sizes.1, significant(step.value), measure.unit())
        });
        let words: Vec<String> = words.collect();
        page.line("steps", &format!("{at}: {}", words.join("; ")));
    }
}

fn write_gaps(page: &mut Page, machine: &Machine) {
    for gap in &machine.gaps {
        page.line("not shown", gap);
    }
}

/// Where the run was bound to, in the words of the text.
fn write_run(page: &mut Page, origin: &Origin) {
    let Origin::Imported(ImportedOrigin { environment, commands, .. }) = origin else { return };
    let environment: Vec<String> = environment.iter().map(ToString::to_string).collect();
    if !environment.is_empty() {
        page.line("environment", &environment.join(" "));
    }
    for command in commands {
        page.line("command", command);
    }
}

/// The nodes of a text that lists nothing but them.
fn write_listed_nodes(page: &mut Page, machine: &Machine) {
    let later = &machine.stated.later;
    let mut heads = vec![
        ("node".to_owned(), Side::Left),
        ("CPUs".to_owned(), Side::Left),
        ("memory".to_owned(), Side::Right),
        ("free".to_owned(), Side::Right),
    ];
    heads.extend((0..later.len()).map(|rank| (format!("free, listing {}", rank + 2), Side::Right)));
    let mut grid = Grid::new(heads);
    let unknown = || Entry::text("–".to_owned());
    let cpus = |pus: &PuSet| Entry::text(if pus.is_empty() { "–".to_owned() } else { cpu_list(pus) });
    // A text that does not show it leaves 0 B, and no node with memory has none free.
    let free = |free: Bytes| if free == Bytes(0) { unknown() } else { Entry::text(free.to_string()) };
    let listed = machine.nodes.iter().map(|node| {
        let own = vec![cpus(&node.pus), Entry::text(node.memory.to_string()), free(node.free)];
        (node.id, own)
    });
    let of_cpus = machine.stated.node_pus.iter().map(|node| {
        let own = vec![cpus(&node.pus), unknown(), unknown()];
        (node.node, own)
    });
    let unlisted = machine.stated.unlisted.iter().map(|&node| {
        let own = vec![Entry::text("not listed".to_owned()), unknown(), unknown()];
        (node, own)
    });
    let rows: BTreeMap<NodeId, Vec<Entry>> = listed.chain(of_cpus).chain(unlisted).collect();
    for (node, mut row) in rows {
        for state in later {
            let now = state.nodes.iter().find(|known| known.node == node);
            row.push(now.map_or_else(unknown, |now| free(now.free)));
        }
        row.insert(0, Entry::number(&node));
        grid.push(row);
    }
    page.grid(grid);
}

/// What lies where between one listing of the nodes and the next.
fn write_taken(page: &mut Page, machine: &Machine) {
    for (rank, taken) in machine.taken_memory().iter().enumerate() {
        let (before, after) = (rank + 1, rank + 2);
        let words = match taken.most() {
            None => format!("nothing, from listing {before} to {after}"),
            Some((most, share)) => {
                let nodes = taken.nodes.iter().map(|node| format!("{} on node {}", node.free, node.node));
                let nodes: Vec<String> = nodes.collect();
                let share = share * 100.0;
                format!("from listing {before} to {after}: {}; {share:.0} % on node {most}", nodes.join(", "))
            }
        };
        page.line("memory taken", &words);
    }
}
