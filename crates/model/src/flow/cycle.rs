//! Lines that go round through a channel which nobody reads: in step with the batches that they make themselves.
//!
//! Means would have a line come at any time. But all lines that wait for the end of a batch leave together, and come
//! together the next time: how many rounds they make until the next batch is a whole number.

/// Lines that are followed, at most.
const MOST_LINES: usize = 256;

/// Batches until lines are in step, and batches that are looked at then.
const FIRST: usize = 3;
const THEN: usize = 6;

/// What goes round.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cycle {
    pub(super) lines: f64,
    /// Lines of a batch, and how long it takes the bus.
    pub(super) batch: f64,
    pub(super) length: f64,
    /// Time of a round beside the wait for the bus.
    pub(super) away: f64,
    /// Least time between two arrivals.
    pub(super) apart: f64,
}

impl Cycle {
    /// Mean time of a round; `None` for too many lines to follow. They come in the order in which they left.
    pub(super) fn round(&self) -> Option<f64> {
        let (lines, batch) = (self.lines as usize, self.batch as usize);
        if lines == 0 || lines > MOST_LINES || batch == 0 {
            return None;
        }
        let mut due = [0.0f64; MOST_LINES];
        let (mut last, mut busy, mut begin, mut done) = (f64::NEG_INFINITY, 0.0f64, 0.0, 0.0);
        for number in 0..(FIRST + THEN) * batch {
            let line = &mut due[number % lines];
            let arrival = line.max(last + self.apart);
            done = busy.max(arrival);
            if (number + 1) % batch == 0 {
                busy = done + self.length;
            }
            if number + 1 == FIRST * batch {
                begin = done;
            }
            last = arrival;
            *line = done + self.away;
        }
        Some((done - begin) * lines as f64 / (THEN * batch) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::Cycle;

    #[test]
    fn lines_that_one_batch_gathers_make_whole_rounds_until_the_next() {
        let cycle = |lines: f64| Cycle { lines, batch: 16.0, length: 100.0, away: 80.0, apart: 0.0 };
        // All wait for the end of a batch, being gathered already; then eight more have to come once, or six twice.
        let per_batch = |lines: f64| cycle(lines).round().unwrap() * 16.0 / lines;
        assert!((per_batch(8.0) - (100.0 + 80.0)).abs() < 1e-9);
        assert!((per_batch(6.0) - (100.0 + 2.0 * 80.0)).abs() < 1e-9);
    }

    #[test]
    fn many_lines_keep_the_bus_busy_and_few_do_not_wait_without_batches() {
        let cycle = Cycle { lines: 200.0, batch: 8.0, length: 50.0, away: 40.0, apart: 0.0 };
        assert!((200.0 / cycle.round().unwrap() - 8.0 / 50.0).abs() < 1e-9);
        let cycle = Cycle { lines: 4.0, length: 0.0, ..cycle };
        assert!((cycle.round().unwrap() - 40.0).abs() < 1e-9);
        assert!(Cycle { lines: 1000.0, ..cycle }.round().is_none());
    }
}
