//! A pilot of loaded latency: it finds delays at which the load reaches evenly spaced bandwidths.
//!
//! Equal delays mean different loads on different machines: delays that show the knee of the curve for two cores miss it for sixty, and writes
//! saturate a memory sooner than reads. So each load runs at a few delays first, on a host as on a model, and the pilot interpolates.

use std::time::Duration;

use zerohop_units::Bytes;
use zerohop_workload::{Engine, Kernel, Role};

use crate::budget::memory;
use crate::chaser::chaser;
use crate::plans::loaded_latency;
use crate::scope::Scope;
use crate::{Effort, Observer};

/// Delays that the pilot tries, in cycles: from full load to almost none.
const TRIED: [u32; 7] = [0, 30, 100, 300, 1000, 3000, 20_000];

/// Points between the lightest and the heaviest load.
const fn points(effort: Effort) -> usize {
    match effort {
        Effort::Quick => 10,
        Effort::Full => 20,
    }
}

/// Time of one sample of a host.
const WINDOW: Duration = Duration::from_millis(10);

/// Samples of a host at each delay. The fastest counts: disturbances slow a load down.
const SAMPLES: usize = 2;

/// One part in this many of the time for everything may go to the pilot. On a quiet host, it takes about 0.2 s, besides filling the
/// memory that later measurements use.
const PART: u32 = 4;

/// If full load is less than this many times the lightest one, delays do not determine the load.
const LEAST_RANGE: f64 = 2.0;

/// Loads that reach this share of the heaviest one are limited by the memory, not by their delay.
const LIMITED: f64 = 0.97;

/// Memory that is filled to see how fast that is: 16 ms on a quiet host.
const FILLED: Bytes = Bytes::mib(32);

impl Scope {
    /// If the user has set a budget, measures the present filling rate of this host: on a busy one, gigabytes would take all of the budget.
    pub(crate) fn find_filling_rate(&mut self, engine: &mut dyn Engine, observer: &dyn Observer) {
        if self.simulated || self.protocol.budget.is_none() {
            return;
        }
        let initiator = &self.initiators[0];
        if self.capacity(self.home(initiator.node)) < FILLED {
            return;
        }
        let placement = self.local().placement(self, initiator.node);
        let workload = self.workload(vec![chaser(self.quiet_pu(initiator), placement, FILLED, 1)]);
        let began = observer.now();
        if engine.prepare(&workload).is_ok() {
            self.protocol.saw_filling(FILLED, observer.now().saturating_sub(began));
        }
    }

    /// Fills the memory of a load, which shows how fast much memory is filled: the buffers of what follows are as large as that allows.
    fn fill(&mut self, kernel: Kernel, engine: &mut dyn Engine, observer: &dyn Observer) {
        let Some(workload) = loaded_latency::workload(self, kernel, 0) else { return };
        // Nodes are filled in parallel.
        let filled = memory(&workload).into_values().max().unwrap_or_default();
        let began = observer.now();
        if engine.prepare(&workload).is_ok() && filled > Bytes(0) {
            let took = observer.now().saturating_sub(began).max(Duration::from_micros(1));
            self.protocol.saw_filling(filled, took);
        }
    }

    /// Finds the delays of loads with these kernels, on a host within a part of the time for everything. If that fails, they stay
    /// the usual ones, and the measurement itself will report why.
    pub(crate) fn find_delays(
        &mut self,
        kernels: &[Kernel],
        engine: &mut dyn Engine,
        observer: &dyn Observer,
    ) {
        let time = self.protocol.survey_time(self.nodes()) / PART;
        // A simulation needs no clock.
        let ends = (!self.simulated).then(|| observer.now().saturating_add(time));
        for &kernel in kernels {
            if self.simulated {
                // Whatever ran before on this engine, the delays are the same.
                engine.replicate(0);
            } else {
                let filled = loaded_latency::workload(self, kernel, 0).map(|workload| memory(&workload));
                let most = filled.into_iter().flatten().map(|(_, bytes)| bytes).max().unwrap_or_default();
                if self.protocol.budget.is_some() && self.protocol.preparation(most) > time {
                    return;
                }
            }
            if !self.simulated && self.protocol.budget.is_some() {
                self.fill(kernel, engine, observer);
            }
            let in_time = || ends.is_none_or(|ends| observer.now() < ends);
            let reached = reached(self, kernel, engine, in_time);
            let points = points(self.options.effort);
            let delays = reached.and_then(|reached| evenly(&reached, points));
            self.delays.extend(delays.map(|delays| (kernel, delays)));
        }
    }
}

/// The bandwidth of the load at each delay that is tried; `None` if there is no time for all.
fn reached(
    scope: &Scope,
    kernel: Kernel,
    engine: &mut dyn Engine,
    in_time: impl Fn() -> bool,
) -> Option<Vec<(u32, f64)>> {
    let mut at = |delay| {
        if !in_time() {
            return None;
        }
        let workload = loaded_latency::workload(scope, kernel, delay)?;
        let load =
            (0..workload.workers.len()).filter(|&rank| workload.workers[rank].role == Role::Background);
        let load: Vec<usize> = load.collect();
        let mut prepared = engine.prepare(&workload).ok()?;
        let (samples, window) = prepared.window().map_or((SAMPLES, WINDOW), |window| (1, window));
        let mut best: f64 = 0.0;
        for _ in 0..samples {
            best = best.max(prepared.sample(window).ok()?.bandwidth(load.iter().copied()).get());
        }
        (best > 0.0).then_some((delay, best))
    };
    let mut reached = TRIED.into_iter().map(&mut at).collect::<Option<Vec<_>>>()?;
    if let Some((rank, delay)) = bend(&reached) {
        reached.insert(rank, at(delay)?);
    }
    Some(reached)
}

