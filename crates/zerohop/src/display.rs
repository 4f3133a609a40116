//! Progress on standard error: a bar on a terminal, an occasional line in a log.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::terminal;

/// Shortest time between two lines in a log.
const PAUSE: Duration = Duration::from_secs(10);

/// The first line comes sooner: whoever waits wants to know that something happens.
const FIRST: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(crate) enum Display {
    /// A bar that is redrawn, on a terminal.
    Bar(ProgressBar),
    /// Occasional lines in a log; holds the time from which the next one is due.
    Lines(Mutex<Instant>),
    Quiet,
}

impl Display {
    /// Chooses the form that suits standard error, for a task of `steps` steps.
    pub(crate) fn new(quiet: bool, steps: u64) -> Self {
        if quiet {
            Self::Quiet
        } else if terminal::can_redraw() {
            Self::Bar(bar(steps))
        } else {
            Self::Lines(Mutex::new(Instant::now() + FIRST))
        }
    }

    /// Whether it writes lines into a log.
    pub(crate) const fn is_log(&self) -> bool {
        matches!(self, Self::Lines(_))
    }

    /// Writes a line beside the progress; nothing when quiet.
    pub(crate) fn say(&self, line: &str) {
        match self {
            Self::Bar(bar) => bar.suspend(|| terminal::say(line)),
            Self::Lines(_) => terminal::say(line),
            Self::Quiet => {}
        }
    }

    /// Redraws the bar, if there is one.
    pub(crate) fn draw(&self, step: u64, words: &str) {
        if let Self::Bar(bar) = self {
            bar.set_position(step);
            bar.set_message(terminal::plain(words));
        }
    }

    /// Redraws the bar; in a log, writes a line if the last was a while ago.
    pub(crate) fn show(&self, step: u64, words: &str) {
        if let Self::Lines(due) = self {
            if is_due(&mut due.lock().unwrap_or_else(PoisonError::into_inner), Instant::now()) {
                terminal::say(words);
            }
            return;
        }
        self.draw(step, words);
    }

    /// Removes the bar, so that the page begins on a clean line.
    pub(crate) fn clear(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

/// Whether a line is due in a log; if so, the next one is a while later.
fn is_due(due: &mut Instant, now: Instant) -> bool {
    let is_due = now >= *due;
    if is_due {
        *due = now + PAUSE;
    }
    is_due
}

fn bar(steps: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr());
    match ProgressStyle::with_template("{bar:24} {percent:>3} %  {wide_msg}") {
        Ok(style) => bar.with_style(style.progress_chars("━╸ ")),
        // The template is a constant; an error in it would only give a plainer bar.
        Err(_) => bar,
    }
}

/// A waiting time in words, rounded so that it does not pretend to be exact.
pub(crate) fn words(time: Duration) -> String {
    let seconds = time.as_secs_f64().ceil() as u64;
    match seconds {
        0..100 => format!("{seconds} s"),
        100..6000 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h", seconds.div_ceil(3600)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `diagnose` of 200 texts was silent for 11.5 s.
    #[test]
    fn the_first_line_in_a_log_comes_sooner_than_the_others() {
        let start = Instant::now();
        let mut due = start + FIRST;
        let seconds = |seconds| start + Duration::from_secs(seconds);
        let lines: Vec<u64> = (0..30).filter(|&second| is_due(&mut due, seconds(second))).collect();
        assert_eq!(lines, [2, 12, 22]);
    }

    #[test]
    fn times_are_rounded_up_to_what_can_be_said() {
        assert_eq!(words(Duration::from_millis(200)), "1 s");
        assert_eq!(words(Duration::from_secs(99)), "99 s");
        assert_eq!(words(Duration::from_secs(121)), "3 min");
        assert_eq!(words(Duration::from_secs(7300)), "3 h");
    }
}
