//! Memory channels.

use schemars::JsonSchema;
use serde::Serialize;
use zerohop_units::{Bytes, GigabytesPerSecond, Nanoseconds};

/// A memory channel: banks behind one bus.
#[derive(Debug, Clone, PartialEq)]
pub struct Channel {
    /// Its name in the machine file.
    pub name: String,
    /// Rank of the router it sits at.
    pub router: usize,
    /// What its bus carries.
    pub bandwidth: GigabytesPerSecond,
    /// Share of the bus that overheads leave, 0 to 1: refresh among them, if that is not described by itself.
    pub efficiency: f64,
    /// From a read's arrival to its data at the router, when nothing is in its way: controller, row hit, and bus.
    pub access: Nanoseconds,
    /// Reads that it holds at the same time, and as many writes; others wait where they are, and hold their buffers. `None`:
    /// reads come in as they are, and a write waits where it is until the bus could take it.
    pub queue: Option<u32>,
    /// Banks.
    pub banks: u32,
    /// Bytes of an open row.
    pub row: Bytes,
    /// What an access takes longer if its bank has another row open.
    pub row_miss: Nanoseconds,
    /// Least time between two openings of rows in one bank.
    pub row_cycle: Nanoseconds,
    /// How it is refreshed; `None`: what that costs is part of `efficiency` and `access`.
    pub refresh: Option<Refresh>,
    /// What it costs to turn the bus around.
    pub turnaround: Turnaround,
    /// Writes that are gathered before the bus is turned around for them, while reads wait.
    pub write_batch: u32,
}

/// A refresh of all banks, time and again: until it is over the channel answers nothing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Refresh {
    /// From the beginning of one to that of the next (tREFI).
    pub every: Nanoseconds,
    /// What it takes (tRFC).
    pub takes: Nanoseconds,
}

/// Time that the bus is idle when it turns around.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Turnaround {
    /// From reads to writes.
    pub to_write: Nanoseconds,
    /// From writes to reads.
    pub to_read: Nanoseconds,
}

impl Channel {
    /// Time of one line on the bus.
    pub fn line_time(&self) -> Nanoseconds {
        Nanoseconds(super::LINE.get() as f64 / (self.bandwidth.get() * self.efficiency))
    }
}
