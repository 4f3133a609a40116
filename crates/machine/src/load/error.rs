//! Reason why no machine could be read.

/// Reason why no machine could be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// Neither `/sys` nor `/proc` names a PU.
    #[error("no CPU found in /sys/devices/system/cpu/online nor in /proc/cpuinfo")]
    NoProcessors,
}
