//! One-sided bounds for values whose interval is too wide to state a value.
//!
//! A disturbance can only lower a bandwidth and raise a latency. So the bad end of a wide interval shows how bad the disturbances were, and may be
//! anywhere; but a lower bound of the bandwidth, or an upper bound of the latency, is valid.

use zerohop_statistics::one_sided_share;
use zerohop_workload::{Dimension, Warning, Weight};

use crate::Cell;

/// A bound that holds with 95 % confidence, in the unit of its measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Certain {
    /// A rate is this or more.
    AtLeast(f64),
    /// A time is this or less.
    AtMost(f64),
}

/// The quantiles of the normal distribution that are exceeded with 5 % on one side, and on either.
const NORMAL: (f64, f64) = (1.645, 1.96);

/// An interval that reaches farther from its median says too little of the value. Up to here, a fault that costs half as much again is still told
/// from a sound value: 1.25 times 1.25 is 1.56.
const SAYS_LITTLE: f64 = 0.25;

impl Certain {
    pub const fn bound(self) -> f64 {
        match self {
            Self::AtLeast(bound) | Self::AtMost(bound) => bound,
        }
    }

    /// Bound of the same kind with another value.
    #[must_use]
    pub const fn with_bound(self, bound: f64) -> Self {
        match self {
            Self::AtLeast(_) => Self::AtLeast(bound),
            Self::AtMost(_) => Self::AtMost(bound),
        }
    }
}

impl Cell {
    /// Copy of the cell with the one-sided bound in its evidence.
    #[must_use]
    pub fn with_certain(mut self) -> Self {
        let certain = self.certain();
        self.evidence.at_least = certain.and_then(|certain| match certain {
            Certain::AtLeast(bound) => Some(bound),
            Certain::AtMost(_) => None,
        });
        self.evidence.at_most = certain.and_then(|certain| match certain {
            Certain::AtMost(bound) => Some(bound),
            Certain::AtLeast(_) => None,
        });
        self
    }

    /// One-sided 95 % bound from the variance of the interval, if the interval is too wide to state a value. `None` if the interval is narrow, for
    /// measures other than times and rates, and if a warning says that the value may be too good.
    pub fn certain(&self) -> Option<Certain> {
        if self.estimate.relative_margin() <= SAYS_LITTLE || self.warnings.iter().any(may_be_too_good) {
            return None;
        }
        let seen = self.seen();
        let share = match self.evidence.round_spread {
            Some(spread) if spread.degrees > 0.0 => one_sided_share(spread.degrees),
            _ => NORMAL.0 / NORMAL.1,
        };
        let drift = NORMAL.0 * self.evidence.unseen_drift.unwrap_or(0.0);
        let median = self.estimate.median;
        let reach = |end: f64| libm::hypot(share * libm::log(end / median).abs(), drift);
        let bound = match self.measure.dimension() {
            Dimension::Rate if seen.low > 0.0 => Certain::AtLeast(median * libm::exp(-reach(seen.low))),
            Dimension::Time if median > 0.0 => Certain::AtMost(median * libm::exp(reach(seen.high))),
            _ => return None,
        };
        bound.bound().is_finite().then_some(bound)
    }
}

/// Whether a warning casts a doubt that is not of a disturbance: the value may be better than the machine is.
fn may_be_too_good(warning: &Warning) -> bool {
    let is_disturbance = matches!(
        warning,
        Warning::CpuTaken { .. }
            | Warning::RarelyTogether { .. }
            | Warning::QuotaShort { .. }
            | Warning::Stolen { .. }
            | Warning::Throttled {}
            | Warning::SamplesDisturbed { .. }
            | Warning::LatencyRaised { .. }
    );
    warning.weight() == Weight::Doubt && !is_disturbance
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Coordinates, Estimate, Evidence, Measure, RoundSpread};

    fn cell(measure: Measure, (low, median, high): (f64, f64, f64), warnings: Vec<Warning>) -> Cell {
        let estimate = Estimate { low, high, ..Estimate::exact(median) };
        let round_spread = Some(RoundSpread { deviation: 0.1, degrees: 3.0 });
        let evidence = Evidence { round_spread, ..Evidence::default() };
        Cell { at: Coordinates::new(), measure, estimate, evidence, samples: vec![median], warnings }
    }

    /// 366 ns (31 to 4,276) says nothing, and its bad end is what others did.
    #[test]
    fn a_wide_interval_has_one_end_that_is_a_fact() {
        let latency = cell(Measure::Latency, (75.0, 120.0, 192.0), Vec::new());
        let Some(Certain::AtMost(bound)) = latency.certain() else { panic!("{:?}", latency.certain()) };
        // 1.6 to the power of 2.353 over 3.182.
        let evidence = latency.clone().with_certain().evidence;
        assert_eq!((evidence.at_least, evidence.at_most), (None, Some(bound)));
        assert!((bound - 120.0 * libm::pow(1.6, 2.3534 / 3.1824)).abs() < 0.05, "{bound}");
        let rate = cell(Measure::Bandwidth, (35.0, 50.0, 71.4), Vec::new());
        let Some(Certain::AtLeast(bound)) = rate.certain() else { panic!("{:?}", rate.certain()) };
        assert!(bound > 35.0 && bound < 45.0, "{bound}");
    }

    /// A latency of 200 ns ±20 % was replaced by "≤ 231", though it tells a sound machine from a faulty one.
    #[test]
    fn a_value_that_tells_a_fault_is_a_value() {
        let of =
            |share: f64| cell(Measure::Latency, (200.0 / share, 200.0, 200.0 * share), Vec::new()).certain();
        assert_eq!([1.11, 1.2, 1.25].map(of), [None; 3]);
        assert!(matches!(of(1.26), Some(Certain::AtMost(_))), "{:?}", of(1.26));
    }

    #[test]
    fn narrow_values_and_values_that_may_be_too_good_have_no_bound() {
        assert_eq!(cell(Measure::Latency, (99.0, 100.0, 101.0), Vec::new()).certain(), None);
        let wide = |warning| cell(Measure::Bandwidth, (35.0, 50.0, 71.4), vec![warning]).certain();
        assert!(wide(Warning::CpuTaken { share: 0.5 }).is_some());
        assert_eq!(wide(Warning::PagesMisplaced { share: 0.5 }), None);
    }

    #[test]
    fn a_drift_that_no_run_sees_is_a_part_of_the_bound() {
        let alone = cell(Measure::Latency, (80.0, 120.0, 180.0), Vec::new());
        let drifting = alone.clone().with_unseen_drift(0.05);
        assert!(drifting.certain().unwrap().bound() > alone.certain().unwrap().bound());
        assert!(drifting.certain().unwrap().bound() < drifting.estimate.high);
    }
}
