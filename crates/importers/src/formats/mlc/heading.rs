//! What begins a block.

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
