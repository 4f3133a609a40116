//! Description of a machine: packages, NUMA nodes, cores, PUs, caches, distances, memory devices, and the settings of firmware and kernel that
//! affect its memory.
//!
//! A [`Machine`] is loaded from a [`FileTree`] (this host's `/sys` and `/proc`, a copy of them, or a [`Capture`]), or
//! read from hwloc's XML. [`Machine::gaps`] lists the properties that could not be read.

#![forbid(unsafe_code)]

mod bounds;
mod capture;
mod counts;
mod hexadecimal;
mod hwloc;
mod identity;
mod load;
mod lstopo;
mod machine;
mod mask;
mod memory;
mod peak;
mod platform;
mod privacy;
mod pu_set;
mod settings;
mod stated;
mod system;
mod topology;
mod tree;
mod xml;

pub use bounds::MOST_PUS;
pub use capture::{Capture, CaptureError};
pub use counts::TakenMemory;
pub use hwloc::{ParseHwlocError, hwloc_xml, parse_hwloc_xml};
pub use identity::{CoreId, NodeId, PackageId, PuId};
pub use load::{LoadError, memory_devices_in_place, relevant_instruction_sets, relevant_kernel_parameters};
pub use machine::{Machine, Prediction};
pub use memory::{AccessClass, MemoryDevice, MemorySideCache, NodeAccess};
pub use peak::{NoPeak, PackageBandwidth, TheoreticalBandwidth};
pub use platform::Platform;
pub use pu_set::{ParsePuSetError, PuSet};
pub use settings::{ParseSettingError, Setting, Settings};
pub use stated::{FreeMemory, MemoryState, StatedCache, StatedFacts, StatedNode, StatedProcess, UsedMemory};
pub use system::{HugePagePool, OperatingSystem, Processor, SecondLevelTlb};
pub use topology::{Cache, CacheKind, Core, DistanceMatrix, NumaNode, Package, Pu};
pub use tree::{FileTree, ReadError};
pub use xml::xml_text;
