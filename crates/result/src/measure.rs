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
    /// Every one.
    pub const ALL: [Self; 12] = [
        Self::Latency,
        Self::Bandwidth,
        Self::BusTraffic,
        Self::TimePerLine,
        Self::RelativeTime,
        Self::RelativeBandwidth,
        Self::LinkTraffic,
        Self::LinkData,
        Self::Utilization,
        Self::QueueLength,
        Self::Occupancy,
        Self::Rejections,
    ];

    /// Its name in files and column heads.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Latency => "latency_ns",
            Self::Bandwidth => "bandwidth_gbps",
            Self::BusTraffic => "bus_traffic_gbps",
            Self::TimePerLine => "time_per_line_ns",
            Self::RelativeTime => "relative_time",
            Self::RelativeBandwidth => "relative_bandwidth",
            Self::LinkTraffic => "link_traffic_gbps",
            Self::LinkData => "link_data_gbps",
            Self::Utilization => "utilization",
            Self::QueueLength => "queue_length",
            Self::Occupancy => "occupancy",
            Self::Rejections => "rejections_per_s",
        }
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_measure_is_listed_once_under_its_name_in_files() {
        for (rank, measure) in Measure::ALL.into_iter().enumerate() {
            assert_eq!(measure as usize, rank);
            assert_eq!(serde_json::to_value(measure).unwrap(), measure.name());
        }
    }
}
