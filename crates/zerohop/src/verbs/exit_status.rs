//! How a verb ends.

/// How a verb ended, if nothing failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VerbOutcome {
    Done,
    /// A model disagrees with the published figures of its machine.
    NotReproduced,
    /// A result is below a gate.
    BelowGate,
    /// A file is not where it was asked for.
    NotPlaced,
    /// The host allows no measurement.
    NothingMeasurable,
    /// An archive is not whole.
    Damaged,
    /// A fault of the machine was found.
    FaultFound,
    /// A node is bad, in the words of Nagios.
    Critical,
    /// The results do not decide, or the measurement is not good enough to rely on.
    CannotTell,
    /// A signal stopped it; results so far have been printed and saved.
    Interrupted,
}
