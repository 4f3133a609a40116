//! Reasons why a table of measured distances cannot replace the firmware's.

use std::fmt;

use zerohop_machine::NodeId;

/// A reason why rows by node may not match the firmware's rows. The firmware's table (SLIT) has a row for each proximity domain, from 0 on and
/// without gaps; the kernel numbers its nodes independently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DistanceDoubt {
    /// The numbers of the nodes leave gaps.
    Gaps(Vec<NodeId>),
    /// Nodes of the machine that have no row, because nothing is known of their distances.
    WithoutRow(Vec<NodeId>),
    /// Nodes without CPUs: nothing can be measured from them.
    WithoutCpus(Vec<NodeId>),
    /// Nodes without memory: nothing can be measured to them.
    WithoutMemory(Vec<NodeId>),
}

impl DistanceDoubt {
    /// Whether the rows certainly differ from the firmware's, so that no table can be made of them.
    pub const fn rules_out_a_table(&self) -> bool {
        matches!(self, Self::Gaps(_) | Self::WithoutRow(_))
    }
}

impl fmt::Display for DistanceDoubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gaps(nodes) => write!(
                f,
                "the nodes are {}: their numbers have gaps, but the firmware's table has a row for each proximity domain from 0",
                list(nodes)
            ),
            Self::WithoutRow(nodes) => {
                write!(f, "{} no row: there is no measurement and no firmware distance", have(nodes))
            }
            Self::WithoutCpus(nodes) => write!(
                f,
                "{} no CPUs: distances from there are those of the opposite direction, and the kernel may number such nodes in a different \
                                 order than the firmware (compare the firmware's SRAT)",
                have(nodes)
            ),
            Self::WithoutMemory(nodes) => write!(
                f,
                "{} no memory: distances to there are those of the opposite direction or the firmware's, and the kernel may number such \
                                 nodes in a different order than the firmware (compare the firmware's SRAT)",
                have(nodes)
            ),
        }
    }
}

fn list(nodes: &[NodeId]) -> String {
    let all: Vec<String> = nodes.iter().map(ToString::to_string).collect();
    match all.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} and {last}", before.join(", ")),
        None => String::new(),
    }
}

/// `node 2 has`, `nodes 2 and 3 have`.
fn have(nodes: &[NodeId]) -> String {
    if nodes.len() == 1 { format!("node {} has", list(nodes)) } else { format!("nodes {} have", list(nodes)) }
}
