//! Telling what is being measured, on standard error.
//!
//! Everything is drawn when an event arrives, and events arrive between samples: no thread of ours ticks while
//! something is timed.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use zerohop_experiment::{Event, catalogue};
use zerohop_result::{Completion, ExperimentName, ExperimentResult};
use zerohop_workload::Warning;

use crate::omissions::Omissions;
use crate::schedule::Schedule;
use crate::terminal;

/// Steps that the bar can tell apart.
const STEPS: u64 = 1000;

/// Follows a measurement's events.
#[derive(Debug)]
pub(crate) struct Progress {
    display: Display,
    /// Whether the machine is simulated: then what an experiment took says nothing of how long it ran.
    simulated: bool,
    schedule: Schedule,
    started: Instant,
    current: Option<ExperimentName>,
    /// Warnings that were shown; the same is not shown twice.
    warned: BTreeSet<String>,
    omissions: Omissions,
}

/// Where progress goes.
#[derive(Debug)]
enum Display {
    /// A bar that is redrawn, on a terminal.
    Bar(ProgressBar),
    /// A line for each experiment, in a log.
    Lines,
    /// Nowhere.
    Quiet,
}

impl Progress {
    /// As suits standard error.
    pub(crate) fn new(quiet: bool, simulated: bool) -> Self {
        let display = if quiet {
            Display::Quiet
        } else if terminal::can_redraw() {
            Display::Bar(bar())
        } else {
            Display::Lines
        };
        Self {
            display,
            simulated,
            schedule: Schedule::default(),
            started: Instant::now(),
            current: None,
            warned: BTreeSet::new(),
            omissions: Omissions::default(),
        }
    }

    /// Takes notice of an event.
    pub(crate) fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Planned { experiments } => self.planned(experiments),
            Event::ExperimentStarted { experiment, cells } => self.experiment_started(experiment, *cells),
            Event::CellStarted { label, rank, of } => self.cell_started(label, *rank, *of),
            Event::CellFinished { .. } => {}
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
            self.say(&terminal::warning_line(warning));
        }
    }

    /// Shows a line beside the progress; nothing when quiet.
    pub(crate) fn say(&self, line: &str) {
        match &self.display {
            Display::Bar(bar) => bar.suspend(|| terminal::say(line)),
            Display::Lines => terminal::say(line),
            Display::Quiet => {}
        }
    }

    /// Takes the bar away, so that the page begins on a clean line. Nothing more will be left out.
    pub(crate) fn clear(&mut self) {
        self.warn_of_omissions();
        for line in self.omissions.again() {
            self.warn(&line);
        }
        self.take_bar_away();
    }

    /// The same where everything failed: what was left out is what the failure says.
    pub(crate) fn abandon(&self) {
        self.take_bar_away();
    }

    fn take_bar_away(&self) {
        if let Display::Bar(bar) = &self.display {
            bar.finish_and_clear();
        }
    }

    fn warn_of_omissions(&mut self) {
        for line in self.omissions.new_reasons() {
            self.warn(&line);
        }
    }

    fn planned(&mut self, experiments: &[(ExperimentName, Duration)]) {
        self.schedule = Schedule::new(experiments);
        if let Display::Lines = self.display
            && !self.simulated
        {
            let total = self.schedule.left(Duration::ZERO);
            terminal::say(&format!("measuring for about {}", words(total)));
        }
    }

    fn experiment_started(&mut self, experiment: &ExperimentName, cells: usize) {
        self.schedule.begin(experiment);
        self.current = Some(experiment.clone());
        if let Display::Lines = self.display {
            let numbers = if cells == 1 { "1 number".to_owned() } else { format!("{cells} numbers") };
            terminal::say(&format!("{experiment}: {} ({numbers})", catalogue().summary(experiment)));
        }
    }

    fn cell_started(&mut self, label: &str, rank: usize, of: usize) {
        self.schedule.reach(rank, of);
        if let Display::Bar(bar) = &self.display {
            let left = words(self.schedule.left(self.started.elapsed()));
            let experiment =
                self.current.as_ref().map(|experiment| format!("{experiment}: ")).unwrap_or_default();
            bar.set_position((self.schedule.share() * STEPS as f64) as u64);
            bar.set_message(terminal::plain(&format!("{left} left  {experiment}{label}")));
        }
    }

    fn experiment_finished(&mut self, result: &ExperimentResult) {
        self.schedule.finish();
        if let Display::Lines = self.display {
            let how = match result.completion {
                Completion::Complete => "done",
                Completion::Interrupted | Completion::Running => "stopped",
            };
            let after = if self.simulated {
                format!("{:.2} ms of the machine's time", result.elapsed.get() * 1e3)
            } else {
                format!("{:.1}", result.elapsed)
            };
            terminal::say(&format!("{}: {how} after {after}", result.experiment));
        }
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
    match ProgressStyle::with_template("{bar:24} {percent:>3} %  {wide_msg}") {
        Ok(style) => bar.with_style(style.progress_chars("━╸ ")),
        // The template is a constant: were it wrong, the bar would only look plainer.
        Err(_) => bar,
    }
}

/// A time to wait, in words that do not pretend to be exact.
fn words(time: Duration) -> String {
    let seconds = time.as_secs_f64().ceil() as u64;
    match seconds {
        0..100 => format!("{seconds} s"),
        _ => format!("{} min", seconds.div_ceil(60)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rounded_up_to_what_can_be_said() {
        assert_eq!(words(Duration::from_millis(200)), "1 s");
        assert_eq!(words(Duration::from_secs(99)), "99 s");
        assert_eq!(words(Duration::from_secs(121)), "3 min");
    }
}
