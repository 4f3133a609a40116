//! A memory channel: banks behind one bus, reads in order of arrival, writes in batches.
//!
//! The bus gives every line a slot in the order of arrival. An access that has to open another row delays its own
//! data and the bank, not the slots of others: real controllers fill such gaps with ready requests. Where another row
//! is wanted while the bank still opens one, an access pays a row cycle, or, if the controller serves waiting requests
//! row by row, its part of one. A row that a refresh or a timer has closed needs no precharge. Blocks of addresses are
//! in one bank each, by a hash, as in controllers that spread a stream over banks. Writes are gathered; a full batch
//! takes the whole bus, and its two turnarounds cost time in which no data moves, and so may lines that nobody has fetched.

use zerohop_machine_file::{Channel as Description, ChannelParameters, Refresh, Turnaround};

use crate::divisor::Divisor;
use crate::time::{Fine, fine};
use crate::token::{Queue, Tokens};

/// Most lines in a batch of writes.
pub(crate) const LARGEST_BATCH: usize = 64;

/// The golden ratio's fraction in 64 bits: its multiples are well spread, however many there are.
const GOLDEN_RATIO: u64 = 0x9e37_79b9_7f4a_7c15;

/// Later than any time of a simulation, and small enough to be added to one.
const NEVER: Fine = Fine::MAX / 2;

/// The two kinds of accesses, each with a limit of its own where a channel has one.
pub(crate) const READ: usize = 0;
pub(crate) const WRITE: usize = 1;

/// The state of a memory channel.
#[derive(Debug, Clone)]
pub(crate) struct Channel {
    line: Fine,
    /// From arrival to the first possible slot on the bus.
    access: Fine,
    /// Bytes of a row across all banks.
    rows: Divisor,
    bank: Divisor,
    /// Bytes of a block, which is in one bank.
    block: Divisor,
    /// The cost of a row if the bank has none open, has another one open, or has just begun to open another one.
    activate: Fine,
    row_miss: Fine,
    regroup: Fine,
    row_cycle: Fine,
    /// Time without an access after which a row is closed.
    close_after: Fine,
    to_write: Fine,
    to_read: Fine,
    batch: usize,
    /// When the bus is free again.
    busy: Fine,
    banks: Vec<Bank>,
    gathered: usize,
    gathered_lines: [u64; LARGEST_BATCH],
    /// What a line costs that nobody has fetched, and those that are gathered.
    store_gap: Fine,
    gathered_gaps: Fine,
    /// When all banks are refreshed next, the interval and duration of refreshes, and when the current one ends.
    /// Never, if the machine describes no refresh.
    next_refresh: Fine,
    refresh_every: Fine,
    refresh_takes: Fine,
    refreshed: Fine,
    /// The most reads and the most writes that it holds; how many it holds now; and those that wait to enter.
    limit: Option<u32>,
    held: [u32; 2],
    outside: [Queue; 2],
    /// Lines read and written, time that the bus carried data, and time that lines waited for it.
    lines_read: u64,
    lines_written: u64,
    carrying: Fine,
    waiting: Fine,
}

#[derive(Debug, Clone, Copy)]
struct Bank {
    row: u64,
    opened: Fine,
    ready: Fine,
}

impl Channel {
    /// The channel of that rank, idle: the rank staggers refreshes.
    pub(crate) fn new(described: &Description, rank: usize) -> Self {
        let line = fine(described.line_time());
        let ChannelParameters {
            // It is part of the time of a line.
            efficiency: _,
            // It is a matter of counting.
            parts: _,
            access,
            queue,
            banks,
            row,
            row_miss,
            precharge,
            close_after,
            row_cycle,
            bank_block,
            row_group,
            refresh,
            turnaround: Turnaround { to_write, to_read },
            write_batch,
            store_gap,
        } = described.parameters;
        let (every, takes) = refresh.map_or((0, 0), |Refresh { every, takes }| (fine(every), fine(takes)));
        let apart = (rank as u64).wrapping_mul(GOLDEN_RATIO);
        let first = ((u128::from(every) * u128::from(apart)) >> 64) as Fine;
        Self {
            line,
            access: fine(access).saturating_sub(line),
            rows: Divisor::new(row.get() * u64::from(banks)),
            bank: Divisor::new(u64::from(banks)),
            block: Divisor::new(bank_block.get()),
            activate: fine(row_miss - precharge),
            row_miss: fine(row_miss),
            regroup: fine(row_cycle) / Fine::from(row_group.max(1)),
            row_cycle: fine(row_cycle),
            close_after: close_after.map_or(NEVER, fine),
            to_write: fine(to_write),
            to_read: fine(to_read),
            batch: (write_batch as usize).clamp(1, LARGEST_BATCH),
            busy: 0,
            banks: vec![Bank { row: u64::MAX, opened: 0, ready: 0 }; banks as usize],
            next_refresh: if every > 0 { first } else { Fine::MAX },
            refresh_every: every,
            refresh_takes: takes,
            refreshed: 0,
            limit: queue,
            held: [0; 2],
            outside: [Queue::EMPTY; 2],
            gathered: 0,
            gathered_lines: [0; LARGEST_BATCH],
            store_gap: fine(store_gap),
            gathered_gaps: 0,
            lines_read: 0,
            lines_written: 0,
            carrying: 0,
            waiting: 0,
        }
    }

