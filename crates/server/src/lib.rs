//! An archive over HTTP: the documents that the command line shows, as pages and as JSON; uploads; metrics.
//!
//! ```text
//! connection ── listen (limits) ──> access (who asks) ──> operations (what there is) ──> documents ── archivist, report ──> answer
//!                                                                         judging: a thread that judges the latest results
//! ```
//!
//! `operations.rs` has the one list of what can be asked: routes, parameters and the OpenAPI document follow from it. Whatever
//! takes time runs on threads beside the asynchronous ones.

#![forbid(unsafe_code)]

mod access;
mod answer;
mod answering;
mod archives;
mod asked;
mod cached;
mod desk;
mod documents;
mod error;
mod judging;
mod listen;
mod login;
mod metrics;
mod openapi;
mod operations;
mod refusal;
mod routes;
mod service;
mod surroundings;
mod token;
mod upload;

pub use error::ServeError;
pub use listen::{Served, bind};
pub use openapi::openapi;
pub use service::{Limits, Offer};
pub use token::{Token, TokenError};
