//! Machines are replayed from trees of files, as odd as they come.

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
