//! Progress of a measurement or a simulation, on standard error.
//!
//! On a host, progress is drawn when an event arrives, and events arrive between samples: no thread of ours ticks while
//! something is timed. In simulations, the thread that finishes a workload counts it.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use zerohop_app::{Omissions, Schedule, TimeLeft};
use zerohop_experiment::{Event, Meter, catalogue};
use zerohop_result::{Completion, ExperimentName, ExperimentResult, Resolution};
use zerohop_units::counted;
use zerohop_workload::Warning;

use crate::display::{Display, words};
use crate::terminal;

/// Resolution of the bar, in steps.
const STEPS: u64 = 1000;

/// Shows the progress of a measurement's events.
#[derive(Debug)]
pub(crate) struct Progress {
    display: Display,
    /// Whether the machine is simulated: if so, an experiment's time is simulated time, and finished workloads are
    /// counted.
    simulated: bool,
    started: Instant,
    stage: Mutex<Stage>,
    /// Warnings already shown, so that none is shown twice.
    warned: BTreeSet<String>,
    omissions: Omissions,
}

#[derive(Debug, Default)]
struct Stage {
    schedule: Schedule,
    experiment: Option<ExperimentName>,
    /// What the measurements tell so far, as of the last checkpoint.
    resolution: Option<Resolution>,
    /// Finished workloads of a simulated experiment, and their total.
    done: usize,
    of: usize,
}

impl Progress {
    /// Chooses the form that suits standard error.
    pub(crate) fn new(quiet: bool, simulated: bool) -> Self {
        Self {
            display: Display::new(quiet, STEPS),
            simulated,
            started: Instant::now(),
            stage: Mutex::default(),
            warned: BTreeSet::new(),
            omissions: Omissions::default(),
        }
    }

    /// Shows that the machine is being prepared: on a host, caches are filled and kernels are tried before the first event. Without it
    /// nothing was shown for many seconds.
    pub(crate) fn preparing(&self) {
        const PREPARING: &str = "preparing: finding the fastest variant of each kernel";
        self.display.draw(0, PREPARING);
        if self.display.is_log() {
            self.display.say(PREPARING);
        }
    }

    pub(crate) fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Planned { experiments } => self.planned(experiments),
            Event::ExperimentsStarted { experiments } => self.experiments_started(experiments),
            Event::CellStarted { experiment, label, rank, of } => {
                self.stage().experiment = Some((*experiment).clone());
                self.cell_started(label, *rank, *of);
            }
            Event::CellFinished { .. } => {}
            Event::Checkpoint { results, left } => self.narrowed(results, *left),
            Event::Warned { warning: Warning::ExperimentSkipped { experiment, reason } } => {
                self.omissions.add(experiment, reason);
            }
            Event::Warned { warning } => self.warn(&format!("{warning} ({})", warning.advice())),
            Event::ExperimentFinished { result } => {
                self.warn_of_omissions();
                self.experiment_finished(result);
            }
        }
    }

    /// Shows a warning, once.
    pub(crate) fn warn(&mut self, warning: &str) {
        if self.warned.insert(warning.to_owned()) {
            self.display.say(&terminal::warning_line(warning));
        }
    }

    /// Removes the bar, so that the page begins on a clean line, and reports the last omissions.
    pub(crate) fn clear(&mut self) {
        self.warn_of_omissions();
        for line in self.omissions.again() {
            self.warn(&line);
        }
        self.display.clear();
    }

    /// The same if everything failed: the failure itself reports what was left out.
    pub(crate) fn abandon(&self) {
        self.display.clear();
    }

    fn warn_of_omissions(&mut self) {
        for line in self.omissions.new_reasons() {
            self.warn(&line);
        }
    }

    fn stage(&mut self) -> &mut Stage {
        self.stage.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    fn planned(&mut self, experiments: &[(ExperimentName, Duration)]) {
        let simulated = self.simulated;
        self.stage().schedule =
            if simulated { Schedule::of_shares(experiments) } else { Schedule::of_times(experiments) };
        if self.display.is_log()
            && let Some(TimeLeft::About(total)) = self.stage().schedule.left(Duration::ZERO)
        {
            terminal::say(&format!(
                "measuring for about {}, longer if intervals are still wide",
                words(total)
            ));
        }
    }

    fn experiments_started(&mut self, experiments: &[(ExperimentName, usize)]) {
        let stage = self.stage();
        stage.schedule.begin(experiments.iter().map(|(experiment, _)| experiment));
        (stage.experiment, stage.done, stage.of) =
            (experiments.first().map(|(experiment, _)| experiment.clone()), 0, 0);
        if self.display.is_log() {
            for (experiment, cells) in experiments {
                let cells = counted(*cells, "cell");
                terminal::say(&format!("{experiment}: {} ({cells})", catalogue().summary(experiment)));
            }
        }
    }

    fn cell_started(&mut self, label: &str, rank: usize, of: usize) {
        let (simulated, elapsed) = (self.simulated, self.started.elapsed());
        let stage = self.stage();
        stage.of = of;
        if simulated {
            if stage.done == 0 {
                let (step, words) = stage.words(elapsed, &format!("{of} workloads"));
                self.display.draw(step, &words);
            }
            return;
        }
        stage.schedule.reach(rank, of);
        let (step, words) = stage.words(elapsed, label);
        self.display.draw(step, &words);
    }

    /// Shows how narrow intervals are by now. Measuring goes on for `left` at most.
    fn narrowed(&mut self, results: &[ExperimentResult], left: Duration) {
        let elapsed = self.started.elapsed();
        let stage = self.stage();
        stage.schedule.end_at(elapsed + left);
        stage.resolution = Resolution::so_far(results);
        let left = stage.schedule.left(elapsed).map(|left| format!("; {}", left_in_words(left)));
        if let Some(resolution) = stage.resolution
            && self.display.is_log()
        {
            terminal::say(&format!("so far: {resolution}{}", left.unwrap_or_default()));
        }
    }

    fn experiment_finished(&mut self, result: &ExperimentResult) {
        self.stage().schedule.finish();
        if self.display.is_log() {
            let how = match result.completion {
                Completion::Complete => "done",
                Completion::Interrupted | Completion::Running => "stopped",
            };
            let after = if self.simulated {
                format!("{:.2} ms of simulated time", result.elapsed.get() * 1e3)
            } else {
                format!("{:.1}", result.elapsed)
            };
            terminal::say(&format!("{}: {how} after {after}", result.experiment));
        }
    }
}

