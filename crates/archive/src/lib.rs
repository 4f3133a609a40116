//! Results over time, in a file of SQLite or a database of PostgreSQL.
//!
//! The text of a result is the truth, and is kept whole, packed. Tables beside it are an index, which [`Archive::verify`] makes again from the
//! texts. What stands in the index is the caller's to say ([`IndexedResult`](zerohop_result::IndexedResult)); names that people give to
//! machines are no index, and stay.
//!
//! ```text
//! Archive ── add, list, history, prune, verify ──> statements ── Database ──> sqlite.rs, postgres.rs
//! ```
//!
//! Both databases understand the same statements; what differs is in their files. This is the only crate that knows either.

#![forbid(unsafe_code)]

mod add;
mod archive;
mod clock;
mod compressed_text;
mod database;
mod encoding;
mod error;
mod file;
mod identity;
mod libpq;
mod location;
mod machines;
mod postgres;
mod prune;
pub mod query;
mod read;
mod schema;
mod server;
mod session;
mod sqlite;
#[cfg(test)]
mod tests;
mod tls;
mod verify;
mod wait;

pub use add::{Added, Addition, Entry};
pub use archive::Archive;
pub use compressed_text::Packed;
pub use error::ArchiveError;
pub use file::is_database;
pub use identity::Identity;
pub use libpq::Environment;
pub use location::{Access, Location, LocationError};
pub use machines::{Owner, Shows};
pub use prune::{Pruning, Removed};
pub use read::{Filter, Scope, StoredResult};
pub use server::Server;
pub use verify::{Cause, Unlisted, Verified};
pub use wait::{Signals, end_waits_at};
