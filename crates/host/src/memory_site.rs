//! Sites: what a placement means on this machine, as a policy, nodes, and PUs for the first touch.

use zerohop_machine::{Machine, NodeId, PuId};
use zerohop_units::Bytes;
use zerohop_workload::{EngineError, Placement};

use crate::numa_calls::Policy;

/// Where memory should be and how it gets there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Site {
    /// The policy to set.
    pub(crate) policy: Policy,
    /// The nodes on which pages should be.
    pub(crate) nodes: Vec<NodeId>,
    /// PUs that touch the pages. Not empty.
    pub(crate) touchers: Vec<PuId>,
}

/// The most threads that touch memory. More threads are no faster.
const MOST_TOUCHERS: usize = 16;

impl Site {
    /// Finds the site of a buffer of `wanted` bytes.
    ///
    /// # Errors
    /// A node has no memory for this process, or the PU for the first touch is not usable.
    pub(crate) fn of(placement: &Placement, machine: &Machine, wanted: Bytes) -> Result<Self, EngineError> {
        let no_memory =
            |reason: String| EngineError::NoMemory { wanted, place: placement.to_string(), reason };
        match placement {
            Placement::Node(node) => {
                check(machine, *node).map_err(no_memory)?;
                let touchers = touchers(machine, &[*node]).map_err(no_memory)?;
                Ok(Self { policy: Policy::Bind(*node), nodes: vec![*node], touchers })
            }
            Placement::Interleaved(nodes) => {
                let mut nodes = nodes.clone();
                nodes.sort_unstable();
                nodes.dedup();
                if nodes.is_empty() {
                    return Err(no_memory("no node to interleave over".to_owned()));
                }
                nodes.iter().try_for_each(|&node| check(machine, node)).map_err(no_memory)?;
                let touchers = touchers(machine, &nodes).map_err(no_memory)?;
                Ok(Self { policy: Policy::Interleave(nodes.clone()), nodes, touchers })
            }
            Placement::FirstTouch(pu) => {
                let home = usable(machine, *pu)?;
                let nodes = nearest(machine, home, |node| node.memory.get() > 0 && node.allowed);
                if nodes.is_empty() {
                    return Err(no_memory("no node has memory for this process".to_owned()));
                }
                Ok(Self { policy: Policy::Local, nodes, touchers: vec![*pu] })
            }
        }
    }
}

/// The node of a PU that this process may run on.
///
/// # Errors
/// There is no such PU, or this process may not run on it.
pub(crate) fn usable(machine: &Machine, pu: PuId) -> Result<NodeId, EngineError> {
    let refused = |reason: &str| EngineError::NoSuchPu { pu, reason: reason.to_owned() };
    let found = machine.pu(pu).ok_or_else(|| refused("it does not exist or is offline"))?;
    if found.allowed {
        Ok(found.node)
    } else {
        Err(refused("the cpuset or affinity of this process forbids it"))
    }
}

/// Checks that a node has memory for this process. The error says why it has none.
fn check(machine: &Machine, node: NodeId) -> Result<(), String> {
    let found = machine.node(node).ok_or_else(|| format!("no node {node}"))?;
    if found.memory.get() == 0 {
        Err(format!("node {node} has no memory"))
    } else if !found.allowed {
        Err(format!("the cpuset of this process forbids node {node}"))
    } else {
        Ok(())
    }
}

/// Usable PUs of these nodes or, if there are none, of the nodes nearest to the first of them.
fn touchers(machine: &Machine, nodes: &[NodeId]) -> Result<Vec<PuId>, String> {
    let cores = |nodes: &[NodeId]| -> Vec<PuId> {
        nodes.iter().flat_map(|&node| machine.usable_cores(node)).take(MOST_TOUCHERS).collect()
    };
    let mut found = cores(nodes);
    if found.is_empty() {
        found = cores(&nearest(machine, nodes[0], |node| !machine.usable_pus(node.id).is_empty()));
    }
    if found.is_empty() { Err("no CPU can touch it".to_owned()) } else { Ok(found) }
}