/// The delay at which memory stops being the limit, and its rank, if that is between two delays that were tried: below it, a longer
/// one makes no difference, and above it, the time of a piece of work grows with it.
fn bend(reached: &[(u32, f64)]) -> Option<(usize, u32)> {
    let full = reached.first()?.1;
    let rank = reached.iter().position(|(_, bandwidth)| *bandwidth < LIMITED * full)?;
    let [(before, _), (near, more), (far, less)] = *reached.get(rank.checked_sub(1)?..rank + 2)? else {
        return None;
    };
    let growth = (1.0 / less - 1.0 / more) / f64::from(far - near);
    let delay = f64::from(near) - (1.0 / more - 1.0 / full) / growth;
    let is_between = growth > 0.0 && (f64::from(before) + 1.0..f64::from(near)).contains(&delay);
    is_between.then_some((rank, delay as u32))
}

/// Delays, ascending, at which bandwidths are evenly apart: none, the longest, and so many points between these. Between two delays
/// that were tried, the time of a piece of work, the inverse of bandwidth, grows linearly. `None` if delays do not determine
/// the load.
fn evenly(reached: &[(u32, f64)], points: usize) -> Option<Vec<u32>> {
    let (first, last) = (reached.first()?, reached.last()?);
    if first.1 < LEAST_RANGE * last.1 {
        return None;
    }
    // A longer delay never makes a load heavier: where it seems so, that is noise.
    let mut highest = f64::INFINITY;
    let falling: Vec<(f64, f64)> = reached
        .iter()
        .map(|&(delay, bandwidth)| {
            highest = highest.min(bandwidth);
            (f64::from(delay), 1.0 / highest)
        })
        .collect();
    let delay_for = |bandwidth: f64| {
        let time = 1.0 / bandwidth;
        let ends = falling.windows(2).find(|ends| ends[1].1 >= time)?;
        let ((from, least), (to, most)) = (ends[0], ends[1]);
        let share = if most > least { ((time - least) / (most - least)).clamp(0.0, 1.0) } else { 0.0 };
        Some((from + share * (to - from)).round() as u32)
    };
    let step = (first.1 - last.1) / (points + 1) as f64;
    let between = (1..=points).filter_map(|point| delay_for(first.1 - point as f64 * step));
    let mut delays: Vec<u32> = [first.0, last.0].into_iter().chain(between).collect();
    delays.sort_unstable();
    delays.dedup();
    Some(delays)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bandwidth of cores that need `own` cycles for a burst besides the delay, up to the limit of the memory.
    fn load(own: f64, limit: f64) -> impl Fn(u32) -> f64 {
        move |delay| (60.0 * 512.0 / (own + f64::from(delay))).min(limit)
    }

    #[test]
    fn points_are_evenly_apart_in_bandwidth_for_few_cores_and_for_many() {
        for (own, limit) in [(60.0, f64::INFINITY), (60.0, 150.0), (600.0, 40.0), (5.0, 20.0)] {
            let load = load(own, limit);
            let delays = evenly(&TRIED.map(|delay| (delay, load(delay))), 10).unwrap();
            assert!(delays.len() >= 10, "{delays:?}");
            assert_eq!((delays.first(), delays.last()), (Some(&0), Some(&20_000)));
            let reached: Vec<f64> = delays.iter().map(|&delay| load(delay)).collect();
            let gaps: Vec<f64> = reached.windows(2).map(|pair| pair[0] - pair[1]).collect();
            let even = (reached[0] - reached[reached.len() - 1]) / 11.0;
            assert!(gaps.iter().all(|gap| *gap < 2.5 * even), "{own} {limit}: {reached:?}");
        }
    }

    #[test]
    fn the_bend_is_found_between_two_delays() {
        let load = load(50.0, 120.0);
        let reached = TRIED.map(|delay| (delay, load(delay)));
        assert_eq!(bend(&reached), Some((3, 206)), "60 x 512 / 256 cycles is the limit");
        assert_eq!(bend(&TRIED.map(|delay| (delay, 16.0))), None);
        let many = [&reached[..3], &[(206, load(206))], &reached[3..]].concat();
        let delays = evenly(&many, 10).unwrap();
        assert!(delays.iter().filter(|&&delay| delay < 206).count() <= 2, "{delays:?}");
    }

    #[test]
    fn noise_does_not_turn_the_order_of_delays_around() {
        let noisy =
            [(0, 30.0), (30, 31.0), (100, 20.0), (300, 22.0), (1000, 6.0), (3000, 2.0), (20_000, 0.4)];
        let delays = evenly(&noisy, 10).unwrap();
        assert!(delays.windows(2).all(|pair| pair[0] < pair[1]) && delays.len() >= 9, "{delays:?}");
    }

    #[test]
    fn where_delays_do_not_matter_there_is_nothing_to_choose() {
        assert_eq!(evenly(&TRIED.map(|delay| (delay, 16.0)), 10), None);
        assert_eq!(evenly(&[], 10), None);
    }
}
