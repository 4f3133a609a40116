//! How a verb ends.

/// How a verb ended, where nothing failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// All was done.
    Done,
    /// A model does not say what was published of its machine.
    NotReproduced,
    /// A result is below a gate.
    BelowGate,
    /// A signal stopped it; what was done has been shown and saved.
    Interrupted,
}
