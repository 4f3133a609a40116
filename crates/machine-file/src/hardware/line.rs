//! The unit of everything that moves.

use zerohop_units::Bytes;

pub const LINE: Bytes = Bytes(64);
