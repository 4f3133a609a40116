//! Bytes by node.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use zerohop_machine::NodeId;
use zerohop_units::Bytes;

/// Bytes on each node. Nodes without any are absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Spread(BTreeMap<NodeId, Bytes>);

impl Spread {
    /// Counts these bytes on the node.
    pub fn add(&mut self, node: NodeId, bytes: Bytes) {
        if bytes > Bytes(0) {
            let sum = self.0.entry(node).or_insert(Bytes(0));
            *sum = Bytes(sum.get().saturating_add(bytes.get()));
        }
    }

    /// Counts those bytes, too.
    pub fn add_all(&mut self, other: &Self) {
        other.iter().for_each(|(node, bytes)| self.add(node, bytes));
    }

    /// The bytes on a node.
    pub fn on(&self, node: NodeId) -> Bytes {
        self.0.get(&node).copied().unwrap_or(Bytes(0))
    }

    /// The bytes on all nodes.
    pub fn total(&self) -> Bytes {
        Bytes(self.0.values().fold(0, |sum, bytes| sum.saturating_add(bytes.get())))
    }

    /// The share of a node, between 0 and 1; nothing is evenly nowhere.
    pub fn share(&self, node: NodeId) -> f64 {
        let total = self.total().get();
        if total == 0 { 0.0 } else { self.on(node).get() as f64 / total as f64 }
    }

    /// The nodes with bytes, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, Bytes)> + '_ {
        self.0.iter().map(|(&node, &bytes)| (node, bytes))
    }
}

impl FromIterator<(NodeId, Bytes)> for Spread {
    fn from_iter<I: IntoIterator<Item = (NodeId, Bytes)>>(parts: I) -> Self {
        let mut spread = Self::default();
        parts.into_iter().for_each(|(node, bytes)| spread.add(node, bytes));
        spread
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_all_bytes() {
        let spread: Spread =
            [(NodeId(0), Bytes(30)), (NodeId(2), Bytes(10)), (NodeId(5), Bytes(0))].into_iter().collect();
        assert_eq!(spread.iter().count(), 2);
        assert!((spread.share(NodeId(0)) - 0.75).abs() < 1e-12);
        assert_eq!(spread.share(NodeId(5)), 0.0);
        assert_eq!(Spread::default().share(NodeId(0)), 0.0);
    }
}
