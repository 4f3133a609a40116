//! Home agents and coherence: which agent answers for a line, and which caches it probes.

use schemars::JsonSchema;
use serde::Serialize;
use zerohop_document::{tables, words};
use zerohop_units::Nanoseconds;

/// The agent that answers for lines of memory and orders all requests for them.
#[derive(Debug, Clone, PartialEq)]
pub struct HomeAgent {
    /// Its name: its node's, and its rank there if the node has several.
    pub name: String,
    /// The name of its kind in the machine file.
    pub kind: String,
    /// Rank of the router it sits at.
    pub router: usize,
    /// The parameters of its kind.
    pub parameters: HomeAgentParameters,
}

tables! {
    /// A kind of home agent: it answers for lines of memory.
    HomeTable => HomeAgentParameters {
        /// From the router until the agent has processed a request.
        latency: Nanoseconds,
        /// Minimum time between two requests, including rejected ones.
        slot: Nanoseconds,
        /// Requests in progress at the same time.
        table: u32,
        /// Entries of the table that requests from cores of its own package may use.
        local_limit: u32,
        /// Entries of the table that requests from other packages may use.
        remote_limit: u32,
        /// What happens to a request when the table is full.
        on_full: OnFull,
        /// With `on_full = "retry"`: from a rejection's arrival until the requester retries. With `"recirculate"`: from one
        /// look at the request until the next.
        retry_delay: Option<Nanoseconds>,
        /// Requests that it looks at in a row before it looks at answers (lines that memory has read, notices that a request is
        /// finished) and writes, each of which takes a slot. Answers and writes are looked at earlier only if no request waits.
        /// Without this key, requests and writes are looked at in the order of their arrival, and answers take no slot.
        requests_in_a_row: Option<u32>,
        /// With a directory: when a request whose line memory has read leaves the table. Where caches are probed, the protocol
        /// decides that.
        release: Release = Release::Read,
        /// Requests from cores of its own package to memory of other packages in flight at the same time, until their data has arrived; further requests wait before they leave. A line goes out through the agent that has the same rank as
        /// its home agent elsewhere. Without this key there is no limit.
        outbound_limit: Option<u32>,
        /// Whose requests `outbound_limit` counts.
        outbound_from: OutboundFrom = OutboundFrom::Package,
    }

    /// How copies of a line in caches are found.
    CoherenceTable {
        /// By which protocol.
        kind: CoherenceWord,
        /// Time to look up a line: in the directory, or in the caches that are probed.
        lookup: Nanoseconds,
        /// With `kind = "broadcast"`: which part collects the responses to probes.
        collector: Option<Collector>,
    }
}

words! {
    /// What a home agent does with a request for which its table has no room.
    pub OnFull {
        /// The request waits where it is, and holds its buffer.
        Wait = "wait",
        /// The request is sent back, and its requester repeats it after `retry_delay`.
        Retry = "retry",
        /// The request stays at the agent and holds its buffer; the agent looks at it again after `retry_delay`, which takes a
        /// slot each time.
        Recirculate = "recirculate",
    }

    /// Whose requests leave through a home agent that limits them.
    pub OutboundFrom {
        /// Those of its package's cores to memory of other packages.
        Package = "package",
        /// Those of the cores at its router to memory anywhere else, as where each cluster of a processor has caching agents of its own.
        Router = "router",
    }

    /// When a request whose line memory has read leaves a home agent's table.
    pub Release {
        /// When memory has read its line.
        Read = "read",
        /// When its line is on its first link.
        Sent = "sent",
    }

    /// A protocol by which copies are found.
    pub(crate) CoherenceWord {
        /// The home agent has a directory: memory that no cache shares is read without probes.
        Directory = "directory",
        /// The home agent probes the caches at all other routers with cores. A read completes when its data and the last response have arrived.
        Broadcast = "broadcast",
    }

    /// Who collects the answers to probes.
    pub Collector {
        /// The requester, which then notifies the home agent.
        Requester = "requester",
        /// The home agent, which holds back the data until all responses have arrived.
        Home = "home",
    }
}

/// Mechanism that finds copies of a line in caches.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Coherence {
    /// Directory in the home agent: memory that no cache shares is read without probes.
    Directory {
        /// Time to look up a line.
        lookup: Nanoseconds,
    },
    /// The home agent probes the caches at all other routers that have cores; a read completes when its data and the last answer have arrived.
    Broadcast {
        /// Time from the arrival of a probe to the departure of its answer.
        lookup: Nanoseconds,
        /// The agent that collects the answers.
        collector: Collector,
    },
}
