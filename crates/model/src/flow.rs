//! The fast engine: a machine as a closed network of queues, solved by approximate mean-value analysis.
//!
//! ```text
//! Hardware ── Network ───────────────────┐
//! Workload ── Classes (workers alike) ──┴─> Problem (classes, stations, paths) ── Solver ──> Sample
//! ```
//!
//! See `docs/model.md` for the equations.

mod auto;
mod bank;
mod begin;
mod class;
mod engine;
mod excerpt;
mod follow;
mod followed_channels;
mod inside;
mod isolated_line;
mod loads;
mod mixing;
mod network;
mod refusal;
mod route;
mod solution;
mod solution_cache;
mod solve;
mod station;
mod stations;
#[cfg(test)]
pub(crate) mod tests;
mod times;
mod turns;
mod waits;
mod walk;
mod walker;

pub use auto::AutoEngine;
pub use engine::{FlowEngine, PreparedFlow};
pub use refusal::Refusal;
pub use solution_cache::Solved;
