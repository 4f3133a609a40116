//! hwloc's XML. Versions 1 to 3 are read and version 2 is written, so that `lstopo` opens machines that are loaded here,
//! and the reverse.
//!
//! Format: <https://www.open-mpi.org/projects/hwloc/doc/>, "Importing and exporting topologies from/to XML files".

mod distances;
mod element;
mod export;
mod import;
mod memory;
mod objects;

pub use export::hwloc_xml;
pub use import::{ParseHwlocError, parse_hwloc_xml};
