//! The engine that measures the real host.
//!
//! [`HostEngine`] makes a [`Workload`](zerohop_workload::Workload) happen: it places memory and proves where it lies
//! (`arenas`, `arena`, `memory`, `site`, `backing`), pins threads (`crew`, `worker`), has them chase pointers, run
//! kernels or bounce lines (`task` and what is beside it) in one common window (`progress_log`) of one clock (`clock`),
//! and watches what disturbs them (`noise`, `system_noise`). [`Prefetchers`] are switched off beside it, on request.

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
compile_error!("hosts are measured on Linux on x86-64 and aarch64 only");

mod arena;
mod arenas;
mod backing;
mod chase;
mod clock;
mod contents;
mod crew;
mod cycle;
mod engine;
mod error;
mod free_memory;
mod handoff;
mod kernel_task;
mod kernels;
mod layout;
mod limit;
mod memory;
mod noise;
mod numa_calls;
mod pages;
mod parallel;
mod pinning;
mod prefetchers;
mod prepared;
mod progress_log;
mod site;
mod system_noise;
mod task;
mod tree;
mod worker;

pub use clock::ClockError;
pub use engine::HostEngine;
pub use error::HostError;
pub use prefetchers::{MsrDevices, PrefetcherError, Prefetchers, PrefetchersOff, Registers};
pub use tree::HostTree;