/// The nodes nearest to `from` that `fit`: `from` itself, otherwise all nodes at the smallest distance. Without distances,
/// all nodes that fit.
fn nearest(machine: &Machine, from: NodeId, fit: impl Fn(&zerohop_machine::NumaNode) -> bool) -> Vec<NodeId> {
    let distance = |to: NodeId| {
        if from == to {
            return 0;
        }
        machine.distances.as_ref().and_then(|distances| distances.get(from, to)).unwrap_or(u32::MAX)
    };
    let fitting: Vec<NodeId> = machine.nodes.iter().filter(|node| fit(node)).map(|node| node.id).collect();
    let least = fitting.iter().map(|&node| distance(node)).min();
    fitting.into_iter().filter(|&node| Some(distance(node)) == least).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use zerohop_machine::{Core, CoreId, DistanceMatrix, NumaNode, PackageId, Pu, PuSet};

    /// Node 0: PUs 0 and 1, memory. Node 3: PU 8, no memory. Node 5: memory only, nearer to 3. Node 9: forbidden.
    fn odd_machine() -> Machine {
        let node = |id, memory, allowed| NumaNode {
            id: NodeId(id),
            pus: PuSet::new(),
            memory: Bytes::gib(memory),
            free: Bytes::gib(memory),
            huge_pages: Vec::new(),
            memory_side_caches: Vec::new(),
            allowed,
        };
        let pu = |id, node| Pu {
            id: PuId(id),
            core: CoreId(id),
            package: PackageId(0),
            node: NodeId(node),
            allowed: id != 1,
        };
        let core = |id| Core {
            id: CoreId(id),
            package: PackageId(0),
            die: None,
            pus: [PuId(id)].into_iter().collect(),
            max_clock: None,
        };
        Machine {
            nodes: vec![node(0, 4, true), node(3, 0, true), node(5, 4, true), node(9, 4, false)],
            pus: vec![pu(0, 0), pu(1, 0), pu(8, 3)],
            cores: vec![core(0), core(1), core(8)],
            distances: Some(DistanceMatrix {
                nodes: [0, 3, 5, 9].map(NodeId).to_vec(),
                rows: vec![
                    vec![10, 20, 30, 20],
                    vec![20, 10, 15, 20],
                    vec![30, 15, 10, 20],
                    vec![20, 20, 20, 10],
                ],
            }),
            ..Machine::default()
        }
    }

    fn site(placement: &Placement) -> Result<Site, EngineError> {
        Site::of(placement, &odd_machine(), Bytes::mib(1))
    }

    #[test]
    fn memory_is_touched_from_its_own_node_or_the_nearest() {
        let local = site(&Placement::Node(NodeId(0))).unwrap();
        assert_eq!((local.policy, local.touchers), (Policy::Bind(NodeId(0)), vec![PuId(0)]));
        let memory_only = site(&Placement::Node(NodeId(5))).unwrap();
        assert_eq!(memory_only.touchers, [PuId(8)]);
    }

    #[test]
    fn first_touch_on_a_node_without_memory_goes_to_the_nearest() {
        let site = site(&Placement::FirstTouch(PuId(8))).unwrap();
        assert_eq!((site.policy, site.nodes, site.touchers), (Policy::Local, vec![NodeId(5)], vec![PuId(8)]));
    }

    #[test]
    fn interleaving_names_each_node_once() {
        let site = site(&Placement::Interleaved([5, 0, 5].map(NodeId).to_vec())).unwrap();
        assert_eq!(site.nodes, [NodeId(0), NodeId(5)]);
    }

    #[test]
    fn unusable_places_are_errors() {
        for (placement, reason) in [
            (Placement::Node(NodeId(3)), "node 3 has no memory"),
            (Placement::Node(NodeId(4)), "no node 4"),
            (Placement::Node(NodeId(9)), "forbids node 9"),
            (Placement::Interleaved(vec![]), "no node to interleave over"),
            (Placement::Interleaved(vec![NodeId(0), NodeId(9)]), "forbids node 9"),
            (Placement::FirstTouch(PuId(2)), "does not exist"),
            (Placement::FirstTouch(PuId(1)), "forbids it"),
        ] {
            let error = site(&placement).unwrap_err().to_string();
            assert!(error.contains(reason), "{placement}: {error}");
        }
    }
}
