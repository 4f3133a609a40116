//! Adding results to an archive.

use std::path::{Path, PathBuf};
use std::sync::{OnceLock, mpsc};
use std::thread;

use zerohop_app::{Entry as There, Files, IN_DIRECTORY, NamedResult};
use zerohop_archive::{Access, Added, Archive, Location};
use zerohop_archivist::{ArchivistError, NamedEntry, entries, entry, write};
use zerohop_experiment::Executor;
use zerohop_result::{ResultFile, machine_name};
use zerohop_units::counted;

use crate::archived::opened;
use crate::executor::Threads;
use crate::failure::Failure;
use crate::terminal;
use crate::text_file::Disk;
use crate::verbs::ending::Ending;

/// Results that are added at once: few enough to be held in memory, and enough that waiting for the disk does not matter.
const BATCH: usize = 128;

/// Files of a folder without results that are named.
const NAMED: usize = 5;

/// How deep folders are searched.
const DEEPEST: usize = 16;

/// What became of results so far.
#[derive(Debug, Default)]
struct Tally {
    new: usize,
    known: usize,
    replaced: usize,
    differing: Vec<String>,
    /// Files of folders that hold no results, and why.
    others: Vec<(PathBuf, String)>,
}

pub(super) fn add_files(
    location: &Location,
    files: &[PathBuf],
    of: Option<&str>,
    quiet: bool,
) -> Result<Ending, Failure> {
    // One message for all files.
    let of = of.map(machine_name).transpose().map_err(ArchivistError::from)?;
    let mut archive = opened(location, Access::Write)?;
    let mut tally = Tally::default();
    let named: Vec<Named> = files.iter().flat_map(|path| below(path)).collect();
    // Reading and packing take longer than writing: while a batch is written, all threads read the next one.
    let (sender, batches) = mpsc::sync_channel(1);
    thread::scope(|scope| {
        scope.spawn(|| {
            let sender = sender;
            // Who no longer listens has met an error.
            let _ = named.chunks(BATCH).try_for_each(|batch| sender.send(read(batch, of)));
        });
        batches.into_iter().try_for_each(|batch| {
            let mut entries: Vec<NamedEntry> = Vec::new();
            for (Named { path, is_in_folder }, read) in batch {
                match read {
                    Ok(read) => entries.extend(read),
                    // A folder may hold anything; a file that was named is meant.
                    Err(failure) if *is_in_folder => {
                        tally.others.push((path.clone(), failure.message().to_owned()));
                    }
                    Err(failure) => return Err(failure),
                }
            }
            keep(&mut archive, entries, &mut tally)
        })
    })?;
    tally.say(location, quiet);
    Ok(Ending::Done)
}

/// A file that may hold results.
struct Named {
    path: PathBuf,
    /// Whether it is one of a folder's, and not named itself.
    is_in_folder: bool,
}

/// The files that a path stands for.
fn below(path: &Path) -> Vec<Named> {
    let is_in_folder = path.is_dir() && !path.join(IN_DIRECTORY).is_file();
    let found = if is_in_folder { results_below(path, DEEPEST) } else { vec![path.to_owned()] };
    found.into_iter().map(|path| Named { path, is_in_folder }).collect()
}

/// What was read of a file.
type Read = Result<Vec<NamedEntry>, Failure>;

/// Reads files on all threads.
fn read<'a>(batch: &'a [Named], of: Option<&str>) -> Vec<(&'a Named, Read)> {
    let read: Vec<OnceLock<Read>> = batch.iter().map(|_| OnceLock::new()).collect();
    Threads::of_host().run(batch.len(), &|rank| {
        let found = entries(&batch[rank].path, of, &Disk).map_err(Failure::from);
        // Each is read once.
        let _ = read[rank].set(found);
    });
    let read = read.into_iter().filter_map(OnceLock::into_inner);
    batch.iter().zip(read).collect()
}

/// Adds the result of a survey.
///
/// # Errors
/// When the archive cannot be written.
pub(in crate::verbs) fn keep_survey(
    location: &Location,
    result: &ResultFile,
    quiet: bool,
) -> Result<(), Failure> {
    let mut archive = opened(location, Access::Write)?;
    let named = NamedResult { name: "the result".to_owned(), result: result.clone(), machine: String::new() };
    let mut tally = Tally::default();
    keep(&mut archive, vec![entry(named, None)?], &mut tally)?;
    if !quiet {
        terminal::say(&format!("archive: {location}"));
    }
    Ok(())
}

/// Adds a batch, all of it or nothing.
fn keep(archive: &mut Archive, batch: Vec<NamedEntry>, tally: &mut Tally) -> Result<(), Failure> {
    for (NamedEntry { name, .. }, added) in write(archive, batch)? {
        match added {
            Added::New => tally.new += 1,
            Added::Known => tally.known += 1,
            Added::Replaced => tally.replaced += 1,
            Added::Differs => tally.differing.push(name),
        }
    }
    Ok(())
}

/// Files that may hold results, in the order of their names, which begin with the time: those of surveys, and all others that are no part of one.
fn results_below(folder: &Path, deepest: usize) -> Vec<PathBuf> {
    let mut paths = Disk.list(folder);
    paths.sort();
    let below = paths.into_iter().flat_map(|path| {
        // A link may lead back up.
        if path.is_symlink() {
            return Vec::new();
        }
        match Disk.entry(&path) {
            Some(There::File) => vec![path],
            Some(There::Directory) if path.join(IN_DIRECTORY).is_file() => vec![path],
            Some(There::Directory) if deepest > 0 => results_below(&path, deepest - 1),
            _ => Vec::new(),
        }
    });
    below.collect()
}

impl Tally {
    fn say(&self, location: &Location, quiet: bool) {
        for name in &self.differing {
            terminal::say(&terminal::warning_line(&format!(
                "`{name}` has the id of a result that is there and says something else: it was left out"
            )));
        }
        if quiet {
            return;
        }
        for (path, reason) in self.others.iter().take(NAMED) {
            terminal::say(&format!("left out: {}: {reason}", path.display()));
        }
        if self.others.len() > NAMED {
            terminal::say(&format!("left out: {} more", counted(self.others.len() - NAMED, "file")));
        }
        let known = format!("{} there before", self.known);
        let replaced = format!("{} instead of an unfinished one", self.replaced);
        let parts = [(self.known, known), (self.replaced, replaced)];
        let parts = parts.into_iter().filter(|(count, _)| *count > 0).map(|(_, words)| words);
        let parts: Vec<String> =
            std::iter::once(format!("{} added", counted(self.new, "result"))).chain(parts).collect();
        terminal::say(&format!("{location}: {}", parts.join(", ")));
    }
}
