//! Home agents and coherence: who answers for a line, and who is asked for copies of it.

use schemars::JsonSchema;
use serde::Serialize;
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
    /// Answers and writes are looked at only while no request waits to be, or after so many requests in a row; without it,
    /// everything in the order of arrival.
    pub requests_in_a_row: Option<u32>,
    /// When a request that was read from memory leaves the table; where copies are probed, the protocol decides that.
    pub release: Release,
    /// Requests of its own package's cores to memory elsewhere that it has out at the same time; others wait before they
    /// leave. Any number, without it.
    pub outbound_limit: Option<u32>,
}

/// What a home agent does with a request for which there is no room.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnFull {
    /// It waits where it is, and holds its buffer.
    Wait,
    /// It is sent back, and comes again after so long.
    Retry {
        /// From the rejection's arrival until the requester asks again.
        delay: Nanoseconds,
    },
    /// It stays at the agent and holds its buffer, and is looked at again after so long.
    Recirculate {
        /// From one look at it until it waits for the next.
        delay: Nanoseconds,
    },
}

/// When a request whose line memory has read leaves a home agent's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Release {
    /// At once: what is on its way to the requester is the links' business.
    #[default]
    Read,
    /// When the line is on its first link.
    Sent,
}

/// How copies of a line in caches are found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Collector {
    /// The requester, which then tells the home agent that it is done.
    Requester,
    /// The home agent, which holds the data back until all are in.
    Home,
}
