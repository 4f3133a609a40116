//! The fixed point: throughputs give queues, queues give waiting times, and these give throughputs.

use std::ops::RangeInclusive;

use zerohop_workload::{EngineError, StopFlag};

use super::bank::Users;
use super::class::{Class, Problem};
use super::followed_channels::Followed;
use super::mixing::Mixing;
use super::route::{Probes, Route};
use super::solution::{Answers, ChannelState, Credits, HomeState, RouteTimes, Solution, Times};
use super::station::Load;
use super::stations::{PathId, Stations};
use super::turns::Before;

/// Rounds after which the search for the fixed point gives up.
const MOST_ROUNDS: u32 = 1000;

/// A round that changes no class's time by more than this share is the last.
const STILL: f64 = 1e-4;

/// A search that settles soon does so within these rounds. After them values creep, so less may change in one round; and since
/// a round that changes nothing may be where an oscillation turns back, it takes some in a row.
const SOON: u32 = 40;
const STILL_LATER: f64 = 1e-5;
const IN_A_ROW: u32 = 5;

/// A search that has not settled by then has some value that creeps in every round while others swing about it, and extrapolation from
/// swings leads away. In these rounds, only every third is extrapolated: those between calm the swings. A. S. Banerjee,
/// P. Suryanarayana and J. E. Pask, "Periodic Pulay method for robust and efficient convergence acceleration of self-consistent
/// field iterations", Chemical Physics Letters 647, 2016. Searches that this does not settle take smaller steps between the two.
const CALMED: [RangeInclusive<u32>; 2] = [SOON + 1..=200, 601..=MOST_ROUNDS];
const EXTRAPOLATED: u32 = 3;

/// How many times channels are followed, at most. A walk is bounded (a few ms), so the stop flag is checked between
/// walks only.
const PASSES: u32 = 3;

/// Rounds of a window that are considered to find which bursts wait for which.
const MOST_WINDOWS: u32 = 8;

/// The load that a workload puts on a machine, and the state of its solution.
#[derive(Debug)]
pub(crate) struct Solver<'a> {
    pub(super) stations: &'a Stations,
    pub(super) classes: &'a [Class],
    pub(super) routes: &'a [Route],
    pub(super) probes: &'a [Probes],
    /// Paths in use, and the rank of each among them.
    pub(super) paths: Vec<PathId>,
    pub(super) rank_of: Vec<u32>,
    /// Wires in use, each with its queues in use.
    pub(super) wires: Vec<(usize, Vec<usize>)>,
    pub(super) followed: Followed,
    /// Scratch space for the queues before a wire.
    pub(super) before: Vec<Before>,
    pub(crate) solution: Solution,
}

impl<'a> Solver<'a> {
    pub(crate) fn new(problem: &'a Problem) -> Self {
        let Problem { classes, routes, probes, stations } = problem;
        let mut solver = Self {
            stations,
            classes,
            routes,
            probes,
            paths: Vec::new(),
            rank_of: vec![u32::MAX; stations.paths.len()],
            wires: Vec::new(),
            followed: Followed::default(),
            before: Vec::new(),
            solution: Solution::default(),
        };
        let mut used = vec![(false, false); routes.len()];
        for class in classes {
            for &(route, _) in &class.routes {
                let (fills, writes) = &mut used[route];
                *fills |= class.fills > 0.0;
                *writes |= class.dirty + class.past > 0.0;
            }
        }
        for (route, (fills, writes)) in routes.iter().zip(used) {
            route.of_fill().filter(|_| fills).for_each(|path| solver.use_path(path));
            route.of_write().filter(|_| writes).for_each(|path| solver.use_path(path));
        }
        for probes in probes {
            probes.edges().for_each(|path| solver.use_path(path));
            probes.branches.iter().filter_map(|branch| branch.1).for_each(|path| solver.use_path(path));
        }
        let mut queues: Vec<(usize, usize)> = Vec::new();
        for &path in &solver.paths {
            queues.extend(stations.legs(path).iter().map(|leg| (leg.wire, leg.queue)));
        }
        queues.sort_unstable();
        queues.dedup();
        for (wire, queue) in queues {
            match solver.wires.last_mut() {
                Some((last, queues)) if *last == wire => queues.push(queue),
                _ => solver.wires.push((wire, vec![queue])),
            }
        }
        let lanes = stations.lanes.len();
        let channels = stations.channels.iter().enumerate().map(|(rank, _)| ChannelState {
            users: solver.streams(rank),
            writers: solver.writers(rank),
            ..ChannelState::default()
        });
        solver.solution = Solution {
            throughput: vec![0.0; classes.len()],
            times: vec![Times::default(); classes.len()],
            fills: vec![0.0; solver.routes.len()],
            writes: vec![0.0; solver.routes.len()],
            path_rates: vec![0.0; solver.paths.len()],
            path_ends: vec![0.0; solver.paths.len()],
            loads: vec![Load::default(); 2 * lanes],
            queues: vec![0.0; 2 * lanes],
            held: vec![0.0; lanes],
            buffer_waits: vec![0.0; lanes],
            credits: vec![Credits::default(); stations.wires.len()],
            homes: vec![HomeState::default(); stations.homes.len()],
            channels: channels.collect(),
            answers: vec![Answers::default(); solver.probes.len()],
            route_times: vec![RouteTimes::default(); solver.routes.len()],
            rounds: 0,
            settled: false,
        };
        solver
    }

