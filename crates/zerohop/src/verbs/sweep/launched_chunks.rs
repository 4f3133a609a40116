//! A sweep whose points a launcher spreads in chunks: each writes a journal, which goes into that of the sweep.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::mem::discriminant;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use zerohop_app::{Head, Hinted};
use zerohop_experiment::Executor as _;
use zerohop_launch::{Local, Offer, Round, RoundTask, Setup, TaskState};
use zerohop_study::Outcome;
use zerohop_units::counted;
use zerohop_workload::StopFlag;

use crate::arguments::{ChunkArgument, LaunchArguments, SweepLauncher};
use crate::campaign_progress::CampaignProgress;
use crate::executor::Threads;
use crate::failure::Failure;
use crate::journal::{Journal, is_failed, journal_path};
use crate::launching::{
    self, AT_ONCE, carry_on, launch_failure, named_together, offers_of, read_round, record_of, well_formed,
};
use crate::programs::Programs;
use crate::signals::Begun;
use crate::terminal;

/// The chunks for each that can run at once, by default: some are slower than others.
const CHUNKS_EACH: usize = 4;

/// The fewest points of a chunk, by default: a job takes longer to start than a point to compute.
const POINTS_EACH: usize = 4;

/// The most CPUs that a chunk asks for, by default.
const CPUS_EACH: usize = 8;

/// Failures of chunks that are named one by one.
const NAMED: usize = 10;

/// How the user wants it spread.
pub(super) struct Plan<'a> {
    pub(super) launcher: SweepLauncher,
    pub(super) launch: &'a LaunchArguments,
    pub(super) chunks: Option<NonZeroUsize>,
    pub(super) threads: Option<NonZeroUsize>,
}

/// What came of it.
pub(super) struct Spread {
    pub(super) outcomes: BTreeMap<usize, Outcome>,
    /// Why some are missing, unless a signal is the reason.
    pub(super) unfinished: Option<Failure>,
}

/// The chunks, and what they have brought so far.
struct Collected<'a> {
    head: &'a Head,
    journal: &'a mut Journal,
    directory: PathBuf,
    outcomes: BTreeMap<usize, Outcome>,
}

/// Where chunks may run.
struct Places {
    setup: Setup,
    /// How many may run or wait at once.
    at_once: usize,
    /// The nodes that the user wants, if not any will do.
    pinned: Vec<String>,
    /// How many can run at once.
    slots: usize,
}

/// Computes the points that are not there yet, in chunks.
#[expect(clippy::too_many_arguments, reason = "all that a sweep has, once")]
pub(super) fn spread(
    plan: &Plan<'_>,
    head: &Head,
    journal: &mut Journal,
    file: &Path,
    before: BTreeMap<usize, Outcome>,
    stop: &StopFlag,
    begun: &Begun,
    quiet: bool,
) -> Result<Spread, Failure> {
    let points = head.question().sweep.points.count();
    let directory = directory_of(file);
    let mut collected = Collected { head, journal, directory, outcomes: before };
    let mut round = collected.begun()?;
    if let Some(round) = &round {
        for task in &round.tasks {
            // What failed is tried again.
            collected.absorb(&task.name, false)?;
        }
    }
    if collected.outcomes.len() == points {
        if let Some(mut round) = round {
            round.stop(&Programs::whose_results(well_formed)).map_err(launch_failure)?;
            collected.tidy(&round);
        }
        return Ok(Spread { outcomes: collected.outcomes, unfinished: None });
    }
    let places = places(plan, file)?;
    let mut round = match round.take() {
        Some(round) => collected.go_on(round, places)?,
        None => collected.begin(plan, places)?,
    };
    begun.begin();
    let mut progress = CampaignProgress::new(quiet, "points", points, collected.outcomes.len());
    let mut states: Vec<TaskState> = round.tasks.iter().map(|task| task.state.clone()).collect();
    let directory = collected.directory.clone();
    let carried = carry_on(&mut round, &directory, stop, well_formed, |round| {
        for (task, state) in round.tasks.iter().zip(&mut states) {
            if task.state != *state {
                let there = collected.outcomes.len();
                collected.absorb(&task.name, true)?;
                (there..collected.outcomes.len()).for_each(|_| progress.advance());
                *state = task.state.clone();
            }
        }
        Ok(())
    });
    progress.clear();
    carried?;
    for task in &round.tasks {
        collected.absorb(&task.name, true)?;
    }
    let unfinished = match points - collected.outcomes.len() {
        0 => {
            collected.tidy(&round);
            None
        }
        _ if stop.is_raised() => None,
        missing => Some(collected.unfinished(&round, missing)),
    };
    Ok(Spread { outcomes: collected.outcomes, unfinished })
}

/// `links.csv.chunks`.
fn directory_of(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".chunks");
    name.into()
}

