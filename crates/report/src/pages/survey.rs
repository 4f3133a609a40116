//! The page of a survey: the machine, its expected peaks, its measured figures, and how far to trust them.

use zerohop_diagnosis::Diagnosis;
use zerohop_expectation::Expectations;
use zerohop_result::{Catalogue, Completion, ResultFile};
use zerohop_units::Seconds;

use crate::completion::state;
use crate::description::{identity, settings};
use crate::headline::headlines;
use crate::origin::{done, is_simulated, spent, subject, when};
use crate::page::Page;
use crate::pages::expected::write_expected;
use crate::pages::experiment::{Extent, write_sheets};
use crate::pages::hardware::write_prediction;
use crate::pages::machine::{write_distances, write_nodes, write_peaks};
use crate::pages::standing::{write_alarms, write_soundness};
use crate::pages::style::Style;
use crate::pages::trust::{write_evidence, write_trust};

/// Most nodes that are listed one by one.
const LISTED_NODES: usize = 8;

/// A survey on one page: the machine, its expected peaks, its measured figures, and how far to trust them.
pub(crate) fn survey_page(
    file: &ResultFile,
    experiments: Catalogue,
    expectations: Option<&Expectations>,
    diagnosis: Option<&Diagnosis>,
    style: &Style,
) -> Page {
    let mut page = Page::new(style);
    write_head(&mut page, file);
    if let Some(diagnosis) = diagnosis {
        write_alarms(&mut page, diagnosis);
    }
    page.section("the machine");
    write_machine(&mut page, file);
    page.section("expected values");
    write_peaks(&mut page, &file.machine);
    if let Some(expectations) = expectations {
        write_expected(&mut page, expectations, experiments);
    }

    page.section(if is_simulated(file) { "modeled values" } else { "measured values" });
    let headlines = headlines(file, experiments);
    for (label, text) in &headlines {
        page.line(label, text);
    }
    for experiment in &file.experiments {
        write_sheets(&mut page, file, experiment, experiments, Extent::Overview);
    }
    if file.experiments.iter().all(|experiment| experiment.cells.is_empty()) {
        page.remark(&format!("nothing was {}", done(file)));
    }
    write_trust(&mut page, file, &file.experiments.iter().collect::<Vec<_>>());
    if let Some(diagnosis) = diagnosis {
        write_soundness(&mut page, diagnosis);
    }
    page
}

/// The machine of a result, for a section of a web page.
pub(crate) fn measured_machine(file: &ResultFile, style: &Style) -> Page {
    let mut page = Page::new(style);
    write_machine(&mut page, file);
    page
}

/// What the machine should reach, for a section of a web page.
pub(crate) fn expected_performance(
    file: &ResultFile,
    experiments: Catalogue,
    expectations: Option<&Expectations>,
    style: &Style,
) -> Page {
    let mut page = Page::new(style);
    write_peaks(&mut page, &file.machine);
    if let Some(expectations) = expectations {
        write_expected(&mut page, expectations, experiments);
    }
    page
}

/// How the result was obtained and how far to trust it, for a section of a web page.
pub(crate) fn trustworthiness(file: &ResultFile, style: &Style) -> Page {
    let mut page = Page::new(style);
    page.line("program", &file.produced_by.to_string());
    page.line("run", &how(file));
    write_evidence(&mut page, file, &file.experiments.iter().collect::<Vec<_>>());
    page
}

/// The program, the machine, and how it was measured.
pub(super) fn write_head(page: &mut Page, file: &ResultFile) {
    page.banner(&format!("{}: {}", file.produced_by, subject(file)), &how(file));
    let until_then = format!("these are the results {} so far", done(file));
    match file.completion {
        Completion::Complete => {}
        Completion::Interrupted => page.alert(&format!("interrupted: {until_then}"), ""),
        Completion::Running => page.alert(&format!("still running, or aborted: {until_then}"), ""),
    }
}

/// The time, the effort and the duration of a survey.
pub(crate) fn how(file: &ResultFile) -> String {
    let state = state(file.completion);
    if is_simulated(file) {
        return format!("{}, {}{state}", file.settings.effort, spent(file, &file.experiments));
    }
    // While it runs, what its experiments took. The sum of no numbers is -0.
    let spent = || file.experiments.iter().fold(0.0, |sum, experiment| sum + experiment.elapsed.get());
    let took = file.wall_time().map_or_else(spent, Seconds::get);
    format!("{}, {}, {took:.0} s{state}", when(file), file.settings.effort)
}

fn write_machine(page: &mut Page, file: &ResultFile) {
    let machine = &file.machine;
    for (label, text) in identity(machine).into_iter().chain(settings(&machine.system)) {
        page.line(label, &text);
    }
    if machine.nodes.len() > LISTED_NODES {
        page.line("nodes", "`zerohop machine show` lists them");
    } else {
        page.blank();
        write_nodes(page, machine);
    }
    write_distances(page, machine);
    write_prediction(page, machine);
    if let Some(gap) = machine.gaps.first() {
        let more = match machine.gaps.len() - 1 {
            0 => String::new(),
            more => format!(" (and {more} more: `zerohop machine show`)"),
        };
        page.blank();
        page.line("not read", &format!("{gap}{more}"));
    }
}
