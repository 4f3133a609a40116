//! Breakdown of the time of a measurement.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_units::Seconds;

/// Breakdown of the wall time of a measurement, from the start of the command. The remainder is planning, statistics, and writing the result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TimeSpent {
    /// Total wall time.
    pub whole: Seconds,
    /// Sampling: the windows in which work counts.
    pub sampling: Seconds,
    /// Waking workers up, and running them until their work counts.
    pub warming_up: Seconds,
    /// Samples discarded because workers did not run together.
    pub lost: Seconds,
    /// Mapping memory, touching it and filling it with values.
    pub filling: Seconds,
    /// Linking the pointer chains of latency experiments.
    pub linking: Seconds,
    /// Trials of kernel forms.
    pub trials: Seconds,
    /// Starting threads, pinning them and ending them.
    pub threads: Seconds,
    /// Checking the location of pages and the other activity of the machine.
    pub checking: Seconds,
    /// Reading the machine, calibrating its clock, and opening its instruments.
    pub opening: Seconds,
}

impl TimeSpent {
    /// Each part in words, in the order of declaration; the last one is the remainder.
    pub fn parts(&self) -> [(&'static str, Seconds); 10] {
        let Self { whole, sampling, warming_up, lost, filling, linking, trials, threads, checking, opening } =
            *self;
        let known = [
            ("sampling", sampling),
            ("warming up", warming_up),
            ("lost samples", lost),
            ("filling", filling),
            ("linking", linking),
            ("trials of kernels", trials),
            ("threads", threads),
            ("checking", checking),
            ("opening", opening),
        ];
        let rest = known.iter().fold(whole.get(), |rest, (_, part)| rest - part.get());
        let mut parts = [("other", Seconds(rest.max(0.0))); 10];
        parts[..known.len()].copy_from_slice(&known);
        parts
    }

    /// Copy with the wall time and the opening time of a whole command.
    #[must_use]
    pub fn within(self, whole: Seconds, opening: Seconds) -> Self {
        Self { whole, opening, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_make_up_the_whole() {
        let spent = TimeSpent { sampling: Seconds(6.0), filling: Seconds(1.5), ..TimeSpent::default() };
        let spent = spent.within(Seconds(9.0), Seconds(0.5));
        let parts = spent.parts();
        assert_eq!(parts[9], ("other", Seconds(1.0)));
        assert_eq!(parts.iter().map(|(_, part)| part.get()).sum::<f64>(), 9.0);
        // Clocks that disagree by a little leave nothing negative.
        assert_eq!(spent.within(Seconds(7.0), Seconds(0.5)).parts()[9].1, Seconds(0.0));
    }
}
