//! Memory channels.

use zerohop_document::{Bits, Share, Text, tables};
use zerohop_units::{Bytes, GigabytesPerSecond, Nanoseconds, TransfersPerSecond};

/// A memory channel: banks behind one bus.
#[derive(Debug, Clone, PartialEq)]
pub struct Channel {
    /// Name of the channel: the node's name, and the channel's rank in the node if there are several.
    pub name: String,
    /// Name of the channel's kind in the machine file.
    pub kind: String,
    /// Rank of the channel's router.
    pub router: usize,
    /// Bandwidth of the bus: as stated in the machine file, or rate times width.
    pub bandwidth: GigabytesPerSecond,
    /// Parameters of the channel's kind.
    pub parameters: ChannelParameters,
}

tables! {
    /// A kind of memory channel: banks behind one bus. Either `bandwidth`, or `rate` and `width`.
    ChannelTable + {
        /// Bandwidth of the bus, instead of `rate` and `width`.
        bandwidth: Option<GigabytesPerSecond>,
        /// Transfers per second on each wire of the bus.
        rate: Option<TransfersPerSecond>,
        /// Width of the bus, without error correction.
        width: Option<Bits>,
        /// Kind of DRAM, as named by SMBIOS: `DDR`, `DDR4`, `HBM`.
        technology: Option<Text>,
        /// Entry in the built-in table of memory technologies, for all keys that are not given here: `DDR4`, `DDR4-16Gb`. The rate is always the
        /// file's own.
        timings: Option<Text>,
        /// Number of DIMMs side by side that form the channel's width: 2 if a controller runs two in lockstep, otherwise 1; not the chips on them.
        /// Without this key, no DIMMs are listed.
        devices: Option<u32>,
    } => ChannelParameters {
        /// Share of the bus bandwidth that remains after overheads. They include refresh, unless `refresh` describes it.
        efficiency: Share,
        /// Number of channels of this kind that vendors count as one: 2 if an HBM channel has two pseudo channels, 4 if 64 bits of LPDDR5X are four.
        parts: u32 [1..=8] = 1,
        /// Time from the arrival of a read to its data at the router without contention: controller, row hit, and bus.
        access: Nanoseconds,
        /// Maximum number of reads in the controller at the same time, and of writes; others wait in place, and hold their buffers. Without this key,
        /// reads enter on arrival, and a write waits until the bus is free.
        queue: Option<u32>,
        /// Number of banks.
        banks: u32,
        /// Size of a row.
        row: Bytes,
        /// Extra time of an access whose bank has another row open: precharge and activate (tRP and tRCD).
        row_miss: Nanoseconds,
        /// The part of `row_miss` that an access saves if its bank has no row open (tRP). All rows are closed by a refresh and by `close_after`.
        precharge: Nanoseconds = Nanoseconds(0.0),
        /// Idle time after which a bank's row is closed. Without this key, the row stays open.
        close_after: Option<Nanoseconds>,
        /// Minimum time between two row activations in one bank (tRC).
        row_cycle: Nanoseconds,
        /// Consecutive bytes of a channel in one bank before the next bank follows: 64 B if lines alternate between bank groups.
        bank_block: Bytes = Bytes(1024),
        /// Maximum number of accesses to a row that the controller serves together while other rows of the bank wait; 1 serves a bank's accesses in order of arrival.
        row_group: u32 = 8,
        /// Refresh of all banks, at different times on each channel. Without this table, the cost of refresh is part of
        /// `efficiency` and `access`.
        refresh: Option<Refresh>,
        /// Idle time of the bus at a turnaround.
        turnaround: Turnaround,
        /// Number of writes that are collected before the bus turns around for them, while reads wait.
        write_batch: u32,
        /// Bus time lost for each line that is written without a fetch (non-temporal stores), in addition to turnarounds.
        store_gap: Nanoseconds = Nanoseconds(0.0),
    }

    /// Refresh of all banks of a channel at once: until it is over, the channel answers nothing.
    RefreshTable => Refresh {
        /// Time from the start of one refresh to the start of the next (tREFI).
        every: Nanoseconds,
        /// Duration of a refresh (tRFC).
        takes: Nanoseconds,
    }

    /// Idle time of a bus at a turnaround.
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

    /// Mean time to open the row of a random line in an idle machine where one of them goes to this channel every
    /// `between`: the previous one may have left another row open in its bank, unless a refresh or the timer has closed it.
    pub fn idle_row(&self, between: Nanoseconds) -> Nanoseconds {
        let ChannelParameters { row_miss, precharge, close_after, refresh, banks, .. } = &self.parameters;
        let visits = 1.0 / (between.get() * f64::from(*banks));
        let used_within = |time: f64| -libm::expm1(-visits * time);
        // Over the time that has passed since the last refresh, up to `time`.
        let mean_within =
            |time: f64| if time > 0.0 { 1.0 - used_within(time) / (visits * time) } else { 0.0 };
        let is_open = match (close_after, refresh) {
            _ if !(visits > 0.0 && visits.is_finite()) => 1.0,
            (None, None) => 1.0,
            (Some(close), None) => used_within(close.get()),
            (None, Some(refresh)) => mean_within(refresh.every.get()),
            (Some(close), Some(refresh)) if close < &refresh.every => {
                let early = close.get() / refresh.every.get();
                early * mean_within(close.get()) + (1.0 - early) * used_within(close.get())
            }
            (Some(_), Some(refresh)) => mean_within(refresh.every.get()),
        };
        *row_miss - *precharge * (1.0 - is_open)
    }
}