    fn use_path(&mut self, path: PathId) {
        let rank = &mut self.rank_of[path.0 as usize];
        if *rank == u32::MAX {
            *rank = self.paths.len() as u32;
            self.paths.push(path);
        }
    }

    /// The users of one channel of a station.
    fn streams(&self, channel: usize) -> Users {
        let (mut streams, mut written) = (0.0, 0.0);
        for class in self.classes {
            let here = class.routes.iter().filter(|&&(route, _)| self.routes[route].channel == Some(channel));
            // A stream is in one place at a time.
            let workers = class.workers * here.map(|route| route.1).sum::<f64>();
            streams += workers * class.streams;
            written += if class.dirty + class.past > 0.0 { workers } else { 0.0 };
        }
        let channel = &self.stations.channels[channel];
        channel.banks.users(streams, written, channel.batch)
    }

    /// Lines that can be in flight as writes to one channel of a station.
    fn writers(&self, channel: usize) -> f64 {
        let count = self.stations.channels[channel].count;
        let of = |class: &Class| {
            let here = class.routes.iter().filter(|&&(route, _)| self.routes[route].channel == Some(channel));
            let dirty = if class.dirty > 0.0 { class.evictions } else { 0.0 };
            let past = if class.past > 0.0 { class.combining } else { 0.0 };
            class.workers * (dirty + past) * here.map(|route| route.1).sum::<f64>() / count
        };
        self.classes.iter().map(of).sum()
    }

    /// Finds the fixed point.
    ///
    /// # Errors
    /// When `stop` is raised before it is found.
    pub(crate) fn solve(&mut self, stop: &StopFlag) -> Result<(), EngineError> {
        self.begin();
        self.settle(stop)?;
        for _ in 0..PASSES {
            if !self.solution.settled || !self.follow() {
                break;
            }
            self.settle(stop)?;
        }
        Ok(())
    }

    /// Continues from the current solution until nothing changes any more.
    fn settle(&mut self, stop: &StopFlag) -> Result<(), EngineError> {
        let (mut given, mut made) = (Vec::new(), Vec::new());
        self.solution.settled = false;
        let before = self.solution.rounds;
        self.gather(&mut given);
        let mut mixing = Mixing::new(given.len());
        let mut still = 0;
        for round in 1..=MOST_ROUNDS {
            stop.check()?;
            self.times_of_routes();
            let change = self.throughputs();
            self.solution.rounds = before + round;
            if !self.solution.throughput.iter().all(|rate| rate.is_finite()) {
                // The search has left the range of valid times: there is nothing to continue from.
                break;
            }
            // The effect of the first round on the banks shows in the second.
            let (limit, wanted) = if round > SOON { (STILL_LATER, IN_A_ROW) } else { (STILL, 1) };
            still = if change < limit && round > 1 { still + 1 } else { 0 };
            if still >= wanted {
                self.solution.settled = true;
                break;
            }
            self.loads();
            self.waits();
            self.gather(&mut made);
            let calmed = CALMED.iter().any(|rounds| rounds.contains(&round));
            let pull = match round {
                201..=280 => 0.5,
                281..=500 => 0.2,
                501..=600 => 0.05,
                _ => 1.0,
            };
            if round > SOON && round % SOON == 1 {
                mixing.forget();
            }
            mixing.record(&given, &made, pull);
            if !calmed || round % EXTRAPOLATED == 0 {
                mixing.extrapolate(&given, &mut made, pull);
                self.scatter(&made);
            }
            std::mem::swap(&mut given, &mut made);
        }
        Ok(())
    }

    /// Collects all that a round begins with.
    fn gather(&mut self, values: &mut Vec<f64>) {
        values.clear();
        self.each_value(&mut |value| values.push(*value));
    }

    /// Sets what [`Self::gather`] gathers.
    fn scatter(&mut self, values: &[f64]) {
        let mut values = values.iter();
        self.each_value(&mut |value| *value = values.next().copied().unwrap_or_default());
    }

