//! `zerohop fleet analyse`: which of many machines are bad, and what they have in common.

use std::path::{Path, PathBuf};

use zerohop_app::{
    FactsTable, FleetError, ForeignError, Gathered, Hinted, diagnosed, fleet_inputs, gather, link_reports,
};
use zerohop_archive::Access;
use zerohop_archive::query::LatestResults;
use zerohop_diagnosis::FleetDiagnosis;
use zerohop_fleet::{FleetFile, FleetNote, GroupBy, analyse};
use zerohop_report::Form;
use zerohop_workload::StopFlag;

use super::rounds::Rounds;
use crate::archive_location::{self, failed};
use crate::arguments::{ArchiveArgument, FleetAnalyseArguments};
use crate::campaign_attendant::{Attended, User};
use crate::executor::Threads;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::open_archive::opened;
use crate::output::Output;
use crate::record::now;
use crate::signals::Begun;
use crate::terminal;
use crate::text_file::Disk;
use crate::verbs::VerbOutcome;

/// What to name instead of a file that cannot be read.
pub(super) const HINT: &str = "give results, survey directories, or the output of another tool";

pub(super) fn analyse_fleet(arguments: FleetAnalyseArguments, quiet: bool) -> Result<VerbOutcome, Failure> {
    let FleetAnalyseArguments { results, archive, facts, group_by, strict, output, format } = arguments;
    let kind = Kind::of::<FleetDiagnosis>();
    let directory = output.as_deref().and_then(Path::parent).unwrap_or(Path::new("")).to_owned();
    let output = Output::new(&kind, Form::Page, format, output.as_deref())?;
    results.iter().chain(&facts).try_for_each(|path| output.spares(path))?;
    // A slip in the table should show before a thousand files are read.
    let facts = facts.map(|path| FactsTable::read(&path, &Disk)).transpose().map_err(FleetError::from)?;
    let by = if group_by.is_empty() { GroupBy::Kind } else { GroupBy::Facts(group_by) };
    if let Some(archive) = archive {
        let archive = ArchiveArgument { archive };
        output.spares_archive(&archive_location::of(&archive)?)?;
        let found = archived(&archive, facts, &by, quiet)?;
        output.show(&found)?;
        return Ok(ending(&found.fleet, strict));
    }
    let mut inputs = fleet_inputs(&results, &Disk)?;
    let Rounds { mut unanswered, nodes, notes: of_rounds } = Rounds::of(&results, &mut inputs.paths);
    let crew = waiting("files read", quiet);
    let mut gathered = gather(&inputs.paths, &nodes, HINT, now(), &Disk, &crew.crew())?;
    unanswered.append(&mut gathered.unanswered);
    if let Some(facts) = facts {
        gathered.state(facts);
    }
    let unread = say_unread(&gathered, inputs.paths.len());
    let of_files = unread.clone().map(|words| FleetNote { words, about: Vec::new(), leaves_open: true });
    let notes =
        gathered.notes.iter().cloned().chain(inputs.note()).chain(of_files).chain(of_rounds).collect();
    let mut fleet = analyse(&gathered.roster, &by, notes).map_err(FleetError::from)?;
    fleet.file.unanswered = unanswered;
    link_reports(&mut fleet, &gathered, &directory, &Disk);
    let mut result_of = |node: &str| gathered.result_of(node, &Disk);
    let waiting = waiting("models", quiet);
    let diagnoses = diagnosed(&fleet, &gathered.roster, &mut result_of, &waiting.crew())?;
    let ending = ending(&fleet.file, strict);
    output.show(&FleetDiagnosis { fleet: fleet.file, diagnoses })?;
    if let Some(unread) = unread {
        return Err(Failure::new(unread)
            .hint("the other files were judged; fix the files in the errors above, or omit them"));
    }
    Ok(ending)
}

fn ending(fleet: &FleetFile, strict: bool) -> VerbOutcome {
    match strict {
        true if fleet.has_bad() => VerbOutcome::FaultFound,
        // Nothing bad was seen, and not all was seen.
        true if fleet.leaves_open() => VerbOutcome::CannotTell,
        _ => VerbOutcome::Done,
    }
}

/// What was found among the machines of an archive.
fn archived(
    location: &ArchiveArgument,
    facts: Option<FactsTable>,
    by: &GroupBy,
    quiet: bool,
) -> Result<FleetDiagnosis, Failure> {
    let mut archive = opened(&archive_location::of(location)?, Access::Read)?;
    let machines = archive.machines().map_err(|error| failed(&error))?;
    let mut latest = LatestResults::read(&mut archive, &machines, &waiting("results read", quiet).crew())?;
    if latest.is_empty() {
        let error = FleetError::NoValues;
        return Err(Failure::new(&error).maybe_hint(error.hint()));
    }
    if let Some(facts) = facts {
        latest.state(facts);
    }
    Ok(latest.fleet(&mut archive, &machines, by, &waiting("models", quiet).crew())?)
}

/// The threads of this host, and the user, who sees how far they are.
pub(super) fn waiting(noun: &'static str, quiet: bool) -> Attended {
    Attended::new(Threads::of_host(), StopFlag::new(), User::new(quiet, noun, Begun::already()))
}

/// Files that could not be read for the same reason and are named with a line each; more are counted.
const NAMED: usize = 5;

/// Names the files that could not be read, each reason once where it is that of many, and says how many these are.
pub(super) fn say_unread(gathered: &Gathered, files: usize) -> Option<String> {
    let Gathered { unread, .. } = gathered;
    let mut reasons: Vec<(String, Vec<&(PathBuf, ForeignError)>)> = Vec::new();
    for one in unread {
        let (path, error) = one;
        let reason = error.to_string().replace(&path.display().to_string(), "");
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, same)) => same.push(one),
            None => reasons.push((reason, vec![one])),
        }
    }
    for (_, same) in reasons {
        let shown = if same.len() > NAMED { 1 } else { same.len() };
        for (_, error) in &same[..shown] {
            terminal::say_failure(&Failure::new(error).maybe_hint(error.hint()));
        }
        if let Some((path, _)) = same.get(shown) {
            let (more, path) = (same.len() - shown, path.display());
            terminal::say_failure(&Failure::new(format_args!(
                "{more} more files for the same reason: `{path}` …"
            )));
        }
    }
    (!unread.is_empty()).then(|| format!("{} of {files} files could not be read", unread.len()))
}
