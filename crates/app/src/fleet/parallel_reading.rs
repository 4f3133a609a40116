//! Reads the results of a fleet in parallel, and keeps only the data that a fleet needs.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use zerohop_experiment::parallel_map;
use zerohop_fleet::{Added, FleetNote, Observation, Roster, Unanswered};
use zerohop_importers::HostWithoutValues;
use zerohop_result::{Completion, ResultFile, RunId, Timestamp};
use zerohop_units::counted;

use super::names::{node_name, stem};
use super::node_files::{NodeFiles, Owner};
use super::{FactsTable, FleetError, NamedResult};
use crate::campaign_runner::CampaignRunner;
use crate::files::{Entry, FileError, Files, Notice};
use crate::input::{ForeignError, ReadHosts, read_hosts};

/// Files that are read before what was read is put in order: enough for every thread, few enough to be held at once.
const AT_ONCE: usize = 256;

/// Fewer nodes than this say nothing of the parts that are usual.
const FEWEST: usize = 3;

/// The nodes of a fleet.
#[derive(Debug)]
pub struct Gathered {
    pub roster: Roster,
    /// Source of each node's latest result: a file, and the rank of the result in it.
    pub sources: Vec<(PathBuf, usize)>,
    /// Omissions and doubts.
    pub notes: Vec<FleetNote>,
    /// The files that could not be read.
    pub unread: Vec<(PathBuf, ForeignError)>,
    /// The nodes without a result of their own: a text of many hosts has no values of them, or their file is of another node.
    pub unanswered: Vec<Unanswered>,
}

/// What is kept of a file.
type Read = Result<Kept, ForeignError>;

struct Kept {
    results: Vec<(Observation, Completion)>,
    without_values: Vec<HostWithoutValues>,
    /// For a file of a specific node: that node, the owner of the result, and the run.
    claim: Option<(String, Owner, Option<RunId>)>,
}

