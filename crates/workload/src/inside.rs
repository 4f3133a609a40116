//! What happened inside a machine while a workload ran: what a model sees and a host cannot.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_units::{GigabytesPerSecond, Nanoseconds};

/// The inside of a machine during one sample.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Inside {
    /// Each direction of each link.
    pub links: Vec<LinkLoad>,
    /// Each memory channel.
    pub channels: Vec<ChannelLoad>,
    /// Each home agent.
    pub homes: Vec<HomeLoad>,
    /// Where the time of the foreground workers' line fills went, in the order in which a fill goes through them; the sum
    /// is the mean time of a fill.
    pub stages: Vec<StageTime>,
}

/// One direction of a link.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LinkLoad {
    /// The link's name, the sender and the receiver (`0-1: 0 → 1`).
    pub name: String,
    /// All bytes on the wire.
    pub traffic: GigabytesPerSecond,
    /// Of these, lines of data without their headers.
    pub data: GigabytesPerSecond,
    /// Share of the capacity, 0 to 1; where requests, data and acknowledgements have wires of their own, of the busiest.
    pub utilization: f64,
    /// Packets waiting for it, mean over time.
    pub queue: f64,
}

/// A memory channel.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChannelLoad {
    /// Its name in the machine file.
    pub name: String,
    /// Lines read.
    pub read: GigabytesPerSecond,
    /// Lines written.
    pub written: GigabytesPerSecond,
    /// Share of the time in which its bus carried data, 0 to 1.
    pub utilization: f64,
    /// Lines waiting for it, mean over time.
    pub queue: f64,
}

/// A home agent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HomeLoad {
    /// Its name in the machine file.
    pub name: String,
    /// Requests in its table, mean over time.
    pub occupancy: f64,
    /// The most there were.
    pub peak: u32,
    /// Requests waiting for room in it, mean over time.
    pub queue: f64,
    /// Requests sent back for want of room, a second.
    pub rejected_per_second: f64,
}

/// A stage of a line's way, and the mean time spent there.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StageTime {
    /// Which.
    pub stage: Stage,
    /// For one line.
    pub time: Nanoseconds,
}

/// Stages of a line's way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// From the core to its router, and from its router back.
    Core,
    /// The request's way over links to the home agent, waiting for links included.
    Request,
    /// Waiting for room at the home agent, and being looked at; rejections and their repetition included.
    Home,
    /// Waiting for the memory channel, and its access.
    Memory,
    /// The data's way over links to the requester, waiting for links included.
    Data,
    /// Waiting for the last answer to a probe after the data was there.
    Probes,
}

impl Stage {
    /// All, in the order of a line's way.
    pub const ALL: [Self; 6] =
        [Self::Core, Self::Request, Self::Home, Self::Memory, Self::Data, Self::Probes];

    /// Its name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Request => "request",
            Self::Home => "home",
            Self::Memory => "memory",
            Self::Data => "data",
            Self::Probes => "probes",
        }
    }
}
