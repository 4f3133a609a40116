//! Where the pages and threads of a process, and the cached pages of a file, are.
//!
//! A process is read from a [`FileTree`](zerohop_machine::FileTree): the kernel lists its pages by node in
//! `/proc/PID/numa_maps` and the CPU of each thread in `/proc/PID/task/*/stat`. The pages of a file that the kernel caches
//! take system calls to find; here is only what they found.

#![forbid(unsafe_code)]

mod cached_file;
mod mapping;
mod process;
mod rotation;
mod spread;
mod thread;

pub use cached_file::{CachedFile, FullNode, PLACED_FILE_VERSION, PlacedFile, RefusedPages};
pub use mapping::{Contents, Mapping, ParseMappingError};
pub use process::{Process, ProcessError, ProcessId, family, maps_file, processes, processes_named};
pub use rotation::{NoRotation, Rotation};
pub use spread::Spread;
pub use thread::{ParseThreadError, Thread};
mod whereabouts;

pub use whereabouts::{
    PartOfMemory, PlacementCost, Rate, Remedy, WHEREABOUTS_VERSION, Whereabouts, WhereaboutsFile, Whose,
};
