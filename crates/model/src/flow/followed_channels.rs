//! What lines meet at the channels that are followed.

use super::walker::Waits;

#[derive(Debug, Default)]
pub(super) struct Followed {
    /// By class and then by its routes; empty if nothing is followed.
    walked: Vec<Option<Waits>>,
    first: Vec<usize>,
    /// By channel: means over all lines that use it.
    means: Vec<Option<Waits>>,
    /// By class: its throughput over what its times alone would give.
    factors: Vec<f64>,
}

impl Followed {
    /// No results yet, for this many channels and classes.
    pub(super) fn new(channels: usize, classes: usize) -> Self {
        Self {
            walked: Vec::new(),
            first: Vec::new(),
            means: vec![None; channels],
            factors: vec![1.0; classes],
        }
    }

    /// Adds what the next class met at the end of each of its routes.
    pub(super) fn push(&mut self, routes: Vec<Option<Waits>>) {
        self.first.push(self.walked.len());
        self.walked.extend(routes);
    }

    /// Adds the waits of lines of one route to the mean of their channel.
    pub(super) fn count(&mut self, channel: usize, waits: &Waits) {
        let sums = self.means[channel].get_or_insert_with(Waits::default);
        sums.read += waits.read * waits.fills;
        sums.taken += waits.taken * waits.writes;
        sums.fills += waits.fills;
        sums.writes += waits.writes;
    }

    /// Turns sums into means.
    pub(super) fn average(&mut self) {
        for sums in self.means.iter_mut().flatten() {
            *sums = sums.means();
        }
    }

    /// What a class met at the end of one of its routes.
    pub(super) fn of(&self, class: usize, route: usize) -> Option<&Waits> {
        let first = self.first.get(class)?;
        self.walked[first + route].as_ref()
    }

    /// What all lines that use a channel met.
    pub(super) fn mean(&self, channel: usize) -> Option<&Waits> {
        self.means.get(channel)?.as_ref()
    }

    /// A class's throughput over what its times alone would give.
    pub(super) fn factor(&self, class: usize) -> f64 {
        self.factors.get(class).copied().unwrap_or(1.0)
    }

    pub(super) fn set_factor(&mut self, class: usize, factor: f64) {
        self.factors[class] = factor;
    }
}
