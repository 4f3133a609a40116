//! Telling how far a sweep is, on standard error.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::terminal;

/// Lines in a log are no closer together than this.
const PAUSE: Duration = Duration::from_secs(10);

/// Follows a sweep's points.
#[derive(Debug)]
pub(crate) struct SweepProgress {
    display: Display,
    started: Instant,
    /// Points that there were already.
    before: usize,
    done: usize,
    points: usize,
}

#[derive(Debug)]
enum Display {
    /// A bar that is redrawn, on a terminal.
    Bar(ProgressBar),
    /// A line now and then, in a log; the last was written then.
    Lines(Instant),
    /// Nowhere.
    Quiet,
}

impl SweepProgress {
    /// Of a sweep of so many points, of which so many are done.
    pub(crate) fn new(quiet: bool, points: usize, before: usize) -> Self {
        let display = if quiet {
            Display::Quiet
        } else if terminal::can_redraw() {
            Display::Bar(bar(points))
        } else {
            Display::Lines(Instant::now())
        };
        if !quiet && before > 0 {
            terminal::say(&format!("{before} of {points} points were done before"));
        }
        let progress = Self { display, started: Instant::now(), before, done: before, points };
        if let Display::Bar(bar) = &progress.display {
            bar.set_position(before as u64);
        }
        progress
    }

    /// Another point is done.
    pub(crate) fn advance(&mut self) {
        self.done += 1;
        let words = match left(self.started.elapsed(), self.done - self.before, self.points - self.done) {
            Some(time) => format!("{} of {} points, {} left", self.done, self.points, words(time)),
            None => format!("{} of {} points", self.done, self.points),
        };
        match &mut self.display {
            Display::Bar(bar) => {
                bar.set_position(self.done as u64);
                bar.set_message(words);
            }
            Display::Lines(last) if last.elapsed() >= PAUSE => {
                *last = Instant::now();
                terminal::say(&words);
            }
            Display::Lines(_) | Display::Quiet => {}
        }
    }

    /// Takes the bar away, so that the page begins on a clean line.
    pub(crate) fn clear(&self) {
        if let Display::Bar(bar) = &self.display {
            bar.finish_and_clear();
        }
    }
}

fn bar(points: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(points as u64), ProgressDrawTarget::stderr());
    match ProgressStyle::with_template("{bar:24} {percent:>3} %  {wide_msg}") {
        Ok(style) => bar.with_style(style.progress_chars("━╸ ")),
        // The template is a constant: were it wrong, the bar would only look plainer.
        Err(_) => bar,
    }
}

/// The time that the points to come take, if they take what those so far did.
fn left(elapsed: Duration, done: usize, to_come: usize) -> Option<Duration> {
    (done > 0).then(|| elapsed.mul_f64(to_come as f64 / done as f64))
}

/// A time to wait, in words that do not pretend to be exact.
fn words(time: Duration) -> String {
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

    #[test]
    fn points_to_come_take_what_those_so_far_did() {
        assert_eq!(left(Duration::from_secs(3), 0, 10), None);
        assert_eq!(left(Duration::from_secs(3), 6, 4), Some(Duration::from_secs(2)));
        assert_eq!(
            [1, 150, 7300].map(|seconds| words(Duration::from_secs(seconds))),
            ["1 s", "3 min", "3 h"]
        );
    }
}
