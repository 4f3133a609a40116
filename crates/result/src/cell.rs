//! A value with its interval, its evidence and its raw samples.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_units::{Bytes, Seconds};
use zerohop_workload::{Backing, KernelForms, Meters, Warning};

use crate::{Coordinates, Measure};

/// A measured or modeled value, with its coordinates and the evidence for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// Coordinates of the cell.
    pub at: Coordinates,
    /// Quantity and unit of the value.
    pub measure: Measure,
    /// The value and its interval, in the measure's unit.
    pub estimate: Estimate,
    /// Evidence for the value.
    pub evidence: Evidence,
    /// Every sample that counted, in the order taken, in the measure's unit.
    pub samples: Vec<f64>,
    /// Reasons to doubt the value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// A median with its confidence interval, and the spread of the samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// Median of the samples; of a simulation, the mean of its replications.
    pub median: f64,
    /// Lower end of the confidence interval.
    pub low: f64,
    /// Upper end of the confidence interval.
    pub high: f64,
    /// Smallest sample.
    pub min: f64,
    /// Largest sample.
    pub max: f64,
    /// Arithmetic mean of the samples.
    pub mean: f64,
    /// Standard deviation of the samples (n - 1); zero for one sample.
    pub standard_deviation: f64,
}

/// Evidence for a value: where memory resided, and how quiet the machine was.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// Number of workers.
    pub workers: u32,
    /// Total size of the workers' buffers, in bytes.
    #[serde(default)]
    pub buffers: Bytes,
    /// Worst backing of any worker's buffer.
    pub backing: Backing,
    /// Smallest share of wall time that any worker ran, 0 to 1, over the samples that count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_share: Option<f64>,
    /// Number of times that workers were preempted, over the samples that count.
    pub involuntary_switches: u64,
    /// Largest share of CPU time stolen by a hypervisor in any sample that counts, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steal_share: Option<f64>,
    /// Lowest and highest clock rate seen, in GHz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_ghz: Option<(f64, f64)>,
    /// On a virtual machine: shortest and longest time, in ns, for a worker's CPU to read a line just written by another worker's CPU, where the two
    /// are announced as sharing a cache. It changes when a hypervisor moves CPUs to other cores, caches or packages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apart_ns: Option<(f64, f64)>,
    /// Values for each placement of the CPUs, if a hypervisor moved them during the measurement; the placement that counts comes first. Empty if the
    /// CPUs were not moved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub placings: Vec<Placing>,
    /// Value in each of two states, the lower first, if the samples have two peaks. The cause of the states is unknown. The cell's own value covers
    /// both.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<State>,
    /// Most CPU time used by other processes in any sample that counts, in CPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_load: Option<f64>,
    /// Number of disturbed samples, including the ones that count because the machine was never quiet.
    pub disturbed: u32,
    /// Number of disturbed samples that count.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub let_in: u32,
    /// Number of samples in which a worker was seen on another CPU than its own. They are included in `disturbed`, and none of them counts.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub migrated: u32,
    /// Number of samples that count but are beyond Tukey's outer fences; they do not move the median.
    #[serde(default)]
    pub outliers: u32,
    /// Length of one sample.
    pub window: Seconds,
    /// Number of replications of a simulation, each with another seed. Each is one sample, and the interval comes from their spread. Zero without
    /// replications.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub replications: u32,
    /// Estimate of each round, in the order taken, in the measure's unit. Rounds are spread over the whole run, and the interval comes from them.
    /// Empty if there are no rounds, as in a model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<f64>,
    /// Spread of the rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round_spread: Option<RoundSpread>,
    /// For a latency: the value in the quietest tenth of the time, an estimate of the median on a quieter machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet: Option<f64>,
    /// Lower bound of a rate, with 95 % confidence, if the interval is too wide to state a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// Upper bound of a time, with 95 % confidence, if the interval is too wide to state a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// Readings of the machine's own instruments during the measurement, if it has any.
    #[serde(default, skip_serializing_if = "Meters::is_empty")]
    pub meters: Meters,
    /// Drift of values between runs beyond what one run sees, as the standard deviation of their logarithm. The interval includes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unseen_drift: Option<f64>,
    /// Fastest form on this machine, in words, of each kernel whose code has several forms.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kernel_forms: KernelForms,
}

/// Value of a cell while a hypervisor had placed the CPUs of its workers in one way: on threads of one core, on cores of one cache, or farther apart.
/// A virtual machine whose CPUs are moved behaves like several machines, each with its own values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Placing {
    /// Shortest and longest time, in ns, for a CPU to read a line just written by another one.
    pub apart_ns: (f64, f64),
    /// Share of the samples, 0 to 1.
    pub share: f64,
    /// The value and its interval, in the measure's unit.
    pub estimate: Estimate,
    /// Spread of the rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round_spread: Option<RoundSpread>,
}

