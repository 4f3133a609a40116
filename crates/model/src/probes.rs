//! The paths of probes: from the router of a home agent to every other router with cores, over a tree of links.

use std::ops::Range;

use zerohop_machine::{Coherence, Hardware};

/// The tree of links that probes from each router take.
#[derive(Debug)]
pub(crate) struct ProbeTrees {
    routers: usize,
    /// The routers to which probes are forwarded, of all trees in one list.
    children: Vec<u16>,
    /// By root and by the router of the probe: its part of the list.
    onward: Vec<[u32; 2]>,
    /// Whether a router has cores, and how many other routers have.
    has_cores: Vec<bool>,
    others: Vec<u16>,
}

impl ProbeTrees {
    /// The trees of a machine; none where probes are not broadcast.
    pub(crate) fn new(hardware: &Hardware) -> Self {
        let routers = hardware.routers.len();
        let has_cores = hardware.routers_with_cores();
        let with_cores = has_cores.iter().filter(|&&has| has).count() as u16;
        let others = has_cores.iter().map(|&has| with_cores - u16::from(has)).collect();
        let mut children = Vec::new();
        let mut onward = Vec::with_capacity(routers * routers);
        // Where a directory knows the owner of a line, nobody probes; a thousand trees of a thousand routers take seconds.
        let roots = if matches!(hardware.coherence, Coherence::Broadcast { .. }) { 0..routers } else { 0..0 };
        for next in roots.flat_map(|root| hardware.probe_tree(root)) {
            let first = children.len() as u32;
            children.extend(next.into_iter().map(|link| hardware.end(link) as u16));
            onward.push([first, children.len() as u32]);
        }
        Self { routers, children, onward, has_cores, others }
    }

    /// The routers to which `at` forwards a probe from `root`, as ranks for [`Self::child`].
    #[inline]
    pub(crate) fn children(&self, root: u16, at: u16) -> Range<u32> {
        let [first, end] = self.onward[root as usize * self.routers + at as usize];
        first..end
    }

    /// Whether a probe from `root` ends at `at`.
    #[inline]
    pub(crate) fn ends_at(&self, root: u16, at: u16) -> bool {
        self.children(root, at).is_empty()
    }

    /// The router of that rank.
    #[inline]
    pub(crate) fn child(&self, rank: u32) -> u16 {
        self.children[rank as usize]
    }

    /// Whether a router has cores, whose caches answer.
    #[inline]
    pub(crate) fn has_cores(&self, router: u16) -> bool {
        self.has_cores[router as usize]
    }

    /// How many routers answer probes from `root`.
    #[inline]
    pub(crate) fn answers(&self, root: u16) -> u16 {
        self.others[root as usize]
    }
}
