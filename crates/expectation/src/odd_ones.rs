//! Outliers among comparable values: values that are worse than the others, and few enough to be exceptions.
//!
//! The caller determines which values are comparable: for [`deviations`](crate::deviations) they are single cells between nodes, for a diagnosis
//! nodes and pairs of nodes. The criterion for outliers is the same everywhere.

use zerohop_result::{Cell, Estimate};

/// A value this many times farther from the usual one than comparable values commonly are (their median absolute deviation,
/// scaled to the standard deviation of a normal distribution) is no part of their spread.
const BEYOND_THE_SPREAD: f64 = 3.0 * 1.4826;

/// A value among comparable ones.
#[derive(Debug, Clone, Copy)]
pub struct Comparable<'a, K> {
    /// Identification of the value.
    pub key: K,
    pub cell: &'a Cell,
}

/// Values that are worse than usual, and the usual value.
#[derive(Debug, Clone)]
pub struct OddOnes<'a, K> {
    /// The usual value: the median, the better of two, or the median of the better half where every second one may be odd.
    pub usual: Estimate,
    pub odd: Vec<Comparable<'a, K>>,
    /// Values that are as far from the usual one, but whose intervals overlap with it.
    pub open: Vec<Comparable<'a, K>>,
}

/// The values that are worse than the usual one by `least`, a share of it, if they are few enough to be exceptions: at most `share` of
/// all, or one. `None` if there is nothing to compare.
pub fn odd_ones<'a, K: Copy>(values: &[Comparable<'a, K>], least: f64, share: f64) -> Option<OddOnes<'a, K>> {
    let measure = values.first()?.cell.measure;
    let larger = measure.larger_is_better();
    // The best first.
    let mut sorted: Vec<Estimate> = values.iter().map(|value| value.cell.estimate).collect();
    sorted.sort_by(|one, other| {
        let order = one.median.total_cmp(&other.median);
        if larger { order.reverse() } else { order }
    });
    let usual = match sorted.len() {
        0 | 1 => return None,
        // Of two, the better one shows what is possible.
        2 => sorted[0],
        // If every second one may be odd, the better half shows what is usual.
        count if share >= 0.5 => sorted[(count - 1) / 4],
        count => sorted[(count - 1) / 2],
    };
    let mut spread: Vec<f64> = sorted.iter().map(|value| (value.median - usual.median).abs()).collect();
    spread.sort_by(f64::total_cmp);
    // Of two or three, each is half of the spread.
    let spread = if sorted.len() > 3 && share < 0.5 { spread[spread.len() / 2] } else { 0.0 };
    let is_far = |value: &&Comparable<'a, K>| {
        let found = value.cell.estimate;
        let worse = if larger { found.median < usual.median } else { found.median > usual.median };
        let beyond = (found.median - usual.median).abs() > BEYOND_THE_SPREAD * spread;
        worse && beyond && (found.median / usual.median - 1.0).abs() >= least
    };
    let is_clear = |value: &Comparable<'a, K>| apart(value.cell.estimate, usual) != Some(false);
    let (odd, open): (Vec<_>, Vec<_>) = values.iter().filter(is_far).partition(|value| is_clear(value));
    let most = ((values.len() as f64 * share) as usize).max(1);
    Some(OddOnes { usual, odd: if odd.len() > most { Vec::new() } else { odd }, open })
}

/// Whether the intervals of two values leave no doubt about which is larger; `None` if neither has one.
pub fn apart(one: Estimate, other: Estimate) -> Option<bool> {
    let without = |value: Estimate| value.low >= value.high;
    if without(one) && without(other) {
        return None;
    }
    Some(one.high < other.low || other.high < one.low)
}
