//! Events as the kernel describes them under `/sys/bus/event_source/devices`: a device has a type, formats that say which bits of the
//! configuration hold which term, and named events made of terms (Documentation/ABI/testing/sysfs-bus-event_source-devices-format and
//! -events).

use zerohop_machine::{FileTree, PuId, PuSet};

use crate::tree::{number, text};

pub(super) const DEVICES: &str = "/sys/bus/event_source/devices";

/// An event to count on a CPU of each package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Event {
    /// Type of the device.
    pub(super) kind: u32,
    pub(super) config: u64,
    /// The CPUs to open it on: one for each package.
    pub(super) cpus: Vec<PuId>,
}

impl Event {
    /// The event of a device that these terms describe (`event=0x04,umask=0x03`); `None` if the device has no such terms.
    pub(super) fn of(tree: &dyn FileTree, device: &str, terms: &str) -> Option<Self> {
        let path = format!("{DEVICES}/{device}");
        let config = terms.split(',').try_fold(0, |config, term| {
            let (name, value) = term.trim().split_once('=').unwrap_or((term.trim(), "1"));
            let value = match value.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16).ok()?,
                None => value.parse().ok()?,
            };
            let format = text(tree, &format!("{path}/format/{name}"))?;
            Some(config | spread(value, &format)?)
        })?;
        let cpus: PuSet = text(tree, &format!("{path}/cpumask"))?.trim().parse().ok()?;
        let kind = u32::try_from(number(tree, &format!("{path}/type"))?).ok()?;
        Some(Self { kind, config, cpus: cpus.iter().collect() })
    }
}

/// The bits of a value at the places that a format names (`config:0-7,32-35`); `None` if it does not fit, or if the format is about
/// another word of the configuration.
fn spread(value: u64, format: &str) -> Option<u64> {
    let ranges = format.trim().strip_prefix("config:")?;
    let mut left = value;
    let mut config = 0;
    for range in ranges.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        let width = last.checked_sub(first).filter(|_| last < 64)? + 1;
        let mask = u64::MAX >> (64 - width);
        config |= (left & mask) << first;
        left = left.checked_shr(width).unwrap_or(0);
    }
    (left == 0).then_some(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_goes_to_the_bits_that_its_format_names() {
        assert_eq!(spread(0x38, "config:8-15\n"), Some(0x3800));
        // amd_df: the upper bits of an event are elsewhere.
        assert_eq!(spread(0x107, "config:0-7,32-35,59-60"), Some(0x1_0000_0007));
        assert_eq!(spread(1, "config:18"), Some(1 << 18));
        assert_eq!(spread(0x100, "config:0-7"), None, "it does not fit");
        assert_eq!(spread(1, "config1:0-7"), None, "another word");
        assert_eq!(spread(u64::MAX, "config:0-63"), Some(u64::MAX));
        assert_eq!(spread(1, "config:9-3"), None);
    }
}
