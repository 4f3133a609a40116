//! Words of templates that several files use.

/// Source of values that the user states.
pub(super) const GIVEN: &str = "given";

/// Table of a buyer's knowledge.
pub(super) const KNOWN: &str = "known";
