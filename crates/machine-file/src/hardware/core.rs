//! Cores: their positions and their lines in flight.

use schemars::JsonSchema;
use serde::Serialize;
use zerohop_document::{ByName, tables, words};
use zerohop_units::{Bytes, Hertz, Nanoseconds};

/// A kind of core.
#[derive(Debug, Clone, PartialEq)]
pub struct CoreKind {
    /// Its name in the machine file.
    pub name: String,
    /// Its parameters.
    pub parameters: CoreParameters,
    /// The latency of a dependent load that hits each of its caches, nearest first, and their sizes.
    pub caches: Vec<CacheLatency>,
}

tables! {
    /// A kind of core.
    CoreTable => CoreParameters {
        /// Its clock.
        clock: Hertz,
        /// PUs (hardware threads) of a core.
        threads: u32 = 1,
        /// Lines that it fetches at the same time.
        in_flight: InFlight,
        /// Dirty lines on their way back to memory that it holds. While all are in use, no store may miss.
        evictions: u32,
        /// Lines of non-temporal stores on their way to memory that it holds.
        write_combining: u32,
        /// Least time between two misses of one core.
        issue: Nanoseconds,
        /// From a miss to the core's router, including the caches that were looked up in vain.
        to_router: Nanoseconds,
        /// From its router until the load has its data.
        from_router: Nanoseconds,
    } + {
        /// Its caches.
        cache: ByName<CacheTable>,
    }

    /// Lines that a core fetches at the same time, by how it walks through memory.
    InFlightTable => InFlight {
        /// Every byte, ascending: what prefetchers and a full window reach.
        sequential: u32,
        /// One access a line, ascending.
        strided: u32,
        /// One access a line, in random order.
        random: u32,
        /// A stream, sequential or strided, asks for no line that is this many or more lines after the oldest one that has not
        /// arrived. Without this key, it goes on as long as there is room for lines.
        ahead: Option<u32> [1..=InFlight::FARTHEST_AHEAD],
    }

    /// A cache of a core, or of several. A line has 64 bytes.
    CacheTable {
        /// 1 is nearest to the core.
        level: u8,
        /// What it holds.
        holds: Holds = Holds::Both,
        /// Its capacity.
        size: Bytes,
        /// Its ways of associativity.
        ways: Option<u32>,
        /// Cores of a node, one after the other, that share it.
        shared_by: u32 = 1,
        /// Lines that it fetches at the same time for all cores that share it, in equal parts for those that are in use. Without this key,
        /// as many as these ask for.
        misses: Option<u32>,
        /// Latency of a dependent load that hits; for all caches but those of instructions.
        latency: Option<Nanoseconds>,
    }
}

words! {
    /// What a cache holds.
    pub(crate) Holds {
        /// Data.
        Data = "data",
        /// Instructions.
        Instructions = "instructions",
        /// Both.
        Both = "both",
    }
}

impl InFlight {
    /// The upper bound of `ahead`.
    pub const FARTHEST_AHEAD: u32 = 128;
}

/// A cache as a dependent load sees it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct CacheLatency {
    /// Its level.
    pub level: u8,
    /// Its capacity.
    pub size: Bytes,
    /// A dependent load that hits.
    pub latency: Nanoseconds,
    /// Lines that it fetches at the same time for all cores that share it, in equal parts for those that are in use; `None`: as many as
    /// these ask for.
    pub misses: Option<u32>,
}

/// The position of a core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CorePlace {
    /// Rank of its kind.
    pub kind: usize,
    /// Rank of its router.
    pub router: usize,
}
