//! Home agents and coherence: which agent answers for a line, and which caches it probes.

use schemars::JsonSchema;
use serde::Serialize;
use zerohop_document::{tables, words};
use zerohop_units::Nanoseconds;

/// The agent that answers for lines of memory and orders all requests for them.
#[derive(Debug, Clone, PartialEq)]
pub struct HomeAgent {
    /// Name of the agent: the node's name, and the agent's rank in the node if there are several.
    pub name: String,
    /// Name of the agent's kind in the machine file.
    pub kind: String,
    /// Rank of the agent's router.
    pub router: usize,
    /// Parameters of the agent's kind.
    pub parameters: HomeAgentParameters,
}

tables! {
    /// A kind of home agent, which answers for lines of memory.
    HomeTable => HomeAgentParameters {
        /// Latency from the router until the agent has processed a request.
        latency: Nanoseconds,
        /// Minimum time between two requests, including rejected ones.
        slot: Nanoseconds,
        /// Maximum number of requests in progress at the same time.
        table: u32,
        /// Table entries that requests from cores of the agent's own package may use.
        local_limit: u32,
        /// Table entries that requests from other packages may use.
        remote_limit: u32,
        /// Handling of a request when the table is full.
        on_full: OnFull,
        /// With `on_full = "retry"`: time from the arrival of a rejection to the retry. With `"recirculate"`: time from one processing of the request
        /// to the next.
        retry_delay: Option<Nanoseconds>,
        /// Number of requests that the agent processes in a row before it processes responses (lines that memory has read, completion notices) and
        /// writes, each of which takes a slot. Responses and writes are processed earlier only if no request waits. Without this key, requests and
        /// writes are processed in the order of their arrival, and responses take no slot.
        requests_in_a_row: Option<u32>,
        /// With a directory: event at which a request leaves the table after memory has read its line. With broadcast, the protocol determines it.
        release: Release = Release::Read,
        /// Maximum number of requests from cores of the agent's own package to memory of other packages in flight at the same time, until their data
        /// has arrived; further requests wait before they leave. A line goes out through the agent with the same rank as its home agent elsewhere.
        /// Without this key there is no limit.
        outbound_limit: Option<u32>,
        /// Requests counted by `outbound_limit`.
        outbound_from: OutboundFrom = OutboundFrom::Package,
    }

    /// Mechanism that finds copies of a line in caches.
    CoherenceTable {
        /// The coherence protocol.
        kind: CoherenceWord,
        /// Time to look up a line: in the directory, or in the probed caches.
        lookup: Nanoseconds,
        /// With `kind = "broadcast"`: the agent that collects the responses to probes.
        collector: Option<Collector>,
    }
}

words! {
    /// Handling of a request when the home agent's table is full.
    pub OnFull {
        /// The request waits in place, and holds its buffer.
        Wait = "wait",
        /// The request is rejected, and the requester repeats it after `retry_delay`.
        Retry = "retry",
        /// The request stays at the agent and holds its buffer; the agent processes it again after `retry_delay`, which takes a slot each time.
        Recirculate = "recirculate",
    }

    /// Requests that leave through a home agent with an outbound limit.
    pub OutboundFrom {
        /// Requests of the cores of the agent's package to memory of other packages.
        Package = "package",
        /// Requests of the cores at the agent's router to all other memory, for processors whose clusters have their own caching agents.
        Router = "router",
    }

    /// Event at which a request leaves a home agent's table after memory has read its line.
    pub Release {
        /// When memory has read its line.
        Read = "read",
        /// When its line is on its first link.
        Sent = "sent",
    }

    /// A coherence protocol.
    pub(crate) CoherenceWord {
        /// The home agent has a directory: memory that no cache shares is read without probes.
        Directory = "directory",
        /// The home agent probes the caches at all other routers with cores. A read completes when its data and the last response have arrived.
        Broadcast = "broadcast",
    }

    /// The agent that collects the responses to probes.
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
