//! Summary of a machine on every page that is based on a result, in the same words: diagnosis, missing tests, and verdict.

use zerohop_diagnosis::{Diagnosis, Finding};
use zerohop_units::counted;

use crate::page::Page;
use crate::pages::style::Style;
use crate::state::State;

/// Most findings that are named.
pub(crate) const NAMED: usize = 3;

/// Findings, the worst first, each with its most likely cause.
pub(crate) fn alarms(diagnosis: &Diagnosis) -> Vec<Alarm> {
    let alarm = |finding: &Finding| Alarm {
        state: State::of(finding.severity),
        finding: format!("{}: {}", finding.severity.name(), finding.title),
        cause: cause(finding),
    };
    diagnosis.alarms().take(NAMED).map(alarm).collect()
}

/// A finding, with its most likely cause.
pub(crate) struct Alarm {
    pub(crate) state: State,
    pub(crate) finding: String,
    pub(crate) cause: String,
}

/// Number of findings beyond the named ones, and the command to see them.
pub(crate) fn more_alarms(diagnosis: &Diagnosis) -> Option<String> {
    let more = diagnosis.alarms().count().saturating_sub(NAMED);
    (more > 0).then(|| format!("and {more} more: `zerohop diagnose` lists them"))
}

/// The likeliest cause of a finding.
pub(crate) fn cause(finding: &Finding) -> String {
    if let Some([one, other]) = finding.undecided() {
        return format!("either {}, or {}", one.words, other.words);
    }
    let first = finding.causes.first();
    first.map_or(String::new(), |cause| format!("{:.0} %: {}", cause.likelihood * 100.0, cause.words))
}

/// If there are no findings: that the machine is sound as far as rules can tell, or that they could not be decided.
pub(crate) fn soundness(diagnosis: &Diagnosis) -> Option<String> {
    if diagnosis.alarms().next().is_some() {
        return None;
    }
    if let Some(reason) = &diagnosis.unfit {
        return Some(format!(
            "cannot tell: the measurement is not good enough to judge the machine: {reason}"
        ));
    }
    if let Some(reason) = &diagnosis.unexplained {
        return Some(format!("cannot tell: {reason}"));
    }
    if diagnosis.cannot_tell() {
        return Some("cannot tell: no rule can use this result".to_owned());
    }
    let notes = match diagnosis.findings.len() {
        0 => String::new(),
        notes => format!(", {}", counted(notes, "note")),
    };
    let unknown = if asks_for_machine(diagnosis) { format!("; {UNSTATED}") } else { String::new() };
    Some(format!(
        "nothing found{notes}; {} could tell, {} could not (`zerohop diagnose --all`){unknown}",
        counted(diagnosis.told(), "rule"),
        diagnosis.untold.len()
    ))
}

/// Said where no result alone can show it.
pub(crate) const UNSTATED: &str =
    "channels or links could be missing everywhere: give the expected machine with --machine";

/// Whether a machine without findings could have all of a kind missing, which only a stated machine would show.
pub(crate) fn asks_for_machine(diagnosis: &Diagnosis) -> bool {
    let is_said = diagnosis.not_tested().any(|words| words.contains(STATES_IT));
    // A model that was given its links has them.
    let has_links =
        diagnosis.origin.as_model().is_some_and(|model| model.settings.iter().any(|one| one.name == "links"));
    !is_said && !has_links && diagnosis.untold.iter().any(|untold| untold.missing.contains(STATES_IT))
}

/// The option that states a machine.
const STATES_IT: &str = "--machine";

/// The verdict on the measurement, and what to do about it.
pub(crate) fn verdict(diagnosis: &Diagnosis) -> Option<(String, Option<&str>)> {
    let verdict = diagnosis.verdict.as_ref()?;
    Some((format!("{}: {}", verdict.grade, verdict.reason), verdict.advice.as_deref()))
}

/// Writes the findings.
pub(super) fn write_alarms(page: &mut Page, diagnosis: &Diagnosis) {
    for Alarm { state, finding, cause } in alarms(diagnosis) {
        page.finding(state, &finding, &cause);
    }
    if let Some(more) = more_alarms(diagnosis) {
        page.remark(&more);
    }
}

/// Writes whether the machine is sound, and the missing tests.
pub(super) fn write_soundness(page: &mut Page, diagnosis: &Diagnosis) {
    page.line("diagnosis", &soundness(diagnosis).unwrap_or_default());
    write_not_tested(page, diagnosis);
}

/// Writes the aspects that were not tested, and the tests for them.
pub(super) fn write_not_tested(page: &mut Page, diagnosis: &Diagnosis) {
    for (rank, words) in diagnosis.not_tested().enumerate() {
        page.line(if rank == 0 { "not tested" } else { "" }, words);
    }
}

/// Writes the verdict on the measurement, if it was one.
pub(super) fn write_verdict(page: &mut Page, diagnosis: &Diagnosis) {
    let Some((words, advice)) = verdict(diagnosis) else { return };
    page.line("verdict", &words);
    page.line("what to do", advice.unwrap_or_default());
}

/// All of it, for a page about something else; values of a model have none of the machine's faults.
pub(crate) fn standing(diagnosis: &Diagnosis, is_modelled: bool, style: &Style) -> Page {
    let mut page = Page::new(style);
    write_alarms(&mut page, diagnosis);
    if is_modelled && diagnosis.alarms().next().is_some() {
        page.remark("the values below are from a model of the machine without these faults");
    }
    write_soundness(&mut page, diagnosis);
    write_verdict(&mut page, diagnosis);
    page.blank();
    page
}
