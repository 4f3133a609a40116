//! The way from one place of a machine to another.

use crate::{DirectedLink, Hardware, NodeId};

impl Hardware {
    /// The links from router `from` to router `to`, in their order; none if they are the same.
    pub fn path(&self, from: usize, to: usize) -> Vec<DirectedLink> {
        self.routes.path(&self.links, from, to)
    }

    /// Hops from a node's cores to another node's memory: links that the nearest core's requests cross beyond those
    /// that they cross on the way to the core's own memory. Between the cores of a chiplet and the memory of its own
    /// socket there may be links; people count none.
    ///
    /// A node without cores asks from where its memory is, one without memory is asked where its cores are. `None` if
    /// there is no such node.
    pub fn hops(&self, from: NodeId, to: NodeId) -> Option<usize> {
        let askers = self.askers(from)?;
        let links = |to: &[usize]| {
            let ways = askers.iter().flat_map(|&asker| to.iter().map(move |&home| (asker, home)));
            ways.map(|(asker, home)| self.path(asker, home).len()).min()
        };
        let far = links(&self.answerers(to)?)?;
        let near = links(&self.answerers(from)?)?;
        Some(if from == to { 0 } else { far.saturating_sub(near) })
    }

    /// Routers of a node's cores.
    fn askers(&self, node: NodeId) -> Option<Vec<usize>> {
        let shown = self.machine.node(node)?;
        let cores = self.machine.cores.iter().zip(&self.cores);
        let of_node = cores.filter(|(core, _)| core.pus.iter().any(|pu| shown.pus.contains(pu)));
        let routers = distinct(of_node.map(|(_, place)| place.router));
        if routers.is_empty() { self.homes_of(node) } else { Some(routers) }
    }

    /// Routers of a node's home agents.
    fn answerers(&self, node: NodeId) -> Option<Vec<usize>> {
        self.homes_of(node).or_else(|| self.askers(node))
    }

    fn homes_of(&self, node: NodeId) -> Option<Vec<usize>> {
        let memory = self.memory(node)?;
        Some(distinct(memory.homes.iter().map(|&home| self.homes[home].router)))
    }
}

fn distinct(routers: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut routers: Vec<usize> = routers.collect();
    routers.sort_unstable();
    routers.dedup();
    routers
}
