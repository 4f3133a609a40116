//! The unit of everything that moves.

use zerohop_units::Bytes;

/// One cache line.
pub const LINE: Bytes = Bytes(64);
