//! The route from every router to every other.

use crate::Link;

/// One direction of a link: twice the link's rank, plus the direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DirectedLink(pub usize);

impl DirectedLink {
    /// Direction `0` or `1` of a link.
    pub const fn new(link: usize, direction: usize) -> Self {
        Self(2 * link + direction)
    }

    pub const fn link(self) -> usize {
        self.0 / 2
    }

    /// Direction: 0 from the link's first end to its second.
    pub const fn direction(self) -> usize {
        self.0 % 2
    }

    /// The other direction of the same link.
    pub const fn opposite(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// The next link on the route from every router to every other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routes {
    routers: usize,
    next: Vec<Option<DirectedLink>>,
}

impl Routes {
    /// From a table with a row per router and a column per destination. `None` is on the diagonal only.
    ///
    /// # Panics
    /// When the table is not square.
    pub fn new(routers: usize, next: Vec<Option<DirectedLink>>) -> Self {
        assert_eq!(next.len(), routers * routers, "a row and a column for each router");
        Self { routers, next }
    }

    /// The link to take at `from` towards `to`; `None` where they are the same.
    pub fn next(&self, from: usize, to: usize) -> Option<DirectedLink> {
        self.next[from * self.routers + to]
    }

    /// The links from one router to another, in their order.
    pub fn path(&self, links: &[Link], from: usize, to: usize) -> impl Iterator<Item = DirectedLink> {
        let step = move |link: &DirectedLink| self.next(links[link.link()].ends[1 - link.direction()], to);
        std::iter::successors(self.next(from, to), step)
    }

    /// Whether packets can never wait for each other in a cycle, even if each link has a single buffer: no chain of "a packet on this link continues
    /// over that one" returns to its start.
    ///
    /// W. J. Dally and C. L. Seitz, "Deadlock-Free Message Routing in Multiprocessor Interconnection Networks", IEEE Trans. Computers C-36(5), 1987:
    /// routes are free of deadlock if, and only if, this graph has no cycle.
    pub fn are_free_of_cycles(&self, links: &[Link]) -> bool {
        let mut after = vec![Vec::new(); 2 * links.len()];
        for from in 0..self.routers {
            for to in 0..self.routers {
                let Some(first) = self.next(from, to) else { continue };
                let then = self.next(links[first.link()].ends[1 - first.direction()], to);
                after[first.0].extend(then.map(|then| then.0));
            }
        }
        for of_one in &mut after {
            of_one.sort_unstable();
            of_one.dedup();
        }
        // Remove links that nothing leads to, again and again: those that remain are on cycles or behind them.
        let mut leading_in = vec![0; after.len()];
        after.iter().flatten().for_each(|&then| leading_in[then] += 1);
        let mut free: Vec<usize> = (0..after.len()).filter(|&link| leading_in[link] == 0).collect();
        let mut taken = 0;
        while let Some(link) = free.pop() {
            taken += 1;
            for &then in &after[link] {
                leading_in[then] -= 1;
                if leading_in[then] == 0 {
                    free.push(then);
                }
            }
        }
        taken == after.len()
    }
}
