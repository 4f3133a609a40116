//! The routers to which probes are forwarded.

use crate::{DirectedLink, Hardware};

impl Hardware {
    /// Links over which each router forwards a probe that starts at router `home`: the links of the routes to every router with cores, each link
    /// once. Routers without cores on these routes also forward it.
    pub fn probe_tree(&self, home: usize) -> Vec<Vec<DirectedLink>> {
        let mut onward = vec![Vec::new(); self.routers.len()];
        let mut reached = vec![false; self.routers.len()];
        reached[home] = true;
        let with_cores = self.routers_with_cores();
        for to in (0..self.routers.len()).filter(|&to| with_cores[to]) {
            if reached[to] {
                continue;
            }
            // This branch leaves the tree at a router that another probe already reaches.
            let path = self.path(home, to);
            let begins = path.iter().rposition(|&link| reached[self.start(link)]).unwrap_or(0);
            for &link in &path[begins..] {
                reached[self.end(link)] = true;
                onward[self.start(link)].push(link);
            }
        }
        onward
    }

    /// For each router, whether it has cores, whose caches are probed.
    pub fn routers_with_cores(&self) -> Vec<bool> {
        let mut with_cores = vec![false; self.routers.len()];
        for core in &self.cores {
            with_cores[core.router] = true;
        }
        with_cores
    }

    /// The router at which a direction of a link begins.
    pub fn start(&self, link: DirectedLink) -> usize {
        self.links[link.link()].ends[link.direction()]
    }

    /// The router at which it ends.
    pub fn end(&self, link: DirectedLink) -> usize {
        self.links[link.link()].ends[1 - link.direction()]
    }
}