/// Reads these files, some of which must be from certain nodes. Results with a start time later than about `now`, or before 2000, have no time.
///
/// # Errors
/// If none holds a value that can be judged.
pub fn gather(
    paths: &[PathBuf],
    nodes: &NodeFiles,
    instead: &str,
    now: Timestamp,
    files: &(dyn Files + Sync),
    crew: &CampaignRunner<'_>,
) -> Result<Gathered, FleetError> {
    let mut stems: HashMap<String, usize> = HashMap::new();
    paths.iter().for_each(|path| *stems.entry(stem(path)).or_default() += 1);
    let is_shared = |path: &Path| stems.get(&stem(path)).is_some_and(|count| *count > 1);
    let mut sorter = Sorter::at(now);
    let files = &Noting { files, odd: Mutex::default() };
    crew.attendant.start(paths.len(), 0);
    for part in paths.chunks(AT_ONCE) {
        let read = parallel_map(crew.executor, part.len(), |rank| {
            let path = &part[rank];
            let read = results(path, instead, files).map(|read| kept(path, read, nodes, is_shared(path)));
            crew.attendant.advance();
            read
        });
        for (path, read) in part.iter().zip(read) {
            if let Some(read) = read {
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
fn results(path: &Path, instead: &str, files: &dyn Files) -> Result<ReadHosts, ForeignError> {
    let result =
        files.peek(path).filter(|text| text.starts_with('{')).and_then(|text| ResultFile::read(&text).ok());
    match result.filter(|result| result.unknown().is_empty() && result.plain_texts() == 0) {
        Some(result) => {
            let name = path.display().to_string();
            Ok(vec![NamedResult { machine: name.clone(), name, result }].into())
        }
        None => read_hosts(path, instead, files),
    }
}

fn kept(path: &Path, read: ReadHosts, nodes: &NodeFiles, shared: bool) -> Kept {
    let ReadHosts { results, without_values } = read;
    let claim = nodes.node(path).zip(results.first()).map(|(node, NamedResult { result, .. })| {
        (node.to_owned(), nodes.owner(node, result), result.run.as_ref().map(|run| run.id))
    });
    let observe = |NamedResult { result, .. }: NamedResult| observation(path, &result, shared);
    Kept { results: results.into_iter().map(observe).collect(), without_values, claim }
}

fn observation(path: &Path, result: &ResultFile, shared: bool) -> (Observation, Completion) {
    (Observation::of(node_name(path, result, shared), result), result.completion)
}

/// Files, what is odd about which is noted once for all of them: a fleet that a later version measured has the same in each.
struct Noting<'a> {
    files: &'a (dyn Files + Sync),
    /// Irregularities in words, with the affected files.
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
            Notice::UnknownItems { path, items } => (path, format!("unknown items: {}", items.join(", "))),
            Notice::PlainTexts { path, .. } => {
                (path, "names or notes that are too long, or contain control characters".to_owned())
            }
        };
        let mut odd = self.odd.lock().unwrap_or_else(PoisonError::into_inner);
        odd.entry(what).or_default().push(path.display().to_string());
    }
}

struct Sorter {
    now: Timestamp,
    roster: Roster,
    sources: Vec<(PathBuf, usize)>,
    unread: Vec<(PathBuf, ForeignError)>,
    unanswered: Vec<Unanswered>,
    /// The runs of files that must be of certain nodes, and these nodes.
    runs: HashMap<RunId, String>,
    /// Nodes whose results are of hosts of other names.
    aliases: Vec<String>,
    copies: Vec<Copy>,
    /// The files of results with a time that cannot be right, and the numbers of their nodes.
    wrong_times: Vec<(String, usize)>,
    /// Files of results without a value, and the numbers of their nodes.
    without_values: Vec<(String, usize)>,
    empty: Vec<String>,
    incomplete: Vec<usize>,
}

/// A copy of a result.
struct Copy {
    file: String,
    /// The name of the node that it says it is of.
    node: String,
    /// The number of the node of the other one.
    number: usize,
}

impl Sorter {
    fn at(now: Timestamp) -> Self {
        Self {
            now,
            roster: Roster::default(),
            sources: Vec::new(),
            unread: Vec::new(),
            unanswered: Vec::new(),
            runs: HashMap::new(),
            aliases: Vec::new(),
            copies: Vec::new(),
            wrong_times: Vec::new(),
            without_values: Vec::new(),
            empty: Vec::new(),
            incomplete: Vec::new(),
        }
    }

    fn take(&mut self, path: &Path, read: Read) {
        let Kept { results, without_values, claim } = match read {
            Ok(kept) => kept,
            Err(error) => return self.unread.push((path.to_owned(), error)),
        };
        let silent =
            without_values.into_iter().map(|HostWithoutValues { host, why }| Unanswered { node: host, why });
        self.unanswered.extend(silent);
        if let Some((node, owner, run)) = claim
            && let Err(why) = self.claim(&node, owner, run)
        {
            return self.unanswered.push(Unanswered { node, why });
        }
        for (rank, (mut observation, completion)) in results.into_iter().enumerate() {
            let is_wrong = observation.forget_wrong_time(self.now);
            let has_values = observation.values() > 0;
            let node = observation.name.clone();
            let file = path.display().to_string();
            let number = match self.roster.add(observation) {
                Added::Node(number) => {
                    self.sources.push((path.to_owned(), rank));
                    number
                }
                Added::Repeat { number, is_latest } => {
                    if is_latest {
                        self.sources[number] = (path.to_owned(), rank);
                    }
                    number
                }
                Added::Copy(number) => {
                    self.copies.push(Copy { file, node, number });
                    continue;
                }
                Added::Empty => {
                    self.empty.push(file);
                    continue;
                }
            };
            if is_wrong {
                self.wrong_times.push((file.clone(), number));
            }
            if !has_values {
                self.without_values.push((file, number));
            }
            if completion != Completion::Complete {
                self.incomplete.push(number);
            }
        }
    }

    /// Takes a file as that of its node, or says why it is not.
    fn claim(&mut self, node: &str, owner: Owner, run: Option<RunId>) -> Result<(), String> {
        match owner {
            Owner::Other(other) => return Err(format!("its file is from {other}")),
            Owner::Host(host) => self.aliases.push(format!("{node}: {host}")),
            Owner::Own => {}
        }
        let Some(run) = run else { return Ok(()) };
        match self.runs.get(&run) {
            Some(other) => Err(format!("its file and that of {other} are from the same run")),
            None => {
                self.runs.insert(run, node.to_owned());
                Ok(())
            }
        }
    }

    fn finish(mut self, count: usize) -> Result<Gathered, FleetError> {
        let notes = self.notes();
        // A text may name a host that did not answer more than once.
        let mut seen = HashSet::new();
        self.unanswered.retain(|one| seen.insert((one.node.clone(), one.why.clone())));
        let Self { roster, sources, mut unread, unanswered, .. } = self;
        if roster.is_empty() || (!roster.has_values() && roster.len() < FEWEST) {
            let first = (!unread.is_empty()).then(|| unread.remove(0));
            return Err(match first {
                Some((_, first)) => FleetError::Nothing { count, first: Box::new(first) },
                None => FleetError::NoValues,
            });
        }
        Ok(Gathered { notes, roster, sources, unread, unanswered })
    }

    fn notes(&self) -> Vec<FleetNote> {
        let Self { roster, copies, wrong_times, without_values, empty, incomplete, aliases, .. } = self;
        let name = |number: usize| roster.name_of(number).unwrap_or_default().to_owned();
        let (mut dated, mut undated, mut beside_dated) = (Vec::new(), Vec::new(), Vec::new());
        for number in 0..roster.len() {
            let (with_time, without) = roster.runs_of(number);
            let more = |names: &mut Vec<String>, count| names.extend(vec![name(number); count]);
            more(&mut dated, with_time.saturating_sub(1));
            match with_time {
                0 => more(&mut undated, without.saturating_sub(1)),
                _ => more(&mut beside_dated, without),
            }
        }
        // A node that has no other result is not known.
        let is_lost = |copy: &&Copy| {
            roster.number_of(&copy.node).is_none() && roster.name_of(copy.number) != Some(&copy.node)
        };
        let (lost, same): (Vec<&Copy>, Vec<&Copy>) = copies.iter().partition(is_lost);
        let lost = lost.into_iter().map(|copy| format!("{}, expected from {}", copy.file, copy.node));
        let is_alone = |number: usize| roster.runs_of(number) == (0, 1);
        let (alone, others): (Vec<_>, Vec<_>) = wrong_times.iter().partition(|(_, number)| is_alone(*number));
        let files = |all: &[&(String, usize)]| all.iter().map(|(file, _)| file.clone()).collect::<Vec<_>>();
        let latest: Vec<&(String, usize)> =
            without_values.iter().filter(|(_, number)| roster.is_latest_empty(*number)).collect();
        let only_parts = "without a value that can be judged: only the machine's parts are judged";
        let wrong_time = "with a time before 2000 or in the future, treated as no time";
        let wrong_time_of_several =
            "with a time before 2000 or in the future, treated as no time, of a node with several results";
        let notes = [
            (dated, "result", "of a node with several results: only the newest is judged", false),
            (
                undated,
                "result",
                "of a node with several results, none with a time: their mean is judged",
                false,
            ),
            (
                beside_dated,
                "result",
                "without a time, of a node that also has one with a time: only the newest with a time is judged",
                true,
            ),
            (files(&alone), "result", wrong_time, false),
            (files(&others), "result", wrong_time_of_several, true),
            (
                same.into_iter().map(|copy| copy.file.clone()).collect(),
                "copy",
                "of another result: skipped",
                false,
            ),
            (lost.collect(), "copy", "of another node's result: skipped", true),
            (files(&latest), "latest result", only_parts, true),
            (
                aliases.clone(),
                "result",
                "whose host has a different name than its node: unclear which node was measured",
                true,
            ),
            (empty.clone(), "result", "without a value that can be judged: skipped", true),
            (
                incomplete.iter().map(|number| name(*number)).collect(),
                "incomplete result",
                "of which only the finished part is judged",
                true,
            ),
        ];
        let notes = notes.into_iter().filter(|(names, ..)| !names.is_empty());
        let notes = notes.map(|(mut names, noun, what, leaves_open)| {
            let count = counted(names.len(), noun);
            names.sort_unstable();
            names.dedup();
            FleetNote { words: format!("{count} {what}"), about: names, leaves_open }
        });
        notes.collect()
    }
}

impl Gathered {
    /// Adds the facts of a table to the nodes.
    pub fn state(&mut self, table: FactsTable) {
        self.notes.extend(table.state(&mut self.roster));
    }
}
