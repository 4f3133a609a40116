//! A workload in place on a simulated machine: warmed up, and sampled batch by batch.

use std::sync::Arc;
use std::time::Duration;

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use zerohop_machine_file::Hardware;
use zerohop_units::Bytes;
use zerohop_workload::{
    Activity, Backing, EngineError, Prepared, Progress, Sample, StopFlag, Warning, WorkerSample, Workload,
};

use crate::blueprint::Blueprint;
use crate::observe::{Parts, Snapshot};
use crate::requester::below;
use crate::simulation::Simulation;
use crate::stream_pieces::Pieces;
use crate::time::{Ticks, nanoseconds, seconds, ticks};
use crate::worker_roles::{Member, WorkerRoles};

/// Lines that the slowest foreground worker does in a sample by default: a total over all foreground workers, with a
/// minimum and a maximum for each so that streams meet in many banks but do no more lines than that takes.
const LINES_OF_ALL: usize = 8_000;
const LINES_OF_EACH: std::ops::RangeInclusive<usize> = 200..=400;

/// Intervals before the first sample: queues and windows fill.
const INTERVALS: u32 = 10;

/// Lines that the slowest foreground worker does in an interval, at least.
const LINES_IN_INTERVAL: u64 = 3;

/// The first sample begins within this part of its length after the warm-up.
const LATEST_BEGINNING: Ticks = 8;

/// How many times a foreground worker comes to each place of its buffer in a sample by default: twice in each half.
const ROUNDS: u64 = 4;

/// The shortest interval: an eighth of a microsecond.
const SHORTEST: Ticks = 2_000;

/// No worker is so slow that it completes nothing for this long.
const STANDSTILL: Ticks = 16_000_000_000;

/// A workload in place on a simulated machine.
#[derive(Debug)]
pub struct PreparedModel {
    pub(crate) simulation: Simulation,
    parts: Arc<Parts>,
    members: Vec<Member>,
    activities: Vec<Activity>,
    /// The requesters that are streams.
    streams: Vec<u16>,
    backing: Vec<Backing>,
    window: Duration,
    /// Where the last sample began.
    begin: Option<Snapshot>,
    /// Whether samples say what the machine's parts did.
    looks_inside: bool,
}

impl PreparedModel {
    /// # Errors
    /// When the workload does not fit the machine, nothing moves on it, or `stop` is raised.
    pub(crate) fn new(
        hardware: &Hardware,
        blueprint: &Blueprint,
        workload: &Workload,
        seed: u64,
        stop: &StopFlag,
    ) -> Result<Self, EngineError> {
        stop.check()?;
        let WorkerRoles { members, requesters, page } = WorkerRoles::new(hardware, workload, seed)?;
        let backing = Backing {
            page,
            huge_share: Some(1.0),
            placed_share: Some(1.0),
            pages_checked: 0,
            ..Backing::default()
        };
        let small = Backing { huge_share: Some(0.0), ..backing.clone() };
        let backing = if page >= Bytes::mib(2) { backing } else { small };
        let mut simulation = Simulation::new(hardware, blueprint, requesters, stop)?;
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        simulation.put_off_refreshes(random.next_u64());
        simulation.begin();
        let activities: Vec<Activity> = workload.workers.iter().map(|worker| worker.activity).collect();
        let streams = members.iter().zip(&activities).filter_map(|pair| match pair {
            (&Member::Simulated(rank), Activity::Kernel { .. }) => Some(rank),
            _ => None,
        });
        let mut prepared = Self {
            simulation,
            parts: Arc::clone(&blueprint.parts),
            streams: streams.collect(),
            members,
            activities,
            backing: vec![backing; workload.workers.len()],
            window: Duration::from_micros(10),
            begin: None,
            looks_inside: true,
        };
        prepared.warm_up(refresh_interval(hardware), &mut random)?;
        Ok(prepared)
    }

    /// Events simulated so far.
    pub fn events(&self) -> u64 {
        self.simulation.events()
    }

    /// Lines fetched or written so far, warm-up included.
    pub fn lines(&self) -> u64 {
        self.simulation.completed()
    }

