//! Words of templates that several files use.

/// The source of what the user states.
pub(super) const GIVEN: &str = "given";

/// The table of what a buyer knows.
pub(super) const KNOWN: &str = "known";