    /// Visits every value that one round passes to the next.
    fn each_value(&mut self, take: &mut impl FnMut(&mut f64)) {
        let solution = &mut self.solution;
        for &(wire, ref queues) in &self.wires {
            queues.iter().for_each(|&queue| take(&mut solution.queues[queue]));
            for (place, &queue) in queues.iter().enumerate() {
                if place == 0 || queues[place - 1] / 2 != queue / 2 {
                    take(&mut solution.buffer_waits[queue / 2]);
                }
            }
            take(&mut solution.credits[wire].each);
        }
        for home in &mut solution.homes {
            take(&mut home.slot_wait);
            home.room_wait.iter_mut().for_each(&mut *take);
        }
        for channel in &mut solution.channels {
            channel.each_value(take);
        }
    }

    /// Computes new throughputs; returns the largest relative change.
    pub(super) fn throughputs(&mut self) -> f64 {
        let mut change: f64 = 0.0;
        for (rank, class) in self.classes.iter().enumerate() {
            let new = self.times_of_class(rank, class);
            let old = std::mem::replace(&mut self.solution.times[rank], new);
            for (old, new) in [(old.fill, new.fill), (old.past, new.past), (old.write_back, new.write_back)] {
                change = change.max((new - old).abs() / new);
            }
        }
        for (rank, class) in self.classes.iter().enumerate() {
            let new = self.throughput(rank, class);
            let old = self.solution.throughput[rank];
            change = change.max((new / old.max(1e-12) - 1.0).abs());
            self.solution.throughput[rank] = new;
        }
        change
    }
    pub(super) fn throughput(&self, rank: usize, class: &Class) -> f64 {
        let times = &self.solution.times[rank];
        let mut each = f64::INFINITY;
        if let Some(partner) = class.partner {
            // The two workers take turns with one line.
            return 1.0 / (times.fill + self.solution.times[partner].fill);
        }
        // Lines of a pattern are issued in its order, so a worker waits alternately for whichever resource is short:
        // both together count for more than the scarcer one.
        let fills = class.fills * times.fill / class.window;
        let past = class.past * times.past / class.combining;
        let back = class.dirty * times.write_back / class.evictions;
        let lines = if past > 0.0 { (fills.powi(4) + past.powi(4)).sqrt().sqrt() } else { fills };
        let all = if back > 0.0 { libm::cbrt((lines.powi(6) + back.powi(6)).sqrt()) } else { lines };
        each = each.min(1.0 / all);
        if class.pace.spacing() > 0.0 {
            each = each.min(1.0 / class.pace.spacing());
        }
        if let Some((pause, lines)) = class.pace.pause {
            let fills = in_bursts(lines * class.fills, class.window, times.fill, pause) * class.fills;
            let past = in_bursts(lines * class.past, class.combining, times.past, pause) * class.past;
            let alone = pause / lines + (lines - 1.0) / lines * class.pace.issue;
            // Pauses vary, and so does which resource is short.
            let all = [1.0 / each, alone, fills, past].map(|time| time.powi(12)).iter().sum::<f64>();
            each = 1.0 / libm::cbrt(all.sqrt().sqrt());
        }
        class.workers * each * self.followed.factor(rank)
    }
}

/// Time of a line when lines are issued in bursts of `lines` with a pause after each, and `window` may be in flight.
///
/// A line starts when the line one window before it is done, and a burst after its pause: after that many rounds of
/// the window, the next burst waits for the end of the burst that the last round ends in.
fn in_bursts(lines: f64, window: f64, time: f64, pause: f64) -> f64 {
    if lines <= 0.0 {
        return 0.0;
    }
    let of = |rounds: u32| {
        let rounds = f64::from(rounds);
        (rounds * time + pause) / (((rounds * window + 1.0) / lines).ceil() * lines)
    };
    (1..=MOST_WINDOWS).map(of).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::in_bursts;

    #[test]
    fn a_burst_waits_for_the_lines_a_window_before_it() {
        let of = |window: f64, time: f64, pause: f64| in_bursts(8.0, window, time, pause);
        // Three rounds of two lines until the seventh and eighth line of a burst may start, and then the pause.
        assert!((of(2.0, 100.0, 150.0) - (3.0 * 100.0 + 150.0) / 8.0).abs() < 1e-9);
        // With 22 in flight, the last line of a burst waits for one of the burst before last: three bursts in a
        // round, and a pause.
        assert!((of(22.0, 250.0, 65.0) - (250.0 + 65.0) / 24.0).abs() < 1e-9);
        // Without pauses, a window takes a round.
        assert!((of(16.0, 160.0, 0.0) - 10.0).abs() < 10.0 / 8.0);
        assert_eq!(in_bursts(0.0, 8.0, 100.0, 50.0), 0.0);
    }
}
