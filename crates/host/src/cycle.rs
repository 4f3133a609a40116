//! The random cycle that a chase follows.
//!
//! Every second line holds a node, always an even line (lines are 64 or 128 bytes long), so that an adjacent-line prefetcher gains nothing. This holds for
//! small footprints too: a cache then uses half of its sets as well as half of its lines.
//!
//! All nodes are shuffled together and linked in that order. Every cycle over all nodes is then equally likely, as with
//! Sattolo's algorithm (S. Sattolo, "An algorithm to generate a random cyclic permutation", Information Processing Letters
//! 22, 1986), and the position of each node along the cycle is known, which a chase of several chains needs. Shuffling
//! within blocks would be faster, but the chase would no longer be random: on the development machine, blocks of 64 KiB,
//! 2 MiB and 128 MiB gave results 36 %, 17 % and 10 % too fast, although all memory was on huge pages. A shuffled table of
//! *successors*, in turn, splits into several cycles, and a chase visits only one of them.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rand_core::Rng;
use rand_pcg::Pcg32;

/// Distance of nodes in bytes, where lines are 64 bytes long.
pub(crate) const SPACING: usize = 128;

/// Nodes of the longest cycle: its table has 4 bytes per node.
pub(crate) const LONGEST: usize = 1 << 32;

/// A cycle over all nodes of a buffer, before it is written to the buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cycle {
    /// Nodes in the order of the chase.
    order: Vec<u32>,
    /// Distance of nodes in bytes.
    spacing: usize,
}

/// Nodes at equal distances along a cycle that is in its buffer, and how far chases have come along it.
///
/// Each chase starts where the one before it stopped. The nodes ahead of it are then those that were visited longest ago,
/// almost a whole cycle before. If all chases started at the same node, each would find its first megabytes in a cache
/// that the one before it had filled.
#[derive(Debug, Clone)]
pub(crate) struct Landmarks {
    /// Length of the cycle in nodes.
    nodes: usize,
    /// Distance of nodes in bytes.
    spacing: usize,
    marks: Arc<[u32]>,
    /// How far chases have come, in nodes. Clones share it.
    trail: Arc<AtomicU64>,
}

/// Landmarks serve at most this number of chains; no core follows nearly as many.
const LANDMARKS: usize = 4096;

impl Cycle {
    /// A cycle over a buffer of `bytes`, with a node every `spacing` bytes, at most [`LONGEST`] nodes, determined by `seed`. If a
    /// `block` size is given, the cycle visits all nodes of a block before it goes on to the next; blocks are in random order.
    ///
    /// `go_on` is called from time to time; the result is `None` if it returned false.
    pub(crate) fn over(
        bytes: usize,
        (spacing, block): (usize, Option<usize>),
        seed: u64,
        go_on: impl Fn() -> bool,
    ) -> Option<Self> {
        /// Swaps between two calls of `go_on`: some milliseconds.
        const STRETCH: usize = 1 << 18;
        let mut order: Vec<u32> = (0..bytes / spacing).map(|node| node as u32).collect();
        let mut random = Pcg32::new(seed, bytes as u64);
        let nodes_of_block = block.map_or(order.len(), |bytes| bytes / spacing).max(1);
        for nodes in order.chunks_mut(nodes_of_block) {
            for last in (1..nodes.len()).rev() {
                nodes.swap(last, below(last + 1, random.next_u32()));
                if last % STRETCH == 0 && !go_on() {
                    return None;
                }
            }
        }
        if nodes_of_block < order.len() {
            let mut blocks: Vec<&[u32]> = order.chunks(nodes_of_block).collect();
            for last in (1..blocks.len()).rev() {
                blocks.swap(last, below(last + 1, random.next_u32()));
            }
            order = blocks.concat();
        }
        Some(Self { order, spacing })
    }

    pub(crate) fn nodes(&self) -> usize {
        self.order.len()
    }

