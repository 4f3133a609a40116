//! A number with its interval, its evidence and its raw samples.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_units::{Bytes, Seconds};
use zerohop_workload::{Backing, Warning};

use crate::{Coordinates, Measure};

/// One number, where it stands, and why to believe it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// Where it stands.
    pub at: Coordinates,
    /// What it is, and its unit.
    pub measure: Measure,
    /// The number and its interval, in the measure's unit.
    pub estimate: Estimate,
    /// What proves it.
    pub evidence: Evidence,
    /// Every sample that counted, in the order taken, in the measure's unit.
    pub samples: Vec<f64>,
    /// What makes it doubtful.
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

/// What proves a number: where memory was, and how quiet it was.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// How many workers took part.
    pub workers: u32,
    /// Memory that their buffers took together.
    #[serde(default)]
    pub buffers: Bytes,
    /// The worst backing of any worker's buffer.
    pub backing: Backing,
    /// The smallest share of wall time that any worker ran, over samples that count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_share: Option<f64>,
    /// Times that workers were taken off their PUs, over samples that count.
    pub involuntary_switches: u64,
    /// The largest share of time stolen by a hypervisor in any sample that counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steal_share: Option<f64>,
    /// Lowest and highest clock seen, in GHz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_ghz: Option<(f64, f64)>,
    /// The most CPU time that other processes took in any sample that counts, in CPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_load: Option<f64>,
    /// Samples set aside because they were disturbed.
    pub disturbed: u32,
    /// Samples that count, but lie beyond Tukey's outer fences; the median is not moved by them.
    #[serde(default)]
    pub outliers: u32,
    /// Time of one sample.
    pub window: Seconds,
}

impl Estimate {
    /// Whether it is one: finite numbers, and an interval that holds the median.
    pub fn is_sound(&self) -> bool {
        let Self { median, low, high, min, max, mean, standard_deviation } = *self;
        // What sums round off.
        let slack = 1e-9 * median.abs();
        [median, low, high, min, max, mean, standard_deviation].iter().all(|number| number.is_finite())
            && low <= median + slack
            && median <= high + slack
    }

    /// How far the farther end of the interval lies from the median, over the median; zero where the median is zero. It is what
    /// `±` stands before.
    pub fn relative_margin(&self) -> f64 {
        let farther = (self.high - self.median).max(self.median - self.low);
        if self.median == 0.0 { 0.0 } else { farther / self.median.abs() }
    }

    /// Half the interval's width over the median; zero where the median is zero.
    pub fn relative_half_width(&self) -> f64 {
        if self.median == 0.0 { 0.0 } else { (self.high - self.low) / 2.0 / self.median.abs() }
    }
}
