//! Cores: their positions and their lines in flight.

use schemars::JsonSchema;
use serde::Serialize;
use zerohop_document::{ByName, tables, words};
use zerohop_units::{Bytes, Hertz, Nanoseconds};

/// A kind of core.
#[derive(Debug, Clone, PartialEq)]
pub struct CoreKind {
    /// Name of the kind in the machine file.
    pub name: String,
    pub parameters: CoreParameters,
    /// Sizes and load-to-use latencies of the caches, nearest first.
    pub caches: Vec<CacheLatency>,
}

tables! {
    /// A kind of core.
    CoreTable => CoreParameters {
        /// Clock rate.
        clock: Hertz,
        /// PUs (hardware threads) of a core.
        threads: u32 = 1,
        /// Maximum number of lines in flight at the same time.
        in_flight: InFlight,
        /// Maximum number of dirty lines in write-back at the same time. While all of these entries are in use, stores cannot miss.
        evictions: u32,
        /// Maximum number of lines of non-temporal stores in flight to memory at the same time.
        write_combining: u32,
        /// Minimum time between two misses of a core.
        issue: Nanoseconds,
        /// Time from a miss to the core's router, including the lookups that missed.
        to_router: Nanoseconds,
        /// Time from the core's router until the load has its data.
        from_router: Nanoseconds,
    } + {
        /// Caches of the core.
        cache: ByName<CacheTable>,
    }

    /// Number of lines that a core fetches at the same time, by access order.
    InFlightTable => InFlight {
        /// Every byte, ascending: the limit of prefetchers and a full window.
        sequential: u32,
        /// One access per line, ascending.
        strided: u32,
        /// One access per line, in random order.
        random: u32,
        /// Maximum distance of a sequential or strided stream from its oldest line that has not arrived, in lines. Without this key, only the number of lines in flight limits it.
        ahead: Option<u32> [1..=InFlight::FARTHEST_AHEAD],
    }

    /// A cache of one or more cores. A line has 64 bytes.
    CacheTable {
        /// Cache level; 1 is nearest to the core.
        level: u8,
        /// Content of the cache.
        holds: Holds = Holds::Both,
        /// Capacity.
        size: Bytes,
        /// Associativity.
        ways: Option<u32>,
        /// Number of consecutive cores of a node that share the cache.
        shared_by: u32 = 1,
        /// Number of lines in flight at the same time for all cores that share the cache, divided equally among active cores. Without this key, there
        /// is no such limit.
        misses: Option<u32>,
        /// Latency of a dependent load that hits; required for all caches except instruction caches.
        latency: Option<Nanoseconds>,
    }
}

words! {
    /// Content of a cache.
    pub(crate) Holds {
        /// Data.
        Data = "data",
        /// Instructions.
        Instructions = "instructions",
        /// Data and instructions.
        Both = "both",
    }
}

impl InFlight {
    /// The upper bound of `ahead`.
    pub const FARTHEST_AHEAD: u32 = 128;
}

/// Size and latency of a cache for a dependent load.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct CacheLatency {
    /// Cache level.
    pub level: u8,
    /// Capacity, in bytes.
    pub size: Bytes,
    /// Latency of a dependent load that hits, in ns.
    pub latency: Nanoseconds,
    /// Number of lines that the cache fetches at the same time for all cores that share it, divided equally among the cores in use; `None`: no limit.
    pub misses: Option<u32>,
}

/// The position of a core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CorePlace {
    /// Rank of the core's kind.
    pub kind: usize,
    /// Rank of the core's router.
    pub router: usize,
}
