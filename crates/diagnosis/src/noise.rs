//! Error of values in a text without intervals: the difference between values that should be equal.
//!
//! Both directions of a path have the same idle latency, and so have local memories of nodes of one size. Faults of channels and links change
//! bandwidths, and hardly these latencies.

use std::collections::BTreeMap;

use zerohop_machine::NodeId;
use zerohop_result::{Measure, Query};

use crate::experiments::{BANDWIDTH_MATRIX, LATENCY_MATRIX};
use crate::facts::{Facts, Pairs};

/// A difference counts if it is this many deviations of those between equal values, and more where few of these are known.
const BEYOND: f64 = 4.0;

/// No disturbance hides a difference of more than this share.
const MOST: f64 = 0.1;

/// Values that differ by more than this where they should be equal.
const DISTURBED: f64 = 0.03;

/// The same as [`MOST`] where values are that disturbed and so many that their extremes are far apart.
const MOST_OF_MANY: f64 = 0.12;

/// Opposite directions of healthy published runs differ by as much (docs/diagnosis.md).
const DIRECTIONS: f64 = 0.07;

/// No disturbance hides a direction that loses more.
const MOST_OF_DIRECTIONS: f64 = 0.15;

/// More differences than this are many: those of more than four nodes.
const FEW: usize = 12;

/// As many differences as two nodes have.
const FEWEST: usize = 2;

/// The standard deviation of the differences between values that should be equal, as a share, and how many there are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Noise {
    pub(crate) deviation: f64,
    count: usize,
}

impl Noise {
    /// Noise of a result; `None` if it has no such values.
    pub(crate) fn of(facts: &Facts<'_>) -> Option<Self> {
        let pairs = facts.pairs(LATENCY_MATRIX, &Query::of(Measure::Latency)).ok()?;
        let mut differences = there_and_back(&pairs);
        let mut alike: BTreeMap<Option<usize>, Vec<f64>> = BTreeMap::new();
        let own: Vec<(NodeId, _)> = pairs.local();
        for (node, cell) in own {
            alike.entry(facts.pus(node)).or_default().push(cell.estimate.median);
        }
        let neighbors = alike.values().flat_map(|values| values.windows(2));
        differences.extend(neighbors.map(|pair| libm::log(pair[0] / pair[1])));
        // Two differences may be small by chance. Bandwidths there and back are equal, too, where no link is faulty.
        if differences.len() <= FEWEST
            && let Ok(pairs) = facts.pairs(BANDWIDTH_MATRIX, &Query::of(Measure::Bandwidth))
        {
            differences.extend(there_and_back(&pairs));
        }
        Self::among(&differences)
    }

    fn among(differences: &[f64]) -> Option<Self> {
        let count = differences.len();
        let squares: f64 = differences.iter().map(|difference| difference * difference).sum();
        (count > 0).then(|| Self { deviation: libm::sqrt(squares / count as f64), count })
    }

    /// Whether single exceptions show nothing.
    pub(crate) fn is_large(self) -> bool {
        self.deviation > DISTURBED
    }

    /// Minimum difference between two directions for a rule that asks for `least`: the directions of good machines differ, too.
    pub(crate) fn least_of_directions(self, least: f64) -> f64 {
        (DIRECTIONS + 2.0 * self.deviation).min(MOST_OF_DIRECTIONS).max(least)
    }

    /// The share by which values must differ at least to be called different, for a rule that asks for `least`.
    pub(crate) fn least(self, least: f64) -> f64 {
        let beyond = BEYOND * (1.0 + 2.0 / self.count as f64) * self.deviation;
        let most = if self.is_large() && self.count > FEW { MOST_OF_MANY } else { MOST };
        beyond.min(most).max(least)
    }
}

/// The differences between the ways there and back, as logarithms of their ratios.
fn there_and_back(pairs: &Pairs<'_>) -> Vec<f64> {
    let there = pairs.cells.keys().filter(|(from, to)| from < to);
    there.filter_map(|&(from, to)| Some(libm::log(pairs.get(from, to)? / pairs.get(to, from)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_values_keep_a_rule_s_bound_and_disturbed_ones_raise_it_to_a_tenth_or_little_more() {
        let least = |differences: &[f64]| Noise::among(differences).map(|noise| noise.least(0.06));
        assert_eq!(least(&[]), None);
        assert_eq!(least(&[0.002, -0.004]), Some(0.06));
        assert_eq!(least(&[0.05, 0.02, -0.04]), Some(0.1));
        assert_eq!(least(&[0.04; 20]), Some(0.12));
        let between = least(&[0.015, 0.015, 0.015, 0.015]).unwrap();
        assert!((between - 0.09).abs() < 1e-12, "{between}");
        assert_eq!(Noise::among(&[0.05]).unwrap().least(0.4), 0.4);
        let of_directions =
            |difference: f64| Noise::among(&[difference; 20]).unwrap().least_of_directions(0.1);
        assert_eq!([0.01, 0.2].map(of_directions), [0.1, 0.15]);
        assert!((of_directions(0.025) - 0.12).abs() < 1e-12);
    }
}
