//! The bandwidth that cores can reach with their lines in flight.

use zerohop_units::{GigabytesPerSecond, Nanoseconds};

use super::LINE;
use super::core::CoreKind;
use super::idle::{IdlePart, IdleRead};

impl CoreKind {
    /// Bandwidth of one core's stream with that many lines in flight, each of which takes as long as an idle read that hits an open row; or, if less,
    /// the bandwidth of misses at intervals of `issue`.
    pub fn stream_ceiling(&self, lines: u32, read: &IdleRead) -> GigabytesPerSecond {
        let time = Self::stream_time(read);
        let by_window = f64::from(lines) * LINE.get() as f64 / time.get();
        let by_issue = match self.parameters.issue.get() > 0.0 {
            true => LINE.get() as f64 / self.parameters.issue.get(),
            false => f64::INFINITY,
        };
        GigabytesPerSecond(by_window.min(by_issue))
    }

    /// The time of a line of a stream: rows stay open.
    pub fn stream_time(read: &IdleRead) -> Nanoseconds {
        read.time() - read.part(IdlePart::Row)
    }
}
