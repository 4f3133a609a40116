//! What a change is worth: the geometric mean of what it does to each probe, with its error.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_workload::Measure;

use super::probe::Reading;

/// How far the fast solver may be from the event simulation: 2 % of a bandwidth, 0.1 % of an idle latency (docs/model.md).
const OF_BANDWIDTH: f64 = 0.02;
const OF_LATENCY: f64 = 0.001;

/// Effect of a change, in percent of the present value. Above zero is better.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Effect {
    /// Value of the effect.
    pub percent: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Effect {
    /// The effect of readings that become others, pairwise; nothing if there are none.
    pub fn of(pairs: &[(Measure, Reading, Reading)]) -> Option<Self> {
        let usable = |reading: &Reading| reading.value.is_finite() && reading.value > 0.0;
        let pairs: Vec<_> =
            pairs.iter().filter(|(_, before, after)| usable(before) && usable(after)).collect();
        if pairs.is_empty() {
            return None;
        }
        let count = pairs.len() as f64;
        let mut logarithm = 0.0;
        let mut variance = 0.0;
        for (measure, before, after) in pairs {
            let gain = libm::log(after.value / before.value);
            logarithm += if measure.larger_is_better() { gain } else { -gain };
            variance += error(*measure, before).powi(2) + error(*measure, after).powi(2);
        }
        let (mean, margin) = (logarithm / count, variance.sqrt() / count);
        let percent = |logarithm: f64| 100.0 * (libm::exp(logarithm) - 1.0);
        Some(Self { percent: percent(mean), low: percent(mean - margin), high: percent(mean + margin) })
    }

    /// Whether it is a gain beyond its error.
    pub fn is_gain(&self) -> bool {
        self.low > 0.0
    }

    /// Whether it is a loss beyond its error.
    pub fn is_loss(&self) -> bool {
        self.high < 0.0
    }
}

/// The relative error of a reading: that of its interval, or of the solver if it has none.
fn error(measure: Measure, reading: &Reading) -> f64 {
    let interval = (reading.high - reading.low) / 2.0 / reading.value;
    let solver = if measure.larger_is_better() { OF_BANDWIDTH } else { OF_LATENCY };
    interval.max(solver)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(value: f64) -> Reading {
        Reading { value, low: value, high: value }
    }

    #[test]
    fn an_effect_is_the_geometric_mean_over_probes() {
        let pairs =
            [(Measure::Bandwidth, exact(10.0), exact(40.0)), (Measure::Bandwidth, exact(50.0), exact(50.0))];
        let effect = Effect::of(&pairs).unwrap();
        assert!((effect.percent - 100.0).abs() < 1e-9, "{effect:?}");
        assert!(effect.is_gain() && effect.low < 100.0 && effect.high > 100.0);
    }

    #[test]
    fn less_latency_is_a_gain_and_less_than_the_solver_s_error_is_none() {
        let effect = |before, after| Effect::of(&[(Measure::Latency, exact(before), exact(after))]).unwrap();
        assert!(effect(200.0, 190.0).is_gain());
        assert!(effect(190.0, 200.0).is_loss());
        let none = effect(200.0, 200.1);
        assert!(!none.is_gain() && !none.is_loss());
        let noise = Effect::of(&[(Measure::Bandwidth, exact(100.0), exact(102.0))]).unwrap();
        assert!(!noise.is_gain(), "{noise:?}");
    }

    #[test]
    fn readings_that_are_none_have_no_effect() {
        assert_eq!(Effect::of(&[]), None);
        assert_eq!(Effect::of(&[(Measure::Bandwidth, exact(0.0), exact(1.0))]), None);
        assert_eq!(Effect::of(&[(Measure::Latency, exact(f64::NAN), exact(1.0))]), None);
    }
}
