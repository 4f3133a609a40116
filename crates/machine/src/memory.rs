//! Memory devices, and the firmware's data on access to memory.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_units::{Bytes, GigabytesPerSecond, Nanoseconds, TransfersPerSecond};

use crate::{NodeId, PackageId};

/// A DIMM slot, as SMBIOS (type 17) describes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryDevice {
    /// Its location, in the board maker's words (`CPU0 DIMM A1`).
    pub locator: String,
    /// Its bank, in the board maker's words (`P0 CHANNEL A`).
    pub bank: String,
    /// Its capacity; zero for an empty slot.
    pub size: Bytes,
    /// `DDR5`, `DDR4`, … as SMBIOS names it.
    pub technology: String,
    /// Width of its data path in bits, without error correction.
    pub data_width: Option<u16>,
    /// Width of its channel's data path in bits, if several devices share that width; absent if each device has the
    /// full width.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel_width: Option<u16>,
    /// The transfer rate that it is rated for.
    pub rated: Option<TransfersPerSecond>,
    /// The transfer rate that it runs at.
    pub configured: Option<TransfersPerSecond>,
    /// Manufacturer and part number, if given.
    pub part: Option<String>,
    /// The package that it is attached to, if the locator indicates it.
    pub package: Option<PackageId>,
    /// Its channel within the package, if the locator indicates it: slots of the same channel have the same text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
}

/// The class of initiators of an HMAT value (the kernel's `access0` and `access1`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AccessClass {
    /// The nearest initiators of any kind (`access0`).
    Nearest,
    /// The nearest initiators that are CPUs (`access1`).
    NearestCpu,
}

/// The firmware's HMAT values for one target from its best initiators.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NodeAccess {
    /// The node whose memory is accessed.
    pub target: NodeId,
    /// The nodes that access it.
    pub initiators: Vec<NodeId>,
    /// The class of initiators.
    pub class: AccessClass,
    /// Latency of a read.
    pub read_latency: Option<Nanoseconds>,
    /// Latency of a write.
    pub write_latency: Option<Nanoseconds>,
    /// Bandwidth of reads.
    pub read_bandwidth: Option<GigabytesPerSecond>,
    /// Bandwidth of writes.
    pub write_bandwidth: Option<GigabytesPerSecond>,
}

/// A cache between the fabric and a node's memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MemorySideCache {
    /// 1 is nearest to the memory.
    pub level: u8,
    /// Capacity.
    pub size: Bytes,
    /// The size of its line.
    pub line: Bytes,
}
