//! The time that banks add to an access.

use zerohop_machine_file::Channel;
use zerohop_units::{Bytes, Nanoseconds};

/// How much likelier two accesses to a bank hit the same row than if all its rows had the same number of blocks: a
/// hash maps eight blocks to a row on average, more to some rows and fewer to others, and every block of a row is
/// equally likely.
const UNEVEN: f64 = 1.125;

/// Blocks of up to this many lines are taken for lines that alternate between banks: a stream's next line finds a bank that others
/// have used meanwhile.
const ALTERNATING: f64 = 4.0;

/// Largest share of a bank's time, where the wait for it is computed.
const BANK_FULL: f64 = 0.95;

/// The banks of a channel.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Banks {
    /// A channel of these banks, whichever.
    channel: Channel,
    line: f64,
    banks: f64,
    row_miss: f64,
    row_cycle: f64,
    /// Accesses to one row that are served together, as in the event engine's channel.
    row_group: f64,
    /// Lines of a block, which is in one bank.
    block_lines: f64,
    /// Bytes of a row across all banks.
    rows: f64,
    /// Share of a stream's blocks that are the first of a row in their bank.
    fresh_rows: f64,
}

/// The lines that use a channel's banks.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Users {
    /// Streams of ascending lines that use the channel at the same time.
    pub(crate) streams: f64,
    /// Lines that streams fetch and write, per ns.
    pub(crate) streaming: f64,
    /// Lines in random order, per ns; and the product of all lines per ns and those random lines whose row the same
    /// worker's previous line in that bank left open.
    pub(crate) random: f64,
    pub(crate) reopened: f64,
    /// Lines that streams have in flight, on average.
    pub(crate) in_flight: f64,
    /// Probability that a batch of writes uses a given bank, and that another stream does.
    pub(crate) hit: f64,
    pub(crate) meets: f64,
    /// Batches of writes per ns, and the mean time from a batch's arrival until its lines are on the bus.
    pub(crate) batches: f64,
    pub(crate) batch_holds: f64,
}

/// Mean extra time of an access.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Penalty {
    pub(crate) streaming: f64,
    pub(crate) random: f64,
    pub(crate) mean: f64,
    /// The part of it that varies from access to access: a line in random order opens a row nearly every time.
    pub(crate) varying: f64,
}

impl Penalty {
    /// What remains of the penalty beside a wait for the bus that passes at the same time: the mean excess of one
    /// over the other if both were exponential.
    pub(crate) fn beside(self, wait: f64) -> Self {
        let left = |penalty: f64| if penalty > 0.0 { penalty * penalty / (penalty + wait) } else { 0.0 };
        Self {
            streaming: left(self.streaming),
            random: left(self.random),
            mean: left(self.mean),
            varying: left(self.varying),
        }
    }
}

impl Users {
    /// Share of lines in random order that find their row open.
    fn open(&self) -> f64 {
        if self.random > 0.0 { self.reopened / (self.random * (self.random + self.streaming)) } else { 0.0 }
    }
}

impl Banks {
    pub(crate) fn new(channel: &Channel) -> Self {
        Self {
            channel: Channel { name: String::new(), router: 0, ..channel.clone() },
            line: channel.line_time().get(),
            banks: f64::from(channel.parameters.banks.max(1)),
            row_miss: channel.parameters.row_miss.get(),
            row_cycle: channel.parameters.row_cycle.get(),
            row_group: f64::from(channel.parameters.row_group.max(1)),
            block_lines: lines_of(channel.parameters.bank_block),
            rows: channel.parameters.row.get() as f64 * f64::from(channel.parameters.banks.max(1)),
            fresh_rows: (channel.parameters.bank_block.get() as f64 / channel.parameters.row.get() as f64)
                .min(1.0),
        }
    }

    /// Share of lines in random order, within `bytes` of a channel, that hit the same row as the previous line in
    /// their bank.
    pub(crate) fn same_row(&self, bytes: f64) -> f64 {
        (UNEVEN * self.rows / bytes).min(1.0)
    }

    /// Mean time that a line in random order saves because some lines find their row open.
    pub(crate) fn saved(&self, users: &Users) -> f64 {
        let closed = self.closed(users.streaming + users.random);
        users.open() * (1.0 - closed) * self.row_miss
    }

    /// Share of accesses whose bank a refresh or the timer has closed since the last one, where lines come at that rate.
    fn closed(&self, lines: f64) -> f64 {
        let precharge = self.channel.parameters.precharge.get();
        if precharge == 0.0 || lines <= 0.0 {
            return 0.0;
        }
        (self.row_miss - self.channel.idle_row(Nanoseconds(1.0 / lines)).get()) / precharge
    }

    /// Mean time that a line which arrives at any time waits for the end of a refresh. Its row is opened meanwhile.
    pub(crate) fn wait_for_refresh(&self) -> f64 {
        let Some(refresh) = self.channel.parameters.refresh else { return 0.0 };
        let longest = refresh.takes.get() - (self.row_miss - self.channel.parameters.precharge.get());
        longest.max(0.0).powi(2) / (2.0 * refresh.every.get())
    }

    /// The same for lines of which a share goes to this channel, each `between` after the one before, which it waits for: one that
    /// waits for a refresh keeps those behind it from meeting the same one.
    pub(crate) fn wait_in_turn(&self, share: f64, between: f64) -> f64 {
        if share <= 0.0 || !between.is_finite() || between <= 0.0 {
            return self.wait_for_refresh();
        }
        self.channel.wait_for_refresh(share, Nanoseconds(between)).get() / share
    }

