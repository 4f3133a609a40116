//! What begins a block.

use crate::number::{count, number};

/// What begins a block, in lower case; a block's meaning follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heading {
    Banner,
    IdleLatencies,
    IdleLatenciesOfCores,
    Bandwidths,
    PeakBandwidths,
    MaximumBandwidths,
    LoadedLatencies,
    CacheToCache,
}

impl Heading {
    /// The heading on this line, in lower case.
    pub(super) fn of(line: &str) -> Option<Self> {
        let measuring = line.contains("measuring");
        Some(match () {
            () if line.contains("memory latency checker") => Self::Banner,
            () if measuring && line.contains("idle latenc") && line.contains("for all cores") => {
                Self::IdleLatenciesOfCores
            }
            () if measuring && line.contains("idle latenc") => Self::IdleLatencies,
            () if measuring && line.contains("memory bandwidths between") => Self::Bandwidths,
            () if measuring && line.contains("maximum memory bandwidth") => Self::MaximumBandwidths,
            () if measuring && line.contains("peak") && line.contains("memory bandwidth") => {
                Self::PeakBandwidths
            }
            () if measuring && line.contains("loaded latenc") => Self::LoadedLatencies,
            () if measuring && line.contains("cache-to-cache") => Self::CacheToCache,
            () => return None,
        })
    }
}

/// `Inject  Latency Bandwidth`, which is the first line where somebody left out the heading; `Delay, Latency, Bandwidth` of spreadsheets.
pub(super) fn is_head_of_loads(lower: &str) -> bool {
    const MOST_WORDS: usize = 8;
    let is_named = lower.starts_with("inject") || lower.starts_with("delay");
    is_named
        && lower.contains("latency")
        && lower.contains("bandwidth")
        && lower.split_whitespace().count() <= MOST_WORDS
}

/// Whether a line is `00050 113.24 120000.5` as MLC itself prints it, which is the first one where the head is cut off.
pub(super) fn is_row_of_loads(line: &str) -> bool {
    let decimals = |word: &str, count: usize| {
        word.split_once('.').is_some_and(|(_, fraction)| fraction.len() == count && number(word).is_some())
    };
    match line.split_whitespace().collect::<Vec<_>>().as_slice() {
        [delay, latency, bandwidth] => {
            delay.len() == 5 && count(delay).is_some() && decimals(latency, 2) && decimals(bandwidth, 1)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_are_known_without_their_heading() {
        assert!(is_head_of_loads("inject  latency bandwidth") && !is_head_of_loads("delay (ns) mb/sec"));
        assert!(is_head_of_loads("delay\tlatency (ns)\tbandwidth (mb/sec)"));
        assert!(!is_head_of_loads(
            "delays of more than a second raise the latency and lower the bandwidth of all"
        ));
        assert!(is_row_of_loads("00200  128.80   110359.9") && !is_row_of_loads("12345 1.5 2.5"));
    }
}
