//! Removing results.

use std::collections::HashMap;

use zerohop_result::ListedResult;

use crate::add::{find_latest, remove};
use crate::archive::Archive;
use crate::database::{Database, rows};
use crate::error::ArchiveError;
use crate::read::Filter;

/// Selection of results to remove.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pruning {
    /// Results that this filter finds.
    pub of: Filter,
    /// But never the latest of each machine that count, this many, nor what does not count and is later than these.
    pub keep: u64,
    /// Only results that do not count, regardless of their time.
    pub unusable: bool,
}

#[derive(Debug)]
pub struct Removed {
    /// The number of results.
    pub count: u64,
    /// Whether their room was given back. If not, later results use it.
    pub shrunk: Result<(), ArchiveError>,
}

impl Archive {
    /// The results that would be removed.
    ///
    /// # Errors
    /// When a machine is unknown, or the archive cannot be read.
    pub fn prunable(&mut self, pruning: &Pruning) -> Result<Vec<ListedResult>, ArchiveError> {
        let Pruning { of, keep, unusable } = pruning;
        // The latest count whenever they began.
        let all = self.list(&Filter { machines: of.machines.clone(), ..Filter::default() })?;
        let mut newer: HashMap<String, u64> = HashMap::new();
        let is_prunable = |one: &ListedResult| {
            let newer = newer.entry(one.machine.clone()).or_insert(0);
            let is_spare = *newer >= *keep;
            *newer += u64::from(one.unusable.is_none());
            let is_old = of.before.is_none_or(|before| one.began_at.is_some_and(|began| began < before));
            let is_wanted =
                is_old && of.since.is_none_or(|since| one.began_at.is_some_and(|began| began >= since));
            is_wanted && if *unusable { one.unusable.is_some() } else { is_spare }
        };
        Ok(all.into_iter().filter(is_prunable).collect())
    }

    /// Removes these results, all or none of them, and then frees their space.
    ///
    /// # Errors
    /// If the archive cannot be written: then none is removed.
    pub fn remove(&mut self, ids: &[String]) -> Result<Removed, ArchiveError> {
        let clock = self.clock()?;
        let mut count = 0;
        if !ids.is_empty() {
            self.wholly(|database| {
                for id in ids {
                    let found =
                        rows(database, "SELECT number FROM document WHERE id = $1", &[id.as_str().into()])?;
                    for mut fields in found {
                        remove(database, fields.integer())?;
                        count += 1;
                    }
                }
                forget(database)?;
                clock.settle(database)?;
                find_latest(database)
            })?;
        }
        Ok(Removed { count, shrunk: self.database.shrink() })
    }
}

/// Removes what no result has any more.
fn forget(database: &mut dyn Database) -> Result<(), ArchiveError> {
    for statement in [
        "DELETE FROM profile WHERE key NOT IN (SELECT profile FROM result)",
        "DELETE FROM series WHERE key NOT IN (SELECT series FROM reading)",
        "DELETE FROM machine WHERE key NOT IN (SELECT machine FROM document)",
    ] {
        database.execute(statement, &[])?;
    }
    Ok(())
}
