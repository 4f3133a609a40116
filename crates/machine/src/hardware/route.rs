//! The way from every router to every other.

/// One direction of a link: twice the link's rank, plus the direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DirectedLink(pub usize);

impl DirectedLink {
    /// Direction `0` or `1` of a link.
    pub const fn new(link: usize, direction: usize) -> Self {
        Self(2 * link + direction)
    }

    /// The link's rank.
    pub const fn link(self) -> usize {
        self.0 / 2
    }

    /// Its direction: 0 from the link's first end to its second.
    pub const fn direction(self) -> usize {
        self.0 % 2
    }

    /// The other direction of the same link.
    pub const fn opposite(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// The next link on the way from every router to every other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routes {
    routers: usize,
    next: Vec<Option<DirectedLink>>,
}

impl Routes {
    /// From a table with a row for each router and a column for each destination. `None` stands on the diagonal only.
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
}
