//! Cores: where they sit and what they keep in flight.

use schemars::JsonSchema;
use serde::Serialize;
use zerohop_units::{Bytes, Hertz, Nanoseconds};

/// A kind of core.
#[derive(Debug, Clone, PartialEq)]
pub struct CoreKind {
    /// Its name in the machine file.
    pub name: String,
    /// Its clock.
    pub clock: Hertz,
    /// Lines that it fetches at the same time.
    pub in_flight: InFlight,
    /// Dirty lines on their way back to memory that it holds; while all are in use, no store may miss.
    pub evictions: u32,
    /// Lines of non-temporal stores on their way that it holds.
    pub write_combining: u32,
    /// Least time between two misses of one core.
    pub issue: Nanoseconds,
    /// From the core's miss to its router, caches included that were looked up in vain.
    pub to_router: Nanoseconds,
    /// From its router until the load has its data.
    pub from_router: Nanoseconds,
    /// What it takes a dependent load to hit in each of its caches, nearest first, and how large they are.
    pub caches: Vec<CacheLatency>,
}

/// Lines that a core fetches at the same time, by how it walks through memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InFlight {
    /// Every byte, ascending: what prefetchers and a full window reach.
    pub sequential: u32,
    /// One access a line, ascending.
    pub strided: u32,
    /// One access a line, in random order.
    pub random: u32,
    /// A stream, sequential or strided, asks for no line that is so many or more after the oldest one that has not come;
    /// `None`: it goes on as long as lines make room.
    pub ahead: Option<u32>,
}

impl InFlight {
    /// What `ahead` may be at most.
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
    /// Lines that it fetches at the same time for all cores that share it; `None`: as many as these ask for.
    pub misses: Option<u32>,
}

/// Where a core sits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CorePlace {
    /// Rank of its kind.
    pub kind: usize,
    /// Rank of its router.
    pub router: usize,
}
