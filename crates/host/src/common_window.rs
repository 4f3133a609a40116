//! The parts of a window in which all workers really ran.
//!
//! A worker that loses its CPU logs no mark until it gets it back, so its next mark is late. Such gaps are cut out of the
//! window of all workers: what the others did meanwhile was done under less load. No system call is needed to find them.

use crate::progress_log::{ProgressLog, Window};

/// A mark that comes later than this number of usual distances shows that the worker did not run in between. Memory that is
/// slow for a moment does not delay half a millisecond of work that much; a scheduler takes a CPU for milliseconds.
const LATE: u64 = 3;

/// Fewer whole stretches between marks say nothing about their distribution.
const FEWEST_STRETCHES: usize = 5;

/// Parts of a window, in ascending order, without overlap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parts(Vec<Window>);

/// Times of one step, over the whole stretches between marks, in ticks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct StepTicks {
    pub(crate) median: f64,
    /// The value that a tenth of them do not exceed.
    pub(crate) quiet: f64,
}

impl Parts {
    /// The parts of a window without the gaps of these workers.
    pub(crate) fn of<'a>(window: Window, logs: impl IntoIterator<Item = &'a ProgressLog>) -> Self {
        let mut gaps: Vec<Window> = logs.into_iter().flat_map(gaps).collect();
        gaps.sort_by_key(|gap| gap.start);
        let mut parts = Vec::new();
        let mut start = window.start;
        for gap in gaps {
            if gap.start.min(window.end) > start {
                parts.push(Window { start, end: gap.start.min(window.end) });
            }
            start = start.max(gap.end);
        }
        if start < window.end {
            parts.push(Window { start, end: window.end });
        }
        Self(parts)
    }

    /// The whole window as one part.
    pub(crate) fn whole(window: Window) -> Self {
        Self(vec![window])
    }

    /// Their total length in ticks.
    pub(crate) fn ticks(&self) -> u64 {
        self.0.iter().map(|part| part.ticks()).sum()
    }

    /// Work done inside them.
    pub(crate) fn work(&self, log: &ProgressLog) -> f64 {
        // A sum of nothing would be a negative zero.
        self.0.iter().fold(0.0, |sum, &part| sum + log.inside(part))
    }

    /// The time of a step between marks that are inside one part; `None` if there are too few.
    pub(crate) fn step_ticks(&self, log: &ProgressLog) -> Option<StepTicks> {
        let within = |stretch: Window| {
            self.0.iter().any(|part| part.start <= stretch.start && stretch.end <= part.end)
        };
        let whole = log.stretches().filter(|&(stretch, done)| done > 0 && within(stretch));
        let mut times: Vec<f64> = whole.map(|(stretch, done)| stretch.ticks() as f64 / done as f64).collect();
        if times.len() < FEWEST_STRETCHES {
            return None;
        }
        times.sort_by(f64::total_cmp);
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
        Some(StepTicks { median: at(0.5), quiet: at(0.1) })
    }
}