    /// Calls `link` with the nodes at these ranks of the order, and the node after each.
    fn links(&self, ranks: Range<usize>, mut link: impl FnMut(usize, usize)) {
        let successors = self.order[ranks.start + 1..].iter().chain(&self.order[..1]);
        for (&node, &next) in self.order[ranks].iter().zip(successors) {
            link(node as usize, next as usize);
        }
    }

    /// Writes the pointers of the nodes at these ranks of the order.
    ///
    /// # Safety
    /// `start` must be the start of a buffer as long as the cycle was made for, aligned to a word, and valid for writes.
    pub(crate) unsafe fn write(&self, start: *mut u8, ranks: Range<usize>) {
        let at = |node: usize| {
            // SAFETY: every node is within the buffer.
            unsafe { start.add(node * self.spacing) }
        };
        self.links(ranks, |node, next| {
            // SAFETY: as above; different ranks have different nodes.
            unsafe { at(node).cast::<*mut u8>().write(at(next)) };
        });
    }

    /// The part of it that is kept after it has been written.
    pub(crate) fn landmarks(&self) -> Landmarks {
        let nodes = self.order.len();
        let count = LANDMARKS.min(nodes);
        let marks = (0..count).map(|mark| self.order[nodes * mark / count]).collect();
        Landmarks { nodes, spacing: self.spacing, marks, trail: Arc::default() }
    }
}

impl Landmarks {
    /// Whether the cycle has enough nodes for this number of chains.
    pub(crate) fn suffice_for(&self, chains: usize) -> bool {
        chains <= self.marks.len()
    }

    /// Distance of nodes in bytes.
    pub(crate) fn spacing(&self) -> usize {
        self.spacing
    }

    /// How far chases have come, in nodes.
    pub(crate) fn reached(&self) -> u64 {
        self.trail.load(Ordering::Relaxed)
    }

    /// A chase has moved on by this number of steps.
    #[inline]
    pub(crate) fn advance(&self, steps: u64) {
        self.trail.fetch_add(steps, Ordering::Relaxed);
    }

    /// Nodes for `chains` to start from, equally spaced along the cycle to within a landmark, the first one at the landmark
    /// that follows the end of the last chase. The trail moves on to it.
    pub(crate) fn starts(&self, chains: usize) -> impl Iterator<Item = usize> {
        let count = self.marks.len();
        let rank = (self.reached() % self.nodes as u64) as usize;
        let first = (rank * count).div_ceil(self.nodes);
        self.advance((self.nodes * first / count - rank) as u64);
        (0..chains).map(move |chain| self.marks[(first + count * chain / chains) % count] as usize)
    }
}

