//! Removing results from an archive.

use zerohop_archive::{Access, Filter, Location, Pruning};
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
    let mut archive = opened(location, Access::Read)?;
    let ids = if damaged {
        archive.unlisted().map_err(|error| failed(&error))?
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
    let count = counted(ids.len(), "result");
    if !dry_run && !ids.is_empty() {
        archive.remove(&ids).map_err(|error| failed(&error))?;
    }
    if !quiet {
        terminal::say(&format!("{count} {}", if dry_run { "would be removed" } else { "removed" }));
    }
    Ok(Ending::Done)
}
