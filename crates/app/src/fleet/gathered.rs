//! Reads the results of a fleet, many at once, and keeps of each only what a fleet needs.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use zerohop_insight::fleet::{Added, FleetNote, Observation, Roster};
use zerohop_result::{Completion, ResultFile};
use zerohop_units::counted;

use super::names::{node_name, stem};
use super::{FactsTable, FleetError, NamedResult};
use crate::crew::Crew;
use crate::files::Files;
use crate::foreign::{ForeignError, read_any};

/// Files that are read before what was read is put in order: enough for every thread, few enough to be held at once.
const AT_ONCE: usize = 256;

/// The nodes of a fleet.
#[derive(Debug)]
pub struct Gathered {
    /// What is judged.
    pub roster: Roster,
    /// Where the first result of each node is: a file, and the rank of the result in it.
    pub sources: Vec<(PathBuf, usize)>,
    /// What was left out or is in doubt.
    pub notes: Vec<FleetNote>,
    /// The files that could not be read.
    pub unread: Vec<ForeignError>,
}

/// What is kept of a file.
type Read = Result<Vec<(Observation, Completion)>, ForeignError>;

/// Reads these files.
///
/// # Errors
/// When none holds a value that can be judged.
pub fn gather(
    paths: &[PathBuf],
    instead: &str,
    files: &(dyn Files + Sync),
    crew: &Crew<'_>,
) -> Result<Gathered, FleetError> {
    let mut stems: HashMap<String, usize> = HashMap::new();
    paths.iter().for_each(|path| *stems.entry(stem(path)).or_default() += 1);
    let is_shared = |path: &Path| stems.get(&stem(path)).is_some_and(|count| *count > 1);
    let mut sorter = Sorter::default();
    crew.attendant.start(paths.len(), 0);
    for part in paths.chunks(AT_ONCE) {
        let read: Vec<Mutex<Option<Read>>> = part.iter().map(|_| Mutex::new(None)).collect();
        crew.executor.run(part.len(), &|rank| {
            let path = &part[rank];
            let observed =
                results(path, instead, files).map(|results| observed(path, results, is_shared(path)));
            *read[rank].lock().unwrap_or_else(PoisonError::into_inner) = Some(observed);
            crew.attendant.advance();
        });
        for (path, read) in part.iter().zip(read) {
            if let Some(read) = read.into_inner().unwrap_or_else(PoisonError::into_inner) {
                sorter.take(path, read);
            }
        }
    }
    crew.attendant.end();
    sorter.finish(paths.len())
}

/// The results of a file. Most are results of ours, which need no look at what else they could be: that would read each three times.
fn results(path: &Path, instead: &str, files: &dyn Files) -> Result<Vec<NamedResult>, ForeignError> {
    let result =
        files.peek(path).filter(|text| text.starts_with('{')).and_then(|text| ResultFile::read(&text).ok());
    match result.filter(|result| result.unknown().is_empty()) {
        Some(result) => {
            let name = path.display().to_string();
            Ok(vec![NamedResult { machine: name.clone(), name, result }])
        }
        None => read_any(path, instead, files),
    }
}

fn observed(path: &Path, results: Vec<NamedResult>, shared: bool) -> Vec<(Observation, Completion)> {
    let observe = |NamedResult { result, .. }: NamedResult| observation(path, &result, shared);
    results.into_iter().map(observe).collect()
}

fn observation(path: &Path, result: &ResultFile, shared: bool) -> (Observation, Completion) {
    (Observation::of(node_name(path, result, shared), result), result.completion)
}

#[derive(Default)]
struct Sorter {
    roster: Roster,
    sources: Vec<(PathBuf, usize)>,
    unread: Vec<ForeignError>,
    copies: Vec<String>,
    repeats: Vec<String>,
    empty: Vec<String>,
    incomplete: Vec<String>,
}

impl Sorter {
    fn take(&mut self, path: &Path, read: Read) {
        let observations = match read {
            Ok(observations) => observations,
            Err(error) => return self.unread.push(error),
        };
        for (rank, (observation, completion)) in observations.into_iter().enumerate() {
            let node = observation.name.clone();
            match self.roster.add(observation) {
                Added::Node(_) => self.sources.push((path.to_owned(), rank)),
                Added::Repeat(_) => self.repeats.push(node.clone()),
                Added::Copy(_) => self.copies.push(path.display().to_string()),
                Added::Empty => self.empty.push(path.display().to_string()),
            }
            if completion != Completion::Complete {
                self.incomplete.push(node);
            }
        }
    }

    fn finish(mut self, count: usize) -> Result<Gathered, FleetError> {
        if self.roster.is_empty() {
            let first = (!self.unread.is_empty()).then(|| self.unread.remove(0));
            return Err(match first {
                Some(first) => FleetError::Nothing { count, first: Box::new(first) },
                None => FleetError::NoValues,
            });
        }
        let notes = [
            (self.repeats, "result", "of a node that has another one: their mean is judged"),
            (self.copies, "copy", "of another result: left out"),
            (self.empty, "result", "without a value that can be judged: left out"),
            (self.incomplete, "incomplete result", "of which only the finished part is judged"),
        ];
        let notes = notes.into_iter().filter(|(names, ..)| !names.is_empty());
        let notes = notes.map(|(mut names, noun, what)| {
            let count = counted(names.len(), noun);
            names.sort_unstable();
            names.dedup();
            FleetNote { words: format!("{count} {what}"), about: names }
        });
        Ok(Gathered {
            notes: notes.collect(),
            roster: self.roster,
            sources: self.sources,
            unread: self.unread,
        })
    }
}

impl Gathered {
    /// Adds what a table says of the nodes.
    pub fn state(&mut self, table: FactsTable) {
        self.notes.extend(table.state(&mut self.roster));
    }
}
