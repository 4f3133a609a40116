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

mod abandoned_threads;
mod access;
mod age;
mod answer;
mod answer_cache;
mod answering;
mod archives;
mod background_diagnosis;
mod blocking_turns;
mod body;
mod changes_page;
mod connection_seats;
mod documents;
#[cfg(test)]
#[path = "../../zerohop/tests/archive/drawn.rs"]
#[allow(dead_code)]
mod drawn;
mod error;
mod findings_page;
mod fleet_links;
mod home_page;
mod limits;
mod listen;
mod login;
mod machine_page;
mod machine_state;
mod malformed_requests;
mod metered_stream;
mod metrics;
mod openapi;
mod operations;
mod page_frame;
mod page_links;
mod page_parts;
mod parsed_query;
mod pending;
mod recent_history;
mod refusal;
mod request_context;
mod results_page;
mod routes;
mod service;
mod sessions;
mod token;
mod token_attempts;
mod trends;
mod upload;

pub use error::ServeError;
pub use limits::Limits;
pub use listen::{Served, bind};
pub use openapi::openapi;
pub use service::Offer;
pub use token::{Token, TokenError};
