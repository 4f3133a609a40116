//! The paths of probes: from the router of a home agent to every other router with cores, over a tree of links.

use std::ops::Range;

use zerohop_machine_file::{Coherence, Hardware};

/// The tree of links that probes take, for each router from which any start.
#[derive(Debug, Clone)]
pub(crate) struct ProbeTrees {
    routers: usize,
    /// The routers to which probes are forwarded, of all trees in one list.
    children: Vec<u16>,
    /// By root and by the router of the probe: its part of the list. Empty where nobody probes, because a directory knows the
    /// owner of each line.
    onward: Vec<[u32; 2]>,
    /// Whether the tree of a root is laid. A thousand trees of a thousand routers take seconds, so only those in use are.
    laid: Vec<bool>,
    /// Whether a router has cores, and how many other routers have.
    has_cores: Vec<bool>,
    others: Vec<u16>,
}

impl ProbeTrees {
    pub(crate) fn new(hardware: &Hardware) -> Self {
        let routers = hardware.routers.len();
        let has_cores = hardware.routers_with_cores();
        let with_cores = has_cores.iter().filter(|&&has| has).count() as u16;
        let others = has_cores.iter().map(|&has| with_cores - u16::from(has)).collect();
        let broadcast = matches!(hardware.coherence, Coherence::Broadcast { .. });
        let onward = if broadcast { vec![[0, 0]; routers * routers] } else { Vec::new() };
        Self { routers, children: Vec::new(), onward, laid: vec![false; routers], has_cores, others }
    }

    /// Lays the tree of probes that start at `root`, unless it is there or nobody probes.
    pub(crate) fn lay(&mut self, hardware: &Hardware, root: u16) {
        if self.is_laid(root) {
            return;
        }
        let root = usize::from(root);
        self.laid[root] = true;
        let ends = &mut self.onward[root * self.routers..][..self.routers];
        for (ends, next) in ends.iter_mut().zip(hardware.probe_tree(root)) {
            let first = self.children.len() as u32;
            self.children.extend(next.into_iter().map(|link| hardware.end(link) as u16));
            *ends = [first, self.children.len() as u32];
        }
    }

    /// Whether the tree of probes that start at `root` is laid, or none is needed.
    pub(crate) fn is_laid(&self, root: u16) -> bool {
        self.onward.is_empty() || self.laid[root as usize]
    }

    /// The routers to which `at` forwards a probe from `root`, as ranks for [`Self::child`].
    #[inline]
    pub(crate) fn children(&self, root: u16, at: u16) -> Range<u32> {
        debug_assert!(self.laid[root as usize], "the tree of router {root} must have been laid");
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
