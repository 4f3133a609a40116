//! A value with its interval, its evidence and its raw samples.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_units::{Bytes, Seconds};
use zerohop_workload::{Backing, Meters, Warning};

use crate::{Coordinates, Measure};

/// One value, its coordinates, and the evidence for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// Its coordinates.
    pub at: Coordinates,
    /// What it measures, and its unit.
    pub measure: Measure,
    /// The value and its interval, in the measure's unit.
    pub estimate: Estimate,
    /// The evidence for it.
    pub evidence: Evidence,
    /// Every sample that counted, in the order taken, in the measure's unit.
    pub samples: Vec<f64>,
    /// Reasons to doubt it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// A median with its confidence interval, and the spread of the samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// Median of the samples.
    pub median: f64,
    /// Lower end of the median's confidence interval.
    pub low: f64,
    /// Upper end of it.
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
    /// Total size of their buffers.
    #[serde(default)]
    pub buffers: Bytes,
    /// The worst backing of any worker's buffer.
    pub backing: Backing,
    /// The smallest share of wall time that any worker ran, over the samples that count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_share: Option<f64>,
    /// Times that workers were preempted, over the samples that count.
    pub involuntary_switches: u64,
    /// The largest share of CPU time stolen by a hypervisor in any sample that counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steal_share: Option<f64>,
    /// Lowest and highest clock seen, in GHz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_ghz: Option<(f64, f64)>,
    /// The most CPU time that other processes used in any sample that counts, in CPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_load: Option<f64>,
    /// Samples that were disturbed, including those that count because the machine was never quiet.
    pub disturbed: u32,
    /// The number of those that count.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub let_in: u32,
    /// Samples in which a worker was seen on another CPU than its own. They are among those disturbed, and none of them counts.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub migrated: u32,
    /// Samples that count but are beyond Tukey's outer fences; they do not move the median.
    #[serde(default)]
    pub outliers: u32,
    /// Time of one sample.
    pub window: Seconds,
    /// The estimate of each round, in the order taken and in the measure's unit. Rounds are spread over the whole run, and the
    /// interval comes from them. Empty where samples are independent, as in a model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<f64>,
    /// For a latency: the value in the quietest tenth of the time, which a quieter machine would show as the median.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet: Option<f64>,
    /// What the machine's own instruments counted meanwhile, where it has them.
    #[serde(default, skip_serializing_if = "Meters::is_empty")]
    pub meters: Meters,
    /// The form of the kernels' code that ran, in words: the one that was fastest on this machine, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel_form: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Estimate {
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

    /// Half the interval's width over the median; zero where the median is zero.
    pub fn relative_half_width(&self) -> f64 {
        if self.median == 0.0 { 0.0 } else { (self.high - self.low) / 2.0 / self.median.abs() }
    }
}
