//! What a machine **is**: packages, NUMA nodes, cores, PUs, caches, distances, memory devices, and the settings of
//! firmware and kernel that decide how its memory behaves.

#![forbid(unsafe_code)]

mod identity;
mod machine;
mod memory;
mod pu_set;
mod system;
mod topology;

pub use identity::{CoreId, NodeId, PackageId, PuId};
pub use machine::Machine;
pub use memory::{AccessClass, MemoryDevice, MemorySideCache, NodeAccess};
pub use pu_set::{ParsePuSetError, PuSet};
pub use system::{HugePagePool, OperatingSystem, Processor};
pub use topology::{Cache, CacheKind, Core, DistanceMatrix, NumaNode, Package, Pu};
