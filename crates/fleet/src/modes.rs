//! Values that are spread in two: then half of a fleet may be bad, and nothing is usual.

use zerohop_statistics::two_peaks;

use super::columns::{Column, Entry};
use super::verdicts::WORTH;

/// Machines in two modes.
pub(super) struct Split {
    /// Value of the better machines, in the unit of the measure.
    pub(super) better: f64,
    pub(super) worse: f64,
    /// The numbers of the worse ones.
    pub(super) members: Vec<usize>,
}

/// The two modes of a column, if it has them.
pub(super) fn split(column: &Column) -> Option<Split> {
    // What lacks parts is bad already. Two peaks are told apart by their distance as a share.
    let whole = || column.entries.iter().filter(|entry| !entry.is_short);
    let values: Vec<f64> = whole().map(|entry| libm::exp(entry.value - column.crowd.center)).collect();
    let (low, high) = two_peaks(&values)?;
    if low / high > 1.0 - WORTH {
        return None;
    }
    let between = libm::log(low * high) / 2.0 + column.crowd.center;
    let worse: Vec<&Entry> = whole().filter(|entry| entry.value < between).collect();
    let shown = |ratio: f64| column.shown(column.usual + libm::log(ratio));
    Some(Split {
        better: shown(high),
        worse: shown(low),
        members: worse.into_iter().map(|entry| entry.member).collect(),
    })
}
