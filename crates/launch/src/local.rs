//! Programs of this host: models as nodes, so that a fleet can be tried, and chunks of a sweep.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::children::{self, ENDS_WITH_INPUT};
use crate::launcher::{LaunchError, Launcher, Offer, Standing, Task, Ticket};
use crate::node_list::node_list;
use crate::shell::Shell;

/// Programs of this host.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Local {
    /// What each task starts with: a program and its arguments.
    pub words: Vec<String>,
}

/// Faults and settings of some nodes that are models.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeFaults(BTreeMap<String, Vec<String>>);

/// A line that is not understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct NodeFaultsError {
    pub line: usize,
    pub problem: String,
}

impl NodeFaults {
    /// Reads lines such as `n[3-5] slow-dimm:node0=3200 links=2`: nodes, then faults to inject, which have a colon or no `=`, and settings. What follows
    /// `#` is a comment.
    ///
    /// # Errors
    /// When a line names nodes that are no list, or nothing but nodes.
    pub fn parse(text: &str) -> Result<Self, NodeFaultsError> {
        let mut faults: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (rank, line) in text.lines().enumerate() {
            let wrong = |problem: String| NodeFaultsError { line: rank + 1, problem };
            let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
            let Some(nodes) = words.next() else { continue };
            let of_nodes: Vec<String> = words.flat_map(arguments).collect();
            if of_nodes.is_empty() {
                return Err(wrong(format!("no fault or setting after `{nodes}`")));
            }
            for node in node_list(nodes).map_err(|error| wrong(error.to_string()))? {
                faults.entry(node).or_default().extend(of_nodes.clone());
            }
        }
        Ok(Self(faults))
    }

    /// The arguments for the survey of a node.
    pub fn of(&self, node: &str) -> &[String] {
        self.0.get(node).map_or(&[], Vec::as_slice)
    }

    /// The nodes that have any.
    pub fn nodes(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

fn arguments(word: &str) -> [String; 2] {
    // A setting has a value.
    let is_fault = word.contains(':') || !word.contains('=');
    let option = if is_fault { "--fault" } else { "--set" };
    [option.to_owned(), word.to_owned()]
}

impl Launcher for &Local {
    fn nodes(&self, _: &dyn Shell) -> Result<Vec<Offer>, LaunchError> {
        Err(LaunchError::NoNodes)
    }

    fn program(&self, task: &Task) -> Vec<String> {
        let mut words = task.words_with_file(&self.words);
        words.push(ENDS_WITH_INPUT.to_owned());
        words
    }

    fn start(&self, task: &Task, shell: &dyn Shell) -> Result<Ticket, LaunchError> {
        children::start(&self.program(task), task, shell)
    }

    fn has_children(&self) -> bool {
        true
    }

    fn standing(&self, tickets: &[Ticket], shell: &dyn Shell) -> Result<Vec<Standing>, LaunchError> {
        Ok(children::standing(tickets, shell))
    }

    fn stop(&self, tickets: &[Ticket], shell: &dyn Shell) -> Result<(), LaunchError> {
        children::stop(tickets, shell);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_have_a_colon_or_no_value_and_settings_have_one() {
        let faults =
            NodeFaults::parse("# two\nn[1-2] slow-dimm:node0=3200  links=2\n\nn2 link:0-1=x8 # again\n")
                .unwrap();
        assert_eq!(faults.nodes().collect::<Vec<_>>(), ["n1", "n2"]);
        assert_eq!(faults.0["n1"], ["--fault", "slow-dimm:node0=3200", "--set", "links=2"]);
        assert_eq!(faults.0["n2"].len(), 6);
        let data = NodeFaults::parse("n1 data-on-one-node").unwrap();
        assert_eq!(data.0["n1"], ["--fault", "data-on-one-node"]);
        let error = NodeFaults::parse("n1 a:b\nn2\n").unwrap_err();
        assert_eq!(error.to_string(), "line 2: no fault or setting after `n2`");
        assert_eq!(NodeFaults::parse("n[1- x:y").unwrap_err().line, 1);
    }
}
