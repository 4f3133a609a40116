//! A run of a sweep.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A run of an experiment at each point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SweepRun {
    /// Name of the run in the sweep.
    pub name: String,
    /// The command as typed after `zerohop run`, without `--on`.
    pub command: String,
}

impl SweepRun {
    /// Whether it has its own name, rather than that of its experiment.
    pub fn has_own_name(&self) -> bool {
        self.command.split_whitespace().next() != Some(self.name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_begins_like_its_command_is_a_name_of_its_own() {
        let run = |name: &str, command: &str| SweepRun { name: name.to_owned(), command: command.to_owned() };
        assert!(!run("stream", "stream --kernel triad").has_own_name());
        assert!(!run("hops", "hops").has_own_name());
        assert!(run("s", "stream --kernel triad").has_own_name());
        assert!(run("stream-2", "stream --kernel copy").has_own_name());
    }
}
