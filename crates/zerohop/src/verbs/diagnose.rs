//! `zerohop diagnose`: what is wrong with the machine of a result.

use std::path::{Path, PathBuf};

use zerohop_app::{
    FleetError, JudgeOptions, NamedResult, Sisters, asked_nodes, read_any, read_dump, rules, stated_machine,
};
use zerohop_diagnosis::{AskedNodes, DIAGNOSIS_VERSION, Diagnosis, DiagnosisFile};
use zerohop_report::{DiagnosisReport, Form, RuleList};
use zerohop_result::{Completion, ResultFile};
use zerohop_units::counted;

use super::exit_status::VerbOutcome;
use crate::arguments::DiagnoseArguments;
use crate::campaign_attendant::judged;
use crate::campaign_progress::CampaignProgress;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::output::Output;
use crate::terminal;
use crate::text_file::Disk;

/// What to name instead of a file that cannot be read.
const HINT: &str = "give a result, a survey directory, the output of another tool, or `-` for standard input";

pub(super) fn diagnose_results(arguments: &DiagnoseArguments, quiet: bool) -> Result<VerbOutcome, Failure> {
    let DiagnoseArguments { results, machine, bios, all, rules: list, strict, output, format } = arguments;
    if *list {
        let output = Output::new(&Kind::of::<RuleList<'_>>(), Form::Page, *format, output.as_deref())?;
        output.show(&RuleList { rules: rules() })?;
        return Ok(VerbOutcome::Done);
    }
    let kind = Kind::of::<DiagnosisReport<'_>>();
    let output = Output::new(&kind, Form::Page, *format, output.as_deref())?;
    results.iter().chain(bios).try_for_each(|path| output.spares(path))?;
    // Fail on a misspelled name before reading.
    machine.name.as_deref().map(|name| stated_machine(name, &Disk)).transpose()?;
    let nodes = bios.as_deref().map(nodes_in_dump).transpose()?.flatten();
    let (all_read, unread) = read_all(results, quiet)?;
    all_read.iter().for_each(|NamedResult { name, result, .. }| warn_of_gaps(name, result));
    let sisters = Sisters::of(&all_read).map_err(FleetError::from)?;
    // A single result shows the progress of its models.
    let several = all_read.len() > 1;
    let mut progress = CampaignProgress::new(quiet || !several, "results", all_read.len(), 0);
    let mut diagnoses = Vec::new();
    for (rank, NamedResult { name, result, .. }) in all_read.iter().enumerate() {
        let beside = JudgeOptions {
            stated: machine.name.as_deref(),
            nodes: nodes.clone(),
            fleet: sisters.fellows(rank),
            without_model: None,
        };
        diagnoses.push(judged(name, result, beside, quiet || several)?.diagnosis);
        progress.advance();
    }
    progress.clear();
    // The worst first; what is as bad stays in its order.
    diagnoses.sort_by_key(|one| std::cmp::Reverse(one.alarms().map(|finding| finding.severity).max()));
    if several && !quiet {
        terminal::say(
            "`zerohop fleet analyse` ranks machines by their loss, and finds what the bad ones have in common",
        );
    }
    let file = DiagnosisFile { schema_version: DIAGNOSIS_VERSION, diagnoses, not_judged: Vec::new() };
    output.show(&DiagnosisReport { file: &file, rules: rules(), whole: *all })?;
    if unread > 0 {
        let failure = format!("{unread} of {} results could not be read", results.len());
        return Err(Failure::new(failure)
            .hint("the other results were diagnosed; fix the files in the errors above, or omit them"));
    }
    Ok(if *strict { strict_ending(&file.diagnoses) } else { VerbOutcome::Done })
}

/// How a verb with `--strict` ends after these diagnoses. The first that cannot tell is named, unless there is a fault.
pub(super) fn strict_ending(diagnoses: &[Diagnosis]) -> VerbOutcome {
    if diagnoses.iter().any(Diagnosis::has_fault) {
        return VerbOutcome::FaultFound;
    }
    let Some(open) = diagnoses.iter().find(|one| one.cannot_tell()) else { return VerbOutcome::Done };
    terminal::say(&terminal::warning_line(&format!(
        "cannot tell from `{}` whether its machine is healthy: {}",
        open.result,
        open.unfit.as_deref().or(open.unexplained.as_deref()).unwrap_or("no rule can tell")
    )));
    VerbOutcome::CannotTell
}

/// How many NUMA nodes a dump of firmware settings asks for; `None` if it does not say, of which the user is warned.
fn nodes_in_dump(path: &Path) -> Result<Option<AskedNodes>, Failure> {
    let shown = path.display().to_string();
    let (_, state) = read_dump(path, &Disk)?;
    if state.pending {
        terminal::say(&terminal::warning_line(&format!(
            "`{shown}` contains the settings for the next boot, not the current ones: save the resource one level above (…/Bios)"
        )));
    }
    let asked = asked_nodes(&shown, &state);
    if asked.is_none() {
        terminal::say(&terminal::warning_line(&format!(
            "`{shown}` does not give the number of NUMA nodes per package: zerohop does not know the name of such a setting, or its value"
        )));
    }
    Ok(asked)
}

/// The results of all paths, and how many paths could not be read: these are named at once, and do not keep the others from being judged.
///
/// # Errors
/// When none can be read.
fn read_all(paths: &[PathBuf], quiet: bool) -> Result<(Vec<NamedResult>, usize), Failure> {
    let mut all_read = Vec::new();
    let mut failures = Vec::new();
    let mut progress = CampaignProgress::new(quiet || paths.len() == 1, "files read", paths.len(), 0);
    for path in paths {
        match read_any(path, HINT, &Disk) {
            Ok(read) => all_read.extend(read),
            Err(error) => failures.push(Failure::from(error)),
        }
        progress.advance();
    }
    progress.clear();
    if all_read.is_empty()
        && let Some(last) = failures.pop()
    {
        failures.iter().for_each(terminal::say_failure);
        return Err(last);
    }
    failures.iter().for_each(terminal::say_failure);
    Ok((all_read, failures.len()))
}

/// Warns of what a diagnosis cannot show: where nothing was judged, nothing is found.
fn warn_of_gaps(name: &str, result: &ResultFile) {
    if result.completion != Completion::Complete {
        terminal::say(&terminal::warning_line(&format!(
            "`{name}` is incomplete: judging only its finished part"
        )));
    }
    let cells = || result.experiments.iter().flat_map(|one| &one.cells);
    let (all, doubtful) = (cells().count(), cells().filter(|cell| cell.is_doubtful()).count());
    let gap = match (all, doubtful) {
        (0, _) => "has no values: judging only its hardware".to_owned(),
        (_, 0) => return,
        _ => format!(
            "has {} in doubt, which no rule uses; `zerohop show` and `zerohop import` explain why",
            counted(doubtful, "value")
        ),
    };
    terminal::say(&terminal::warning_line(&format!("`{name}` {gap}")));
}
