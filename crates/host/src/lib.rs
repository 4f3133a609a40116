//! The engine that measures the real host.
//!
//! [`HostEngine`] runs a [`Workload`](zerohop_workload::Workload): it places memory and verifies where it is
//! (`arenas`, `arena`, `memory`, `site`, `backing`), pins threads (`crew`, `worker`), makes them chase pointers, run
//! kernels or bounce cache lines (`task` and its neighbors) in one common window (`progress_log`) of one clock (`clock`),
//! and records what disturbs them (`noise`, `system_noise`). [`Prefetchers`] switches hardware prefetchers off on request.

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
compile_error!("hosts are measured on Linux on x86-64 and aarch64 only");

mod allocator;
mod arena;
mod arenas;
mod backing;
mod batches;
mod chase;
mod clock;
mod common_window;
mod contents;
mod cpu_distance;
mod cycle;
mod engine;
mod error;
mod exchange;
mod fetch;
mod findings;
mod forms;
mod free_memory;
mod halt;
mod host_lock;
mod idle_pools;
mod instruments;
mod kernel_task;
mod kernels;
mod layout;
mod limit;
mod memory;
mod memory_site;
mod noise;
mod numa_calls;
mod out_of_memory;
mod page_cache;
mod pages;
mod parallel;
mod pinning;
mod placement_check;
mod prefetchers;
mod prepared;
mod probes;
mod progress_log;
mod shared_lines;
mod system_noise;
mod task;
mod time_account;
mod tlb;
mod tree;
mod window;
mod worker;
mod worker_pool;

pub use allocator::Heaps;
pub use clock::{ClockError, is_virtual_machine};
pub use engine::HostEngine;
pub use error::HostError;
pub use host_lock::{HostLock, HostLockHolder};
pub use instruments::{UnseenInstrument, WhyUnseen};
pub use out_of_memory::OutOfMemory;
pub use page_cache::{PageCache, PageCacheError};
pub use prefetchers::{MsrDevices, PrefetcherError, Prefetchers, PrefetchersOff, Registers};
pub use probes::{ForbiddenCall, Probes};
pub use tlb::second_level_tlb;
pub use tree::HostTree;
