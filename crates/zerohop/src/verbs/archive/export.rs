//! Writing results of an archive as files, or what the latest ones say as metrics.

use std::path::Path;

use zerohop_archive::query::{FindingsByResult, StoredFindings, metrics, text_of};
use zerohop_archive::{Access, ArchiveError, Cause, Filter, Location};
use zerohop_report::{ArchiveMetrics, Form};
use zerohop_units::counted;
use zerohop_workload::StopFlag;

use crate::archive_location::failed;
use crate::atomic_file::{WholeFile, make_directory};
use crate::campaign_attendant::{Attended, User};
use crate::campaign_progress::CampaignProgress;
use crate::executor::Threads;
use crate::failure::Failure;
use crate::file_name::file_name;
use crate::kind::Kind;
use crate::open_archive::opened;
use crate::output::Output;
use crate::signals::Begun;
use crate::terminal;
use crate::verbs::exit_status::VerbOutcome;

pub(super) fn export(
    location: &Location,
    filter: &Filter,
    folder: &Path,
    quiet: bool,
) -> Result<VerbOutcome, Failure> {
    let mut archive = opened(location, Access::Read)?;
    let listed = archive.list(filter).map_err(|error| failed(&error))?;
    make_directory(folder)?;
    let (mut written, mut damaged) = (0, 0_u64);
    for one in listed {
        let machine = file_name(&one.machine);
        let time = one.began_at.map_or_else(String::new, |time| file_name(&time.to_string()));
        // The whole id: no two results have one name.
        let path = folder.join(format!("{machine}-{time}-{}.json", one.id));
        match archive.kept(one) {
            Ok(kept) => {
                WholeFile::at(&path)?.replace(text_of(kept).into_bytes())?;
                written += 1;
            }
            Err(error @ ArchiveError::DamagedResult { .. }) => {
                terminal::say(&terminal::warning_line(&error.to_string()));
                damaged += 1;
            }
            // Another program has pruned it meanwhile.
            Err(ArchiveError::NoResult { .. }) => {}
            Err(error) => return Err(failed(&error)),
        }
    }
    for one in archive.unlisted(&filter.machines).map_err(|error| failed(&error))? {
        damaged += u64::from(!matches!(one.cause, Cause::OtherVersion(_)));
        terminal::say(&terminal::warning_line(&format!("skipped result {}: {}", one.id, one.cause)));
    }
    if !quiet {
        let left_out = if damaged > 0 { format!(", skipped {damaged} damaged") } else { String::new() };
        terminal::say(&format!("{} written to {}{left_out}", counted(written, "result"), folder.display()));
    }
    Ok(if damaged > 0 { VerbOutcome::Damaged } else { VerbOutcome::Done })
}

/// Writes what the latest results of these machines say, or of all if none is named.
pub(super) fn export_metrics(
    location: &Location,
    machines: &[String],
    format: Form,
    path: Option<&Path>,
    quiet: bool,
) -> Result<VerbOutcome, Failure> {
    let output = Output::new(&Kind::of::<ArchiveMetrics>(), format, Some(format), path)?;
    output.spares_archive(location)?;
    let mut archive = opened(location, Access::Read)?;
    let of = Filter { machines: machines.to_vec(), last: Some(1), ..Filter::default() };
    // A slip in a name should show before anything is judged.
    archive.list(&of).map_err(|error| failed(&error))?;
    let mut listed = archive.machines().map_err(|error| failed(&error))?;
    listed.retain(|machine| machines.is_empty() || machines.contains(&machine.name));
    // Models of many machines would show their progress by turns.
    let attended =
        Attended::new(Threads::of_host(), StopFlag::new(), User::new(true, "models", Begun::already()));
    let mut progress = CampaignProgress::new(quiet, "results judged", listed.len(), 0);
    let mut judgements = FindingsByResult::new();
    for machine in &listed {
        if let Some(id) = &machine.latest {
            match StoredFindings::of(&mut archive, &machine.name, id, &attended.crew()) {
                Ok(judgement) => drop(judgements.insert(id.clone(), Ok(judgement))),
                Err(error) => {
                    terminal::say(&terminal::warning_line(&error.to_string()));
                    judgements.insert(id.clone(), Err(error.to_string()));
                }
            }
        }
        progress.advance();
    }
    progress.clear();
    let mut found = metrics(&mut archive, &judgements)?;
    found.machines.retain(|machine| machines.is_empty() || machines.contains(&machine.listed.name));
    output.show(&found)?;
    Ok(VerbOutcome::Done)
}
