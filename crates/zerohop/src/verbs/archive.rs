//! `zerohop archive`: results over time.

mod add;
mod export;
mod history;
mod prune;
mod result_files;
mod tally;

use std::path::Path;

use zerohop_archive::query::{Order, compared, experiments, read, rename, text_of};
use zerohop_archive::{Access, Filter, Location, StoredResult};
use zerohop_compare::index;
use zerohop_report::{ArchivedMachines, ArchivedResults, Form};
use zerohop_units::counted;

use super::compare::{comparison_output, numbering, show_comparison};
use super::exit_status::VerbOutcome;
use super::show::show_read;
use crate::archive_location::{self, failed};
use crate::arguments::{ArchiveArguments, ArchiveVerb, WhichResults};
use crate::failure::Failure;
use crate::kind::Kind;
use crate::open_archive::opened;
use crate::output::{Output, spares};
use crate::signals;
use crate::terminal;

pub(super) use add::{check_target, keep_survey};

pub(super) fn archive(arguments: &ArchiveArguments, quiet: bool) -> Result<VerbOutcome, Failure> {
    let location = archive_location::of(&arguments.location)?;
    signals::end_waits()?;
    match &arguments.verb {
        ArchiveVerb::Add { files, of } => add::add_files(&location, files, of.as_deref(), quiet),
        ArchiveVerb::List { which, last, all, output: path, format } => {
            let kind = Kind::of::<ArchivedResults>();
            let output = Output::new(&kind, Form::Page, *format, path.as_deref())?;
            output.spares_archive(&location)?;
            list(&location, &Filter { last: (!all).then_some(*last), ..filter(which) }, &output, quiet)
        }
        ArchiveVerb::Machines { output: path, format } => {
            let kind = Kind::of::<ArchivedMachines>();
            let output = Output::new(&kind, Form::Page, *format, path.as_deref())?;
            output.spares_archive(&location)?;
            list_machines(&location, &output)
        }
        ArchiveVerb::Show { id, how } => {
            let StoredResult { listed, text } = kept(&location, id)?;
            how.output.as_deref().zip(location.file()).map_or(Ok(()), |(path, file)| spares(path, file))?;
            show_read(&listed.id, &read(&listed, &text)?, how, quiet)
        }
        ArchiveVerb::Text { id } => {
            terminal::print(&text_of(kept(&location, id)?))?;
            Ok(VerbOutcome::Done)
        }
        ArchiveVerb::History { machine, query, output: path, format } => {
            history::show_history(&location, machine, query, *format, path.as_deref())
        }
        ArchiveVerb::Compare { results, by_number, output: path, format } => {
            let output = comparison_output(*format, path.as_deref())?;
            output.spares_archive(&location)?;
            let numbering = numbering(*by_number);
            show_comparison(
                &compared(&mut opened(&location, Access::Read)?, results, Order::AsNamed, numbering)?,
                &output,
            )
        }
        ArchiveVerb::Export { which, output, format: Some(format) } => {
            export::export_metrics(&location, &which.machines, *format, output.as_deref(), quiet)
        }
        ArchiveVerb::Export { which, output, format: None } => {
            // Without a format, clap asks for a folder.
            export::export(&location, &filter(which), output.as_deref().unwrap_or(Path::new(".")), quiet)
        }
        ArchiveVerb::Prune { which, before, keep, unusable, damaged, dry_run } => {
            let of = Filter { before: *before, ..filter(which) };
            let pruned = prune::Pruned { of, keep: *keep, unusable: *unusable, damaged: *damaged };
            prune::prune(&location, pruned, *dry_run, quiet)
        }
        ArchiveVerb::Remove { ids } => prune::remove(&location, ids, quiet),
        ArchiveVerb::Rename { machine, name, merge } => {
            rename(&mut opened(&location, Access::Change)?, machine, name, *merge)?;
            Ok(VerbOutcome::Done)
        }
        ArchiveVerb::Verify => verify(&location, quiet),
    }
}

fn filter(which: &WhichResults) -> Filter {
    Filter { machines: which.machines.clone(), since: which.since, ..Filter::default() }
}

fn list(location: &Location, filter: &Filter, output: &Output, quiet: bool) -> Result<VerbOutcome, Failure> {
    let mut archive = opened(location, Access::Read)?;
    let listed = || -> Result<ArchivedResults, zerohop_archive::ArchiveError> {
        let results = archive.list(filter)?;
        Ok(ArchivedResults {
            archive: location.to_string(),
            bytes: archive.size()?,
            of: archive.machines()?.iter().map(|machine| machine.results).sum(),
            results,
        })
    };
    let listed = { listed }().map_err(|error| failed(&error))?;
    output.show(&listed)?;
    if !quiet && output.uses(Form::Page) && (listed.results.len() as u64) < listed.of {
        terminal::say("--last N, --all and --since show others");
    }
    Ok(VerbOutcome::Done)
}

fn list_machines(location: &Location, output: &Output) -> Result<VerbOutcome, Failure> {
    let mut archive = opened(location, Access::Read)?;
    let machines = archive.machines().and_then(|machines| Ok((machines, archive.size()?)));
    let (machines, bytes) = machines.map_err(|error| failed(&error))?;
    output.show(&ArchivedMachines { archive: location.to_string(), bytes, machines })?;
    Ok(VerbOutcome::Done)
}

fn kept(location: &Location, id: &str) -> Result<StoredResult, Failure> {
    opened(location, Access::Read)?.result(id).map_err(|error| failed(&error))
}

fn verify(location: &Location, quiet: bool) -> Result<VerbOutcome, Failure> {
    let mut archive = opened(location, Access::Change)?;
    let verified = archive.verify(&|file| index(file, experiments())).map_err(|error| failed(&error))?;
    for one in verified.damaged.iter().chain(&verified.later) {
        terminal::say(&terminal::warning_line(&format!("{}: {}", one.id, one.cause)));
    }
    if verified.machines > 0 {
        terminal::say(&terminal::warning_line(&format!(
            "{} had lost the name, which was restored from the results; change it with `zerohop archive rename`",
            counted(verified.machines as usize, "machine")
        )));
    }
    for words in &verified.of_database {
        terminal::say(&terminal::warning_line(words));
    }
    if !quiet {
        let whole = counted(verified.whole as usize, "result");
        terminal::say(&format!("{whole} intact, {} damaged; the index was rebuilt", verified.damaged.len()));
        if !verified.later.is_empty() {
            let later = counted(verified.later.len(), "result");
            terminal::say(&format!("{later} from a later version: not listed"));
        }
    }
    let is_whole = verified.damaged.is_empty() && verified.of_database.is_empty();
    Ok(if is_whole { VerbOutcome::Done } else { VerbOutcome::Damaged })
}
