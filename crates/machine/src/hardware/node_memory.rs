//! Where the memory of a node lies: line by line over home agents and channels.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use zerohop_units::{Bytes, Nanoseconds};

use crate::NodeId;

/// Where the memory of one NUMA node lies: line by line over home agents and channels.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeMemory {
    /// The node.
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

/// How lines go over several units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spread {
    /// After so many bytes comes the next unit.
    Interleaved(Bytes),
    /// Line by line without any pattern, evenly: what stands for a hash of which nothing is published but that it is one.
    Mixed,
    /// By a hash of the address that is known.
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
    /// When there is not one entry for every value of the bits.
    pub fn new(masks: Vec<u64>, table: Vec<u16>) -> Self {
        assert_eq!(Some(table.len()), 1usize.checked_shl(masks.len() as u32), "an entry for every value");
        Self { masks, table }
    }

    /// The rank of the unit of an address.
    #[inline]
    pub fn unit(&self, address: u64) -> u16 {
        let bit = |(rank, mask): (usize, &u64)| (((address & mask).count_ones() & 1) as usize) << rank;
        self.table[self.masks.iter().enumerate().map(bit).sum::<usize>()]
    }

    /// The unit of every value of the bits.
    pub fn table(&self) -> &[u16] {
        &self.table
    }
}

impl fmt::Debug for AddressHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AddressHash({} bits)", self.masks.len())
    }
}

/// A memory-side cache: direct-mapped, in front of a node's channels, in channels of its own. Its tags lie with the lines, so
/// that a write reads before it writes; unless its line was fetched before, so that it is known to be there.
#[derive(Debug, Clone, PartialEq)]
pub struct SideCache {
    /// Ranks of the channels that it consists of. Not empty.
    pub channels: Vec<usize>,
    /// How lines go over them.
    pub spread: Spread,
    /// In the order of the memory's `homes`, the channels that each home agent uses; empty where each uses all.
    pub channels_of_home: Vec<Vec<usize>>,
    /// Its capacity.
    pub size: Bytes,
    /// What looking at the tag adds to a read.
    pub lookup: Nanoseconds,
    /// Whether a home agent asks for the tag of a line before it writes it, by a request that goes ahead of the write;
    /// otherwise the write itself has it read.
    pub asks_for_tags: bool,
    /// Which pages of memory are in use.
    pub pages: PagesInUse,
}

/// Which pages of a memory are in use: in a direct-mapped cache it decides how many of them share a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PagesInUse {
    /// Those at its beginning, one after the other, as an operating system may hand them out when it has just started.
    InOrder,
    /// Any of so many bytes of memory, as after a while: they share places before the cache is full.
    Scattered {
        /// The memory.
        memory: Bytes,
    },
}
