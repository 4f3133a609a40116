//! Where the buffers of a run are: checked before its samples and again after them.

use zerohop_workload::{Backing, Warning};

use crate::backing::Check;
use crate::numa_calls::NumaCalls;

/// What is known of where the buffers of a run are.
#[derive(Debug)]
pub(crate) struct Placed {
    checks: Vec<Check>,
    calls: NumaCalls,
    looks: u64,
    /// For each buffer, whether a look saw fewer pages in place than one before it: pages that came back do not take that back.
    moved: Vec<bool>,
    /// In the order of the workload's workers.
    pub(crate) backing: Vec<Backing>,
    /// Warnings about the setup.
    pub(crate) warnings: Vec<Warning>,
}

impl Placed {
    /// Looks for the first time. `warnings` are those known before.
    pub(crate) fn new(checks: Vec<Check>, warnings: Vec<Warning>, calls: NumaCalls) -> Self {
        let moved = vec![false; checks.len()];
        let mut placed = Self { checks, calls, looks: 0, moved, backing: Vec::new(), warnings };
        placed.backing = placed.look();
        placed
    }

    /// Looks again, after sampling: pages may have moved meanwhile, as when a cpuset's nodes change.
    pub(crate) fn look_again(&mut self) {
        let now = self.look();
        let both = self.backing.iter().zip(&now).zip(&mut self.moved).map(|((before, now), moved)| {
            let (before_share, share) = (before.placed_share, now.placed_share);
            *moved |= share.is_none_or(|share| share < before_share.unwrap_or(0.0));
            let worst = before.worse(now);
            Backing { confirmed: !*moved && worst.is_any_placed(), ..worst }
        });
        self.backing = both.collect();
    }

    fn look(&mut self) -> Vec<Backing> {
        let looks: Vec<_> = self.checks.iter().map(|check| check.look(self.looks, &self.calls)).collect();
        self.looks += 1;
        let (backing, warnings): (Vec<_>, Vec<_>) = looks.into_iter().unzip();
        self.warnings = Warning::union(self.warnings.iter().chain(warnings.iter().flatten()));
        backing
    }
}