fn places(plan: &Plan<'_>, file: &Path) -> Result<Places, Failure> {
    let Plan { launcher, launch, threads, .. } = plan;
    let program = launching::program(launch)?.display().to_string();
    let journal = journal_path(file).display().to_string();
    let words = |threads: usize| -> Vec<String> {
        let threads = threads.to_string();
        [&program, "sweep", "--quiet", "--of-journal", &journal, "--threads", &threads]
            .map(str::to_owned)
            .into()
    };
    match launcher {
        SweepLauncher::Local => {
            if launch.nodes.is_some() || launch.nodelist.is_some() {
                return Err(Failure::new(
                    "--launcher local has no nodes: its chunks are processes on this host",
                )
                .hint("--max-at-once limits the processes; --launcher slurm has nodes"));
            }
            let threads = threads.map_or(1, NonZeroUsize::get);
            let slots = (Threads::of_host().width() / threads).max(1);
            let at_once = launch.max_at_once.unwrap_or(slots);
            let setup = Setup::Local(Local { words: words(threads) });
            Ok(Places { setup, at_once, pinned: Vec::new(), slots: at_once })
        }
        SweepLauncher::Slurm => {
            let asked = Setup::Slurm(launching::slurm(Vec::new(), launch, None));
            let wanted = launch.nodelist.as_deref().map(launching::named).transpose()?;
            let mut offers = offers_of(&asked, None)?;
            if let Some(wanted) = &wanted {
                offers.retain(|offer| wanted.contains(&offer.node));
            }
            if let Some(Offer { node, refused: Some(why), .. }) =
                offers.first().filter(|_| offers.iter().all(|offer| offer.refused.is_some()))
            {
                return Err(Failure::new(format_args!("no node accepts a job: {node}: {why}"))
                    .hint("`sinfo` shows their states; choose others with --partition and --nodelist"));
            }
            offers.retain(|offer| offer.refused.is_none());
            offers.truncate(launch.nodes.unwrap_or(usize::MAX));
            if offers.is_empty() {
                return Err(Failure::new("no node of that name or partition accepts a job")
                    .hint("`sinfo` shows nodes, their partitions and their states"));
            }
            let least = offers.iter().filter_map(|offer| offer.cpus).min().unwrap_or(1).max(1);
            let cpus = threads.map_or(least.min(CPUS_EACH), NonZeroUsize::get);
            // Slurm would keep such a job waiting for ever.
            offers.retain(|offer| offer.cpus.is_none_or(|there| there >= cpus));
            if offers.is_empty() {
                return Err(Failure::new(format_args!("no node that accepts a job has {cpus} CPUs")).hint(
                    "`sinfo --Node --format='%N %c'` shows how many each node has; request fewer with --threads",
                ));
            }
            let room = |offer: &Offer| (offer.cpus.unwrap_or(1) / cpus).max(1);
            let at_once = launch.max_at_once.unwrap_or(AT_ONCE);
            let slots = offers.iter().map(room).sum::<usize>().min(at_once);
            let is_pinned = wanted.is_some() || launch.nodes.is_some();
            let pinned =
                if is_pinned { offers.into_iter().map(|offer| offer.node).collect() } else { Vec::new() };
            let setup = Setup::Slurm(launching::slurm(words(cpus), launch, Some(cpus)));
            Ok(Places { setup, at_once, pinned, slots })
        }
    }
}

impl Places {
    /// The node for the task of this rank.
    fn node(&self, rank: usize) -> Option<String> {
        self.pinned.get(rank % self.pinned.len().max(1)).cloned()
    }
}