    /// Whether it limits how many reads and writes it holds.
    #[inline]
    pub(crate) const fn is_limited(&self) -> bool {
        self.limit.is_some()
    }

    /// Lets a read or a write in, if there is room; otherwise it waits outside.
    #[inline]
    pub(crate) fn enter(&mut self, sort: usize, tokens: &mut Tokens, id: u32) -> bool {
        let room = self.limit.is_none_or(|limit| self.held[sort] < limit);
        if room {
            self.held[sort] += 1;
        } else {
            self.outside[sort].push(tokens, id);
        }
        room
    }

    /// A read or a write has left; returns the next one that waits outside.
    #[inline]
    pub(crate) fn leave(&mut self, sort: usize, tokens: &Tokens) -> Option<u32> {
        self.held[sort] -= 1;
        self.outside[sort].pop(tokens)
    }

    /// Lines read and written so far.
    pub(crate) const fn lines(&self) -> (u64, u64) {
        (self.lines_read, self.lines_written)
    }

    /// Time that the bus has carried data for so far.
    pub(crate) const fn carrying(&self) -> Fine {
        self.carrying
    }

    /// Time that lines have waited for the bus so far.
    pub(crate) const fn waiting(&self) -> Fine {
        self.waiting
    }

    /// A read of the line at `address` arrives; returns the time at which its data is at the router.
    #[inline(always)]
    pub(crate) fn read(&mut self, address: u64, arrival: Fine) -> Fine {
        if arrival >= self.next_refresh {
            self.refresh(arrival);
        }
        let ready = self.open(address, arrival);
        let slot = self.busy.max(arrival + self.access);
        self.busy = slot + self.line;
        self.lines_read += 1;
        self.carrying += self.line;
        let begins = slot.max(ready + self.access);
        self.waiting += begins - (arrival + self.access);
        begins + self.line
    }

    /// A line that nobody has fetched is about to be written.
    #[inline]
    pub(crate) fn is_unfetched(&mut self) {
        self.gathered_gaps += self.store_gap;
    }

    /// A write of the line at `address` arrives; returns the time at which the bus could take it and its buffer is
    /// free.
    #[inline]
    pub(crate) fn write(&mut self, address: u64, arrival: Fine) -> Fine {
        if arrival >= self.next_refresh {
            self.refresh(arrival);
        }
        self.gathered_lines[self.gathered] = address;
        self.gathered += 1;
        self.lines_written += 1;
        let taken = self.busy.max(arrival);
        self.waiting += taken - arrival;
        if self.gathered == self.batch {
            let mut slot = taken + self.to_write;
            for rank in 0..self.gathered {
                self.open(self.gathered_lines[rank], slot);
                slot += self.line;
            }
            self.carrying += self.line * self.gathered as Fine;
            self.busy = slot + std::mem::take(&mut self.gathered_gaps) + self.to_read;
            self.gathered = 0;
        }
        taken
    }

    /// Lets refreshes come later by a share of their interval, in parts of 2^64.
    pub(crate) fn put_off_refreshes(&mut self, share: u64) {
        if self.refresh_every > 0 {
            let later = (u128::from(self.refresh_every) * u128::from(share)) >> 64;
            self.next_refresh = (self.next_refresh + later as Fine) % self.refresh_every;
        }
    }

