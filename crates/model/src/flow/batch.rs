//! Batches of writes on a channel, and reads that have taken its bus ahead of time: what comes in bursts, and what it means for
//! lines of which a worker has only a few.

/// Batches of writes on a channel.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Batches {
    pub(super) rate: f64,
    /// How long what comes just after one has begun waits for its end.
    pub(super) length: f64,
    /// The wait of arrivals at any time.
    pub(super) of_any: f64,
    /// How far there are enough writes for a batch to wait for another; then lines come at any time.
    pub(super) many: f64,
}

/// A bus that reads have taken ahead of time.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Ahead {
    pub(super) length: f64,
    pub(super) mean: f64,
    pub(super) idle: f64,
}

impl Ahead {
    /// How much longer lines that come once in `interval` wait for it than any.
    pub(super) fn longer(&self, interval: f64, wait: f64) -> f64 {
        if self.mean == 0.0 || !interval.is_finite() {
            return 0.0;
        }
        let caught = interval * caught(self.length, interval - wait) * 2.0 / (self.length * self.length);
        self.idle * ((self.mean * caught).min(self.length) - self.mean).max(0.0)
    }
}

/// Mean wait for the end of something of a given length that a line meets which comes once in so long, beside its wait.
fn caught(length: f64, away: f64) -> f64 {
    let away = away.max(1e-9);
    if away < length { length - away / 2.0 } else { length * length / (2.0 * away) }
}

impl Batches {
    /// Mean square of the wait.
    pub(super) fn square(&self) -> f64 {
        self.rate * self.length.powi(3) / 3.0
    }

    /// Wait of lines of which each comes here once in `interval`, its wait included; the last round's wait was `wait`.
    ///
    /// One that comes at any time meets a batch as often as there is one. But a line in flight that waits for a batch does
    /// not come a second time during it: of each, a batch only delays the first arrival after its beginning.
    pub(super) fn wait(&self, interval: f64, wait: f64, lines: f64) -> f64 {
        if self.rate == 0.0 || !interval.is_finite() {
            return self.of_any;
        }
        let each = caught(self.length, interval - wait);
        // The one that makes a batch full does not wait for it.
        let others = 1.0 - 1.0 / lines.max(1.0);
        (1.0 - self.many) * self.rate * interval * each * others + self.many * self.of_any
    }
}
