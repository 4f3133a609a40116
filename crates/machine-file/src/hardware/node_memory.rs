//! How the memory of a node is distributed over home agents and channels, line by line.

use std::fmt;

use zerohop_document::{Names, Text, tables, words};
use zerohop_units::{Bytes, Nanoseconds};

use zerohop_machine::NodeId;

/// How the memory of one NUMA node is distributed over home agents and channels, line by line.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeMemory {
    pub node: NodeId,
    /// Ranks of the home agents that answer for it. Not empty.
    pub homes: Vec<usize>,
    /// How its lines go over them.
    pub home_spread: Spread,
    /// Ranks of the channels that hold it. Not empty.
    pub channels: Vec<usize>,
    /// How its lines go over them.
    pub channel_spread: Spread,
    /// In the order of `homes`, the channels that each home agent uses, by rank; empty where each uses all.
    pub channels_of_home: Vec<Vec<usize>>,
    /// The memory-side cache in front of these channels, if there is one.
    pub cache: Option<SideCache>,
}

/// How lines are distributed over several units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spread {
    /// The next unit follows after this number of bytes.
    Interleaved(Bytes),
    /// Line by line, evenly and without any pattern: for a hash of which nothing is published.
    Mixed,
    /// By a known hash of the address.
    Hashed(AddressHash),
}

/// A hash of addresses, as it can be measured with counters of home agents: bits that are parities of address bits, and a
/// table of units for all their values.
///
/// J. D. McCalpin, "Mapping Addresses to L3/CHA Slices in Intel Processors", ACELab TR-2021-03, 2021
/// (<https://doi.org/10.26153/tsw/14539>), found that hashes of Intel's processors can be written so.
#[derive(Clone, PartialEq, Eq)]
pub struct AddressHash {
    masks: Vec<u64>,
    table: Vec<u16>,
}

impl AddressHash {
    /// Bit `i` of an entry's rank is the parity of the address under mask `i`; entries are ranks of units.
    ///
    /// # Panics
    /// When the number of entries is not that of the values of the bits.
    pub fn new(masks: Vec<u64>, table: Vec<u16>) -> Self {
        assert_eq!(Some(table.len()), 1usize.checked_shl(masks.len() as u32), "an entry for every value");
        Self { masks, table }
    }

    /// The rank of the unit that has an address.
    #[inline]
    pub fn unit(&self, address: u64) -> u16 {
        let bit = |(rank, mask): (usize, &u64)| (((address & mask).count_ones() & 1) as usize) << rank;
        self.table[self.masks.iter().enumerate().map(bit).sum::<usize>()]
    }

    /// The unit for every value of the bits.
    pub fn table(&self) -> &[u16] {
        &self.table
    }
}

impl fmt::Debug for AddressHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AddressHash({} bits)", self.masks.len())
    }
}

/// A memory-side cache in front of a node's channels, in channels of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct SideCache {
    /// Ranks of the channels that it consists of. Not empty.
    pub channels: Vec<usize>,
    /// How lines go over them.
    pub spread: Spread,
    /// In the order of the memory's `homes`, the channels that each home agent uses; empty where each uses all.
    pub channels_of_home: Vec<Vec<usize>>,
    /// The memory that it caches.
    pub memory: Bytes,
    /// Its parameters in the machine file.
    pub parameters: SideCacheParameters,
}

tables! {
    /// A memory-side cache: direct-mapped, its tags beside its lines, so that a write reads before it writes unless its line was
    /// fetched before.
    SideCacheTable => SideCacheParameters {
        /// Capacity.
        size: Bytes,
        /// Time that the tag lookup adds to a read.
        lookup: Nanoseconds,
        /// What triggers the tag lookup for a line that is written without a fetch.
        tag_read_by: TagReadBy = TagReadBy::Write,
        /// Which pages of the memory behind it are in use.
        pages: PagesInUse = PagesInUse::InOrder,
    } + {
        /// The channels that it consists of.
        channels: UnitsTable,
    }

    /// Home agents or channels of a node: its own (`kind`, `count`), or those of another node (`of`).
    UnitsTable {
        /// Their kind.
        kind: Option<Text>,
        /// Number of units.
        count: u32 = 1,
        /// Their routers, with equal numbers at each, one router after the other.
        at: Option<Names>,
        /// The node that the units belong to, as in `{ of = "0", interleave = "64 B" }`: both nodes' memory is interleaved over the
        /// same units.
        of: Option<Text>,
        /// With several units: consecutive bytes of the node's memory on one unit.
        interleave: Option<Bytes>,
        /// Instead of `interleave`, the hash that distributes lines over the units: a `[hash.NAME]`, or `mixed`, an even distribution without a pattern, for machines with an unknown hash.
        hash: Option<Text>,
        /// For channels: the division of routers by which a home agent uses only the channels of its own cluster.
        within: Option<Text>,
    }
}

words! {
    /// What has the tag read of a line that is about to be written.
    pub TagReadBy {
        /// The write, when it arrives.
        Write = "write",
        /// A request that the home agent sends ahead of the write, and that takes its own time on links.
        Request = "request",
    }

    /// Which pages of a memory are in use: in a direct-mapped cache it decides how many of them share a place.
    pub PagesInUse {
        /// Those at its beginning, one after the other, as an operating system may hand them out when it has just started: lines
        /// share places only when the cache is full.
        InOrder = "in-order",
        /// Any, as when an operating system has run for a while: some share a place long before the cache is full.
        Scattered = "scattered",
    }
}
