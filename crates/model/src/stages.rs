//! Where the foreground's fills spend their time.

use crate::time::Ticks;
use crate::token::Token;

/// Ranks of [`zerohop_workload::Stage::ALL`].
pub(crate) const CORE: usize = 0;
pub(crate) const REQUEST: usize = 1;
pub(crate) const HOME: usize = 2;
pub(crate) const MEMORY: usize = 3;
pub(crate) const DATA: usize = 4;
pub(crate) const PROBES: usize = 5;

/// Fills that were timed to their end, and the ticks that they spent in each stage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Stages {
    pub(crate) fills: u64,
    pub(crate) times: [Ticks; 6],
}

impl Stages {
    /// A stage of a fill ends at `until`, if the fill is timed.
    #[inline(always)]
    pub(crate) fn end(&mut self, token: &mut Token, stage: usize, until: Ticks) {
        if token.followed {
            self.times[stage] += until - token.since;
            token.since = until;
        }
    }
}
