//! One experiment, in full.

use zerohop_experiment::{Completion, ExperimentResult, ResultFile};

use crate::layout::Purpose;
use crate::number::{counted, significant};
use crate::sheet::sheets;
use crate::terminal::matrix::write_sheet;
use crate::terminal::page::Page;
use crate::terminal::style::Style;
use crate::terminal::trust::write_trust;

/// All numbers of one experiment, and how far to trust them.
pub fn experiment_page(file: &ResultFile, result: &ExperimentResult, style: &Style) -> String {
    let mut page = Page::new(style);
    let when =
        format!("{}, {} s{}", file.machine.name, significant(result.elapsed.get()), state(result.completion));
    page.banner(&format!("{}: {}", result.experiment, result.experiment.summary()), &when);
    if result.cells.is_empty() {
        page.blank();
        page.remark("nothing was measured");
    }
    write_sheets(&mut page, file, result, Extent::Whole);
    write_trust(&mut page, file, &[result]);
    page.finish()
}

/// How much of an experiment is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// What is on a survey's page: the overview, or everything where there is none.
    Overview,
    /// Everything.
    Whole,
}

/// The sheets of an experiment.
pub(crate) fn write_sheets(
    page: &mut Page<'_>,
    file: &ResultFile,
    result: &ExperimentResult,
    extent: Extent,
) {
    let sheets = sheets(result);
    let overview = sheets.iter().any(|sheet| sheet.purpose == Purpose::Overview);
    let whole = extent == Extent::Whole || !overview;
    for sheet in sheets.iter().filter(|sheet| whole || sheet.purpose == Purpose::Overview) {
        write_sheet(page, sheet, &file.machine);
    }
    if result.completion != Completion::Complete && !result.cells.is_empty() {
        page.remark(&format!("not all of it: {} before it ended", counted(result.cells.len(), "number")));
    }
}

/// What has to be said of a result that is not whole.
pub(crate) fn state(completion: Completion) -> &'static str {
    match completion {
        Completion::Complete => "",
        Completion::Interrupted => ", interrupted",
        Completion::Running => ", not ended",
    }
}
