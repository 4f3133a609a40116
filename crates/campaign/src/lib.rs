//! Campaigns: many requests, answered by engines.
//!
//! ```text
//! Agenda ── Request ──> Engines ── engine ──> runs ── Answer ──> Agenda::entry ──> Watch (progress, journal, results)
//! ```
//!
//! A [`Request`] is plain data: a machine with its settings, a solver, and the experiments to run. An [`Agenda`] lists the requests
//! and decides what to keep of each answer. This crate implements the rest once, for everything that asks many questions of a
//! machine: requests run in parallel, a failed request does not stop the others, an interruption stops all of them at once, and a
//! [`JournalFormat`] records the answers.
//!
//! The caller provides files, clocks, threads and engines.

#![forbid(unsafe_code)]

mod campaign;
mod journal_format;
mod repeat;
mod request;

pub use campaign::{Agenda, Answer, Campaign, Engines, NoEngine, Trouble, Watch};
pub use journal_format::{Entries, JournalFormat, NoHead, head};
pub use repeat::{repeated, repeated_in_part};
pub use request::{Request, Run, SimulatedMachine};
