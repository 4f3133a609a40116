//! The cost of first touch by one thread for memory that all threads use, in words.

use zerohop_result::{Axis, ExperimentResult, Measure, Query};

use crate::number::significant;
use crate::page::Page;

/// First touch by one thread is worth a remark if bandwidth falls below this share of that of local memory.
const WORTH_A_WORD: f64 = 0.8;

/// Warns if memory first touched by one thread is slower than memory first touched by its users, and suggests a remedy.
pub(crate) fn write_first_touch(page: &mut Page, result: &ExperimentResult) {
    let best = |placement: &str| {
        let query = Query::of(Measure::Bandwidth).at(Axis::Placement, placement);
        let cells = result.cells.iter().filter(|cell| query.selects(cell));
        let medians = cells.map(|cell| cell.estimate.median);
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
            "memory first touched by one thread is on that thread's node and reaches only {} of {} {unit}, because of its placement",
            significant(one),
            significant(users)
        ),
        &match best("interleaved") {
            Some(interleaved) => format!(
                "initialize it in the threads that use it ({} {unit}), or interleave it with `numactl --interleave=all` ({} {unit}); node interleaving \
                                 in the BIOS does so for all programs, even those that place their memory well",
                significant(users),
                significant(interleaved)
            ),
            None => "initialize it in the threads that use it".to_owned(),
        },
    );
}
