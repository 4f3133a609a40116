//! Adding results to an archive.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;

use zerohop_app::{IN_DIRECTORY, NamedResult};
use zerohop_archive::query::{NamedEntry, QueryError, entries, entry, write_each};
use zerohop_archive::{Access, Archive, ArchiveError, Location};
use zerohop_experiment::parallel_map;
use zerohop_result::{ResultFile, Timestamp, machine_name};

use super::result_files::Below;
use super::tally::Tally;
use crate::archive_location::{failed, make_default_folder};
use crate::atomic_file::may_write_beside;
use crate::executor::Threads;
use crate::failure::Failure;
use crate::open_archive::opened;
use crate::terminal;
use crate::text_file::Disk;
use crate::verbs::exit_status::VerbOutcome;

/// Results that are added at once: few enough to be held in memory, and enough that waiting for the disk does not matter.
const BATCH: usize = 128;

pub(super) fn add_files(
    location: &Location,
    files: &[PathBuf],
    of: Option<&str>,
    quiet: bool,
) -> Result<VerbOutcome, Failure> {
    // One message for all files.
    let of = of.map(machine_name).transpose().map_err(QueryError::from)?;
    let mut target = Target { location, archive: None };
    let mut tally = Tally::default();
    let mut named = Vec::new();
    for path in files {
        below(path, &mut named, &mut tally);
    }
    // Reading and packing take longer than writing: while a batch is written, all threads read the next one.
    let (sender, batches) = mpsc::sync_channel(1);
    let done = thread::scope(|scope| {
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
                    Err(error) if *is_in_folder && !error.is_unread() => {
                        tally.left_out.push((path.clone(), error.to_string()));
                    }
                    Err(error) => tally.failures.push(error.into()),
                }
            }
            target.add(entries, &mut tally)
        })
    });
    // What was added before is there, whatever happened then.
    tally.say(location, quiet);
    done?;
    let nothing = tally.is_empty();
    tally.failure().map_or(Ok(()), Err)?;
    if nothing {
        return Err(Failure::new(format_args!("nothing was added: {} no results", hold(files)))
            .hint("give a result, a survey directory, a directory of these, or the output of another tool"));
    }
    Ok(VerbOutcome::Done)
}

/// These files and folders, in words that go on with what they do not hold.
fn hold(files: &[PathBuf]) -> String {
    match files {
        [one] => format!("`{}` contains", one.display()),
        several => format!("the {} files and directories contain", several.len()),
    }
}

/// A file that may hold results.
struct Named {
    path: PathBuf,
    /// Whether it is one of a folder's, and not named itself.
    is_in_folder: bool,
}

/// The files that a path stands for.
fn below(path: &Path, named: &mut Vec<Named>, tally: &mut Tally) {
    if !path.is_dir() || path.join(IN_DIRECTORY).is_file() {
        return named.push(Named { path: path.to_owned(), is_in_folder: false });
    }
    let Below { files, left_out, unread } = Below::of(path);
    named.extend(files.into_iter().map(|path| Named { path, is_in_folder: true }));
    tally.left_out.extend(left_out);
    let failures = unread.into_iter().map(|(path, reason)| {
        Failure::new(format_args!("cannot read `{}`: {reason}", path.display()))
            .hint("check the permissions of the file and its directory with `ls -l` and `ls -ld`")
    });
    tally.failures.extend(failures);
}

/// What was read of a file.
type Read = Result<Vec<NamedEntry>, QueryError>;

/// Reads files on all threads.
fn read<'a>(batch: &'a [Named], of: Option<&str>) -> Vec<(&'a Named, Read)> {
    let threads = Threads::of_host();
    let read = parallel_map(&threads, batch.len(), |rank| entries(&batch[rank].path, of, &Disk));
    batch.iter().zip(read).filter_map(|(named, read)| Some((named, read?))).collect()
}

/// Checks that a result can be added, before it is measured. An archive that others use, or that cannot be reached now, may be free later.
///
/// # Errors
/// When it is no archive, or this user may not write it.
pub(in crate::verbs) fn check_target(location: &Location) -> Result<(), Failure> {
    make_default_folder(location)?;
    match Archive::open(location, Access::Change).and_then(|mut archive| archive.try_to_write()) {
        Ok(())
        | Err(
            ArchiveError::Busy { .. }
            | ArchiveError::Unavailable { .. }
            | ArchiveError::Disconnected { .. }
            | ArchiveError::Stopped { .. },
        ) => Ok(()),
        // It will be made.
        Err(ArchiveError::Absent { .. } | ArchiveError::Empty { .. }) => match location.file() {
            Some(file) if !folder_of(file).is_dir() => {
                Err(Failure::new(format_args!("no such directory: `{}`", folder_of(file).display()))
                    .hint("choose an archive in an existing directory with --archive"))
            }
            Some(file) => may_write_beside(file).map_err(|failure| {
                Failure::new(failure.message()).hint("choose a writable archive with --archive")
            }),
            None => Ok(()),
        },
        Err(error) => Err(failed(&error)),
    }
}

/// The folder of a file.
fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
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
    let named = NamedResult { name: "the result".to_owned(), result: result.clone(), machine: String::new() };
    let mut tally = Tally::default();
    Target { location, archive: None }.add(vec![entry(named, None)?], &mut tally)?;
    tally.warn();
    if let Some(failure) = tally.failure() {
        return Err(failure);
    }
    if !quiet {
        terminal::say(&format!("archive: {location}"));
    }
    Ok(())
}

/// Where results are added.
struct Target<'a> {
    location: &'a Location,
    /// The archive, once there is something to add, and when that arrives: what is added at once arrives at one time.
    archive: Option<(Archive, Timestamp)>,
}

impl Target<'_> {
    /// Adds a batch: one that the archive refuses leaves out no other one.
    fn add(&mut self, batch: Vec<NamedEntry>, tally: &mut Tally) -> Result<(), Failure> {
        // Nobody gets an archive who has nothing for it.
        if batch.is_empty() {
            return Ok(());
        }
        let (archive, now) = match &mut self.archive {
            Some(open) => open,
            none => {
                let mut archive = opened(self.location, Access::Write)?;
                let now = archive.now().map_err(|error| failed(&error))?;
                none.insert((archive, now))
            }
        };
        for (named, added) in write_each(archive, batch, *now)? {
            tally.count(&named, added);
        }
        Ok(())
    }
}
