//! Adding results to an archive.

use std::path::{Path, PathBuf};

use zerohop_app::{Entry as There, Files, ForeignError, IN_DIRECTORY, NamedResult, read_any};
use zerohop_archive::{Access, Added, Archive, Entry, Location, Owner};
use zerohop_insight::index;
use zerohop_result::{ResultFile, Timestamp};
use zerohop_units::counted;

use crate::archive_location::failed;
use crate::archived::{experiments, opened};
use crate::failure::Failure;
use crate::terminal;
use crate::text_file::Disk;
use crate::verbs::ending::Ending;

/// What to name instead of a file that cannot be read.
const HINT: &str = "name a result, the folder of a survey, a folder of these, or the output of another tool";

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
    let mut archive = opened(location, Access::Write)?;
    let mut tally = Tally::default();
    let mut batch: Vec<(String, Entry)> = Vec::new();
    for path in files {
        let is_folder = path.is_dir() && !path.join(IN_DIRECTORY).is_file();
        let found = if is_folder { results_below(path, DEEPEST) } else { vec![path.clone()] };
        for path in found {
            match entries(&path, of) {
                Ok(entries) => batch.extend(entries),
                // A folder may hold anything; a file that was named is meant.
                Err(failure) if is_folder => tally.others.push((path, failure.message().to_owned())),
                Err(failure) => return Err(failure),
            }
            if batch.len() >= BATCH {
                write(&mut archive, &mut batch, &mut tally)?;
            }
        }
    }
    write(&mut archive, &mut batch, &mut tally)?;
    tally.say(location, quiet);
    Ok(Ending::Done)
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
    let mut batch = vec![entry(named, None)?];
    let mut tally = Tally::default();
    write(&mut archive, &mut batch, &mut tally)?;
    if !quiet {
        terminal::say(&format!("archive: {location}"));
    }
    Ok(())
}

/// The results in a file, or in the folder of a survey.
fn entries(path: &Path, of: Option<&str>) -> Result<Vec<(String, Entry)>, Failure> {
    // Most files are results, and what else they might be takes as long to ask as they take to read.
    let text = Disk.peek(path).filter(|text| text.starts_with('{'));
    if let Some(result) = text.and_then(|text| ResultFile::read(&text).ok()) {
        let (name, machine) = (path.display().to_string(), String::new());
        return Ok(vec![entry(NamedResult { name, result, machine }, of)?]);
    }
    let read = read_any(path, HINT, &Disk).map_err(|error: ForeignError| Failure::from(error))?;
    read.into_iter().map(|named| entry(named, of)).collect()
}

fn entry(
    NamedResult { name, result, .. }: NamedResult,
    of: Option<&str>,
) -> Result<(String, Entry), Failure> {
    let index = index(&result, experiments());
    let machine = match (of, &index.machine) {
        (Some(of), _) => Owner::Called(of.to_owned()),
        (None, Some(shown)) => Owner::Shown(shown.clone()),
        (None, None) => {
            return Err(Failure::new(format_args!("`{name}` does not say which machine it is of"))
                .hint("name the machine with --of MACHINE"));
        }
    };
    Ok((name, Entry { text: result.compact(), index, machine }))
}

/// Adds a batch, all of it or nothing.
fn write(archive: &mut Archive, batch: &mut Vec<(String, Entry)>, tally: &mut Tally) -> Result<(), Failure> {
    let (names, entries): (Vec<String>, Vec<Entry>) = std::mem::take(batch).into_iter().unzip();
    let now = Timestamp::to_the_second(jiff::Timestamp::now());
    let added = archive.add(&entries, now).map_err(|error| failed(&error))?;
    for (name, added) in names.into_iter().zip(added) {
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
