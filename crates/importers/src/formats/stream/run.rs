//! A run of STREAM, and its rows.

use zerohop_units::Bytes;

use crate::bound::Bound;

/// A smaller rate without a unit may be in GB/s, as in tables.
pub(super) const LEAST_IN_MEGABYTES: f64 = 1500.0;

/// A run, before it is known whether it has the most threads.
#[derive(Debug, Default)]
pub(super) struct Run {
    pub(super) threads: Option<u64>,
    /// The threads that its shell asks for, which a build for one thread does not heed.
    pub(super) exported: Option<u64>,
    pub(super) buffers: Bytes,
    pub(super) rows: Vec<Row>,
    pub(super) version: Option<String>,
    /// The lines of the banner between which a build for several threads prints how many there are.
    pub(super) banner: (bool, bool),
    /// Where it was bound, if the text says that it was.
    pub(super) bound: Option<Bound>,
    /// What somebody wrote above it, with the rank of the line.
    pub(super) heading: Option<(usize, String)>,
    /// The device whose memory it used, in versions for GPUs.
    pub(super) device: Option<String>,
}

/// `Copy: 254046.3 0.006921 0.006298 0.011713`: a kernel, its rate in MB/s, and its mean, shortest and longest time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) kernel: &'static str,
    pub(super) numbers: Vec<f64>,
    /// The decimals with which the rate is printed.
    pub(super) decimals: usize,
    /// Decimal GB/s in the unit of its own, if it has one.
    pub(super) unit: Option<f64>,
}

impl Row {
    /// Whether the line is as STREAM prints it, or has a unit: nobody could mistake it for something else.
    pub(super) fn is_as_printed(&self, line: &str) -> bool {
        match self.numbers[..] {
            [_, mean, least, most] => 0.0 < least && least <= mean && mean <= most,
            [rate] => {
                let has_decimal =
                    line.trim_end().rsplit_once('.').is_some_and(|(_, decimals)| decimals.len() == 1);
                self.unit.is_some() || rate >= LEAST_IN_MEGABYTES && has_decimal
            }
            _ => false,
        }
    }
}
