//! Campaigns: many requests, answered over engines.
//!
//! ```text
//! Agenda ── Request ──> Engines ── engine ──> runs ── Answer ──> Agenda::entry ──> Watch (progress, journal, results)
//! ```
//!
//! A [`Request`] is plain data: a machine as it is set, how it is computed, and what is run on it. An [`Agenda`] says which requests
//! there are and what is kept of each answer. The rest is here once, for everyone who asks many questions of a machine: requests
//! are done at the same time, a request that fails does not end the others, an interruption ends all of them at once, and a
//! [`Journal`] keeps what is done.
//!
//! Files, clocks, threads and engines are handed in.

#![forbid(unsafe_code)]

mod campaign;
mod journal;
mod request;

pub use campaign::{Agenda, Answer, Campaign, Engines, NoEngine, Trouble, Watch};
pub use journal::{Entries, Journal, NoHead, head};
pub use request::{Request, Run, Subject};
