//! The one-minute page: who the machine is, what it should reach, what it reaches, how far to trust it.

use zerohop_experiment::{Completion, ResultFile};

use crate::description::{identity, settings};
use crate::headline::headlines;
use crate::terminal::experiment::{Extent, state, write_sheets};
use crate::terminal::machine::{write_distances, write_nodes, write_peaks};
use crate::terminal::page::Page;
use crate::terminal::style::Style;
use crate::terminal::trust::write_trust;

/// More nodes than this are not listed one by one.
const LISTED_NODES: usize = 8;

/// A survey on one page: who the machine is, what it should reach, what it reaches, and how far to trust that.
pub fn survey_page(file: &ResultFile, style: &Style) -> String {
    let mut page = Page::new(style);
    let spent: f64 = file.experiments.iter().map(|experiment| experiment.elapsed.get()).sum();
    let started = file.started_at.as_deref().unwrap_or("simulated");
    let when = format!("{started}, {}, {spent:.0} s{}", file.settings.effort, state(file.completion));
    page.banner(&format!("{}: {}", file.produced_by, file.machine.name), &when);
    match file.completion {
        Completion::Complete => {}
        Completion::Interrupted => page.alert("interrupted: this is what was measured until then", ""),
        Completion::Running => {
            page.alert("not ended, or broken off: this is what was measured until then", "");
        }
    }

    page.section("the machine");
    write_machine(&mut page, file);
    page.section("what it should reach");
    write_peaks(&mut page, &file.machine);

    page.section("what it reaches");
    let headlines = headlines(file);
    for (label, text) in &headlines {
        page.line(label, text);
    }
    for experiment in &file.experiments {
        write_sheets(&mut page, file, experiment, Extent::Overview);
    }
    if file.experiments.iter().all(|experiment| experiment.cells.is_empty()) {
        page.remark("nothing was measured");
    }
    write_trust(&mut page, file, &file.experiments.iter().collect::<Vec<_>>());
    page.finish()
}

fn write_machine(page: &mut Page<'_>, file: &ResultFile) {
    let machine = &file.machine;
    for (label, text) in identity(machine).into_iter().chain(settings(&machine.system)) {
        page.line(label, &text);
    }
    if machine.nodes.len() > LISTED_NODES {
        page.line("nodes", "one by one with `zerohop machine show`");
    } else {
        page.blank();
        write_nodes(page, machine);
    }
    write_distances(page, machine);
    if let Some(gap) = machine.gaps.first() {
        let more = match machine.gaps.len() - 1 {
            0 => String::new(),
            more => format!(" (and {more} more: `zerohop machine show`)"),
        };
        page.blank();
        page.line("not read", &format!("{gap}{more}"));
    }
}
