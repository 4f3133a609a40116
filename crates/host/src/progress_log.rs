//! A log of a worker's progress over time, from which the work inside a window is computed.

/// A moment, and the work done by then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The moment in ticks.
    pub(crate) tick: u64,
    /// The work done since the worker began.
    pub(crate) done: u64,
}

/// The marks of one worker in one sample, in ascending order. The log never allocates after its creation: when it is full,
/// it drops every other mark, and from then on keeps only every other new one.
#[derive(Debug, Clone)]
pub(crate) struct ProgressLog {
    marks: Vec<Mark>,
    last: Option<Mark>,
    every: u32,
    skipped: u32,
}

/// The number of marks that a log holds.
const CAPACITY: usize = 4096;

/// A time interval in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) start: u64,
    /// The tick after its last.
    pub(crate) end: u64,
}

impl ProgressLog {
    /// An empty log, with room for every mark it will hold.
    pub(crate) fn new() -> Self {
        Self { marks: Vec::with_capacity(CAPACITY), last: None, every: 1, skipped: 0 }
    }

    /// Clears the log and starts it at `mark`.
    pub(crate) fn restart(&mut self, mark: Mark) {
        self.marks.clear();
        self.marks.push(mark);
        self.last = Some(mark);
        self.every = 1;
        self.skipped = 0;
    }

    /// Adds a mark that is later than all others.
    pub(crate) fn push(&mut self, mark: Mark) {
        self.last = Some(mark);
        self.skipped += 1;
        if self.skipped < self.every {
            return;
        }
        self.skipped = 0;
        if self.marks.len() == CAPACITY {
            let mut number = 0;
            self.marks.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.every *= 2;
        }
        self.marks.push(mark);
    }

    /// The first mark and the last, if there is any.
    pub(crate) fn ends(&self) -> Option<(Mark, Mark)> {
        Some((*self.marks.first()?, self.last?))
    }

    /// From the first mark to the last.
    pub(crate) fn span(&self) -> Option<Window> {
        self.ends().map(|(first, last)| Window { start: first.tick, end: last.tick })
    }

    /// The stretches between neighboring marks, each with the work done in it.
    pub(crate) fn stretches(&self) -> impl Iterator<Item = (Window, u64)> + '_ {
        self.marks.windows(2).map(|pair| {
            (Window { start: pair[0].tick, end: pair[1].tick }, pair[1].done.saturating_sub(pair[0].done))
        })
    }

    /// Work done inside a window, interpolated between marks.
    pub(crate) fn inside(&self, window: Window) -> f64 {
        (self.done_by(window.end) - self.done_by(window.start)).max(0.0)
    }

    /// Work done by `tick` since the first mark. After the last mark, it is all work.
    fn done_by(&self, tick: u64) -> f64 {
        let Some((first, last)) = self.ends() else { return 0.0 };
        let later = self.marks.partition_point(|mark| mark.tick <= tick);
        let Some(before) = later.checked_sub(1).map(|number| self.marks[number]) else { return 0.0 };
        let after = self.marks.get(later).copied().unwrap_or(last);
        let whole = (before.done - first.done) as f64;
        if after.tick <= before.tick {
            return whole;
        }
        let share = (tick.min(after.tick) - before.tick) as f64 / (after.tick - before.tick) as f64;
        whole + share * (after.done - before.done) as f64
    }
}

impl Window {
    /// Its length in ticks.
    pub(crate) fn ticks(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// The part of `asked` that all `spans` have in common; `None` if there is none.
    pub(crate) fn common(asked: Self, spans: impl IntoIterator<Item = Self>) -> Option<Self> {
        let both =
            |one: Self, other: Self| Self { start: one.start.max(other.start), end: one.end.min(other.end) };
        let common = spans.into_iter().fold(asked, both);
        (common.start < common.end).then_some(common)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn log(marks: &[(u64, u64)]) -> ProgressLog {
        let mut log = ProgressLog::new();
        for (number, &(tick, done)) in marks.iter().enumerate() {
            let mark = Mark { tick, done };
            if number == 0 { log.restart(mark) } else { log.push(mark) }
        }
        log
    }

    fn window(start: u64, end: u64) -> Window {
        Window { start, end }
    }

    #[test]
    fn work_between_two_marks_is_interpolated() {
        let log = log(&[(100, 1000), (200, 2000), (400, 2400)]);
        assert_eq!(log.inside(window(100, 400)), 1400.0);
        assert_eq!(log.inside(window(150, 300)), 700.0);
        assert_eq!(log.inside(window(160, 170)), 100.0);
    }

    #[test]
    fn nothing_is_done_before_the_first_mark_or_after_the_last() {
        let log = log(&[(100, 0), (200, 50)]);
        assert_eq!(log.inside(window(0, 100)), 0.0);
        assert_eq!(log.inside(window(0, 1000)), 50.0);
        assert_eq!(log.inside(window(200, 1000)), 0.0);
        assert_eq!(ProgressLog::new().inside(window(0, 9)), 0.0);
    }

    #[test]
    fn a_window_is_common_to_all_or_none() {
        let asked = window(10, 100);
        assert_eq!(Window::common(asked, []), Some(asked));
        assert_eq!(Window::common(asked, [window(0, 90), window(20, 200)]), Some(window(20, 90)));
        assert_eq!(Window::common(asked, [window(0, 30), window(30, 200)]), None);
    }

    #[test]
    fn a_full_log_keeps_both_ends_and_does_not_grow() {
        let mut log = log(&[(0, 0)]);
        for tick in 1..=100_000 {
            log.push(Mark { tick, done: 3 * tick });
        }
        assert_eq!(log.marks.capacity(), CAPACITY);
        assert_eq!(log.span(), Some(window(0, 100_000)));
        assert!((log.inside(window(11_111, 77_777)) - 3.0 * 66_666.0).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn adjoining_windows_add_up(
            steps in prop::collection::vec((1u64..1000, 0u64..10_000), 1..200),
            cuts in prop::collection::vec(0u64..200_000, 1..10),
        ) {
            let mut at = (5, 7);
            let marks: Vec<(u64, u64)> = steps.iter().map(|&(tick, done)| {
                at = (at.0 + tick, at.1 + done);
                at
            }).collect();
            let log = log(&marks);
            let mut cuts = cuts;
            cuts.sort_unstable();
            let parts: f64 = cuts.windows(2).map(|pair| log.inside(window(pair[0], pair[1]))).sum();
            let whole = log.inside(window(cuts[0], cuts[cuts.len() - 1]));
            prop_assert!((parts - whole).abs() < 1e-6 * whole.max(1.0));
            let all = log.inside(window(0, u64::MAX));
            prop_assert_eq!(all, (marks[marks.len() - 1].1 - marks[0].1) as f64);
        }
    }
}
