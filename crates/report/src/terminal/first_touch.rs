//! What memory loses when one thread fills it that all threads use, in words.

use zerohop_result::{Axis, Cell, ExperimentResult, Measure};

use crate::number::significant;
use crate::terminal::page::Page;

/// A first touch by one thread is worth a word if it leaves less than this share of what local memory gives.
const WORTH_A_WORD: f64 = 0.8;

/// Says so where memory that one thread filled is slower than memory filled by its users, and what helps.
pub(crate) fn write_first_touch(page: &mut Page<'_>, result: &ExperimentResult) {
    let best = |placement: &str| {
        let is_meant =
            |cell: &&Cell| cell.measure == Measure::Bandwidth && cell.at.is(Axis::Placement, placement);
        let medians = result.cells.iter().filter(is_meant).map(|cell| cell.estimate.median);
        medians.max_by(f64::total_cmp)
    };
    let (Some(one), Some(users)) = (best("first_touch_one"), best("first_touch_users")) else { return };
    if one >= WORTH_A_WORD * users {
        return;
    }
    let unit = Measure::Bandwidth.unit();
    page.blank();
    page.alert(
        &format!(
            "memory that one thread filled lies on that thread's node and gives {} of {} {unit}: its placement is at fault",
            significant(one),
            significant(users)
        ),
        &match best("interleaved") {
            Some(dealt_out) => format!(
                "let the threads that use it fill it ({} {unit}), or deal it out with `numactl --interleave=all` ({} {unit}); the BIOS's \
                 node interleaving does that to all programs, those that place their memory well included",
                significant(users),
                significant(dealt_out)
            ),
            None => "let the threads that use it fill it".to_owned(),
        },
    );
}
