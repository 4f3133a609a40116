//! Progress of a campaign, on standard error.

use std::time::{Duration, Instant};

use crate::display::{Display, words};

/// Follows a campaign's requests.
#[derive(Debug)]
pub(crate) struct CampaignProgress {
    display: Display,
    started: Instant,
    /// What requests are called.
    noun: &'static str,
    /// Requests that were answered already.
    before: usize,
    done: usize,
    of: usize,
}

impl CampaignProgress {
    /// Of a campaign of that many requests, of which some were answered before.
    pub(crate) fn new(quiet: bool, noun: &'static str, of: usize, before: usize) -> Self {
        let display = Display::new(quiet, of as u64);
        if before > 0 {
            display.say(&format!("{before} of {of} {noun} were done before"));
        }
        display.draw(before as u64, String::new());
        Self { display, started: Instant::now(), noun, before, done: before, of }
    }

    /// Writes a line in a log: what comes now.
    pub(crate) fn log(&self, line: &str) {
        if self.display.is_log() {
            self.display.say(line);
        }
    }

    /// Another request is done.
    pub(crate) fn advance(&mut self) {
        self.done += 1;
        let how_far = format!("{} of {} {}", self.done, self.of, self.noun);
        let words = match left(self.started.elapsed(), self.done - self.before, self.of - self.done) {
            Some(time) => format!("{how_far}, {} left", words(time)),
            None => how_far,
        };
        self.display.show(self.done as u64, words);
    }

    /// Takes the bar away, so that the page begins on a clean line.
    pub(crate) fn clear(&self) {
        self.display.clear();
    }
}

/// The time that the requests to come take, if they take what those so far did.
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
