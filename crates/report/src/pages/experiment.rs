//! One experiment, in full.

use std::collections::BTreeMap;

use zerohop_result::{Axis, Catalogue, Completion, ExperimentResult, Print, Purpose, Remark, ResultFile};

use crate::completion::state;
use crate::number::counted;
use crate::origin::{done, spent, subject};
use crate::page::Page;
use crate::pages::first_touch::write_first_touch;
use crate::pages::hardware::write_prediction;
use crate::pages::light_load::write_light_load;
use crate::pages::matrix::write_sheet;
use crate::pages::ramp::{has_turns, write_turns};
use crate::pages::style::Style;
use crate::pages::trust::write_trust;
use crate::sheet::sheets;

/// All values of one experiment, and how far to trust them.
pub(crate) fn experiment_page(
    file: &ResultFile,
    result: &ExperimentResult,
    experiments: Catalogue,
    style: &Style,
) -> Page {
    let mut page = Page::new(style);
    let when = format!("{}, {}{}", subject(file), spent(file, [result]), state(result.completion));
    page.banner(&format!("{}: {}", result.experiment, experiments.summary(&result.experiment)), &when);
    if result.cells.is_empty() {
        page.blank();
        page.remark(&format!("nothing was {}", done(file)));
    }
    write_sheets(&mut page, file, result, experiments, Extent::Whole);
    write_prediction(&mut page, &file.machine);
    write_trust(&mut page, file, &[result]);
    page
}

/// Axes of machine internals.
const INSIDE: [Axis; 4] = [Axis::Stage, Axis::Link, Axis::Channel, Axis::Home];

/// Number of workloads whose internals are shown.
const WORKLOADS: usize = 4;

/// Amount of an experiment's data to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The part for a survey's page: the overview, or everything if there is none.
    Overview,
    Whole,
}

/// The sheets of an experiment.
pub(crate) fn write_sheets(
    page: &mut Page,
    file: &ResultFile,
    result: &ExperimentResult,
    experiments: Catalogue,
    extent: Extent,
) {
    let sheets = sheets(result, experiments);
    let overview = sheets.iter().any(|sheet| sheet.purpose == Purpose::Overview);
    let whole = extent == Extent::Whole || !overview;
    let wanted = sheets.iter().filter(|sheet| whole || sheet.purpose == Purpose::Overview);
    // Results have the internals of every workload; if there are many, the page shows the first.
    let mut inside: BTreeMap<Axis, usize> = BTreeMap::new();
    for sheet in wanted {
        let part = sheet.row_axis.filter(|axis| INSIDE.contains(axis));
        let count = part.map_or(0, |axis| {
            let count = inside.entry(axis).or_default();
            *count += 1;
            *count
        });
        if count > WORKLOADS {
            continue;
        }
        match sheet.print {
            Print::Turns if has_turns(sheet) => write_turns(page, sheet),
            Print::Turns | Print::Table => write_sheet(page, sheet, &file.machine),
        }
    }
    let left_out = inside.values().max().map_or(0, |count| count.saturating_sub(WORKLOADS));
    if left_out > 0 {
        let more = counted(left_out, "more workload");
        page.remark(&format!(
            "the JSON and CSV formats contain the internals of {more}; `zerohop machine draw --load` draws them"
        ));
    }
    match experiments.get(&result.experiment).and_then(|known| known.remark) {
        Some(Remark::FirstTouch) => write_first_touch(page, result),
        Some(Remark::LightLoad) => write_light_load(page, result),
        None => {}
    }
    if result.completion != Completion::Complete && !result.cells.is_empty() {
        page.remark(&format!(
            "incomplete: {} {} before it stopped",
            counted(result.cells.len(), "cell"),
            done(file)
        ));
    }
}
