//! The progress of a plan, and the time that it still needs.

use std::time::Duration;

use zerohop_result::ExperimentName;

/// A plan's experiments, with the expected time of each and the progress so far.
#[derive(Debug, Default)]
pub struct Schedule {
    /// Experiments not started yet, in the order in which they will run.
    ahead: Vec<(ExperimentName, Duration)>,
    /// Expected time of the experiments in progress.
    current: Duration,
    /// Fraction of it that is done, 0 to 1.
    part: f64,
    /// Expected time of finished experiments.
    done: Duration,
    /// Latest end time, if known.
    latest: Option<Duration>,
    /// Whether expected times are absolute, and not only relative to each other.
    absolute: bool,
}

/// The time that a plan still needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeLeft {
    /// Estimated from its forecast and its pace so far.
    About(Duration),
    /// It ends earlier if intervals are narrow enough by then.
    AtMost(Duration),
}

impl Schedule {
    /// For experiments with these expected times, none of them started.
    pub fn of_times(experiments: &[(ExperimentName, Duration)]) -> Self {
        Self { ahead: experiments.to_vec(), absolute: true, ..Self::default() }
    }

    /// For experiments with expected times known only relative to each other, none of them started.
    pub fn of_shares(experiments: &[(ExperimentName, Duration)]) -> Self {
        Self { ahead: experiments.to_vec(), ..Self::default() }
    }

