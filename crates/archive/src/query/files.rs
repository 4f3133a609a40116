//! The results in files, as an archive takes them.

use std::path::Path;

use crate::{Addition, Archive, ArchiveError, Entry, Owner, Packed, Shows};
use zerohop_app::{Files, NamedResult, read_any};
use zerohop_compare::index;
use zerohop_result::{Origin, Timestamp, machine_name};

use crate::query::error::QueryError;
use crate::query::stored_result::experiments;

/// What to name instead of a file that cannot be read.
const HINT: &str = "give a result, a survey directory, a directory of these, or the output of another tool";

/// A result to add, with its name in messages.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedEntry {
    /// Name of the result's file.
    pub name: String,
    /// Entry to add to the archive.
    pub entry: Entry,
}

/// A result, and what became of it, or why the archive refuses it.
pub type Tried = (NamedEntry, Result<Addition, ArchiveError>);

/// The results in a file, in the folder of a survey, or in the output of another tool. `of` is the machine that they are of.
///
/// # Errors
/// When the file holds no results, does not say which machine they are of, or `of` is no name.
pub fn entries(path: &Path, of: Option<&str>, files: &dyn Files) -> Result<Vec<NamedEntry>, QueryError> {
    let of = of.map(machine_name).transpose()?;
    read_any(path, HINT, files)?.into_iter().map(|named| entry(named, of)).collect()
}

/// A result, as an archive takes it.
///
/// # Errors
/// When it does not say which machine it is of, and `of` does not, either.
pub fn entry(
    NamedResult { name, result, .. }: NamedResult,
    of: Option<&str>,
) -> Result<NamedEntry, QueryError> {
    let index = index(&result, experiments());
    let machine = match (of, &index.machine) {
        (Some(of), shown) => {
            let shows = match (shown, &result.origin) {
                (Some(shown), Origin::Host(_)) => Shows::Host(shown.key),
                (Some(shown), _) => Shows::Model(shown.key),
                (None, _) => Shows::Nothing,
            };
            Owner::Called { name: of.to_owned(), shows }
        }
        (None, Some(shown)) => Owner::Shown(shown.clone()),
        (None, None) => return Err(QueryError::NoMachine { name }),
    };
    Ok(NamedEntry { name, entry: Entry { packed: Packed::of(&result.compact()), index, machine } })
}

/// Gives a machine another name. If another one has it, they become one, should they be merged.
///
/// # Errors
/// When it is no name, there is no such machine, another one has that name, or the archive cannot be written.
pub fn rename(archive: &mut Archive, machine: &str, name: &str, merge: bool) -> Result<(), QueryError> {
    Ok(archive.rename(machine, machine_name(name)?, merge)?)
}

/// Adds results, all of them or none, and says what became of each.
///
/// # Errors
/// When the archive cannot be written.
pub fn write(
    archive: &mut Archive,
    batch: Vec<NamedEntry>,
) -> Result<Vec<(NamedEntry, Addition)>, QueryError> {
    let (names, entries) = parted(batch);
    let now = archive.now()?;
    let added = archive.add(&entries, now)?;
    Ok(named(names, entries).zip(added).collect())
}

/// Adds results that arrive together, and returns the outcome for each: a refusal does not affect the others.
///
/// # Errors
/// If the archive cannot be written at all.
pub fn write_each(
    archive: &mut Archive,
    batch: Vec<NamedEntry>,
    now: Timestamp,
) -> Result<Vec<Tried>, QueryError> {
    let (names, entries) = parted(batch);
    let added = archive.add_each(&entries, now)?;
    Ok(named(names, entries).zip(added).collect())
}

fn parted(batch: Vec<NamedEntry>) -> (Vec<String>, Vec<Entry>) {
    batch.into_iter().map(|NamedEntry { name, entry }| (name, entry)).unzip()
}

fn named(names: Vec<String>, entries: Vec<Entry>) -> impl Iterator<Item = NamedEntry> {
    names.into_iter().zip(entries).map(|(name, entry)| NamedEntry { name, entry })
}
