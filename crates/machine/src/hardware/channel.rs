//! Memory channels.

use zerohop_document::{Bits, Share, Text, tables};
use zerohop_units::{Bytes, GigabytesPerSecond, Nanoseconds, TransfersPerSecond};

/// A memory channel: banks behind one bus.
#[derive(Debug, Clone, PartialEq)]
pub struct Channel {
    /// Its name: its node's, and its rank there if the node has several.
    pub name: String,
    /// The name of its kind in the machine file.
    pub kind: String,
    /// Rank of the router it sits at.
    pub router: usize,
    /// Bandwidth of its bus: as the machine file states it, or rate times width.
    pub bandwidth: GigabytesPerSecond,
    /// The parameters of its kind.
    pub parameters: ChannelParameters,
}

tables! {
    /// A kind of memory channel: banks behind one bus. Either `bandwidth`, or `rate` and `width`.
    ChannelTable + {
        /// What its bus carries; instead of `rate` and `width`.
        bandwidth: Option<GigabytesPerSecond>,
        /// Transfers a second on each wire of its bus.
        rate: Option<TransfersPerSecond>,
        /// Width of its bus, without error correction.
        width: Option<Bits>,
        /// Kind of DRAM, as SMBIOS names it: `DDR`, `DDR4`, `HBM`.
        technology: Option<Text>,
        /// DIMMs side by side that make up its width: 2 where a controller runs two in lockstep, otherwise 1; not the chips on
        /// them. Without this key, no DIMMs are listed.
        devices: Option<u32>,
    } => ChannelParameters {
        /// Share of the bus that overheads leave. Refresh is one of them, unless `refresh` describes it.
        efficiency: Share,
        /// From a read's arrival to its data at the router when nothing is in its way: controller, row hit, and bus.
        access: Nanoseconds,
        /// Reads that its controller holds at the same time, and as many writes; others wait where they are, and hold their
        /// buffers. Without this key, reads enter as they arrive, and a write waits until the bus could take it.
        queue: Option<u32>,
        /// Banks.
        banks: u32,
        /// Size of a row.
        row: Bytes,
        /// Extra time of an access whose bank has another row open.
        row_miss: Nanoseconds,
        /// Least time between two row openings in one bank.
        row_cycle: Nanoseconds,
        /// How all its banks are refreshed; each channel at its own times. Without this table, the cost of refresh is part of
        /// `efficiency` and `access`.
        refresh: Option<Refresh>,
        /// Time that the bus is idle when it turns around.
        turnaround: Turnaround,
        /// Writes that are gathered before the bus is turned around for them, while reads wait.
        write_batch: u32,
    }

    /// How all banks of a channel are refreshed at once: until a refresh is over, the channel answers nothing.
    RefreshTable => Refresh {
        /// From the beginning of one refresh to that of the next (tREFI).
        every: Nanoseconds,
        /// Duration of a refresh (tRFC).
        takes: Nanoseconds,
    }

    /// Time that a bus is idle when it turns around.
    TurnaroundTable => Turnaround {
        /// From reads to writes.
        to_write: Nanoseconds,
        /// From writes to reads.
        to_read: Nanoseconds,
    }
}

impl Channel {
    /// Time of one line on the bus.
    pub fn line_time(&self) -> Nanoseconds {
        Nanoseconds(super::line::LINE.get() as f64 / (self.bandwidth.get() * self.parameters.efficiency.0))
    }
}
