//! Which node each part of a file belongs on, when it is spread over several.

use std::collections::BTreeMap;

use zerohop_machine::NodeId;
use zerohop_units::counted;

/// Nodes by turns, each as often as its weight says, as evenly mixed as whole turns allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rotation {
    turns: Vec<NodeId>,
}

/// Why there is no such rotation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoRotation {
    /// No node.
    #[error("there is no node to place it on")]
    NoNode,
    /// A node twice.
    #[error("node {0} is named twice")]
    Twice(NodeId),
    /// Another number of weights than of nodes.
    #[error("{weights} weights for {}", counted(*nodes, "node"))]
    OtherNumber {
        /// The number of weights.
        weights: usize,
        /// The number of nodes.
        nodes: usize,
    },
    /// A weight that the kernel's weighted interleaving does not know either.
    #[error("the weight {0} is not between 1 and 255")]
    Weight(u32),
}

impl Rotation {
    /// A rotation over nodes with the same weight.
    ///
    /// # Errors
    /// When there is no node, or one twice.
    pub fn even(nodes: &[NodeId]) -> Result<Self, NoRotation> {
        Self::weighted(nodes, &vec![1; nodes.len()])
    }

    /// A rotation over nodes with these weights.
    ///
    /// # Errors
    /// When there is no node, one twice, or not one weight from 1 to 255 for each.
    pub fn weighted(nodes: &[NodeId], weights: &[u32]) -> Result<Self, NoRotation> {
        if nodes.is_empty() {
            return Err(NoRotation::NoNode);
        }
        if let Some(&twice) =
            (1..nodes.len()).find_map(|at| nodes[..at].iter().find(|&&node| node == nodes[at]))
        {
            return Err(NoRotation::Twice(twice));
        }
        if weights.len() != nodes.len() {
            return Err(NoRotation::OtherNumber { weights: weights.len(), nodes: nodes.len() });
        }
        if let Some(&wrong) = weights.iter().find(|weight| !(1..=255).contains(*weight)) {
            return Err(NoRotation::Weight(wrong));
        }
        let total: i64 = weights.iter().map(|&weight| i64::from(weight)).sum();
        // Each turn goes to the node that lags most behind its share.
        let mut credit = vec![0; nodes.len()];
        let turns = (0..total).map(|_| {
            for (credit, &weight) in credit.iter_mut().zip(weights) {
                *credit += i64::from(weight);
            }
            let lags =
                (0..nodes.len()).max_by_key(|&rank| (credit[rank], std::cmp::Reverse(rank))).unwrap_or(0);
            credit[lags] -= total;
            nodes[lags]
        });
        Ok(Self { turns: turns.collect() })
    }

    /// The node of the part of that rank.
    pub fn node(&self, part: u64) -> NodeId {
        self.turns[(part % self.turns.len() as u64) as usize]
    }

    /// The share of each node of many parts, between 0 and 1.
    pub fn shares(&self) -> BTreeMap<NodeId, f64> {
        let mut shares = BTreeMap::new();
        for &node in &self.turns {
            *shares.entry(node).or_default() += 1.0 / self.turns.len() as f64;
        }
        shares
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODES: [NodeId; 3] = [NodeId(0), NodeId(1), NodeId(4)];

    #[test]
    fn equal_weights_take_turns() {
        let rotation = Rotation::even(&NODES).unwrap();
        let turns: Vec<u32> = (0..7).map(|part| rotation.node(part).0).collect();
        assert_eq!(turns, [0, 1, 4, 0, 1, 4, 0]);
    }

    #[test]
    fn weights_are_shares_and_turns_are_mixed() {
        let rotation = Rotation::weighted(&NODES[..2], &[5, 2]).unwrap();
        let turns: Vec<u32> = (0..7).map(|part| rotation.node(part).0).collect();
        assert_eq!(turns.iter().filter(|&&node| node == 1).count(), 2);
        assert!(!turns.windows(2).any(|pair| pair == [1, 1]), "{turns:?}");
        assert!((rotation.shares()[&NodeId(0)] - 5.0 / 7.0).abs() < 1e-12);
    }

    #[test]
    fn what_makes_no_rotation_is_refused() {
        assert_eq!(Rotation::even(&[]), Err(NoRotation::NoNode));
        assert_eq!(Rotation::even(&[NodeId(1), NodeId(1)]), Err(NoRotation::Twice(NodeId(1))));
        assert_eq!(Rotation::weighted(&NODES, &[1]), Err(NoRotation::OtherNumber { weights: 1, nodes: 3 }));
        assert_eq!(Rotation::weighted(&NODES[..1], &[0]), Err(NoRotation::Weight(0)));
    }
}
