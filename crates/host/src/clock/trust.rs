//! Whether the processor's counter can be trusted.

/// What is known about the processor's counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Trust {
    /// The counter exists and can be read.
    pub(super) present: bool,
    /// The processor promises a constant rate in all power states.
    pub(super) invariant: bool,
    /// A hypervisor runs this machine; it may hide the promise.
    pub(super) virtualized: bool,
}
