//! The way from one place of a machine to another.

use crate::{DirectedLink, Hardware, NodeId};

/// Where the requests of a node start, and where requests for its memory go, as ranks of routers.
struct Ends {
    askers: Vec<usize>,
    answerers: Vec<usize>,
}

impl Hardware {
    /// The links from router `from` to router `to`, in their order; none if they are the same.
    pub fn path(&self, from: usize, to: usize) -> Vec<DirectedLink> {
        self.routes.path(&self.links, from, to).collect()
    }

    /// Hops from a node's cores to another node's memory: links that the nearest core's requests cross beyond those
    /// that they cross on the way to the core's own memory. Between the cores of a chiplet and the memory of its own
    /// socket there may be links; people count none.
    ///
    /// A node without cores asks from where its memory is, one without memory is asked where its cores are. `None` if
    /// there is no such node.
    pub fn hops(&self, from: NodeId, to: NodeId) -> Option<usize> {
        let rank = |id| self.machine.nodes.iter().position(|node| node.id == id);
        Some(self.hops_between(&self.ends(rank(from)?), &self.ends(rank(to)?)))
    }

    /// [`Self::hops`] from every node to every other, in the order of `machine.nodes`.
    pub fn hop_matrix(&self) -> Vec<Vec<usize>> {
        let ends: Vec<Ends> = (0..self.machine.nodes.len()).map(|rank| self.ends(rank)).collect();
        ends.iter().map(|from| ends.iter().map(|to| self.hops_between(from, to)).collect()).collect()
    }

    fn hops_between(&self, from: &Ends, to: &Ends) -> usize {
        let fewest = |answerers: &[usize]| {
            let ways = from.askers.iter().flat_map(|&asker| answerers.iter().map(move |&to| (asker, to)));
            ways.map(|(asker, to)| self.routes.path(&self.links, asker, to).count()).min().unwrap_or(0)
        };
        fewest(&to.answerers).saturating_sub(fewest(&from.answerers))
    }

    fn ends(&self, rank: usize) -> Ends {
        let node = &self.machine.nodes[rank];
        let cores = self.machine.cores.iter().zip(&self.cores);
        let of_node = cores.filter(|(core, _)| core.pus.first().is_some_and(|pu| node.pus.contains(pu)));
        let askers = distinct(of_node.map(|(_, place)| place.router));
        let homes = self.memory(node.id).into_iter().flat_map(|memory| &memory.homes);
        let answerers = distinct(homes.map(|&home| self.homes[home].router));
        match (askers.is_empty(), answerers.is_empty()) {
            (true, _) => Ends { askers: answerers.clone(), answerers },
            (_, true) => Ends { answerers: askers.clone(), askers },
            _ => Ends { askers, answerers },
        }
    }
}

fn distinct(routers: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut routers: Vec<usize> = routers.collect();
    routers.sort_unstable();
    routers.dedup();
    routers
}
