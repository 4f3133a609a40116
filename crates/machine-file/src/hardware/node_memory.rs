//! Distribution of a node's memory over home agents and channels, line by line.

use std::fmt;

use zerohop_document::{Names, Text, tables, words};
use zerohop_units::{Bytes, Nanoseconds};

use zerohop_machine::NodeId;

/// Distribution of the memory of one NUMA node over home agents and channels, line by line.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeMemory {
    pub node: NodeId,
    /// Ranks of the memory's home agents. Not empty.
    pub homes: Vec<usize>,
    /// Distribution of lines over the home agents.
    pub home_spread: Spread,
    /// Ranks of the memory's channels. Not empty.
    pub channels: Vec<usize>,
    /// Distribution of lines over the channels.
    pub channel_spread: Spread,
    /// In the order of `homes`, the channels used by each home agent, by rank; empty if each uses all.
    pub channels_of_home: Vec<Vec<usize>>,
    /// Memory-side cache in front of these channels, if there is one.
    pub cache: Option<SideCache>,
}

/// Distribution of lines over several units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spread {
    /// The next unit follows after this number of bytes.
    Interleaved(Bytes),
    /// Line by line, evenly and without a pattern: for an unpublished hash.
    Mixed,
    /// A known hash of the address.
    Hashed(AddressHash),
}

/// A hash of addresses, in a form that can be measured with counters of home agents: bits that are parities of address bits, and a table with the
/// unit for each combination of the bits.
///
/// J. D. McCalpin, "Mapping Addresses to L3/CHA Slices in Intel Processors", ACELab TR-2021-03, 2021 (<https://doi.org/10.26153/tsw/14539>), found
/// that hashes of Intel's processors have this form.
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

    /// Rank of the unit for an address.
    #[inline]
    pub fn unit(&self, address: u64) -> u16 {
        let bit = |(rank, mask): (usize, &u64)| (((address & mask).count_ones() & 1) as usize) << rank;
        self.table[self.masks.iter().enumerate().map(bit).sum::<usize>()]
    }

    /// Unit for each combination of the bits.
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
    /// Ranks of the channels that form the cache. Not empty.
    pub channels: Vec<usize>,
    /// Distribution of lines over the channels.
    pub spread: Spread,
    /// In the order of the memory's `homes`, the channels used by each home agent; empty if each uses all.
    pub channels_of_home: Vec<Vec<usize>>,
    /// Size of the memory behind the cache.
    pub memory: Bytes,
    /// Parameters of the cache in the machine file.
    pub parameters: SideCacheParameters,
}

tables! {
    /// A memory-side cache: direct-mapped, with tags next to the lines, so that a write reads first unless its line was fetched before.
    SideCacheTable => SideCacheParameters {
        /// Capacity of the cache.
        size: Bytes,
        /// Time that the tag lookup adds to a read.
        lookup: Nanoseconds,
        /// Trigger of the tag lookup for a line that is written without a fetch.
        tag_read_by: TagReadBy = TagReadBy::Write,
        /// Pages of the memory behind the cache that are in use.
        pages: PagesInUse = PagesInUse::InOrder,
    } + {
        /// Channels that form the cache.
        channels: UnitsTable,
    }

    /// Home agents or channels of a node: its own (`kind`, `count`), or those of another node (`of`).
    UnitsTable {
        /// Kind of the units.
        kind: Option<Text>,
        /// Number of units.
        count: u32 = 1,
        /// Routers of the units, with equal numbers at each, one router after the other.
        at: Option<Names>,
        /// The node that the units belong to, as in `{ of = "0", interleave = "64 B" }`: both nodes' memory is interleaved over the
        /// same units.
        of: Option<Text>,
        /// With several units: number of consecutive bytes of the node's memory on one unit.
        interleave: Option<Bytes>,
        /// Instead of `interleave`, the hash that distributes lines over the units: a `[hash.NAME]`, or `mixed`, an even distribution without a
        /// pattern, for machines with an unknown hash.
        hash: Option<Text>,
        /// For channels: the division of routers whose clusters restrict a home agent to its own cluster's channels.
        within: Option<Text>,
    }
}

words! {
    /// Trigger of the tag lookup for a line that is about to be written.
    pub TagReadBy {
        /// The arrival of the write.
        Write = "write",
        /// A request that the home agent sends ahead of the write, and that takes its own time on links.
        Request = "request",
    }

    /// Pages of a memory that are in use: in a direct-mapped cache, this determines how many of them share a set.
    pub PagesInUse {
        /// The pages at the start of the memory, one after the other, as on a freshly booted system: lines share sets only when the cache is full.
        InOrder = "in-order",
        /// Pages anywhere, as on a system that has run for a while: some share a set long before the cache is full.
        Scattered = "scattered",
    }
}