    /// Runs for a few intervals in which every foreground worker progresses. Whether that was long enough shows in what is sampled
    /// after it, best over several replications: the caller decides that.
    ///
    /// It ends at random. What a sample shows depends on when it begins, by a refresh or by a part of the lines that come together: replications
    /// that all began at the same point would agree on a value that is off.
    fn warm_up(&mut self, refresh: Ticks, random: &mut Pcg64Mcg) -> Result<(), EngineError> {
        let simulation = &mut self.simulation;
        let followed: Vec<usize> = simulation.followed().collect();
        if followed.is_empty() {
            return Ok(());
        }
        let rounds = followed.iter().filter_map(|&rank| simulation.requesters()[rank].pieces.as_ref());
        let round = rounds.map(Pieces::round).max().unwrap_or(0);
        // Until the warm-up ends, each worker has been in all of its places.
        let enough = LINES_IN_INTERVAL.max(round.div_ceil(u64::from(INTERVALS)));
        let mut interval = SHORTEST;
        let mut intervals = 0;
        let mut rate = 0.0;
        while intervals < INTERVALS {
            let steps = |simulation: &Simulation, rank: usize| simulation.requesters()[rank].done.steps();
            let before: Vec<u64> = followed.iter().map(|&rank| steps(simulation, rank)).collect();
            simulation.run_until(simulation.now() + interval)?;
            let done = followed.iter().zip(before).map(|(&rank, before)| steps(simulation, rank) - before);
            let slowest = done.min().unwrap_or(0);
            if slowest < enough {
                if interval > STANDSTILL {
                    return Err(EngineError::System {
                        call: "simulating",
                        reason: "a worker completes no lines".to_owned(),
                    });
                }
                interval *= 2;
                intervals = 0;
                continue;
            }
            intervals += 1;
            // The latest intervals count most.
            rate += (slowest as f64 / interval as f64 - rate) / f64::from(intervals.min(INTERVALS / 2));
        }
        let (least, most) = LINES_OF_EACH.into_inner();
        let lines = ((LINES_OF_ALL / followed.len()).clamp(least, most) as u64).max(ROUNDS * round);
        let mut window = (lines as f64 / rate) as Ticks;
        // Whole intervals have the same number of refreshes, whenever they begin. Streams that come to several places have their own rounds.
        if refresh > 0 && round == 0 {
            window = (window + refresh / 2) / refresh * refresh;
            window = window.max(refresh);
        }
        self.window = Duration::from_secs_f64(nanoseconds(window).get() / 1e9);
        simulation.run_until(simulation.now() + below(random, window / LATEST_BEGINNING))
    }
}

/// The longest interval between refreshes of a channel; 0 if nothing is refreshed.
fn refresh_interval(hardware: &Hardware) -> Ticks {
    let refreshes = hardware.channels.iter().filter_map(|channel| channel.parameters.refresh);
    refreshes.map(|refresh| ticks(refresh.every)).max().unwrap_or(0)
}

impl Prepared for PreparedModel {
    fn backing(&self) -> &[Backing] {
        &self.backing
    }

    fn warnings(&self) -> &[Warning] {
        &[]
    }

    fn window(&self) -> Option<Duration> {
        Some(self.window)
    }

    fn leave_parts_out(&mut self) {
        self.looks_inside = false;
    }

    fn sample(&mut self, window: Duration) -> Result<Sample, EngineError> {
        self.begin = None;
        self.extend(window)
    }

    fn extend(&mut self, window: Duration) -> Result<Sample, EngineError> {
        let length = ((window.as_secs_f64() * 16e9).round() as Ticks).max(1);
        let snapshot = |simulation: &Simulation| Snapshot::of(simulation, self.looks_inside);
        let before = &*self.begin.get_or_insert_with(|| snapshot(&self.simulation));
        self.simulation.run_until(self.simulation.now() + length)?;
        let after = snapshot(&self.simulation);
        #[cfg(debug_assertions)]
        self.simulation.audit();
        let window = seconds(after.now - before.now);
        let streams = last_line(&after, &self.streams) - last_line(before, &self.streams);
        let workers = self.members.iter().zip(&self.activities).map(|(member, activity)| {
            let progress = match *member {
                Member::Supplier => Progress::default(),
                Member::Cached(step) => {
                    Progress { steps: window.get() * 1e9 / step.get(), ..Progress::default() }
                }
                Member::Simulated(rank) => progress(*activity, rank, before, &after, streams),
            };
            WorkerSample { in_window: progress, own: progress, own_time: window, ..WorkerSample::default() }
        });
        Ok(Sample {
            window,
            workers: workers.collect(),
            inside: after.inside_since(before, &self.parts),
            ..Sample::default()
        })
    }
}

/// When the latest line of any of these requesters came, before a snapshot.
fn last_line(snapshot: &Snapshot, requesters: &[u16]) -> Ticks {
    requesters.iter().map(|&rank| snapshot.workers[usize::from(rank)].last_line).max().unwrap_or(0)
}

/// What a requester did between two snapshots. Counting whole lines at the edges would make a short sample coarse: a chase counts from its last line
/// before the first snapshot to its last line before the second, and streams from the last line of any of them, in the `streams` ticks between.
/// A stream gets several lines at once now and then, but many together hardly ever pause.
fn progress(activity: Activity, rank: u16, before: &Snapshot, after: &Snapshot, streams: Ticks) -> Progress {
    let (first, last) = (&before.workers[usize::from(rank)], &after.workers[usize::from(rank)]);
    let steps = last.done.steps() - first.done.steps();
    if steps == 0 {
        return Progress::default();
    }
    let interval = (after.now - before.now) as f64;
    let at_rate = |between: Ticks| interval / (between as f64).max(1.0);
    let lines = |count: u64| Bytes((count as f64 * 64.0 * at_rate(streams)).round() as u64);
    let steps = steps as f64 * at_rate(last.last_line - first.last_line);
    match activity {
        Activity::Kernel { .. } => Progress {
            bytes: lines(last.done.asked() - first.done.asked()),
            bus_bytes: lines(last.done.bus() - first.done.bus()),
            steps: 0.0,
        },
        Activity::Chase { chains, .. } => {
            Progress { steps: steps / f64::from(chains.max(1)), ..Progress::default() }
        }
        Activity::TimedChase { .. } | Activity::LineTransfer { .. } => {
            Progress { steps, ..Progress::default() }
        }
    }
}
