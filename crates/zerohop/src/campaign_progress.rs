//! Progress of a campaign, on standard error.

use std::time::{Duration, Instant};

use crate::display::{Display, words};

/// Shows the progress of a campaign's requests.
#[derive(Debug)]
pub(crate) struct CampaignProgress {
    display: Display,
    started: Instant,
    /// The noun for requests.
    noun: &'static str,
    /// Requests answered so far.
    before: usize,
    done: usize,
    of: usize,
}

impl CampaignProgress {
    /// For a campaign of `of` requests, of which `before` were answered earlier.
    pub(crate) fn new(quiet: bool, noun: &'static str, of: usize, before: usize) -> Self {
        let display = Display::new(quiet, of as u64);
        if before > 0 {
            display.say(&format!("{before} of {of} {noun} were already done"));
        }
        display.draw(before as u64, "");
        Self { display, started: Instant::now(), noun, before, done: before, of }
    }

    /// Counts one more finished request.
    pub(crate) fn advance(&mut self) {
        self.done += 1;
        let how_far = format!("{} of {} {}", self.done, self.of, self.noun);
        let words = match left(self.started.elapsed(), self.done - self.before, self.of - self.done) {
            Some(time) => format!("{how_far}, {} left", words(time)),
            None => how_far,
        };
        self.display.show(self.done as u64, &words);
    }

    /// Removes the bar, so that the page begins on a clean line.
    pub(crate) fn clear(&self) {
        self.display.clear();
    }
}

/// The time for the remaining requests, at the pace so far.
fn left(elapsed: Duration, done: usize, to_come: usize) -> Option<Duration> {
    (done > 0).then(|| elapsed.mul_f64(to_come as f64 / done as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_to_come_take_what_those_so_far_did() {
        assert_eq!(left(Duration::from_secs(3), 0, 10), None);
        assert_eq!(left(Duration::from_secs(3), 6, 4), Some(Duration::from_secs(2)));
    }
}
