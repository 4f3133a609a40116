//! The engine that simulates a described machine.
//!
//! The unit of work is one cache line. A fill goes from its core to its router, over links to its home agent and to a
//! memory channel, and back with the data; where caches are probed, it also waits for their answers. A store is a
//! fill and, later, a write-back. All buffers are finite and nothing is dropped: a full buffer holds up whatever is
//! behind it.
//!
//! ```text
//! Hardware + Workload ── Cast ──> Simulation (wheel, links, home agents, channels) ── Snapshots ──> Sample
//! ```
//!
//! Time is counted in whole ticks and all events happen in a defined order: the same machine file, workload and seed
//! give the same samples to the last bit. See `docs/model.md` for what is modeled and what is not.

#![forbid(unsafe_code)]

mod address_map;
mod blueprint;
mod buffer;
mod channel;
mod divisor;
mod engine;
mod event;
mod faulty;
mod flow;
mod home;
mod home_facts;
mod lane;
mod links;
#[cfg(test)]
mod machines;
mod misses;
mod observe;
mod outbound;
mod pattern;
mod pipeline;
mod prepared;
mod probes;
mod requester;
mod run_ahead;
mod side_cache;
mod simulation;
mod solver;
mod stages;
mod stream_pieces;
mod tables;
#[cfg(test)]
mod tests;
mod time;
mod token;
mod wheel;
mod width;
mod wire;
mod worker_roles;

pub use engine::ModelEngine;
pub use flow::{AutoEngine, FlowEngine, PreparedFlow, Refusal, Solved};
pub use prepared::PreparedModel;
pub use solver::Solver;
