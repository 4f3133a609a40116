//! Writing results of an archive as files, or what the latest ones say as metrics.

use std::path::Path;

use zerohop_archive::{Access, Filter, Location};
use zerohop_archivist::{Judgement, Judgements, metrics, text_of};
use zerohop_report::{ArchiveMetrics, Form};
use zerohop_units::counted;
use zerohop_workload::StopFlag;

use crate::archive_location::failed;
use crate::archived::opened;
use crate::attended::{Attended, User};
use crate::campaign_progress::CampaignProgress;
use crate::executor::Threads;
use crate::failure::Failure;
use crate::file_name::file_name;
use crate::kind::Kind;
use crate::output::Output;
use crate::signals::Begun;
use crate::terminal;
use crate::verbs::ending::Ending;
use crate::whole_file::{WholeFile, make_directory};

/// Digits of an id that tell apart what one machine measured within a second.
const ID: usize = 18;

pub(super) fn export(
    location: &Location,
    filter: &Filter,
    folder: &Path,
    quiet: bool,
) -> Result<Ending, Failure> {
    let mut archive = opened(location, Access::Read)?;
    let listed = archive.list(filter).map_err(|error| failed(&error))?;
    make_directory(folder)?;
    let count = listed.len();
    for one in listed {
        let machine = file_name(&one.machine);
        let time = one.began_at.map_or_else(String::new, |time| file_name(&time.to_string()));
        let id: String = one.id.chars().take(ID).collect();
        let path = folder.join(format!("{machine}-{time}-{id}.json"));
        let kept = archive.kept(one).map_err(|error| failed(&error))?;
        WholeFile::at(&path)?.replace(text_of(kept).into_bytes())?;
    }
    if !quiet {
        terminal::say(&format!("{} written to {}", counted(count, "result"), folder.display()));
    }
    Ok(Ending::Done)
}

/// Writes what the latest results of these machines say, or of all if none is named.
pub(super) fn export_metrics(
    location: &Location,
    machines: &[String],
    format: Form,
    path: Option<&Path>,
    quiet: bool,
) -> Result<Ending, Failure> {
    let output = Output::new(&Kind::of::<ArchiveMetrics>(), format, Some(format), path)?;
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
    let mut judgements = Judgements::new();
    for machine in &listed {
        if let Some(id) = &machine.latest {
            match Judgement::of(&mut archive, &machine.name, id, &attended.crew()) {
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
    Ok(Ending::Done)
}
