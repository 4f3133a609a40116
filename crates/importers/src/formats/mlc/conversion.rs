//! Values in the units that a text states.

use zerohop_workload::Warning;

use super::block::Reader;

impl Reader<'_> {
    /// The ns of a latency in the unit that the text states.
    pub(super) fn in_nanoseconds(&self, value: f64) -> f64 {
        self.nanoseconds.map_or(value, |nanoseconds| value * nanoseconds)
    }

    /// Decimal GB/s of a value in MB/s of the size that the text states, or in another unit that it states.
    pub(super) fn gigabytes(&self, value: f64) -> f64 {
        self.in_unit(value, None)
    }

    /// The same, with the unit that stands behind the value.
    pub(super) fn in_unit(&self, value: f64, own: Option<f64>) -> f64 {
        // No machine moves as many GB/s: the title says one thing, and the values are MLC's own.
        const MOST: f64 = 20_000.0;
        match own.or(self.unit) {
            Some(bytes) if value * bytes / 1e9 < MOST => return value * bytes / 1e9,
            Some(_) => self.is_unit_wrong.set(true),
            None => {}
        }
        if self.invocation.megabyte == 1e6 {
            // Divided, so that a value that zerohop printed comes back as near as its decimals allow.
            value / 1e3
        } else {
            value * self.invocation.megabyte / 1e9
        }
    }

    /// What is doubtful about the unit of the values of a block that ends.
    pub(super) fn wrong_unit(&self) -> Option<Warning> {
        let reason = "values are too large for the unit in the text, so they are read as MB/s";
        self.is_unit_wrong.take().then(|| Warning::Implausible { reason: reason.to_owned() })
    }
}