    /// Starts the refreshes that are due: a refresh waits for the bus, and the bus for its end.
    #[cold]
    fn refresh(&mut self, now: Fine) {
        while self.next_refresh <= now {
            self.busy = self.busy.max(self.next_refresh) + self.refresh_takes;
            self.next_refresh += self.refresh_every;
        }
        self.refreshed = self.busy;
    }

    /// Opens the row of a line if it is not open; returns the time at which the bank can be accessed.
    #[inline(always)]
    fn open(&mut self, address: u64, arrival: Fine) -> Fine {
        let bank = &mut self.banks[self.bank.divide(hashed(self.block.divide(address).0)).1 as usize];
        let row = self.rows.divide(address).0;
        let is_closed = bank.ready <= self.refreshed || arrival > bank.ready + self.close_after;
        let ready = if bank.row == row && !is_closed {
            bank.ready.max(arrival)
        } else if arrival < bank.opened + self.row_cycle {
            bank.row = row;
            bank.ready.max(arrival) + self.regroup
        } else {
            bank.row = row;
            bank.opened = bank.ready.max(arrival);
            bank.opened + if is_closed { self.activate } else { self.row_miss }
        };
        // A row may be opened while a refresh ends.
        let ready = ready.max(self.refreshed);
        bank.ready = ready + self.line;
        ready
    }
}

