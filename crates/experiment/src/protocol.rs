//! Sampling protocol: length and number of samples, sufficient width of the interval, and available time.

use std::time::Duration;

use zerohop_units::Bytes;

use crate::{Effort, Options};

/// Factor that determines the length of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// A chase through memory: about ten loads a microsecond.
    MemoryLatency,
    /// A chase through a cache: hundreds of loads a microsecond.
    CacheLatency,
    /// A kernel, which should pass over its whole buffer.
    Bandwidth,
    /// A line bouncing between two cores.
    LineTransfer,
}

/// Sampling of one cell.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Protocol {
    /// A cell is done at this half width of the interval, relative to the median.
    pub(crate) interval: f64,
    /// Undisturbed samples that a cell needs: at least six for an interval of 95 % confidence between two samples, and rounds
    /// that agree by chance are rare.
    pub(crate) enough: usize,
    /// Samples after which a cell is done whatever its interval.
    pub(crate) most: usize,
    /// Maximum number of times that the observation of a simulation is doubled.
    pub(crate) most_doublings: u32,
    /// Number of lines of all workers after which the observation of a simulated cell is not extended, regardless of its interval: a chase with many
    /// readers costs thousands of times as much as one alone.
    pub(crate) most_lines: u64,
    /// The longest sampling time of one cell.
    pub(crate) cell_time: Duration,
    /// Time for everything, if the user set one.
    pub(crate) budget: Option<Duration>,
    /// CPU time that the cgroup allows, in CPUs, if it limits it.
    pub(crate) cpu_quota: Option<f64>,
    /// Determines the order of measurements in each round.
    pub(crate) seed: u64,
    /// Drift of values between runs beyond what the rounds of one run see: the standard deviation of their logarithm.
    pub(crate) unseen_drift: Option<f64>,
    /// Whether cells about the machine's inside are requested.
    pub(crate) detail: bool,
    window: Option<Duration>,
    effort: Effort,
    /// The rate at which memory is filled and chains are built, in bytes a second.
    prepared_per_second: f64,
}

/// The minimum number of rounds in which every cell is visited, however little time there is.
pub(crate) const FEWEST: usize = 4;

/// The least drift between runs on a virtual machine. Its hypervisor moves it between cores, and its neighbors come and go, both for
/// minutes at a time. Chosen on six records of repeated runs: see docs/method.md.
pub(crate) const VIRTUAL_DRIFT: f64 = 0.025;

/// Drift of the spread of core-to-core latency over cache lines. It is a small difference of these times: a few ns of 40 are a third of 12. Measured
/// in the same way.
pub(crate) const VIRTUAL_SPREAD_DRIFT: f64 = 0.3;

/// Minimum drift between runs on a virtual machine, relative to the variation of the rounds of one run: neighbors come and go at all time scales, so
/// if a run sees much of that, the next one sees another part of it. Chosen on the same records.
pub(crate) const VIRTUAL_DRIFT_OF_ROUNDS: f64 = 1.0;

/// Samples after which a cell is done even if the user set a budget that allows more.
const MOST_OF_A_BUDGET: usize = 10_000;

/// The same for doublings.
const DOUBLINGS_OF_A_BUDGET: u32 = 10;

/// Intervals from here on are usually known after half of the time; where not, it is added as ever.
const WIDE: f64 = 0.1;

/// The rate at which memory is filled and chains are built on a quiet host, a conservative guess to estimate the time of plans: 2 GiB/s.
const PREPARED_PER_SECOND: f64 = (2u64 << 30) as f64;

/// The cost of placing workers, besides filling memory.
const SET_UP: Duration = Duration::from_millis(2);

/// The cost of a sample besides its window.
const SAMPLE: Duration = Duration::from_millis(2);

/// The time that a budget leaves for statistics, the result's file and its page.
const CLOSING: Duration = Duration::from_millis(250);

impl Protocol {
    /// The protocol that the options ask for.
    pub(crate) fn new(options: &Options) -> Self {
        let (interval, enough, mut most, mut cell_time) = match options.effort {
            Effort::Quick => (0.01, 7, 200, Duration::from_secs(4)),
            Effort::Full => (0.005, 11, 200, Duration::from_secs(5)),
        };
        let (mut most_doublings, mut most_lines) = match options.effort {
            Effort::Quick => (4, 2_000_000),
            Effort::Full => (6, 32_000_000),
        };
        if options.budget.is_some() {
            // The user decides how long it may take.
            (most, cell_time) = (MOST_OF_A_BUDGET, Duration::MAX);
            (most_doublings, most_lines) = (DOUBLINGS_OF_A_BUDGET, u64::MAX);
        }
        Self {
            interval: options.interval.unwrap_or(interval),
            enough,
            most,
            most_doublings,
            most_lines,
            cell_time,
            budget: options.budget,
            cpu_quota: None,
            seed: options.seed,
            unseen_drift: None,
            detail: options.detail,
            window: options.window,
            effort: options.effort,
            prepared_per_second: PREPARED_PER_SECOND,
        }
    }

    /// Records the time to fill this much memory: a busy host fills more slowly than a quiet one, and one that requests pages from its hypervisor
    /// fills little memory faster than much. The slowest counts.
    pub(crate) fn saw_filling(&mut self, memory: Bytes, time: Duration) {
        let rate = memory.get() as f64 / time.as_secs_f64();
        self.prepared_per_second = rate.min(self.prepared_per_second).max(1.0);
    }

    /// Time to fill this much memory of one node.
    pub(crate) fn preparation(&self, memory: Bytes) -> Duration {
        Duration::from_secs_f64(memory.get() as f64 / self.prepared_per_second)
    }

