//! Position of a value relative to the expectation.

use zerohop_result::Cell;

use super::expectations::{Expectation, Standing};

/// Position of the cell's value: only intervals that do not overlap are conclusive.
pub(super) fn standing(cell: &Cell, expected: &Expectation) -> Standing {
    let found = cell.estimate;
    if !expected.validated || cell.is_doubtful() || found.median.is_nan() || found.median <= 0.0 {
        return Standing::Open;
    }
    let larger_is_better = cell.measure.larger_is_better();
    if found.high < expected.low {
        if larger_is_better { Standing::Worse } else { Standing::Better }
    } else if found.low > expected.high {
        if larger_is_better { Standing::Better } else { Standing::Worse }
    } else {
        Standing::AsExpected
    }
}