impl Meter for Progress {
    fn workload_done(&self) {
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        stage.done += 1;
        let (done, of) = (stage.done, stage.of);
        stage.schedule.reach(done, of);
        let (step, words) = stage.words(self.started.elapsed(), &format!("{done} of {of} workloads"));
        self.display.show(step, &words);
    }
}

impl Stage {
    /// The current step, and the text beside the bar.
    fn words(&self, elapsed: Duration, what: &str) -> (u64, String) {
        let left = self.schedule.left(elapsed).map(|left| format!("{}  ", left_in_words(left)));
        let resolution = self.resolution.map(|resolution| format!("{resolution:#}  "));
        let experiment = self.experiment.as_ref().map(|experiment| format!("{experiment}: "));
        let step = (self.schedule.share(elapsed) * STEPS as f64) as u64;
        (step, [left, resolution, experiment].into_iter().flatten().chain([what.to_owned()]).collect())
    }
}

fn left_in_words(left: TimeLeft) -> String {
    match left {
        // The forecast is used up, but measuring goes on until intervals are narrow enough.
        TimeLeft::About(Duration::ZERO) => "finishing".to_owned(),
        TimeLeft::About(time) => format!("{} left", words(time)),
        TimeLeft::AtMost(Duration::ZERO) => "finishing".to_owned(),
        TimeLeft::AtMost(time) => format!("at most {} left", words(time)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_says_how_narrow_intervals_are_by_now() {
        let resolution = Some(Resolution { rates: Some(0.05), times: None });
        let stage =
            Stage { experiment: Some(ExperimentName::known("stream")), resolution, ..Stage::default() };
        assert_eq!(stage.words(Duration::ZERO, "copy").1, "5.0 % GB/s  stream: copy");
    }

    #[test]
    fn the_time_left_of_a_simulation_comes_from_the_workloads_that_are_done() {
        let mut progress = Progress::new(true, true);
        let experiment = &ExperimentName::known("ramp");
        progress.event(&Event::Planned { experiments: &[(experiment.clone(), Duration::from_millis(80))] });
        progress.event(&Event::ExperimentsStarted { experiments: &[(experiment.clone(), 4)] });
        progress.event(&Event::CellStarted { experiment, label: "a", rank: 0, of: 4 });
        let words = |progress: &mut Progress| progress.stage().words(Duration::from_secs(10), "x");
        assert_eq!(words(&mut progress), (0, "ramp: x".to_owned()));
        progress.workload_done();
        assert_eq!(words(&mut progress), (250, "30 s left  ramp: x".to_owned()));
        // The start of another workload is reported late and in order, so it does not count as progress.
        progress.event(&Event::CellStarted { experiment, label: "d", rank: 3, of: 4 });
        assert_eq!(words(&mut progress), (250, "30 s left  ramp: x".to_owned()));
    }
}