/// A number below `bound`, at most 2^32, from 32 random bits. Multiplying favors some numbers over others by up
/// to `bound` / 2^32: 0.2 % for a GiB, which no memory system notices.
fn below(bound: usize, random: u32) -> usize {
    ((u64::from(random) * bound as u64) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cycle(nodes: usize, seed: u64) -> Cycle {
        Cycle::over(nodes * SPACING, (SPACING, None), seed, || true).unwrap()
    }

    fn successors(cycle: &Cycle) -> Vec<usize> {
        let mut next = vec![usize::MAX; cycle.nodes()];
        cycle.links(0..cycle.nodes(), |node, to| next[node] = to);
        next
    }

    proptest! {
        #[test]
        fn one_cycle_visits_every_node_once(nodes in 1usize..5000, seed: u64) {
            let next = successors(&cycle(nodes, seed));
            let mut visited = vec![false; nodes];
            let mut node = 0;
            for _ in 0..nodes {
                prop_assert!(!std::mem::replace(&mut visited[node], true));
                node = next[node];
            }
            prop_assert_eq!(node, 0);
        }

        #[test]
        fn a_cycle_in_blocks_visits_every_node_once_and_stays_in_each_block(
            nodes in 1usize..5000,
            of_block in 1usize..700,
            seed: u64,
        ) {
            let blocks = Some(of_block * SPACING);
            let cycle = Cycle::over(nodes * SPACING, (SPACING, blocks), seed, || true).unwrap();
            let mut sorted = cycle.order.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..nodes as u32).collect::<Vec<_>>());
            let block = |node: u32| node as usize / of_block;
            let changes = cycle.order.windows(2).filter(|pair| block(pair[0]) != block(pair[1])).count();
            prop_assert_eq!(changes + 1, nodes.div_ceil(of_block));
        }

        #[test]
        fn chains_start_equally_far_apart(nodes in 1usize..20_000, chains in 1usize..64) {
            let cycle = cycle(nodes, 7);
            let landmarks = cycle.landmarks();
            prop_assert_eq!(landmarks.suffice_for(chains), chains <= nodes);
            if chains > nodes {
                return Ok(());
            }
            let mut rank = vec![0; nodes];
            for (at, &node) in cycle.order.iter().enumerate() {
                rank[node as usize] = at;
            }
            let slack = nodes / LANDMARKS + 2;
            for (chain, node) in landmarks.starts(chains).enumerate() {
                prop_assert!(rank[node].abs_diff(nodes * chain / chains) <= slack);
            }
        }
    }

    /// A cache with least-recently-used replacement that all cores share. It holds the lines of the last `size` visits.
    struct Cache {
        size: u64,
        visits: u64,
        /// The visit that each node had last.
        last: Vec<Option<u64>>,
    }

    impl Cache {
        fn hits(&mut self, node: usize) -> bool {
            let hit = self.last[node].is_some_and(|last| self.visits - last <= self.size);
            self.last[node] = Some(self.visits);
            self.visits += 1;
            hit
        }
    }

    #[test]
    fn no_chase_reads_what_the_chase_before_it_has_just_read() {
        const NODES: usize = 100_000;
        let cycle = cycle(NODES, 5);
        let next = successors(&cycle);
        for chains in [1usize, 4, 10] {
            let landmarks = cycle.landmarks();
            let mut cache = Cache { size: NODES as u64 * 3 / 4, visits: 0, last: vec![None; NODES] };
            let mut firsts = std::collections::BTreeSet::new();
            // The cells of a matrix, in several rounds, each of another length.
            for steps in
                [9000u64, 40_000, 1, 25_000, 0, 70_000, 300, 33_333, 90_000].map(|all| all / chains as u64)
            {
                let mut at: Vec<usize> = landmarks.starts(chains).collect();
                firsts.insert(at[0]);
                for _ in 0..steps {
                    for node in &mut at {
                        *node = next[*node];
                        assert!(!cache.hits(*node), "{chains} chains: a line that was just read");
                    }
                }
                landmarks.advance(steps);
            }
            assert!(firsts.len() >= 6, "chases start at {firsts:?}");
        }
    }

    #[test]
    fn a_buffer_holds_the_cycle_in_its_pointers() {
        const BYTES: usize = 4 << 20;
        let cycle = Cycle::over(BYTES, (SPACING, None), 3, || true).unwrap();
        let mut buffer = vec![0u64; BYTES / 8];
        let start = buffer.as_mut_ptr().cast::<u8>();
        for part in 0..4 {
            let ranks = part * cycle.nodes() / 4..(part + 1) * cycle.nodes() / 4;
            // SAFETY: the buffer is as long as the cycle was made for.
            unsafe { cycle.write(start, ranks) };
        }
        let mut at = start.cast_const();
        for step in 1..=cycle.nodes() {
            // SAFETY: every node points at a node.
            at = unsafe { at.cast::<*const u8>().read() };
            assert_eq!(at == start, step == cycle.nodes(), "step {step}");
        }
    }

    #[test]
    fn neighbors_in_memory_are_rarely_neighbors_on_the_cycle() {
        let order = cycle(65_536, 1).order;
        let near = order.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) < 32).count();
        assert!(near < 200, "{near} of 65536");
    }

    #[test]
    fn the_seed_determines_the_cycle_and_an_interrupt_stops_building() {
        assert_eq!(cycle(1000, 1), cycle(1000, 1));
        assert_ne!(cycle(1000, 1), cycle(1000, 2));
        assert_eq!(Cycle::over(64 << 20, (SPACING, None), 1, || false), None);
    }
}