impl Collected<'_> {
    /// The round that an earlier run has begun.
    fn begun(&self) -> Result<Option<Round>, Failure> {
        let directory = &self.directory;
        if record_of(directory).exists() {
            let mend = format!("remove `{}` to start its chunks over", directory.display());
            return read_round(directory, &mend, &mend).map(Some);
        }
        // Whatever else is in there, it is not for this program to remove. A run that was killed before its record was there has left `.log`.
        let is_ours = |name: &OsStr| name.as_encoded_bytes().starts_with(b".");
        if fs::read_dir(directory)
            .is_ok_and(|entries| entries.flatten().any(|entry| !is_ours(&entry.file_name())))
        {
            return Err(Failure::new(format_args!(
                "`{}` exists, but contains no chunks",
                directory.display()
            ))
            .hint("choose another file with -o"));
        }
        Ok(None)
    }

    /// A new round, for all points.
    fn begin(&self, plan: &Plan<'_>, places: Places) -> Result<Round, Failure> {
        let points = self.head.question().sweep.points.count();
        let chunks = plan.chunks.map_or_else(
            || (points / POINTS_EACH).min(CHUNKS_EACH * places.slots),
            |chunks| chunks.get().min(points),
        );
        let chunks = NonZeroUsize::new(chunks).unwrap_or(NonZeroUsize::MIN);
        let width = chunks.to_string().len().max(2);
        let task = |(rank, chunk): (usize, ChunkArgument)| RoundTask {
            name: format!("c{:0width$}", rank + 1),
            node: places.node(rank),
            arguments: ["--chunk".to_owned(), chunk.to_string()].into(),
            state: self.state(chunk),
        };
        let tasks = ChunkArgument::all(chunks).enumerate().map(task).collect();
        let logs = self.directory.join(".log");
        fs::create_dir_all(&logs)
            .map_err(|error| Failure::new(format_args!("cannot make `{}`: {error}", logs.display())))?;
        Ok(Round::new(places.setup, places.at_once, tasks))
    }

    /// The round of an earlier run: what it has started goes on, and what is missing comes again.
    fn go_on(&self, mut round: Round, places: Places) -> Result<Round, Failure> {
        let is_started = |task: &RoundTask| matches!(task.state, TaskState::Started(_));
        if discriminant(&round.setup) != discriminant(&places.setup) && round.tasks.iter().any(is_started) {
            return Err(Failure::new("another launcher has started chunks of this sweep")
                .hint("use the same --launcher again"));
        }
        let chunks = NonZeroUsize::new(round.tasks.len()).unwrap_or(NonZeroUsize::MIN);
        for (rank, (task, chunk)) in round.tasks.iter_mut().zip(ChunkArgument::all(chunks)).enumerate() {
            if is_started(task) {
                continue;
            }
            task.node = places.node(rank);
            task.state = self.state(chunk);
            if task.state == TaskState::ToCome {
                // An earlier result would be taken for that of the next try.
                remove(&Round::result_of(&self.directory, &task.name));
                remove(&Round::draft_of(&self.directory, &task.name));
            }
        }
        round.setup = places.setup;
        round.at_once = places.at_once.max(1);
        Ok(round)
    }

    /// Names the chunks that brought not all of their points.
    fn unfinished(&self, round: &Round, missing: usize) -> Failure {
        let chunks = NonZeroUsize::new(round.tasks.len()).unwrap_or(NonZeroUsize::MIN);
        let failed: Vec<(&str, String)> = round
            .tasks
            .iter()
            .zip(ChunkArgument::all(chunks))
            .filter_map(|(RoundTask { name, state, .. }, chunk)| match state {
                TaskState::Failed(why) => Some((name.as_str(), format!("failed: {why}"))),
                TaskState::Refused(why) => Some((name.as_str(), format!("was not started: {why}"))),
                TaskState::Done if self.state(chunk) != TaskState::Done => {
                    Some((name.as_str(), "has ended, but points are missing from its journal".to_owned()))
                }
                TaskState::ToCome | TaskState::Started(_) | TaskState::Done => None,
            })
            .collect();
        let mut lines = named_together(failed).into_iter().map(|(names, count, what)| {
            (
                count,
                match count {
                    1 => format!("chunk {names} {what}"),
                    _ => format!("each of the chunks {names} ({count}) {what}"),
                },
            )
        });
        lines.by_ref().take(NAMED).for_each(|(_, line)| terminal::say(&terminal::warning_line(&line)));
        let further: usize = lines.map(|(count, _)| count).sum();
        if further > 0 {
            terminal::say(&terminal::warning_line(&format!("{} more failed", counted(further, "chunk"))));
        }
        let of = counted(self.head.question().sweep.points.count(), "point");
        Failure::new(format_args!("{missing} of {of} are missing"))
            .hint("the same command resumes: it starts the failed chunks again")
    }

    /// Whether the points of a chunk are there, or still to come.
    fn state(&self, chunk: ChunkArgument) -> TaskState {
        let mut points = chunk.points(self.head.question().sweep.points.count());
        match points.all(|point| self.outcomes.contains_key(&point)) {
            true => TaskState::Done,
            false => TaskState::ToCome,
        }
    }

    /// Takes over what the journal of a chunk has.
    fn absorb(&mut self, name: &str, with_failures: bool) -> Result<(), Failure> {
        let path = journal_path(&Round::draft_of(&self.directory, name));
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => {
                return Err(Failure::new(format_args!("cannot read `{}`: {error}", path.display()))
                    .hint("check its permissions; the same command resumes"));
            }
        };
        let text = self.head.read(&bytes).map_err(|error| {
            Failure::new(format_args!("`{}` {error}", path.display())).maybe_hint(error.hint().map(|_| {
                format!(
                    "remove `{}` to start its chunks over, or choose another file",
                    self.directory.display()
                )
            }))
        })?;
        for (point, outcome) in text.outcomes {
            let known = self.outcomes.get(&point);
            let is_news = known.is_none_or(|known| is_failed(known) && *known != outcome);
            if is_news && (with_failures || !is_failed(&outcome)) {
                self.journal.add(point, &outcome)?;
                self.outcomes.insert(point, outcome);
            }
        }
        Ok(())
    }

    /// Removes what chunks have left, once all of it is in the journal of the sweep. What else is there stays.
    fn tidy(&self, round: &Round) {
        for RoundTask { name, .. } in &round.tasks {
            let draft = Round::draft_of(&self.directory, name);
            remove(&journal_path(&draft));
            remove(&draft);
            remove(&Round::result_of(&self.directory, name));
            remove(&Round::cut_of(&self.directory, name));
            remove(&Round::log_of(&self.directory, name));
        }
        remove(&record_of(&self.directory));
        // One that is not empty stays.
        let _ = fs::remove_dir(self.directory.join(".log"));
        let _ = fs::remove_dir(&self.directory);
    }
}

/// Removes a file that need not be there, and that does no harm if it stays.
fn remove(path: &Path) {
    let _ = fs::remove_file(path);
}