    /// The memory that can be prepared in that time.
    pub(crate) fn prepared_within(&self, time: Duration) -> Bytes {
        Bytes((time.as_secs_f64() * self.prepared_per_second) as u64)
    }

    /// Time of one sample.
    pub(crate) fn window(&self, pace: Pace) -> Duration {
        let quick = match pace {
            Pace::MemoryLatency => 25,
            Pace::CacheLatency => 10,
            Pace::Bandwidth => 30,
            Pace::LineTransfer => 5,
        };
        let factor = if self.effort == Effort::Full { 2 } else { 1 };
        self.window.unwrap_or(Duration::from_millis(quick * factor))
    }

    /// The window with which a cell can take enough samples in its time: that of the pace, or down to a quarter of it; of bandwidth to a third,
    /// because STREAM reads 3 % less in 5 ms than in 10 or 25 (`peers/windows`).
    /// A window chosen by the user, or by an engine that knows better, is not changed.
    pub(crate) fn window_within(&self, pace: Pace, engine: Option<Duration>, time: Duration) -> Duration {
        if let Some(known) = self.window.or(engine) {
            return known;
        }
        let own = self.window(pace);
        let affordable = (time / self.enough as u32).saturating_sub(SAMPLE);
        let shortest = if pace == Pace::Bandwidth { own / 3 } else { own / 4 };
        affordable.clamp(shortest, own)
    }

    /// The window that a simulation's replications begin with: half of what its engine wants where a wide interval is enough.
    pub(crate) fn first_window(&self, pace: Pace, engine: Option<Duration>) -> Duration {
        let whole = self.window_within(pace, engine, Duration::MAX);
        if self.window.is_none() && self.interval >= WIDE { whole / 2 } else { whole }
    }

    /// Time that a cell takes if its first samples are good and its buffers are ready.
    pub(crate) fn sampling(&self, pace: Pace) -> Duration {
        (self.window(pace) + SAMPLE + SET_UP) * self.enough as u32
    }

    /// Time that a visit to a cell takes whose samples have `time` in all, once its memory is filled.
    pub(crate) fn visit(&self, pace: Pace, time: Duration) -> Duration {
        self.window_within(pace, None, time) + SAMPLE + SET_UP
    }

    /// Time that the fewest visits to a cell take, with the shortest samples.
    pub(crate) fn fewest_visits(&self, pace: Pace) -> Duration {
        self.visit(pace, Duration::ZERO) * FEWEST as u32
    }

    /// The longest time for a whole survey of this many nodes, up to a limit: a quick one takes a minute, and more from the third node on. It ends
    /// earlier where all intervals are as narrow as requested.
    pub(crate) fn survey_time(&self, nodes: usize) -> Duration {
        let nodes = u32::try_from(nodes).unwrap_or(u32::MAX).max(1);
        let (first, each, limit, further) = match self.effort {
            Effort::Quick => (60, 20, 100, nodes.saturating_sub(2)),
            Effort::Full => (180, 180, 1200, nodes - 1),
        };
        let time =
            Duration::from_secs(first).saturating_add(Duration::from_secs(each).saturating_mul(further));
        self.time_to_measure().unwrap_or(time.min(Duration::from_secs(limit)))
    }

    /// The time of a budget in which measurements may take place: the rest is for the result and its page.
    pub(crate) fn time_to_measure(&self) -> Option<Duration> {
        self.budget.map(|budget| budget - (budget / 20).min(CLOSING))
    }

    /// Time for one experiment by itself.
    pub(crate) fn single_time(&self) -> Duration {
        self.time_to_measure().unwrap_or(match self.effort {
            Effort::Quick => Duration::from_secs(60),
            Effort::Full => Duration::from_secs(1200),
        })
    }
}

/// Allowed excess over a forecast, in steps, if the machine is too busy for the minimum number of visits.
pub(crate) fn overrun(time: Duration) -> Duration {
    (time / 2).max(Duration::from_secs(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_time_shortens_samples_but_not_indefinitely() {
        let protocol = Protocol::new(&Options::new(Effort::Quick));
        let window =
            |millis| protocol.window_within(Pace::MemoryLatency, None, Duration::from_millis(millis));
        assert_eq!(window(1000), Duration::from_millis(25));
        assert_eq!(window(70), Duration::from_millis(8));
        assert_eq!(window(0), Duration::from_micros(6250));
    }

    #[test]
    fn a_requested_window_is_kept() {
        let options = Options { window: Some(Duration::from_millis(80)), ..Options::new(Effort::Quick) };
        let protocol = Protocol::new(&options);
        let engine = Some(Duration::from_micros(5));
        assert_eq!(
            protocol.window_within(Pace::LineTransfer, engine, Duration::ZERO),
            Duration::from_millis(80)
        );
    }

    #[test]
    fn a_window_that_the_engine_chooses_is_used() {
        let protocol = Protocol::new(&Options::new(Effort::Quick));
        let engine = Some(Duration::from_micros(5));
        assert_eq!(protocol.window_within(Pace::Bandwidth, engine, Duration::MAX), Duration::from_micros(5));
    }

    #[test]
    fn a_quick_survey_keeps_its_promises() {
        let protocol = Protocol::new(&Options::new(Effort::Quick));
        assert!(protocol.survey_time(1) <= Duration::from_secs(60));
        assert!(protocol.survey_time(2) <= Duration::from_secs(60));
        assert!(protocol.survey_time(24) <= Duration::from_secs(120));
    }
}
