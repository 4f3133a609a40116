//! Readings of a machine's own instruments during a sample.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Hardware counter readings taken with a value, if the machine has the counters and this process may read them: means over the time in which the
/// workers ran.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Meters {
    /// Traffic counted by all memory controllers, in GB/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bus_counted_gbps: Option<f64>,
    /// Read part of the counted traffic, in GB/s, if the controllers count reads and writes separately.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bus_read_gbps: Option<f64>,
    /// Traffic computed from the workers' accesses, in GB/s; the counted traffic should match it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bus_computed_gbps: Option<f64>,
    /// Page table walks per line used by the measured workers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub walks_per_line: Option<f64>,
    /// Power of all packages, in W.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package_w: Option<f64>,
    /// Power of the packages' memory, in W.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_w: Option<f64>,
    /// Lowest clock rate of any uncore, in GHz.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncore_ghz: Option<f64>,
}

impl Meters {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Counted traffic over computed traffic, where both are known and the computed one is at least 1 GB/s: less drowns in what
    /// others do.
    pub fn bus_proof(&self) -> Option<f64> {
        let computed = self.bus_computed_gbps.filter(|rate| *rate >= 1.0)?;
        Some(self.bus_counted_gbps? / computed)
    }

    /// The value in the middle of all samples, each meter by itself.
    #[must_use]
    pub fn median_of(all: &[Self]) -> Self {
        let middle =
            |meter: fn(&Self) -> Option<f64>| zerohop_statistics::median(all.iter().filter_map(meter));
        Self {
            bus_counted_gbps: middle(|one| one.bus_counted_gbps),
            bus_read_gbps: middle(|one| one.bus_read_gbps),
            bus_computed_gbps: middle(|one| one.bus_computed_gbps),
            walks_per_line: middle(|one| one.walks_per_line),
            package_w: middle(|one| one.package_w),
            memory_w: middle(|one| one.memory_w),
            uncore_ghz: middle(|one| one.uncore_ghz),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_taken_of_each_meter_by_itself() {
        let one = |counted, power| Meters {
            bus_counted_gbps: Some(counted),
            bus_computed_gbps: Some(10.0),
            package_w: power,
            ..Meters::default()
        };
        let all = [one(9.0, None), one(11.0, Some(200.0)), one(30.0, None)];
        let median = Meters::median_of(&all);
        assert_eq!((median.bus_counted_gbps, median.package_w), (Some(11.0), Some(200.0)));
        assert_eq!(median.bus_proof(), Some(1.1));
        assert!(Meters::median_of(&[]).is_empty() && !median.is_empty());
    }

    #[test]
    fn hardly_any_traffic_proves_nothing() {
        let idle = Meters { bus_counted_gbps: Some(0.5), bus_computed_gbps: Some(0.1), ..Meters::default() };
        assert_eq!(idle.bus_proof(), None);
    }
}
