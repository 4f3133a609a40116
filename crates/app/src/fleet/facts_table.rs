//! A table of what its owner knows of each node: racks, switches, firmware, whatever may explain something.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use zerohop_compare::Fact;
use zerohop_fleet::{FleetNote, Roster};
use zerohop_units::counted;

use crate::files::{FileError, Files};
use crate::hint::Hinted;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FactsTable {
    /// Facts by the name of the node.
    pub nodes: BTreeMap<String, Vec<Fact>>,
}

/// Reason why a file is not a table of facts.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FactsTableError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is not CSV.
    #[error("`{}`, line {line}: {problem}", path.display())]
    Malformed {
        path: PathBuf,
        line: u64,
        /// Description of the problem.
        problem: String,
    },
}

impl Hinted for FactsTableError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::File(error) => error.hint(),
            Self::Malformed { .. } => Some(
                "the first line contains the column names, starting with the node: `node,rack,switch`"
                    .to_owned(),
            ),
        }
    }
}

impl FactsTable {
    /// The table in a CSV file, whose first column is the node.
    ///
    /// # Errors
    /// When it cannot be read, has no column but the first, or names a node twice.
    pub fn read(path: &Path, files: &dyn Files) -> Result<Self, FactsTableError> {
        let text =
            files.read_text(path, "expected a table of nodes: `node,rack,switch`, then one line per node")?;
        Self::parse(&text).map_err(|(line, problem)| FactsTableError::Malformed {
            path: path.to_owned(),
            line,
            problem,
        })
    }

    /// Adds the facts to the nodes of a fleet, and reports nodes that only one of the two has.
    pub fn state(self, roster: &mut Roster) -> Vec<FleetNote> {
        let mut unknown: Vec<String> = Vec::new();
        let mut known = 0;
        for (node, facts) in self.nodes {
            if roster.state(&node, facts) {
                known += 1;
            } else {
                unknown.push(node);
            }
        }
        let missing = roster.len().saturating_sub(known);
        let words = format!("{} of the fleet without a row in the table of facts", counted(missing, "node"));
        let missing = (missing > 0).then(|| FleetNote { words, about: Vec::new(), leaves_open: false });
        let words = format!("{} of the table of facts without a result", counted(unknown.len(), "node"));
        let unknown =
            (!unknown.is_empty()).then_some(FleetNote { words, about: unknown, leaves_open: false });
        missing.into_iter().chain(unknown).collect()
    }

    fn parse(text: &str) -> Result<Self, (u64, String)> {
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        let wrong = |error: &csv::Error| {
            let line = error.position().map_or(1, csv::Position::line);
            match error.kind() {
                csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                    (line, format!("{len} fields, but the first line has {expected_len}"))
                }
                _ => (line, error.to_string()),
            }
        };
        let heads = reader.headers().map_err(|error| wrong(&error))?.clone();
        if heads.len() < 2 {
            return Err((1, "no column after the node column".to_owned()));
        }
        let twice =
            heads.iter().enumerate().find(|(rank, head)| heads.iter().take(*rank).any(|one| one == *head));
        if let Some((_, head)) = twice {
            return Err((1, format!("duplicate column name `{head}`")));
        }
        let mut nodes = BTreeMap::new();
        for row in reader.records() {
            let row = row.map_err(|error| wrong(&error))?;
            let facts = heads.iter().zip(&row).skip(1).filter(|(_, value)| !value.is_empty());
            let facts = facts.map(|(name, value)| Fact { name: name.to_owned(), value: value.to_owned() });
            let node = row.get(0).unwrap_or_default().to_owned();
            if nodes.insert(node.clone(), facts.collect()).is_some() {
                let line = row.position().map_or(0, csv::Position::line);
                return Err((line, format!("duplicate node `{node}`")));
            }
        }
        Ok(Self { nodes })
    }

    /// The names of its nodes.
    pub fn names(&self) -> BTreeSet<&str> {
        self.nodes.keys().map(String::as_str).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_facts_and_empty_fields_are_none() {
        let table = FactsTable::parse("node, rack ,bios\nn1,r1,\"1.2, late\"\nn2,,1.3\n").unwrap();
        let facts = |node: &str| {
            let facts = table.nodes[node].iter().map(|fact| format!("{}={}", fact.name, fact.value));
            facts.collect::<Vec<_>>().join(";")
        };
        assert_eq!((facts("n1").as_str(), facts("n2").as_str()), ("rack=r1;bios=1.2, late", "bios=1.3"));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, line, problem) in [
            ("node,rack\nn1,r1,x\n", 2, "3 fields, but the first line has 2"),
            ("node,rack\nn1,r1\nn1,r2\n", 3, "duplicate node `n1`"),
            ("node\nn1\n", 1, "no column after the node column"),
            ("node,rack,rack\nn1,1,2\n", 1, "duplicate column name `rack`"),
        ] {
            assert_eq!(FactsTable::parse(text).unwrap_err(), (line, problem.to_owned()));
        }
    }
}
