//! Home agents and coherence: who answers for a line, and who is asked for copies of it.

use zerohop_units::Nanoseconds;

/// The agent that answers for lines of memory and orders all requests for them.
#[derive(Debug, Clone, PartialEq)]
pub struct HomeAgent {
    /// Its name in the machine file.
    pub name: String,
    /// Rank of the router it sits at.
    pub router: usize,
    /// From its router until it has looked at a request.
    pub latency: Nanoseconds,
    /// Least time between two requests that it looks at, rejected ones included.
    pub slot: Nanoseconds,
    /// Requests that it works on at the same time.
    pub table: u32,
    /// Of these, at most so many from cores of its own package.
    pub local_limit: u32,
    /// Of these, at most so many from elsewhere.
    pub remote_limit: u32,
    /// What becomes of a request for which there is no room.
    pub on_full: OnFull,
}

/// What a home agent does with a request for which there is no room.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OnFull {
    /// It waits where it is, and holds its buffer.
    Wait,
    /// It is sent back, and comes again after so long.
    Retry {
        /// From the rejection's arrival until the requester asks again.
        delay: Nanoseconds,
    },
}

/// How copies of a line in caches are found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Coherence {
    /// The home agent knows: memory that nobody shares is read without asking anyone.
    Directory {
        /// Looking it up.
        lookup: Nanoseconds,
    },
    /// The home agent probes the caches at all other routers that have cores; a read is done when its data and the last
    /// answer are in.
    Broadcast {
        /// From a probe's arrival until its answer leaves.
        lookup: Nanoseconds,
        /// Who gathers the answers.
        collector: Collector,
    },
}

/// Who gathers the answers to a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Collector {
    /// The requester, which then tells the home agent that it is done.
    Requester,
    /// The home agent, which holds the data back until all are in.
    Home,
}
