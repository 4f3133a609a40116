//! Removing results from an archive.

use zerohop_archive::{Access, Archive, Cause, Filter, Location, Pruning, Removed};
use zerohop_units::counted;

use crate::archive_location::failed;
use crate::archived::opened;
use crate::failure::Failure;
use crate::terminal;
use crate::verbs::ending::Ending;

/// What is removed.
pub(super) struct Pruned {
    pub(super) of: Filter,
    pub(super) keep: u64,
    pub(super) unusable: bool,
    pub(super) damaged: bool,
}

pub(super) fn prune(
    location: &Location,
    pruned: Pruned,
    dry_run: bool,
    quiet: bool,
) -> Result<Ending, Failure> {
    let Pruned { of, keep, unusable, damaged } = pruned;
    // Whoever names nothing does not mean everything.
    if !damaged && !unusable && of.before.is_none() && of.machines.is_empty() && of.since.is_none() {
        return Err(Failure::new("nothing says which results to remove").hint(
            "--before 365d removes old ones, --unusable those that do not count, --damaged damaged ones",
        ));
    }
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
        return Ok(Ending::Done);
    }
    let Removed { count, shrunk } = archive.remove(&ids).map_err(|error| failed(&error))?;
    if !quiet {
        terminal::say(&format!("{} removed", counted(count as usize, "result")));
    }
    // What was to be removed is removed, and later results use the room.
    if let Err(error) = shrunk {
        terminal::say(&terminal::warning_line(&format!(
            "their room was not given back: {error}; later results use it, and the next `zerohop archive prune` tries again"
        )));
    }
    Ok(Ending::Done)
}

/// The results whose texts are damaged. Those that are whole stay, whatever keeps them out of the lists.
fn damaged_ids(archive: &mut Archive) -> Result<Vec<String>, Failure> {
    let unlisted = archive.unlisted(&[]).map_err(|error| failed(&error))?;
    let whole = unlisted.iter().filter(|one| one.cause == Cause::NoIndex).count();
    if whole > 0 {
        terminal::say(&terminal::warning_line(&format!(
            "{} whole and in no list: `zerohop archive verify` lists them again",
            counted(whole, "result")
        )));
    }
    let damaged = unlisted.into_iter().filter(|one| matches!(one.cause, Cause::Damaged(_)));
    Ok(damaged.map(|one| one.id).collect())
}
