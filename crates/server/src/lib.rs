//! An archive over HTTP: the documents that the command line shows, as pages and as JSON; uploads; metrics.
//!
//! ```text
//! connection ── listen (limits) ──> access (who asks) ──> operations (what there is) ──> documents ── queries, report ──> answer
//!                                                                         judging: a thread that judges the latest results
//! ```
//!
//! `operations.rs` has the one list of what can be asked: routes, parameters and the OpenAPI document follow from it. Whatever
//! takes time runs on threads beside the asynchronous ones.

#![forbid(unsafe_code)]

mod abandoned;
mod access;
mod answer;
mod answering;
mod archives;
mod asked;
mod body;
mod cached;
mod desk;
mod documents;
#[cfg(test)]
#[path = "../../zerohop/tests/archive/drawn.rs"]
#[allow(dead_code)]
mod drawn;
mod error;
mod guesses;
mod judging;
mod limits;
mod listen;
mod login;
mod metered;
mod metrics;
mod openapi;
mod operations;
mod pending;
mod refusal;
mod routes;
mod seats;
mod service;
mod sessions;
mod surroundings;
mod token;
mod turns;
mod unparsed;
mod upload;

pub use error::ServeError;
pub use limits::Limits;
pub use listen::{Served, bind};
pub use openapi::openapi;
pub use service::Offer;
pub use token::{Token, TokenError};