/// The stretches between marks in which the worker did not run all the time.
fn gaps(log: &ProgressLog) -> Vec<Window> {
    let mut lengths: Vec<u64> = log.stretches().map(|(stretch, _)| stretch.ticks()).collect();
    if lengths.len() < FEWEST_STRETCHES {
        // The last one may be shorter, because the window ended: it shows nothing.
        lengths.pop();
    }
    lengths.sort_unstable();
    // Half of many stretches are of the usual length; of a few, the shortest is the least likely to contain a gap.
    let rank = if lengths.len() < FEWEST_STRETCHES { 0 } else { lengths.len() / 2 };
    let Some(&usual) = lengths.get(rank) else { return Vec::new() };
    let usual = usual.max(1);
    let late = |stretch: &Window| stretch.ticks() > LATE * usual;
    log.stretches().map(|(stretch, _)| stretch).filter(late).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress_log::Mark;

    /// A log with marks at these ticks, ten steps after each other.
    fn log(ticks: &[u64]) -> ProgressLog {
        let mut log = ProgressLog::new();
        for (number, &tick) in ticks.iter().enumerate() {
            let mark = Mark { tick, done: 10 * number as u64 };
            if number == 0 { log.restart(mark) } else { log.push(mark) }
        }
        log
    }

    const WINDOW: Window = Window { start: 0, end: 1400 };

    #[test]
    fn a_worker_that_always_ran_keeps_the_whole_window() {
        let steady = log(&[0, 100, 200, 310, 400, 500, 590, 700, 1400 - 500, 1000, 1100, 1200, 1300, 1400]);
        let parts = Parts::of(WINDOW, [&steady]);
        assert_eq!(parts, Parts(vec![WINDOW]));
        assert_eq!(parts.work(&steady), 130.0);
    }

    #[test]
    fn the_time_without_a_cpu_is_cut_out_for_all_workers() {
        // Eight hundred ticks pass between two marks.
        let paused = log(&[0, 100, 200, 300, 400, 1200, 1300, 1400]);
        let steady = log(&(0..=14).map(|number| 100 * number).collect::<Vec<_>>());
        let parts = Parts::of(WINDOW, [&paused, &steady]);
        assert_eq!(parts, Parts(vec![Window { start: 0, end: 400 }, Window { start: 1200, end: 1400 }]));
        assert_eq!((parts.ticks(), parts.work(&paused), parts.work(&steady)), (600, 60.0, 60.0));
        let step = parts.step_ticks(&paused).unwrap();
        assert_eq!((step.median, step.quiet), (10.0, 10.0));
    }

    #[test]
    fn gaps_that_overlap_or_reach_beyond_the_window_are_cut_once() {
        let one = log(&[0, 100, 200, 300, 400, 500, 1000, 1100, 1200, 1300, 1400, 2400]);
        let other = log(&[0, 100, 200, 300, 400, 500, 600, 700, 1300, 1400, 1500, 1600]);
        let parts = Parts::of(WINDOW, [&one, &other]);
        assert_eq!(parts, Parts(vec![Window { start: 0, end: 500 }, Window { start: 1300, end: 1400 }]));
    }

    #[test]
    fn a_burst_moves_neither_the_median_nor_the_quiet_time_of_a_step() {
        // A tenth of the stretches are faster, two are twice as slow.
        let ticks = [80, 100, 100, 200, 100, 100, 100, 200, 100, 100];
        let mut at = 0;
        let marks: Vec<u64> = std::iter::once(0)
            .chain(ticks.map(|ticks| {
                at += ticks;
                at
            }))
            .collect();
        let log = log(&marks);
        let step = Parts::of(Window { start: 0, end: at }, [&log]).step_ticks(&log).unwrap();
        assert_eq!((step.median, step.quiet), (10.0, 8.0));
    }

    /// Marks of a worker that takes 100 ticks for a step and logs every 5000 ticks, half a millisecond of a slow counter, while a
    /// hypervisor takes its CPU for a fifth of the time, for 1.2 to 6 ms at once.
    fn stolen(seed: u64) -> ProgressLog {
        let mut state = seed;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / f64::from(1u32 << 31)
        };
        let mut log = ProgressLog::new();
        let mut slice = move || 12_000.0 + 48_000.0 * random();
        let (mut tick, mut done, mut owed, mut next) = (0.0, 0, 0.0, slice());
        log.restart(Mark { tick: 0, done });
        while tick < 250_000.0 {
            tick += 50.0 * 100.0;
            owed += 0.25 * 50.0 * 100.0;
            if owed > next {
                (tick, owed, next) = (tick + next, owed - next, slice());
            }
            done += 50;
            log.push(Mark { tick: tick as u64, done });
        }
        log
    }

    /// Samples of a busy host were too slow by the time that their worker did not run.
    #[test]
    fn whole_marks_give_the_time_of_a_step_though_a_fifth_of_the_time_is_stolen() {
        let mut slowest: f64 = 0.0;
        for seed in 0..200 {
            let (one, other) = (stolen(seed), stolen(seed + 1000));
            let window = Window { start: 0, end: 250_000 };
            let parts = Parts::of(window, [&one]);
            let step = parts.step_ticks(&one).unwrap();
            assert!((step.median - 100.0).abs() < 1.0 && (step.quiet - 100.0).abs() < 1.0, "{step:?}");
            let plain = 250_000.0 / one.inside(window);
            let mean = parts.ticks() as f64 / parts.work(&one);
            slowest = slowest.max(plain);
            assert!((mean - 100.0).abs() < 1.0, "{plain} {mean}");
            let both = Parts::of(window, [&one, &other]);
            let mean = both.ticks() as f64 / both.work(&other);
            assert!((mean - 100.0).abs() < 1.0, "{mean}");
        }
        assert!(slowest > 120.0, "without cutting, the same samples are wrong: {slowest}");
    }

    #[test]
    fn a_few_marks_have_no_distribution() {
        let few = log(&[0, 100, 1000]);
        let parts = Parts::of(WINDOW, [&few]);
        assert_eq!(parts.step_ticks(&few), None);
        let none = log(&[0, 900]);
        assert_eq!(Parts::of(WINDOW, [&none]), Parts(vec![WINDOW]));
    }

    /// Samples with fewer than five marks kept their gaps: a busy host had memory of 31,902 ns.
    #[test]
    fn the_time_without_a_cpu_is_cut_out_of_a_few_marks_too() {
        let few = log(&[0, 100, 200, 1300, 1320]);
        let parts = Parts::of(WINDOW, [&few]);
        assert_eq!(parts, Parts(vec![Window { start: 0, end: 200 }, Window { start: 1300, end: 1400 }]));
        // The end of the window shortens the last stretch, which is no measure of the others.
        let steady = log(&[0, 100, 205, 300, 310]);
        assert_eq!(Parts::of(WINDOW, [&steady]), Parts(vec![WINDOW]));
    }
}
