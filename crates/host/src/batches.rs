//! Times of batches of loads, counted by length without allocation: logarithmic steps, each divided evenly, as in HdrHistogram
//! (<https://github.com/HdrHistogram/HdrHistogram>).

use zerohop_units::Nanoseconds;
use zerohop_workload::Distribution;

/// Times of the same power of two are divided into this many steps, so that a step is at most 1/64 of its time wide.
const STEPS: usize = 64;

/// The lengths, and how often each occurred.
#[derive(Debug, Clone)]
pub(crate) struct Batches {
    /// Loads in a batch.
    loads: u64,
    counts: Box<[u32]>,
}

impl Batches {
    pub(crate) fn new(loads: u64) -> Self {
        Self { loads: loads.max(1), counts: vec![0; place(u64::MAX) + 1].into_boxed_slice() }
    }

    /// Loads in a batch.
    pub(crate) const fn loads(&self) -> u64 {
        self.loads
    }

    pub(crate) fn clear(&mut self) {
        self.counts.fill(0);
    }

    #[inline]
    pub(crate) fn push(&mut self, ticks: u64) {
        let count = &mut self.counts[place(ticks)];
        *count = count.saturating_add(1);
    }

    /// The times of one load of each batch, given the time of a tick; `None` without any.
    pub(crate) fn distribution(&self, tick: Nanoseconds) -> Option<Distribution> {
        let filled = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let times =
            filled.map(|(place, count)| (tick * (middle(place) / self.loads as f64), u64::from(*count)));
        Some(Distribution(times.collect())).filter(|all| !all.0.is_empty())
    }
}

/// The place of a length: each length below twice the number of steps has its own.
#[inline]
const fn place(ticks: u64) -> usize {
    let steps = STEPS as u64;
    if ticks < 2 * steps {
        return ticks as usize;
    }
    let shift = ticks.ilog2() - steps.ilog2();
    (shift as usize + 1) * STEPS + (ticks >> shift) as usize - STEPS
}

/// The middle of the lengths at a place, in ticks.
fn middle(place: usize) -> f64 {
    if place < 2 * STEPS {
        return place as f64;
    }
    let shift = (place / STEPS - 1) as u32;
    let width = 2f64.powi(shift as i32);
    ((place % STEPS + STEPS) as f64 + 0.5) * width
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_counted_within_a_sixty_fourth_of_itself() {
        let large = (12..40).flat_map(|power| [(1u64 << power) - 1, 1 << power, 3 << power]);
        for ticks in (0..5000).chain(large) {
            let off = (middle(place(ticks)) - ticks as f64).abs();
            assert!(off <= ticks as f64 / STEPS as f64, "{ticks} at {}", middle(place(ticks)));
        }
        assert!((0..5000).map(place).is_sorted(), "longer is later");
    }

    #[test]
    fn every_length_has_a_place() {
        let mut batches = Batches::new(32);
        [0, 1, 31, 1 << 20, u64::MAX].into_iter().for_each(|ticks| batches.push(ticks));
        assert_eq!(batches.distribution(Nanoseconds(1.0)).unwrap().count(), 5);
        batches.clear();
        assert_eq!(batches.distribution(Nanoseconds(1.0)), None);
    }

    #[test]
    fn times_are_those_of_one_load() {
        let mut batches = Batches::new(32);
        batches.push(100 * 32);
        let time = batches.distribution(Nanoseconds(0.5)).unwrap().quantile(0.5).unwrap().get();
        assert!((time / 50.0 - 1.0).abs() < 1.0 / 64.0, "{time}");
    }
}
