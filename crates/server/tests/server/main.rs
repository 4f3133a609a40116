//! The server as browsers and programs meet it: over a connection, byte by byte.

mod access;
mod answers;
mod client;
mod deadlines;
#[path = "../../../zerohop/tests/archive/drawn.rs"]
#[allow(dead_code)]
mod drawn;
mod forms;
mod hostile;
mod metrics;
mod names;
mod openapi;
mod pages;
mod slow;
mod uploads;
#[path = "../../../zerohop/tests/cli/validator.rs"]
#[allow(dead_code)]
mod validator;
