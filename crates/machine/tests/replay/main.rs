//! Tests that replay machines, however odd, from trees of files.

mod directory;
mod dmi;
mod garbage;
mod hwloc;
mod lstopo;
mod on_file;
mod plans;
mod random;
mod sysfs;
mod this_host;
