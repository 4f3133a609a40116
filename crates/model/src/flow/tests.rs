//! The solver against the event engine, and against what must hold of any solution.

mod agreement;
mod alike;
mod bits;
mod buffers;
pub(crate) mod generated;
mod idle;
mod laws;
mod refusals;
pub(crate) mod settling;
mod shipped;
mod templates;
mod walks;
