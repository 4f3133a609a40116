//! What a worker times by itself during a sample, besides the log of its progress.

use crate::batches::Batches;

/// Times in ticks.
#[derive(Debug, Clone, Default)]
pub(crate) struct Findings {
    /// Time of one step, where the worker times its steps by itself.
    pub(crate) step: Option<f64>,
    /// How much longer a one-way transfer of the slowest line takes than one of the fastest.
    pub(crate) spread: Option<f64>,
    /// The times of batches of loads.
    pub(crate) batches: Option<Batches>,
}

/// The most recent times of one kind. Adding one does not allocate.
#[derive(Debug, Clone)]
pub(crate) struct Times {
    times: Vec<u64>,
    oldest: usize,
}

/// Times kept: a sample of tens of milliseconds has fewer.
const CAPACITY: usize = 4096;

impl Times {
    pub(crate) fn new() -> Self {
        Self { times: Vec::with_capacity(CAPACITY), oldest: 0 }
    }

    pub(crate) fn clear(&mut self) {
        self.times.clear();
        self.oldest = 0;
    }

    /// Adds the time between two ticks, in place of the oldest if there are too many. There is none if the clock went back: the counters
    /// of the CPUs between which a hypervisor moves a worker differ.
    #[inline]
    pub(crate) fn push(&mut self, began: u64, ended: u64) {
        let Some(ticks) = ended.checked_sub(began) else { return };
        if self.times.len() < CAPACITY {
            self.times.push(ticks);
        } else {
            self.times[self.oldest] = ticks;
            self.oldest = (self.oldest + 1) % CAPACITY;
        }
    }

    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        self.times.len()
    }

    /// Their median: an interrupt lengthens a few of them, and does not move it.
    pub(crate) fn median(&self) -> Option<f64> {
        zerohop_statistics::median(self.times.iter().map(|&ticks| ticks as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_of_the_most_recent_times() {
        let mut times = Times::new();
        assert_eq!(times.median(), None);
        [9, 1, 1000, 8, 10].into_iter().for_each(|ticks| times.push(100, 100 + ticks));
        times.push(100, 99);
        assert_eq!(times.median(), Some(9.0));
        (0..CAPACITY).for_each(|_| times.push(0, 3));
        assert_eq!((times.median(), times.times.len()), (Some(3.0), CAPACITY));
        times.clear();
        assert_eq!(times.median(), None);
    }
}
