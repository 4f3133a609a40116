//! hwloc's XML, read in the forms of versions 1 to 3 and written in that of version 2, so that `lstopo` opens what is loaded
//! here and the other way round.
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
