//! Duration of a measurement, from its start to its end.

use zerohop_units::Seconds;

use crate::ResultFile;

impl ResultFile {
    /// Time from start to end, including the time before and between experiments; `None` while the measurement runs, for a result without times, and
    /// if the clock was set back in between.
    pub fn wall_time(&self) -> Option<Seconds> {
        let took = self.finished_at?.get().duration_since(self.started_at?.get());
        (!took.is_negative()).then(|| Seconds(took.as_secs_f64()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Timestamp;

    fn at(text: &str) -> Option<Timestamp> {
        text.parse().ok()
    }

    fn host() -> ResultFile {
        ResultFile::read(include_str!("../tests/files/version-2/host.json")).unwrap()
    }

    /// The page said 11 s where 22 passed: it summed up what experiments took.
    #[test]
    fn time_between_experiments_counts() {
        let mut file = host();
        file.started_at = at("2026-11-22T23:59:50Z");
        file.finished_at = at("2026-11-23T00:00:12Z");
        assert_eq!(file.wall_time(), Some(Seconds(22.0)));
    }

    #[test]
    fn without_a_start_or_an_end_there_is_no_time() {
        let mut file = host();
        file.finished_at = at("2026-11-22T00:00:00Z");
        assert_eq!(file.wall_time(), None, "the clock was set back");
        file.finished_at = None;
        assert_eq!(file.wall_time(), None);
    }
}
