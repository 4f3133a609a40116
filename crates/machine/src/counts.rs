//! Counts of a machine's parts, whether it has them or a text states them, and memory that was taken between two listings.

use zerohop_units::Bytes;

use crate::{FreeMemory, Machine, MemoryState, NodeId, PuSet, StatedFacts};

/// Memory that was taken between two listings of nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct TakenMemory {
    /// Free memory lost by each node, ascending by node; a node with more free memory than before lost nothing.
    pub nodes: Vec<FreeMemory>,
    /// Free memory lost by all nodes together.
    pub total: Bytes,
}

impl TakenMemory {
    /// The node that lost most, and its share of what all lost, 0 to 1; `None` if nothing was taken.
    pub fn most(&self) -> Option<(NodeId, f64)> {
        let most = self.nodes.iter().max_by_key(|node| node.free)?;
        let share = most.free.get() as f64 / self.total.get() as f64;
        (self.total > Bytes(0)).then_some((most.node, share))
    }
}

impl Machine {
    /// The number of packages, as parts or as the text states it; `None` if neither shows it.
    pub fn package_count(&self) -> Option<usize> {
        match self.packages.len() {
            0 => self.stated.packages.map(|count| count as usize),
            count => Some(count),
        }
    }

    /// The number of cores, as parts or as the text states it.
    pub fn core_count(&self) -> Option<usize> {
        let StatedFacts { packages, cores_per_package, .. } = &self.stated;
        match self.cores.len() {
            0 => packages.zip(*cores_per_package).map(|(packages, cores)| packages as usize * cores as usize),
            count => Some(count),
        }
    }

    /// The number of CPUs, as parts, as the text states it, or as its nodes list them.
    pub fn pu_count(&self) -> Option<usize> {
        let listed = || {
            let of_nodes = self.nodes.iter().map(|node| &node.pus);
            let all: PuSet = of_nodes
                .chain(self.stated.node_pus.iter().map(|node| &node.pus))
                .flat_map(PuSet::iter)
                .collect();
            Some(all.len()).filter(|&count| count > 0 && self.stated.unlisted.is_empty())
        };
        match self.pus.len() {
            0 => self.stated.pus.map(|count| count as usize).or_else(listed),
            count => Some(count),
        }
    }

    /// Memory that was taken from each listing of nodes to the next one.
    pub fn taken_memory(&self) -> Vec<TakenMemory> {
        let first = self.nodes.iter().filter(|node| node.free > Bytes(0));
        let first: Vec<FreeMemory> =
            first.map(|node| FreeMemory { node: node.id, free: node.free }).collect();
        let mut before = &first;
        let mut taken = Vec::new();
        for MemoryState { nodes: after } in &self.stated.later {
            let lost = after.iter().filter_map(|now| {
                let known = before.iter().find(|known| known.node == now.node)?;
                Some(FreeMemory {
                    node: now.node,
                    free: Bytes(known.free.get().saturating_sub(now.free.get())),
                })
            });
            let nodes: Vec<FreeMemory> = lost.collect();
            let total = nodes.iter().map(|node| node.free).sum();
            taken.push(TakenMemory { nodes, total });
            before = after;
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NumaNode, StatedNode};

    fn states(free: &[[u64; 2]]) -> Machine {
        let listed = |free: &[u64; 2]| {
            free.iter()
                .enumerate()
                .map(|(id, &free)| FreeMemory { node: NodeId(id as u32), free: Bytes(free) })
                .collect()
        };
        let mut machine = Machine::default();
        for FreeMemory { node: id, free } in listed(&free[0]) as Vec<FreeMemory> {
            machine.nodes.push(NumaNode {
                id,
                pus: PuSet::new(),
                memory: Bytes(1000),
                free,
                huge_pages: Vec::new(),
                memory_side_caches: Vec::new(),
                allowed: true,
            });
        }
        machine.stated.later = free[1..].iter().map(|free| MemoryState { nodes: listed(free) }).collect();
        machine
    }

    #[test]
    fn what_was_taken_lies_between_one_listing_and_the_next() {
        let taken = states(&[[900, 900], [500, 890], [500, 895]]).taken_memory();
        assert_eq!(taken.iter().map(|state| state.total.get()).collect::<Vec<_>>(), [410, 0]);
        let (node, share) = taken[0].most().unwrap();
        assert_eq!(node, NodeId(0));
        assert!((share - 400.0 / 410.0).abs() < 1e-12, "{share}");
        assert_eq!(taken[1].most(), None, "memory was given back");
    }

    #[test]
    fn counts_are_those_of_parts_or_those_that_a_text_states() {
        let mut machine = Machine::default();
        assert_eq!((machine.package_count(), machine.core_count(), machine.pu_count()), (None, None, None));
        machine.stated.packages = Some(2);
        machine.stated.cores_per_package = Some(48);
        machine.stated.node_pus = vec![StatedNode { node: NodeId(0), pus: "0-3".parse().unwrap() }];
        assert_eq!(
            (machine.package_count(), machine.core_count(), machine.pu_count()),
            (Some(2), Some(96), Some(4))
        );
        machine.stated.unlisted = vec![NodeId(1)];
        assert_eq!(machine.pu_count(), None, "another node may have more");
    }
}
