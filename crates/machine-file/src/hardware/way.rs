//! Paths between places of a machine.

use std::collections::BTreeMap;

use crate::{DirectedLink, Hardware};
use zerohop_machine::{NodeId, PuId};

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

    /// Hops from a node's cores to another node's memory: the links that the nearest core's requests cross, less those
    /// that they cross to reach the core's own memory. Links between the cores of a chiplet and the memory of its own
    /// socket are not counted as hops.
    ///
    /// For a node without cores, the path starts at its memory; for one without memory, it ends at its cores. `None` if
    /// there is no such node.
    pub fn hops(&self, from: NodeId, to: NodeId) -> Option<usize> {
        let rank = |id| self.machine.nodes.iter().position(|node| node.id == id);
        Some(self.hops_between(&self.ends(rank(from)?), &self.ends(rank(to)?)))
    }

    /// [`Self::hops`] from every node to every other, in the order of `machine.nodes`.
    pub fn hop_matrix(&self) -> Vec<Vec<usize>> {
        let ends: Vec<Ends> = self.all_ends();
        let own: Vec<usize> = ends.iter().map(|ends| self.fewest(ends, &ends.answerers)).collect();
        let mut matrix = vec![vec![0; ends.len()]; ends.len()];
        // For each router that answers, all paths to it at once: they share their ends.
        let mut targets: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (rank, ends) in ends.iter().enumerate() {
            ends.answerers.iter().for_each(|&router| targets.entry(router).or_default().push(rank));
        }
        matrix.iter_mut().flatten().for_each(|hops| *hops = usize::MAX);
        for (router, ranks) in targets {
            let hops = self.hops_to(router);
            for (row, from) in matrix.iter_mut().zip(&ends) {
                let least = from.askers.iter().map(|&asker| hops[asker]).min().unwrap_or(0);
                ranks.iter().for_each(|&to| row[to] = row[to].min(least));
            }
        }
        for (row, own) in matrix.iter_mut().zip(own) {
            row.iter_mut()
                .for_each(|hops| *hops = if *hops == usize::MAX { 0 } else { hops.saturating_sub(own) });
        }
        matrix
    }

    /// Links from every router to that one, by the routers' ranks.
    pub fn hops_to(&self, to: usize) -> Vec<usize> {
        let mut hops = vec![None; self.routers.len()];
        hops[to] = Some(0);
        let mut way = Vec::new();
        for from in 0..hops.len() {
            // The frontier of the search.
            let mut at = from;
            while hops[at].is_none()
                && let Some(link) = self.routes.next(at, to)
            {
                way.push(at);
                at = self.links[link.link()].ends[1 - link.direction()];
            }
            let mut far = hops[at].unwrap_or(0);
            while let Some(router) = way.pop() {
                far += 1;
                hops[router] = Some(far);
            }
        }
        hops.into_iter().map(|hops| hops.unwrap_or(0)).collect()
    }

    fn hops_between(&self, from: &Ends, to: &Ends) -> usize {
        self.fewest(from, &to.answerers).saturating_sub(self.fewest(from, &from.answerers))
    }

    /// The fewest links from a node's cores to any of these routers.
    fn fewest(&self, from: &Ends, answerers: &[usize]) -> usize {
        let ways = from.askers.iter().flat_map(|&asker| answerers.iter().map(move |&to| (asker, to)));
        ways.map(|(asker, to)| self.routes.path(&self.links, asker, to).count()).min().unwrap_or(0)
    }

    fn ends(&self, rank: usize) -> Ends {
        let node = &self.machine.nodes[rank];
        let cores = self.machine.cores.iter().zip(&self.cores);
        let of_node = cores.filter(|(core, _)| core.pus.first().is_some_and(|pu| node.pus.contains(pu)));
        self.ends_of(node.id, of_node.map(|(_, place)| place.router).collect())
    }

    /// [`Self::ends`] of all nodes, in one pass over the cores.
    fn all_ends(&self) -> Vec<Ends> {
        let nodes = &self.machine.nodes;
        let node_of: BTreeMap<PuId, usize> = nodes
            .iter()
            .enumerate()
            .flat_map(|(rank, node)| node.pus.iter().map(move |pu| (pu, rank)))
            .collect();
        let mut routers = vec![Vec::new(); nodes.len()];
        for (core, place) in self.machine.cores.iter().zip(&self.cores) {
            if let Some(&rank) = core.pus.first().and_then(|pu| node_of.get(&pu)) {
                routers[rank].push(place.router);
            }
        }
        nodes.iter().zip(routers).map(|(node, routers)| self.ends_of(node.id, routers)).collect()
    }

    fn ends_of(&self, node: NodeId, cores: Vec<usize>) -> Ends {
        let askers = distinct(cores.into_iter());
        let homes = self.memory(node).into_iter().flat_map(|memory| &memory.homes);
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