    /// Starts some experiments, which run in turns.
    pub fn begin<'a>(&mut self, experiments: impl IntoIterator<Item = &'a ExperimentName>) {
        self.finish();
        for experiment in experiments {
            if let Some(rank) = self.ahead.iter().position(|(ahead, _)| ahead == experiment) {
                // The experiments before it were skipped: their time will not be spent.
                self.current +=
                    self.ahead.drain(..=rank).next_back().map(|(_, time)| time).unwrap_or_default();
            }
        }
    }

    /// Records how many of their cells are done.
    pub fn reach(&mut self, cells: usize, of: usize) {
        self.part = if of == 0 { 0.0 } else { (cells as f64 / of as f64).min(1.0) };
    }

    /// Finishes the experiments in progress.
    pub fn finish(&mut self) {
        self.done += self.current;
        self.current = Duration::ZERO;
        self.part = 0.0;
        self.latest = None;
    }

    /// Sets the latest end time of the ones in progress, which end earlier if their intervals are narrow enough.
    pub const fn end_at(&mut self, latest: Duration) {
        self.latest = Some(latest);
    }

    /// Fraction of the plan that is done after `elapsed`, 0 to 1.
    pub fn share(&self, elapsed: Duration) -> f64 {
        if let Some(TimeLeft::AtMost(left)) = self.left(elapsed) {
            return elapsed.as_secs_f64() / (elapsed + left).as_secs_f64();
        }
        let total = self.spent() + self.remaining();
        if total > 0.0 { self.spent() / total } else { self.part }
    }

    /// Remaining time, given that the plan took `elapsed` so far. `None` while nothing is known.
    pub fn left(&self, elapsed: Duration) -> Option<TimeLeft> {
        // Early on, the pace is meaningless: the first buffers are still being filled.
        const TELLING: f64 = 0.1;
        if let Some(latest) = self.latest {
            return Some(TimeLeft::AtMost(latest.saturating_sub(elapsed) + self.ahead()));
        }
        let pace = match self.spent() / (self.spent() + self.remaining()) {
            share if share > 0.0 && (share >= TELLING || !self.absolute) => {
                elapsed.as_secs_f64() / self.spent()
            }
            _ if self.absolute => 1.0,
            _ => return None,
        };
        Some(TimeLeft::About(Duration::try_from_secs_f64(self.remaining() * pace).unwrap_or_default()))
    }

    /// Expected seconds of finished work.
    fn spent(&self) -> f64 {
        self.done.as_secs_f64() + self.current.as_secs_f64() * self.part
    }

    /// Expected seconds of remaining work.
    fn remaining(&self) -> f64 {
        self.ahead().as_secs_f64() + self.current.as_secs_f64() * (1.0 - self.part)
    }

    /// Expected time of experiments that have not started.
    fn ahead(&self) -> Duration {
        self.ahead.iter().map(|(_, time)| *time).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: [(ExperimentName, Duration); 3] = [
        (ExperimentName::known("latency-matrix"), Duration::from_secs(2)),
        (ExperimentName::known("stream"), Duration::from_secs(6)),
        (ExperimentName::known("mixes"), Duration::from_secs(2)),
    ];

    #[test]
    fn before_anything_ran_the_plan_is_all_that_is_known() {
        let schedule = Schedule::of_times(&PLAN);
        assert_eq!(schedule.share(Duration::ZERO), 0.0);
        assert_eq!(schedule.left(Duration::from_secs(3)), Some(TimeLeft::About(Duration::from_secs(10))));
    }

    #[test]
    fn the_rest_is_expected_at_the_pace_kept_so_far() {
        let mut schedule = Schedule::of_times(&PLAN);
        schedule.begin([&ExperimentName::known("latency-matrix")]);
        schedule.begin([&ExperimentName::known("stream")]);
        schedule.reach(1, 2);
        assert_eq!(schedule.share(Duration::ZERO), 0.5);
        assert_eq!(schedule.left(Duration::from_secs(10)), Some(TimeLeft::About(Duration::from_secs(10))));
        assert_eq!(schedule.left(Duration::from_secs(5)), Some(TimeLeft::About(Duration::from_secs(5))));
    }

    #[test]
    fn experiments_that_run_in_turns_are_one_stage() {
        let mut schedule = Schedule::of_times(&PLAN);
        schedule.begin([&ExperimentName::known("latency-matrix"), &ExperimentName::known("stream")]);
        schedule.reach(1, 4);
        assert_eq!(schedule.share(Duration::ZERO), 0.2);
        schedule.finish();
        schedule.finish();
        assert_eq!(schedule.share(Duration::ZERO), 0.8);
    }

    #[test]
    fn a_measurement_goes_on_until_its_deadline_however_many_visits_were_expected() {
        let mut schedule = Schedule::of_times(&PLAN);
        schedule.begin([&ExperimentName::known("latency-matrix"), &ExperimentName::known("stream")]);
        schedule.reach(9, 4);
        schedule.end_at(Duration::from_secs(20));
        let elapsed = Duration::from_secs(11);
        assert_eq!(schedule.left(elapsed), Some(TimeLeft::AtMost(Duration::from_secs(9 + 2))));
        assert_eq!(schedule.share(elapsed), 0.5);
        schedule.finish();
        assert_eq!(schedule.left(Duration::from_secs(8)), Some(TimeLeft::About(Duration::from_secs(2))));
    }

    #[test]
    fn an_experiment_that_is_passed_over_takes_no_time() {
        let mut schedule = Schedule::of_times(&PLAN);
        schedule.begin([&ExperimentName::known("mixes")]);
        assert_eq!(schedule.left(Duration::ZERO), Some(TimeLeft::About(Duration::from_secs(2))));
        schedule.finish();
        assert_eq!(schedule.share(Duration::ZERO), 1.0);
        assert_eq!(schedule.left(Duration::from_secs(2)), Some(TimeLeft::About(Duration::ZERO)));
    }

    #[test]
    fn without_a_plan_cells_are_counted() {
        let mut schedule = Schedule::default();
        schedule.begin([&ExperimentName::known("stream")]);
        schedule.reach(1, 4);
        assert_eq!(schedule.share(Duration::ZERO), 0.25);
        assert_eq!(schedule.left(Duration::from_secs(1)), None);
    }

    #[test]
    fn shares_say_how_long_it_takes_as_soon_as_anything_is_done() {
        let mut schedule = Schedule::of_shares(&PLAN);
        schedule.begin([&ExperimentName::known("latency-matrix")]);
        assert_eq!(schedule.left(Duration::from_secs(48)), None);
        schedule.reach(1, 4);
        assert_eq!(schedule.left(Duration::from_secs(1)), Some(TimeLeft::About(Duration::from_secs(19))));
    }
}
