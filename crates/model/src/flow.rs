//! The fast engine: a machine as a closed network of queues, solved by approximate mean-value analysis.
//!
//! ```text
//! Hardware ── Network (stations, paths) ─┐
//! Workload ── Classes (workers alike) ──┴─> Solver (throughputs <-> waiting times) ──> Sample
//! ```
//!
//! See `docs/model.md` for the equations.

mod alone;
mod auto;
mod bank;
mod begin;
mod class;
mod engine;
mod follow;
mod followed;
mod inside;
mod loads;
mod mixing;
mod network;
mod refusal;
mod route;
mod solution;
mod solve;
mod station;
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
