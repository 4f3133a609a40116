//! Quantities with their units in their types: bytes, bandwidths, latencies, times, frequencies and transfer
//! rates.
//!
//! Every quantity is parsed and printed one way: a number, a space, a unit (`"64 MiB"`, `"12.8 GB/s"`,
//! `"95.3 ns"`, `"2.2 GHz"`, `"4800 MT/s"`). Bandwidth is decimal GB/s, as STREAM and every vendor count it.
//! In JSON a quantity is a bare number in the unit that its type names ([`Bytes`] in bytes, [`Nanoseconds`] in ns,
//! [`GigabytesPerSecond`] in GB/s), because consumers compute with it.

#![forbid(unsafe_code)]

mod bytes;
mod count;
mod margin;
mod parse;
mod real;

pub use bytes::Bytes;
pub use count::counted;
pub use margin::RelativeMargin;
pub use parse::ParseQuantityError;
pub use real::{GigabytesPerSecond, Hertz, Nanoseconds, Seconds, TransfersPerSecond};
