//! Reads the results of a fleet, many at once, and keeps of each only what a fleet needs.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use zerohop_insight::fleet::{Added, FleetNote, Observation, Roster};
use zerohop_result::{Completion, ResultFile};
use zerohop_units::counted;

use super::names::{node_name, stem};
use super::{FactsTable, FleetError, NamedResult};
use crate::crew::Crew;
use crate::files::{Entry, FileError, Files, Notice};
use crate::foreign::{ForeignError, read_any};

/// Files that are read before what was read is put in order: enough for every thread, few enough to be held at once.
const AT_ONCE: usize = 256;

/// The nodes of a fleet.
#[derive(Debug)]
pub struct Gathered {
    /// What is judged.
    pub roster: Roster,
    /// Where the latest result of each node is: a file, and the rank of the result in it.
    pub sources: Vec<(PathBuf, usize)>,
    /// What was left out or is in doubt.
    pub notes: Vec<FleetNote>,
    /// The files that could not be read.
    pub unread: Vec<(PathBuf, ForeignError)>,
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
    let files = &Noting { files, odd: Mutex::default() };
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
    let mut gathered = sorter.finish(paths.len())?;
    gathered.notes.extend(files.notes());
    Ok(gathered)
}

/// The results of a file. Most are results of ours, which need no look at what else they could be: that would read each three times.
fn results(path: &Path, instead: &str, files: &dyn Files) -> Result<Vec<NamedResult>, ForeignError> {
    let result =
        files.peek(path).filter(|text| text.starts_with('{')).and_then(|text| ResultFile::read(&text).ok());
    match result.filter(|result| result.unknown().is_empty() && result.plain_texts() == 0) {
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

/// Files, what is odd about which is noted once for all of them: a fleet that a later version measured has the same in each.
struct Noting<'a> {
    files: &'a (dyn Files + Sync),
    /// What is odd, in words, and the files of which it is so.
    odd: Mutex<BTreeMap<String, Vec<String>>>,
}

impl Noting<'_> {
    fn notes(&self) -> Vec<FleetNote> {
        let odd = std::mem::take(&mut *self.odd.lock().unwrap_or_else(PoisonError::into_inner));
        let note = |(what, mut about): (String, Vec<String>)| {
            about.sort_unstable();
            let words = format!("{}: {what}", counted(about.len(), "file"));
            FleetNote { words, about, leaves_open: false }
        };
        odd.into_iter().map(note).collect()
    }
}

impl Files for Noting<'_> {
    fn read_text(&self, path: &Path, instead: &str) -> Result<String, FileError> {
        self.files.read_text(path, instead)
    }

    fn read_bytes(&self, path: &Path, instead: &str) -> Result<Vec<u8>, FileError> {
        self.files.read_bytes(path, instead)
    }

    fn peek(&self, path: &Path) -> Option<String> {
        self.files.peek(path)
    }

    fn entry(&self, path: &Path) -> Option<Entry> {
        self.files.entry(path)
    }

    fn list(&self, folder: &Path) -> Vec<PathBuf> {
        self.files.list(folder)
    }

    fn real(&self, path: &Path) -> PathBuf {
        self.files.real(path)
    }

    fn notice(&self, notice: &Notice<'_>) {
        let (path, what) = match notice {
            Notice::UnknownItems { path, items } => {
                (path, format!("items that this version does not know: {}", items.join(", ")))
            }
            Notice::PlainTexts { path, .. } => {
                (path, "names or notes that are too long, or cannot be shown as they are".to_owned())
            }
        };
        let mut odd = self.odd.lock().unwrap_or_else(PoisonError::into_inner);
        odd.entry(what).or_default().push(path.display().to_string());
    }
}

#[derive(Default)]
struct Sorter {
    roster: Roster,
    sources: Vec<(PathBuf, usize)>,
    unread: Vec<(PathBuf, ForeignError)>,
    copies: Vec<String>,
    /// The numbers of nodes with another result, whose runs say when they began.
    dated: Vec<usize>,
    /// The same of runs that do not.
    undated: Vec<usize>,
    empty: Vec<String>,
    incomplete: Vec<usize>,
}

impl Sorter {
    fn take(&mut self, path: &Path, read: Read) {
        let observations = match read {
            Ok(observations) => observations,
            Err(error) => return self.unread.push((path.to_owned(), error)),
        };
        for (rank, (observation, completion)) in observations.into_iter().enumerate() {
            let is_dated = observation.began_at.is_some();
            let shown = || path.display().to_string();
            let number = match self.roster.add(observation) {
                Added::Node(number) => {
                    self.sources.push((path.to_owned(), rank));
                    number
                }
                Added::Repeat { number, is_latest } => {
                    if is_latest {
                        self.sources[number] = (path.to_owned(), rank);
                    }
                    if is_dated { &mut self.dated } else { &mut self.undated }.push(number);
                    number
                }
                Added::Copy(_) => {
                    self.copies.push(shown());
                    continue;
                }
                Added::Empty => {
                    self.empty.push(shown());
                    continue;
                }
            };
            if completion != Completion::Complete {
                self.incomplete.push(number);
            }
        }
    }

    fn finish(mut self, count: usize) -> Result<Gathered, FleetError> {
        if self.roster.is_empty() {
            let first = (!self.unread.is_empty()).then(|| self.unread.remove(0));
            return Err(match first {
                Some((_, first)) => FleetError::Nothing { count, first: Box::new(first) },
                None => FleetError::NoValues,
            });
        }
        let names = |numbers: &[usize]| -> Vec<String> {
            numbers.iter().filter_map(|number| self.roster.name_of(*number)).map(str::to_owned).collect()
        };
        let notes = [
            (names(&self.dated), "result", "of a node that has another one: the latest is judged", false),
            (
                names(&self.undated),
                "result",
                "of a node that has another one, without a time: their mean is judged",
                false,
            ),
            (self.copies, "copy", "of another result: left out", false),
            (self.empty, "result", "without a value that can be judged: left out", true),
            (names(&self.incomplete), "incomplete result", "of which only the finished part is judged", true),
        ];
        let notes = notes.into_iter().filter(|(names, ..)| !names.is_empty());
        let notes = notes.map(|(mut names, noun, what, leaves_open)| {
            let count = counted(names.len(), noun);
            names.sort_unstable();
            names.dedup();
            FleetNote { words: format!("{count} {what}"), about: names, leaves_open }
        });
        let notes = notes.collect();
        Ok(Gathered { notes, roster: self.roster, sources: self.sources, unread: self.unread })
    }
}

impl Gathered {
    /// Adds what a table says of the nodes.
    pub fn state(&mut self, table: FactsTable) {
        self.notes.extend(table.state(&mut self.roster));
    }
}
