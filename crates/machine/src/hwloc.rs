//! hwloc's XML (version 2), written and read, so that `lstopo` opens what is loaded here and the other way round.
//!
//! Format: <https://www.open-mpi.org/projects/hwloc/doc/>, "Importing and exporting topologies from/to XML files".

mod bitmap;
mod export;
mod import;
mod memory;
mod objects;

pub use export::hwloc_xml;
pub use import::{ParseHwlocError, parse_hwloc_xml};

/// The `info` by which an export marks a node without PUs: hwloc shows such a node at the PUs nearest to it, and so
/// cannot tell it from the node that they belong to.
const CPU_LESS: &str = "CPULess";
