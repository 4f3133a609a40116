//! Reasons why a machine cannot have a fault.

use zerohop_machine::NodeId;

/// Reason why a machine cannot have a fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FaultError {
    /// There is no such node.
    #[error("this machine has no node {node}")]
    NoNode {
        node: NodeId,
        /// The nodes that it has.
        has: Vec<NodeId>,
    },
    /// There is no such link.
    #[error("no link of this machine joins `{}` and `{}`", ends[0], ends[1])]
    NoLink {
        /// The ends, as typed.
        ends: [String; 2],
        /// The links between packages, or all if there are none.
        has: Vec<String>,
    },
    /// The link is the only way between two parts.
    #[error("without link `{link}`, some parts of this machine cannot reach each other")]
    OnlyWay { link: String },
    /// The machine is at least as bad already.
    #[error("{what}, so this is not a fault")]
    NotWorse {
        /// Present state of the machine.
        what: String,
    },
    /// No machine is that bad.
    #[error("{what}, and the minimum is {least} of that")]
    Absurd {
        /// Present state of the machine.
        what: String,
        /// The smallest share of it that anything runs at.
        least: &'static str,
    },
    /// The machine cannot have this fault at all.
    #[error("{0}")]
    Impossible(String),
}

impl FaultError {
    /// Hint for the user.
    pub fn hint(&self) -> String {
        match self {
            Self::NoNode { has, .. } => {
                let has: Vec<String> = has.iter().map(ToString::to_string).collect();
                format!("its nodes are {}", has.join(", "))
            }
            Self::NoLink { has, .. } if has.is_empty() => "it has no links at all".to_owned(),
            Self::NoLink { has, .. } => {
                format!(
                    "its links between packages are {}; name one by two nodes or two routers",
                    has.join(", ")
                )
            }
            Self::OnlyWay { .. } => "make the link narrower (`=x8`) or slower instead".to_owned(),
            Self::NotWorse { .. } => "use a lower value".to_owned(),
            Self::Absurd { .. } => "use a higher value; units are `MT/s` and `GT/s`".to_owned(),
            Self::Impossible(_) => "`zerohop machine show MACHINE` lists its parts".to_owned(),
        }
    }
}
