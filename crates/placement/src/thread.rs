//! A thread of a process: `/proc/PID/task/TID/stat` and `status`.

use schemars::JsonSchema;
use serde::Serialize;
use zerohop_machine::{PuId, PuSet};

/// A thread, with its location.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Thread {
    /// Id of the thread.
    pub id: u32,
    /// Name of the thread.
    pub name: String,
    /// Whether the thread was running or runnable when it was sampled.
    pub runs: bool,
    /// CPU that the thread last ran on.
    pub pu: PuId,
    /// CPUs that the thread may run on; empty if the kernel does not show them.
    #[schemars(with = "String")]
    pub allowed: PuSet,
    /// CPU time since the start of the thread, in kernel ticks (usually 100 per second).
    pub ticks: u64,
}

/// Why a thread's `stat` is not understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a thread's state (expected `number (name) state …` with at least 39 fields)")]
pub struct ParseThreadError {
    pub text: String,
}

impl Thread {
    /// The thread in the text of `stat`, with the CPUs that the text of `status` allows it.
    ///
    /// # Errors
    /// When `stat` is not in the kernel's form.
    pub fn of_stat(stat: &str, status: &str) -> Result<Self, ParseThreadError> {
        Self::read(stat, status)
            .ok_or_else(|| ParseThreadError { text: stat.trim().chars().take(80).collect() })
    }

    fn read(stat: &str, status: &str) -> Option<Self> {
        // A name may hold blanks and parentheses: it ends at the last one.
        let (head, fields) = stat.rsplit_once(") ")?;
        let (id, name) = head.split_once(" (")?;
        // The first of them is the third field in the kernel's documentation, the state.
        let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
        let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
        let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        Some(Self {
            id: id.trim().parse().ok()?,
            name: name.to_owned(),
            runs: *fields.first()? == "R",
            pu: PuId(number(39)?.try_into().ok()?),
            allowed: allowed.and_then(|list| list.trim().parse().ok()).unwrap_or_default(),
            ticks: number(14)?.saturating_add(number(15)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REST: &str =
        "0 0 0 0 0 0 0 0 0 700 25 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 6 0 0 0 0 0 0 0 0 0 0 0 0 0";

    #[test]
    fn names_may_hold_anything() {
        let stat = format!("4243 (a) R (b)) R 1 {REST}");
        let thread = Thread::of_stat(&stat, "Name:\ta\nCpus_allowed_list:\t0-3,6\n").unwrap();
        assert_eq!((thread.id, thread.name.as_str(), thread.runs), (4243, "a) R (b)", true));
        assert_eq!((thread.pu, thread.ticks, thread.allowed.len()), (PuId(6), 725, 5));
    }

    #[test]
    fn a_short_line_is_refused() {
        assert!(Thread::of_stat("1 (a) S 1 2 3", "").is_err());
        assert!(Thread::of_stat("", "").is_err());
    }
}
