//! Removing results from an archive.

use zerohop_archive::{Access, Archive, Cause, Filter, Location, Pruning, Removed};
use zerohop_units::counted;

use crate::archive_location::failed;
use crate::failure::Failure;
use crate::open_archive::opened;
use crate::terminal;
use crate::verbs::exit_status::VerbOutcome;

pub(super) struct Pruned {
    pub(super) of: Filter,
    /// If nobody said how many, the latest one stays.
    pub(super) keep: Option<u64>,
    pub(super) unusable: bool,
    pub(super) damaged: bool,
}

pub(super) fn prune(
    location: &Location,
    pruned: Pruned,
    dry_run: bool,
    quiet: bool,
) -> Result<VerbOutcome, Failure> {
    let Pruned { of, keep, unusable, damaged } = pruned;
    // Whoever names a machine alone does not mean all that it has.
    let is_chosen = damaged || unusable || of.before.is_some() || of.since.is_some();
    if !is_chosen && (keep.is_none() || of.machines.is_empty()) {
        return Err(Failure::new("no condition selects the results to remove").hint(
            "--before 365d removes old results, --unusable unusable ones, --damaged damaged ones, MACHINE --keep 5 all but the newest five; \
             `zerohop archive remove ID` removes one",
        ));
    }
    let keep = keep.unwrap_or(1);
    let access = if dry_run { Access::Read } else { Access::Change };
    let mut archive = opened(location, access)?;
    let ids = if damaged {
        let ids = damaged_ids(&mut archive)?;
        if dry_run {
            ids.iter().try_for_each(|id| terminal::print(id))?;
        }
        ids
    } else {
        let pruning = Pruning { of, keep, unusable };
        let prunable = archive.prunable(&pruning).map_err(|error| failed(&error))?;
        if dry_run {
            for one in &prunable {
                let when = one.began_at.map(|time| time.to_string()).unwrap_or_default();
                terminal::print(&format!("{} {when} {}", one.id, one.machine))?;
            }
        }
        prunable.into_iter().map(|one| one.id).collect()
    };
    if dry_run {
        if !quiet {
            terminal::say(&format!("{} would be removed", counted(ids.len(), "result")));
        }
        return Ok(VerbOutcome::Done);
    }
    removed(&mut archive, &ids, quiet)
}

/// Removes the results whose ids begin so.
pub(super) fn remove(location: &Location, ids: &[String], quiet: bool) -> Result<VerbOutcome, Failure> {
    let mut archive = opened(location, Access::Change)?;
    // All of them are there before any is removed.
    let found = ids.iter().map(|id| archive.find(id).map(|one| one.id)).collect::<Result<Vec<_>, _>>();
    let found = found.map_err(|error| failed(&error))?;
    removed(&mut archive, &found, quiet)
}

fn removed(archive: &mut Archive, ids: &[String], quiet: bool) -> Result<VerbOutcome, Failure> {
    let Removed { count, shrunk } = archive.remove(ids).map_err(|error| failed(&error))?;
    if !quiet {
        terminal::say(&format!("{} removed", counted(count as usize, "result")));
    }
    // What was to be removed is removed, and later results use the room.
    if let Err(error) = shrunk {
        terminal::say(&terminal::warning_line(&format!(
            "their disk space could not be freed: {error}; later results will use it, and the next `zerohop archive prune` tries again"
        )));
    }
    Ok(VerbOutcome::Done)
}

/// The results whose texts are damaged. Those that are whole stay, whatever keeps them out of the lists.
fn damaged_ids(archive: &mut Archive) -> Result<Vec<String>, Failure> {
    let unlisted = archive.unlisted(&[]).map_err(|error| failed(&error))?;
    let whole = unlisted.iter().filter(|one| one.cause == Cause::NoIndex).count();
    if whole > 0 {
        terminal::say(&terminal::warning_line(&format!(
            "{} intact but not listed: `zerohop archive verify` lists them again",
            counted(whole, "result")
        )));
    }
    let damaged = unlisted.into_iter().filter(|one| matches!(one.cause, Cause::Damaged(_)));
    Ok(damaged.map(|one| one.id).collect())
}
