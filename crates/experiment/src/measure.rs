//! What a number is, and its unit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_units::{GigabytesPerSecond, Nanoseconds};

/// What a cell's number is. The unit is part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Measure {
    /// ns of one dependent load, or of one handoff one way; at a stage, what a line fill spends there; of a ramp, what
    /// a line fill takes in all.
    #[serde(rename = "latency_ns")]
    Latency,
    /// Decimal GB/s of bytes that the program asked for.
    #[serde(rename = "bandwidth_gbps")]
    Bandwidth,
    /// Decimal GB/s that the memory bus carries for it.
    #[serde(rename = "bus_traffic_gbps")]
    BusTraffic,
    /// ns that a thread takes for one line of its array; of several threads, the sum.
    #[serde(rename = "time_per_line_ns")]
    TimePerLine,
    /// Time per line over that of the base: 1 is as long.
    #[serde(rename = "relative_time")]
    RelativeTime,
    /// Bandwidth over the highest.
    #[serde(rename = "relative_bandwidth")]
    RelativeBandwidth,
    /// Decimal GB/s of all bytes on one direction of a link.
    #[serde(rename = "link_traffic_gbps")]
    LinkTraffic,
    /// Decimal GB/s of data on one direction of a link, without headers.
    #[serde(rename = "link_data_gbps")]
    LinkData,
    /// Share of the capacity of a link's direction, or of the time of a channel's bus, 0 to 1.
    #[serde(rename = "utilization")]
    Utilization,
    /// Packets, lines or requests that wait, mean over time.
    #[serde(rename = "queue_length")]
    QueueLength,
    /// Requests in a home agent's table, mean over time.
    #[serde(rename = "occupancy")]
    Occupancy,
    /// Requests a second that a home agent sent back for want of room.
    #[serde(rename = "rejections_per_s")]
    Rejections,
}

impl Measure {
    /// Its unit, as printed in column heads; empty for a bare number.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Latency | Self::TimePerLine => Nanoseconds::UNIT,
            Self::Bandwidth | Self::BusTraffic | Self::LinkTraffic | Self::LinkData => {
                GigabytesPerSecond::UNIT
            }
            Self::Rejections => "1/s",
            Self::RelativeTime
            | Self::RelativeBandwidth
            | Self::Utilization
            | Self::QueueLength
            | Self::Occupancy => "",
        }
    }

    /// Its name in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Latency => "latency",
            Self::Bandwidth => "bandwidth",
            Self::BusTraffic => "bus traffic",
            Self::TimePerLine => "time per line",
            Self::RelativeTime => "relative time",
            Self::RelativeBandwidth => "relative bandwidth",
            Self::LinkTraffic => "link traffic",
            Self::LinkData => "link data",
            Self::Utilization => "utilization",
            Self::QueueLength => "queue length",
            Self::Occupancy => "occupancy",
            Self::Rejections => "rejections",
        }
    }

    /// Whether a larger number is better.
    pub const fn larger_is_better(self) -> bool {
        matches!(
            self,
            Self::Bandwidth | Self::BusTraffic | Self::RelativeBandwidth | Self::LinkTraffic | Self::LinkData
        )
    }
}