    /// Whether consecutive lines are in different banks, or nearly.
    pub(crate) fn alternates(block: Bytes) -> bool {
        lines_of(block) <= ALTERNATING
    }

    /// Users of which `streams` are streams, `written` of these written in batches of `batch` lines.
    pub(crate) fn users(&self, streams: f64, written: f64, batch: f64) -> Users {
        let one_of = |others: f64| 1.0 - libm::pow(1.0 - 1.0 / self.banks, others);
        let (hit, meets) = (one_of(batch.min(written)), one_of(streams.max(1.0) - 1.0));
        Users { streams, hit, meets, ..Users::default() }
    }

    /// The extra time of accesses when these users share the banks.
    ///
    /// A stream that moves to another bank mostly finds another stream's row there; its lines in flight all wait
    /// until its own row is open. Where several streams share a bank, every other access opens a row, and those
    /// between are served in groups. A line in random order mostly finds another row.
    pub(crate) fn penalty(&self, users: Users) -> Penalty {
        if self.row_miss == 0.0 && self.row_cycle == 0.0 {
            return Penalty::default();
        }
        if Self::alternates(self.channel.parameters.bank_block) {
            return self.alternating(users);
        }
        let precharge = self.channel.parameters.precharge.get();
        let activate = self.row_miss - precharge;
        let lines = (users.streaming + users.random).max(1e-12);
        // Lines in random order come to their banks one by one, those of streams by blocks.
        let closed = self.closed(users.random + users.streaming / self.block_lines);
        let open = users.open() * (1.0 - closed);
        let random =
            (1.0 - users.open()) * (self.row_miss - closed * precharge) + users.open() * closed * activate;
        // A batch occupies its banks from its arrival until the last of its rows has been open.
        let holds = users.batch_holds + self.row_miss;
        let held = users.batches * users.hit * holds;
        let by_batches = held / (1.0 + held) * holds / 2.0;
        let random = random + by_batches;
        let random_varying = by_batches + self.row_miss * (open * (1.0 - open)).sqrt();
        if users.streams == 0.0 {
            return Penalty { streaming: 0.0, random, mean: random, varying: random_varying };
        }
        let streams = users.streams.max(1.0);
        let each = users.streaming / streams;
        // Between two visits of a stream to a bank, lines in random order use that bank.
        let undisturbed = libm::exp(-users.random * self.block_lines / each.max(1e-12));
        let found = (1.0 - (1.0 - self.fresh_rows) / streams * undisturbed).min(1.0);
        let together = delayed(users.in_flight / streams, self.block_lines);
        let first = found * (self.row_miss - closed * precharge) + (1.0 - found) * closed * activate;
        let conflict = (self.row_miss + self.row_cycle / self.row_group) / 2.0;
        let disturbs = users.random / self.banks;
        let trains = each / (together * self.block_lines);
        let disturbed = if disturbs > 0.0 { disturbs / (disturbs + trains) } else { 0.0 };
        let streaming =
            together * first + (1.0 - (1.0 - users.meets) * (1.0 - disturbed)) * conflict + by_batches;
        let mean = (users.streaming * streaming + users.random * random) / lines;
        let varying = (users.streaming * streaming + users.random * random_varying) / lines;
        Penalty { streaming, random, mean, varying }
    }
}

impl Banks {
    /// The same where consecutive lines are in different banks. Every access may find any other's row, or one that a refresh or a timer
    /// has closed; a bank opens one row at a time.
    fn alternating(&self, users: Users) -> Penalty {
        let lines = users.streaming + users.random;
        if lines <= 0.0 {
            return Penalty::default();
        }
        let closed = self.closed(lines);
        let precharge = self.channel.parameters.precharge.get();
        let (row, activate) = (self.row_miss - closed * precharge, self.row_miss - precharge);
        let open = users.open() * (1.0 - closed);
        let regroup = self.row_cycle / self.row_group;
        // A stream's own row is the one that it finds as often as it is the last user of a bank.
        let own = users.streaming / users.streams.max(1.0) / lines;
        let fresh = [users.streaming * (1.0 - own * (1.0 - closed)), users.random * (1.0 - open)];
        let openings = fresh.iter().sum::<f64>() / self.block_lines / self.banks;
        let conflict = -libm::expm1(-openings * self.row_cycle);
        let other = (1.0 - conflict) * row + conflict * regroup;
        let busy = other + self.line * self.block_lines;
        let wait = openings * busy * busy / 2.0 / (1.0 - (openings * busy).min(BANK_FULL));
        let random = (1.0 - open) * other + wait;
        let streaming = (1.0 - own) * other + own * closed * activate + wait;
        let mean = (users.streaming * streaming + users.random * random) / lines;
        Penalty { streaming, random, mean, varying: wait + conflict * (regroup - row).max(0.0) }
    }
}

/// Lines of a block.
fn lines_of(block: Bytes) -> f64 {
    block.get() as f64 / 64.0
}

/// Share of a block's lines that wait until a row is open, for a stream with this many lines in flight: all that
/// arrive at the block together; if they are many, only those that arrive before the row is open. Fitted to the event
/// engine.
fn delayed(in_flight: f64, block_lines: f64) -> f64 {
    let lines = in_flight.max(1.0);
    if lines <= 4.0 { (lines / block_lines).min(1.0) } else { (0.25 + (lines - 4.0) * 0.0225).min(1.0) }
}