/// 32 bits of a block's number, mixed, so that streams a fixed distance apart do not keep colliding in one bank; the
/// constants are those of SplitMix64 (S. Vigna, <https://prng.di.unimi.it/splitmix64.c>).
const fn hashed(row: u64) -> u64 {
    let mixed = (row ^ (row >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)) % (1 << 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::{of_tick, tick_after, ticks};
    use zerohop_document::Share;
    use zerohop_units::{Bytes, GigabytesPerSecond, Nanoseconds};

    fn description() -> Description {
        refreshed(None)
    }

    fn refreshed(refresh: Option<Refresh>) -> Description {
        Description {
            name: "test".to_owned(),
            kind: "test".to_owned(),
            router: 0,
            bandwidth: GigabytesPerSecond(6.4),
            parameters: ChannelParameters {
                efficiency: Share(1.0),
                parts: 1,
                access: Nanoseconds(50.0),
                queue: None,
                banks: 8,
                row: Bytes::kib(8),
                row_miss: Nanoseconds(30.0),
                precharge: Nanoseconds(0.0),
                close_after: None,
                row_cycle: Nanoseconds(60.0),
                bank_block: Bytes::kib(1),
                row_group: 8,
                refresh,
                turnaround: Turnaround { to_write: Nanoseconds(10.0), to_read: Nanoseconds(15.0) },
                write_batch: 4,
                store_gap: Nanoseconds(0.0),
            },
        }
    }

    fn at(nanoseconds: f64) -> Fine {
        of_tick(ticks(Nanoseconds(nanoseconds)))
    }

    #[test]
    fn an_open_row_answers_in_the_access_time_and_another_takes_a_row_miss_longer() {
        let mut channel = Channel::new(&description(), 0);
        assert_eq!(channel.read(0, at(1000.0)), at(1080.0), "the first access opens the row");
        assert_eq!(channel.read(64, at(2000.0)), at(2050.0));
        assert_eq!(channel.read(8192 * 1000, at(3000.0)), at(3080.0));
    }

    /// A channel with a precharge of 12 ns, refreshed rarely and briefly, whose rows are closed after 500 ns.
    fn with_timer() -> Channel {
        let refresh = Refresh { every: Nanoseconds(100_000.0), takes: Nanoseconds(20.0) };
        let mut described = refreshed(Some(refresh));
        described.parameters.precharge = Nanoseconds(12.0);
        described.parameters.close_after = Some(Nanoseconds(500.0));
        Channel::new(&described, 0)
    }

    /// The address of a line in another row of the bank of line 0.
    fn other_row(channel: &Channel) -> u64 {
        let bank = |address: u64| channel.bank.divide(hashed(channel.block.divide(address).0)).1;
        (1..).map(|row| row * 8 * 8192).find(|&address| bank(address) == bank(0)).unwrap()
    }

    #[test]
    fn a_row_that_the_timer_has_closed_needs_no_precharge() {
        let mut channel = with_timer();
        let other = other_row(&channel);
        channel.read(0, at(1000.0));
        assert_eq!(channel.read(64, at(1400.0)), at(1450.0), "a row hit");
        assert_eq!(channel.read(other, at(1800.0)), at(1880.0), "precharge and activate");
        assert_eq!(channel.read(0, at(3000.0)), at(3068.0), "only activate");
        assert_eq!(channel.read(64, at(4000.0)), at(4068.0), "the same row, closed meanwhile");
    }

    #[test]
    fn a_refresh_closes_all_rows() {
        let mut channel = with_timer();
        channel.close_after = NEVER;
        channel.read(0, at(99_900.0));
        assert_eq!(channel.read(64, at(99_990.0)), at(100_040.0), "a row hit");
        assert_eq!(channel.read(128, at(101_000.0)), at(101_068.0));
    }

    #[test]
    fn a_bank_in_order_of_arrival_pays_a_row_cycle_for_each_change_of_row() {
        let mut described = description();
        let last = |described: &Description| {
            let mut channel = Channel::new(described, 0);
            let other = other_row(&channel);
            channel.read(0, at(1000.0));
            [other, 0, other].map(|address| channel.read(address, at(1001.0)))[2]
        };
        let grouped = last(&described);
        described.parameters.row_group = 1;
        // Three changes of 60 ns instead of 7.5 ns.
        assert_eq!(last(&described) - grouped, 3 * (at(60.0) - at(7.5)));
    }

    #[test]
    fn reads_fill_the_bus() {
        let mut channel = Channel::new(&description(), 0);
        channel.read(0, 0);
        let mut last = 0;
        for line in 1..=1000u64 {
            last = channel.read(line % 128 * 64, at(100.0));
        }
        // 64 bytes at 6.4 GB/s are 10 ns.
        assert_eq!(tick_after(last), ticks(Nanoseconds(100.0 + 40.0 + 10_000.0)));
    }

    #[test]
    fn a_refresh_delays_reads_and_takes_the_bus() {
        let every = Nanoseconds(1000.0);
        let refresh = Some(Refresh { every, takes: Nanoseconds(300.0) });
        let mut channel = Channel::new(&refreshed(refresh), 0);
        let first = channel.next_refresh;
        assert_eq!(first, 0, "the first channel's refresh");
        channel.read(0, at(500.0));
        assert_eq!(channel.read(64, at(990.0)), at(1040.0), "a read that arrives before the refresh");
        assert_eq!(
            channel.read(128, at(1100.0)),
            at(1340.0 + 50.0),
            "the read waits for the end: 1040 and 300 ns"
        );
        assert_eq!(channel.read(192, at(1900.0)), at(1950.0));
        // A thousand lines of 10 ns and a refresh every microsecond, each of which takes the time of 30 lines.
        let last =
            (0..1000u64).fold(0, |_, line| channel.read(line % 128 * 64, at(2500.0 + 10.0 * line as f64)));
        let took = (last - at(2500.0)) as f64 / at(1000.0) as f64;
        assert!((12.5..13.5).contains(&took), "{took} us");
    }

    #[test]
    fn channels_are_refreshed_at_different_times() {
        let refresh = Some(Refresh { every: Nanoseconds(7800.0), takes: Nanoseconds(350.0) });
        let described = refreshed(refresh);
        let mut times: Vec<Fine> = (0..12).map(|rank| Channel::new(&described, rank).next_refresh).collect();
        times.sort_unstable();
        assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= at(350.0)), "{times:?}");
    }

    #[test]
    fn a_batch_of_writes_turns_the_bus_around_twice() {
        let mut channel = Channel::new(&description(), 0);
        for line in 0..3 {
            assert_eq!(channel.write(line * 64, at(1000.0)), at(1000.0));
        }
        // The bus is idle; then four lines of 10 ns, and 25 ns of turnarounds.
        channel.write(3 * 64, at(1000.0));
        assert_eq!(channel.busy, at(1065.0));
        assert_eq!(channel.write(4 * 64, at(1000.0)), at(1065.0), "the next one waits");
        assert_eq!((channel.lines_written, channel.carrying), (5, at(40.0)));
    }

    #[test]
    fn lines_that_nobody_has_fetched_cost_the_bus_more() {
        let mut described = description();
        described.parameters.store_gap = Nanoseconds(2.0);
        let mut channel = Channel::new(&described, 0);
        for line in 0..8 {
            // The first batch has three of them, the second one none.
            if line < 3 {
                channel.is_unfetched();
            }
            channel.write(line * 64, at(1000.0));
        }
        assert_eq!(channel.busy, at(1000.0 + 2.0 * 65.0 + 3.0 * 2.0));
    }
}
