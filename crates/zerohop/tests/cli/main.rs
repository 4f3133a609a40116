//! Drives the real binary, as a user does.

mod binary;
mod compare;
mod completions;
mod errors;
mod examples;
mod folder;
mod foreign;
mod help;
mod interruption;
mod machine;
mod man;
mod mistaken;
mod mlc;
mod model;
mod readme;
mod reproduce;
mod run;
mod saving;
mod schema;
mod set;
mod stopping;
mod survey;
mod sweep;
mod template;
mod validator;
