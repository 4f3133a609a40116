//! Changes of the machines of an archive.

use crate::{Archive, Scope};
use zerohop_compare::{CHANGES_VERSION, ChangesFile, MachineChanges, changes};
use zerohop_result::Timestamp;

use crate::query::error::QueryError;

/// Selection of changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Changing {
    /// Changes of these machines; of all if empty.
    pub machines: Vec<String>,
    pub since: Option<Timestamp>,
    /// Smallest reported step, as a share; smaller steps are omitted.
    pub least: f64,
    pub scope: Scope,
}

/// Changes of machines.
///
/// # Errors
/// If a machine is unknown, or the archive cannot be read.
pub fn changed(archive: &mut Archive, wanted: &Changing) -> Result<ChangesFile, QueryError> {
    let Changing { machines, since, least, scope } = wanted;
    let names = match machines.as_slice() {
        [] => archive.machines()?.into_iter().map(|machine| machine.name).collect(),
        named => named.to_vec(),
    };
    let mut found = Vec::new();
    for name in names {
        let history = archive.history(&name, *scope)?;
        let last = history.runs.last().and_then(|run| run.listed.began_at);
        let all = changes(&history, *least);
        found.push(match since {
            Some(since) => recent(all, *since, last),
            None => all,
        });
    }
    Ok(ChangesFile { schema_version: CHANGES_VERSION, least: *least, machines: found })
}

/// Without what was before that time.
fn recent(found: MachineChanges, since: Timestamp, last: Option<Timestamp>) -> MachineChanges {
    let is_recent = |time: Option<Timestamp>| time.is_some_and(|time| time >= since);
    let (mut changes, mut unsettled, mut unjudged) = (found.changes, found.unsettled, found.unjudged);
    changes.retain(|change| is_recent(change.after.began_at));
    if !is_recent(last) {
        unsettled.clear();
        unjudged.clear();
    }
    // A drift has no time.
    MachineChanges { changes, unsettled, unjudged, drifts: Vec::new(), ..found }
}
