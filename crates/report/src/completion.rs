//! Whether a result is complete, in words.

use zerohop_result::Completion;

/// A note on an incomplete result, to follow other words.
pub(crate) const fn state(completion: Completion) -> &'static str {
    match completion {
        Completion::Complete => "",
        Completion::Interrupted => ", interrupted",
        Completion::Running => ", unfinished",
    }
}
