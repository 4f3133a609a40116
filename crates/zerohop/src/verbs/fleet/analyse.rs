//! `zerohop fleet analyse`: which of many machines are bad, and what they have in common.

use std::path::Path;

use zerohop_app::{FactsTable, FleetError, Gathered, Hinted, diagnosed, fleet_inputs, gather, link_reports};
use zerohop_diagnosis::FleetDiagnosis;
use zerohop_insight::fleet::{FleetNote, GroupBy, analyse};
use zerohop_report::Form;
use zerohop_workload::StopFlag;

use crate::arguments::FleetAnalyseArguments;
use crate::attended::{Attended, User};
use crate::executor::Threads;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::output::Output;
use crate::signals::Begun;
use crate::terminal;
use crate::text_file::Disk;
use crate::verbs::Ending;

/// What to name instead of a file that cannot be read.
pub(super) const HINT: &str = "name results, directories of surveys, or the output of another tool";

pub(super) fn analyse_fleet(arguments: FleetAnalyseArguments, quiet: bool) -> Result<Ending, Failure> {
    let FleetAnalyseArguments { results, facts, group_by, strict, output, format } = arguments;
    let kind = Kind::of::<FleetDiagnosis>();
    let directory = output.as_deref().and_then(Path::parent).unwrap_or(Path::new("")).to_owned();
    let output = Output::new(&kind, Form::Page, format, output.as_deref())?;
    results.iter().chain(&facts).try_for_each(|path| output.spares(path))?;
    // A slip in the table should show before a thousand files are read.
    let facts = facts.map(|path| FactsTable::read(&path, &Disk)).transpose().map_err(FleetError::from)?;
    let paths = fleet_inputs(&results, &Disk)?;
    let mut gathered = gather(&paths, HINT, &Disk, &waiting("files read", quiet).crew())?;
    if let Some(facts) = facts {
        gathered.state(facts);
    }
    let unread = say_unread(&gathered, paths.len());
    let by = if group_by.is_empty() { GroupBy::Kind } else { GroupBy::Facts(group_by) };
    let of_files = unread.clone().map(|words| FleetNote { words, about: Vec::new() });
    let notes = gathered.notes.iter().cloned().chain(of_files).collect();
    let mut fleet = analyse(&gathered.roster, &by, notes).map_err(FleetError::from)?;
    link_reports(&mut fleet, &gathered, &directory, &Disk);
    let mut result_of = |number| gathered.result_of(number, &Disk);
    let crew = waiting("models", quiet);
    let diagnoses =
        diagnosed(&fleet, &gathered.roster, &mut result_of, &Disk, &crew.crew()).map_err(FleetError::from)?;
    let is_bad = fleet.file.groups.iter().any(|group| !group.bad.is_empty());
    output.show(&FleetDiagnosis { fleet: fleet.file, diagnoses })?;
    if let Some(unread) = unread {
        return Err(Failure::new(unread)
            .hint("the others were judged: mend what the errors above name, or leave it out"));
    }
    Ok(if strict && is_bad { Ending::FaultFound } else { Ending::Done })
}

/// The threads of this host, and the user, who sees how far they are.
pub(super) fn waiting(noun: &'static str, quiet: bool) -> Attended {
    Attended::new(Threads::of_host(), StopFlag::new(), User::new(quiet, noun, Begun::already()))
}

/// Names each file that could not be read, and says how many these are.
pub(super) fn say_unread(gathered: &Gathered, files: usize) -> Option<String> {
    let Gathered { unread, .. } = gathered;
    for error in unread {
        terminal::say_failure(&Failure::new(error).maybe_hint(error.hint()));
    }
    (!unread.is_empty()).then(|| format!("{} of {files} files could not be read", unread.len()))
}
