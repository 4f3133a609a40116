//! A program as a point next to the curve of latency against bandwidth.

use zerohop_units::{GigabytesPerSecond, Nanoseconds};

/// Memory use of a program.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramPoint {
    pub name: String,
    /// The bandwidth that it takes.
    pub bandwidth: GigabytesPerSecond,
    /// The latency that it sees, if that is known; otherwise it is that of the curve.
    pub latency: Option<Nanoseconds>,
}
