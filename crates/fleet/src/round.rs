//! One round of surveys over all nodes: what was started, what has ended, what is to come. Its text is saved after each step.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::launcher::{LaunchError, Offer, Standing, Task, Ticket};
use crate::setup::Setup;
use crate::shell::Shell;

/// Version of the text of a round. Raised when a reader of the old form would misread it.
pub const ROUND_VERSION: u32 = 1;

/// One round of surveys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    schema_version: u32,
    /// How they are started.
    pub setup: Setup,
    /// How many run or wait at once, at most.
    pub at_once: usize,
    /// The nodes, in the order in which they are started.
    pub nodes: Vec<RoundNode>,
}

/// A node of a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundNode {
    /// Its name.
    pub node: String,
    /// How its survey is.
    pub state: NodeState,
}

/// How the survey of a node is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeState {
    /// It is to come.
    ToCome,
    /// It was started.
    Started(Ticket),
    /// Its result is there.
    Done,
    /// It has ended without one, for this reason.
    Failed(String),
    /// It was never started, for this reason.
    Refused(String),
}

/// Why a text is no round.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RoundError {
    /// It is something else, or damaged.
    #[error("it is no record of `zerohop fleet run`: {0}")]
    Malformed(String),
    /// Another version wrote it.
    #[error("its `schema_version` is {0}, and this version of zerohop reads {ROUND_VERSION}")]
    OtherVersion(u64),
}

/// How many nodes are how far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Those to come.
    pub to_come: usize,
    /// Those that run or wait.
    pub started: usize,
    /// Those whose result is there.
    pub done: usize,
    /// Those that failed or were refused.
    pub failed: usize,
}

impl Round {
    /// A round over these nodes.
    pub fn new(setup: Setup, at_once: usize, offers: Vec<Offer>) -> Self {
        let node = |Offer { node, refused }: Offer| RoundNode {
            node,
            state: refused.map_or(NodeState::ToCome, NodeState::Refused),
        };
        Self {
            schema_version: ROUND_VERSION,
            setup,
            at_once: at_once.max(1),
            nodes: offers.into_iter().map(node).collect(),
        }
    }

    /// The round that a text holds.
    ///
    /// # Errors
    /// When it holds none that this version reads.
    pub fn read(text: &str) -> Result<Self, RoundError> {
        let malformed = |error: serde_json::Error| RoundError::Malformed(error.to_string());
        let value: serde_json::Value = serde_json::from_str(text).map_err(malformed)?;
        match value.get("schema_version").and_then(serde_json::Value::as_u64) {
            Some(version) if version == u64::from(ROUND_VERSION) => {}
            Some(other) => return Err(RoundError::OtherVersion(other)),
            None => return Err(RoundError::Malformed("it has no `schema_version`".to_owned())),
        }
        serde_json::from_value(value).map_err(malformed)
    }

    /// Its text.
    pub fn text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// The file of a node's result in a directory.
    pub fn result_of(folder: &Path, node: &str) -> PathBuf {
        folder.join(format!("{node}.json"))
    }

    /// The file of what a node's survey says.
    pub fn log_of(folder: &Path, node: &str) -> PathBuf {
        folder.join(".log").join(format!("{node}.txt"))
    }

    /// One step: looks after what was started, and starts what there is room for. Whether anything changed.
    ///
    /// # Errors
    /// When the launcher does not answer.
    pub fn advance(&mut self, folder: &Path, shell: &dyn Shell) -> Result<bool, LaunchError> {
        let before = self.nodes.clone();
        let launcher = self.setup.launcher();
        let started: Vec<(usize, Ticket)> = self
            .nodes
            .iter()
            .enumerate()
            .filter_map(|(rank, node)| match &node.state {
                NodeState::Started(ticket) => Some((rank, ticket.clone())),
                _ => None,
            })
            .collect();
        let tickets: Vec<Ticket> = started.iter().map(|(_, ticket)| ticket.clone()).collect();
        let standings = if tickets.is_empty() { Vec::new() } else { launcher.standing(&tickets, shell)? };
        for ((rank, ticket), standing) in started.into_iter().zip(standings) {
            let node = &mut self.nodes[rank];
            if matches!(standing, Standing::Done | Standing::Failed(_)) {
                launcher.collect(&task(folder, rank, &node.node), &ticket, shell)?;
            }
            node.state = after(standing, ticket, folder, &node.node, shell);
        }
        let mut room = self.at_once.saturating_sub(self.tally().started);
        for (rank, node) in self.nodes.iter_mut().enumerate() {
            if room == 0 {
                break;
            }
            if node.state == NodeState::ToCome {
                node.state = match launcher.start(&task(folder, rank, &node.node), shell) {
                    Ok(ticket) => NodeState::Started(ticket),
                    Err(LaunchError::Refused { program, said }) => {
                        NodeState::Refused(format!("{program}: {said}"))
                    }
                    Err(error) => return Err(error),
                };
                room -= 1;
            }
        }
        Ok(self.nodes != before)
    }

    /// Whether nothing is to come any more.
    pub fn is_over(&self) -> bool {
        let Tally { to_come, started, .. } = self.tally();
        to_come + started == 0
    }

    /// Tries again what failed or was refused.
    pub fn try_again(&mut self) {
        let failed = self.nodes.iter_mut();
        for node in failed.filter(|node| matches!(node.state, NodeState::Failed(_) | NodeState::Refused(_))) {
            node.state = NodeState::ToCome;
        }
    }

    /// Cancels what was started; it is to come again.
    ///
    /// # Errors
    /// When the launcher does not answer.
    pub fn stop(&mut self, shell: &dyn Shell) -> Result<(), LaunchError> {
        let mut tickets = Vec::new();
        for node in &mut self.nodes {
            if let NodeState::Started(ticket) = &node.state {
                tickets.push(ticket.clone());
                node.state = NodeState::ToCome;
            }
        }
        if tickets.is_empty() { Ok(()) } else { self.setup.launcher().stop(&tickets, shell) }
    }

    /// How many are how far.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for node in &self.nodes {
            *match node.state {
                NodeState::ToCome => &mut tally.to_come,
                NodeState::Started(_) => &mut tally.started,
                NodeState::Done => &mut tally.done,
                NodeState::Failed(_) | NodeState::Refused(_) => &mut tally.failed,
            } += 1;
        }
        tally
    }
}

/// The survey of a node.
fn task(folder: &Path, rank: usize, node: &str) -> Task {
    Task {
        node: node.to_owned(),
        rank,
        result: Round::result_of(folder, node),
        log: Round::log_of(folder, node),
    }
}

/// The state of a node that was started.
fn after(standing: Standing, ticket: Ticket, folder: &Path, node: &str, shell: &dyn Shell) -> NodeState {
    let has_result = || shell.exists(&Round::result_of(folder, node));
    let said = || shell.last_lines(&Round::log_of(folder, node));
    match standing {
        Standing::Waits(_) | Standing::Runs => NodeState::Started(ticket),
        Standing::Done if has_result() => NodeState::Done,
        Standing::Done => NodeState::Failed("it ended, and its result is not in the directory".to_owned()),
        Standing::Failed(why) => NodeState::Failed(match said() {
            Some(said) => format!("{why}: {said}"),
            None => why,
        }),
        // Nobody knows how it ended; only its result can tell.
        Standing::Forgotten if has_result() => NodeState::Done,
        Standing::Forgotten => NodeState::ToCome,
    }
}

#[cfg(test)]
mod tests;
