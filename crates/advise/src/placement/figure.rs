//! A value with its interval.

use schemars::JsonSchema;
use serde::Serialize;

use super::program::Sensitivity;

/// A value with its 95 % interval; in GB/s, or in ns.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Figure {
    /// The value.
    pub value: f64,
    /// Lower end of the interval; the value itself if no interval is known.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// Student's t that 5 % of values exceed on either side, by degrees of freedom from 1 on (NIST/SEMATECH e-Handbook of Statistical
/// Methods, table 1.3.6.7.2).
const STUDENT: [f64; 10] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];

impl Figure {
    /// A value without an interval.
    pub const fn exact(value: f64) -> Self {
        Self { value, low: value, high: value }
    }

    /// The mean of independent values, with its interval. Not empty.
    pub fn mean(values: &[f64]) -> Self {
        let count = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / count;
        let Some(&student) = values.len().checked_sub(2).map(|rank| &STUDENT[rank.min(STUDENT.len() - 1)])
        else {
            return Self::exact(mean);
        };
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let half = student * (variance / count).sqrt();
        Self { value: mean, low: (mean - half).max(0.0), high: mean + half }
    }

    /// How many times as good it is as `other`. The half widths of independent values add up in squares, relative to each.
    pub fn times(&self, other: &Self, sensitivity: Sensitivity) -> Self {
        let value = sensitivity.times(self.value, other.value);
        let half = libm::hypot(self.relative_half_width(), other.relative_half_width());
        Self { value, low: value / (1.0 + half), high: value * (1.0 + half) }
    }

    /// Whether the intervals of two values overlap.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.low <= other.high && other.low <= self.high
    }

    fn relative_half_width(&self) -> f64 {
        if self.value > 0.0 { (self.high - self.low) / 2.0 / self.value } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_has_student_s_interval() {
        let figure = Figure::mean(&[9.0, 10.0, 11.0]);
        // t = 4.303 at two degrees of freedom, standard error 1/sqrt(3).
        assert!((figure.high - 10.0 - 4.303 / 3f64.sqrt()).abs() < 1e-9, "{figure:?}");
        assert_eq!(Figure::mean(&[7.0]), Figure::exact(7.0));
    }

    #[test]
    fn a_shorter_latency_is_better() {
        let (near, far) = (Figure::exact(100.0), Figure::exact(150.0));
        assert_eq!(near.times(&far, Sensitivity::Latency).value, 1.5);
        assert!((near.times(&far, Sensitivity::Bandwidth).value - 2.0 / 3.0).abs() < 1e-12);
    }
}
