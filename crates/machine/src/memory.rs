//! Memory devices, and the firmware's data on access to memory.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_units::{Bytes, GigabytesPerSecond, Nanoseconds, TransfersPerSecond};

use crate::{NodeId, PackageId};

/// A DIMM slot, as SMBIOS (type 17) describes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryDevice {
    /// Location of the slot, as the board vendor names it (`CPU0 DIMM A1`).
    pub locator: String,
    /// Bank, as the board vendor names it (`P0 CHANNEL A`).
    pub bank: String,
    /// Capacity of the DIMM, in bytes; zero for an empty slot.
    pub size: Bytes,
    /// Memory technology as named by SMBIOS: `DDR5`, `DDR4`, …
    pub technology: String,
    /// Width of the data path in bits, without error correction.
    pub data_width: Option<u16>,
    /// Width of the channel's data path in bits, if several devices share it; absent if each device has the full width.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel_width: Option<u16>,
    /// Rated transfer rate.
    pub rated: Option<TransfersPerSecond>,
    /// Configured transfer rate.
    pub configured: Option<TransfersPerSecond>,
    /// Manufacturer and part number, if given.
    pub part: Option<String>,
    /// Package that the slot is attached to, if the locator indicates it.
    pub package: Option<PackageId>,
    /// Channel within the package, if the locator indicates it: slots of the same channel have the same text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
}

/// Class of initiators of an HMAT value (`access0` and `access1` in the kernel).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AccessClass {
    /// The nearest initiators of any kind (`access0`).
    Nearest,
    /// The nearest initiators that are CPUs (`access1`).
    NearestCpu,
}

/// HMAT values of the firmware for one target and its best initiators.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NodeAccess {
    /// Target: the node whose memory is accessed.
    pub target: NodeId,
    /// Initiators: the nodes that access the memory.
    pub initiators: Vec<NodeId>,
    /// Class of the initiators.
    pub class: AccessClass,
    /// Read latency, in ns.
    pub read_latency: Option<Nanoseconds>,
    /// Write latency, in ns.
    pub write_latency: Option<Nanoseconds>,
    /// Read bandwidth, in GB/s.
    pub read_bandwidth: Option<GigabytesPerSecond>,
    /// Write bandwidth, in GB/s.
    pub write_bandwidth: Option<GigabytesPerSecond>,
}

/// A cache between the fabric and a node's memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MemorySideCache {
    /// Cache level; 1 is nearest to the memory.
    pub level: u8,
    /// Capacity, in bytes.
    pub size: Bytes,
    /// Line size, in bytes.
    pub line: Bytes,
}
