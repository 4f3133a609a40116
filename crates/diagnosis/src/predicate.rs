//! Tests of conditions. Each returns the matches, or the data that it lacks.

pub(crate) mod common_cause;
pub(crate) mod curve;
pub(crate) mod devices;
pub(crate) mod distances;
pub(crate) mod distant_cores;
pub(crate) mod evidence;
pub(crate) mod expected;
pub(crate) mod fleet;
pub(crate) mod listing;
pub(crate) mod machine;
pub(crate) mod nodes;
pub(crate) mod numa_nodes;
pub(crate) mod pairs;
pub(crate) mod proportions;
pub(crate) mod self_consistency;
pub(crate) mod slow_readers;
pub(crate) mod swapped_nodes;
pub(crate) mod weights;
pub(crate) mod whole_machine;

/// Answer of a test; the error is the missing data, in words.
pub(crate) type PredicateResult = Result<crate::test_outcome::TestOutcome, String>;
