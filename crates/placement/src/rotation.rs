//! Which node each part of a file belongs on, when it is spread over several.

use std::collections::BTreeMap;

use zerohop_machine::NodeId;
use zerohop_units::{Bytes, counted};

use crate::spread::Spread;

/// The largest part that is placed as a whole: as large as the largest pages in which common machines cache files.
const LARGEST_STEP: Bytes = Bytes::mib(2);

/// How far a node's amount may be from its share because of the steps, as a part of the whole.
const FINE_ENOUGH: f64 = 0.01;

/// Nodes by turns, each as often as its weight says, as evenly mixed as whole turns allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rotation {
    turns: Vec<NodeId>,
}

/// Why there is no such rotation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoRotation {
    #[error("no node to place it on")]
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

    /// How much each node gets of that length in parts of that size.
    pub fn plan(&self, length: Bytes, step: Bytes) -> Spread {
        let step = step.get().max(1);
        let (parts, turns) = (length.get().div_ceil(step), self.turns.len() as u64);
        let cut = parts * step - length.get();
        let mut plan = Spread::default();
        for (rank, &node) in self.turns.iter().enumerate() {
            let of_node = parts / turns + u64::from((rank as u64) < parts % turns);
            let last = parts > 0 && (parts - 1) % turns == rank as u64;
            plan.add(node, Bytes(of_node * step - if last { cut } else { 0 }));
        }
        plan
    }

    /// The size of the parts that a file of that length is placed in: 2 MiB, or if those would leave a node without any, or
    /// more than 1 % of the file away from its share, the largest half, quarter and so on that does not, down to `smallest`.
    pub fn step(&self, length: Bytes, smallest: Bytes) -> Bytes {
        let mut step = LARGEST_STEP;
        while step / 2 >= smallest && !self.is_fine_enough(length, step) {
            step = step / 2;
        }
        step
    }

    fn is_fine_enough(&self, length: Bytes, step: Bytes) -> bool {
        let plan = self.plan(length, step);
        self.shares().into_iter().all(|(node, share)| {
            let (planned, wanted) = (plan.on(node).get() as f64, length.get() as f64 * share);
            planned > 0.0 && (planned - wanted).abs() <= FINE_ENOUGH * length.get() as f64
        })
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
    fn a_plan_is_what_the_parts_add_up_to() {
        let rotation = Rotation::weighted(&NODES, &[3, 1, 2]).unwrap();
        for length in [0, 1, 4096, 4097, 50_000, 65_536] {
            let mut spread = Spread::default();
            for part in 0..length / 4096 {
                spread.add(rotation.node(part), Bytes::kib(4));
            }
            spread.add(rotation.node(length / 4096), Bytes(length % 4096));
            assert_eq!(rotation.plan(Bytes(length), Bytes::kib(4)), spread, "{length}");
        }
    }

    #[test]
    fn every_node_of_a_small_file_gets_its_share() {
        let nodes: Vec<NodeId> = (0..8).map(NodeId).collect();
        let rotation = Rotation::weighted(&nodes, &[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
        let length = Bytes::mib(32);
        assert_eq!(rotation.plan(length, Bytes::mib(2)).on(NodeId(0)), Bytes(0), "a turn is 72 MiB");
        let step = rotation.step(length, Bytes::kib(4));
        let plan = rotation.plan(length, step);
        for (node, share) in rotation.shares() {
            let wrong = plan.share(node) - share;
            assert!(
                plan.on(node) > Bytes(0) && wrong.abs() <= 0.01,
                "node {node} in steps of {step}: {wrong}"
            );
        }
        assert_eq!(rotation.step(Bytes::gib(8), Bytes::kib(4)), Bytes::mib(2));
        assert_eq!(rotation.step(Bytes::kib(8), Bytes::kib(4)), Bytes::kib(4), "no page is split");
        let one = Rotation::even(&NODES[..1]).unwrap();
        assert_eq!(one.step(Bytes(1), Bytes::kib(4)), Bytes::mib(2));
    }

    #[test]
    fn what_makes_no_rotation_is_refused() {
        assert_eq!(Rotation::even(&[]), Err(NoRotation::NoNode));
        assert_eq!(Rotation::even(&[NodeId(1), NodeId(1)]), Err(NoRotation::Twice(NodeId(1))));
        assert_eq!(Rotation::weighted(&NODES, &[1]), Err(NoRotation::OtherNumber { weights: 1, nodes: 3 }));
        assert_eq!(Rotation::weighted(&NODES[..1], &[0]), Err(NoRotation::Weight(0)));
    }
}