/// The value in one of two states of a machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct State {
    /// Share of the samples, 0 to 1.
    pub share: f64,
    /// The value and its interval, in the measure's unit.
    pub estimate: Estimate,
}

/// Spread of the rounds of a cell, with neighboring rounds joined to at most eight batches. A cell has few rounds, so the spread is moderated by that
/// of the other cells of the run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoundSpread {
    /// Standard deviation of the rounds' logarithms.
    pub deviation: f64,
    /// Degrees of freedom of the deviation: the ones of the cell's own batches, and the ones contributed by other cells.
    pub degrees: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// The quantile of the normal distribution for an interval of 95 % confidence.
const NORMAL: f64 = 1.96;

impl Cell {
    /// Copy of the cell with an interval that includes a drift between runs that one run does not see.
    #[must_use]
    pub fn with_unseen_drift(mut self, drift: f64) -> Self {
        let widened =
            |estimate: Estimate| estimate.with_half_widths(|half| libm::hypot(half, NORMAL * drift));
        self.estimate = widened(self.estimate);
        self.evidence.placings.iter_mut().for_each(|placing| placing.estimate = widened(placing.estimate));
        self.evidence.states.iter_mut().for_each(|state| state.estimate = widened(state.estimate));
        self.evidence.unseen_drift = Some(drift);
        self
    }

    /// Estimate with the interval that the run itself saw, without the drift between runs.
    pub fn seen(&self) -> Estimate {
        let unseen = NORMAL * self.evidence.unseen_drift.unwrap_or(0.0);
        self.estimate.with_half_widths(|half| (half * half - unseen * unseen).max(0.0).sqrt())
    }
}

impl Estimate {
    /// A value that is known without error or spread.
    pub const fn exact(value: f64) -> Self {
        Self {
            median: value,
            low: value,
            high: value,
            min: value,
            max: value,
            mean: value,
            standard_deviation: 0.0,
        }
    }

    /// The same estimate with other distances from its median to the ends of its interval, both as logarithms. An interval without
    /// a width, or one that reaches zero, stays as it is.
    fn with_half_widths(self, of: impl Fn(f64) -> f64) -> Self {
        let Self { median, low, high, .. } = self;
        if !(low > 0.0 && low < high) {
            return self;
        }
        let reach = |end: f64| of(libm::log(end / median).abs());
        Self { low: median * libm::exp(-reach(low)), high: median * libm::exp(reach(high)), ..self }
    }

    /// Whether it is valid: all values are finite, and the interval contains the median.
    pub fn is_sound(&self) -> bool {
        let Self { median, low, high, min, max, mean, standard_deviation } = *self;
        // Rounding error of sums.
        let slack = 1e-9 * median.abs();
        [median, low, high, min, max, mean, standard_deviation].iter().all(|number| number.is_finite())
            && low <= median + slack
            && median <= high + slack
    }

    /// The distance from the median to the farther end of the interval, over the median; zero where the median is zero. It is
    /// printed after `±`.
    pub fn relative_margin(&self) -> f64 {
        let farther = (self.high - self.median).max(self.median - self.low);
        if self.median == 0.0 { 0.0 } else { farther / self.median.abs() }
    }

    /// Half the distance between the ends of the interval as logarithms; `None` if one of them has none.
    pub fn logarithmic_half_width(&self) -> Option<f64> {
        (self.low > 0.0 && self.high.is_finite()).then(|| libm::log(self.high / self.low) / 2.0)
    }

    /// Half the interval's width over the median; zero where the median is zero.
    pub fn relative_half_width(&self) -> f64 {
        if self.median == 0.0 { 0.0 } else { (self.high - self.low) / 2.0 / self.median.abs() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unseen_drift_widens_an_interval_and_can_be_taken_off_again() {
        let estimate = Estimate {
            median: 100.0,
            low: 99.0,
            high: 102.0,
            min: 98.0,
            max: 103.0,
            mean: 100.2,
            standard_deviation: 1.0,
        };
        let cell = Cell {
            at: Coordinates::new(),
            measure: Measure::Latency,
            estimate,
            evidence: Evidence::default(),
            samples: Vec::new(),
            warnings: Vec::new(),
        };
        assert!((cell.seen().high - 102.0).abs() < 1e-9);
        let wide = cell.clone().with_unseen_drift(0.03);
        // The squares of both parts add up.
        let half = (0.0588_f64.powi(2) + libm::log(1.02).powi(2)).sqrt();
        assert!((wide.estimate.high - 100.0 * libm::exp(half)).abs() < 1e-9, "{:?}", wide.estimate);
        assert_eq!(wide.estimate.median, 100.0);
        let seen = wide.seen();
        assert!((seen.low - 99.0).abs() < 1e-9 && (seen.high - 102.0).abs() < 1e-9, "{seen:?}");
        // A value without an interval gets none.
        let exact = Cell { estimate: Estimate { low: 100.0, high: 100.0, ..estimate }, ..cell };
        assert_eq!(exact.with_unseen_drift(0.03).estimate.high, 100.0);
    }
}
