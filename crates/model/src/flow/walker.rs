//! The workers whose lines are followed through a channel, their ways, and what they met there.

use crate::token::Intent;

/// Workers that are alike.
#[derive(Debug, Clone)]
pub(super) struct Walker {
    pub(super) workers: u16,
    pub(super) pattern: Vec<Intent>,
    pub(super) window: u32,
    pub(super) evictions: u32,
    pub(super) combining: u32,
    /// Where its lines lie, and how many on end are in one place.
    pub(super) ways: Vec<Way>,
    pub(super) page: u32,
    /// Pages behind, at which a dirty line is written back.
    pub(super) behind: u32,
    /// Reading a dirty line from its cache.
    pub(super) eviction: f64,
    /// Least time between two lines, time between two that the demand allows, and the pause after every burst.
    pub(super) spacing: f64,
    pub(super) paced: f64,
    pub(super) pause: Option<(f64, f64)>,
}

/// The way of a share of the lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    pub(super) share: f64,
    pub(super) end: End,
}

/// Where a line goes, and in what time from core to core.
#[derive(Debug, Clone, Copy)]
pub(super) enum End {
    /// To a channel that is followed: its rank; when the last answer to a fill's probes is in, as seen at the channel, from when
    /// the fill is looked at; and what a bank adds to a fill, on average.
    Followed {
        channel: usize,
        fill: Legs,
        write: Legs,
        answers: f64,
        bank: f64,
        /// From when its data leaves until a fill has left the table of the home agent; none if it leaves before.
        holds: f64,
        /// Wires that a fill's data goes over, and a write.
        data_over: Option<Gate>,
        write_over: Option<Gate>,
    },
    /// Elsewhere: the time of a fill and of a write.
    Elsewhere { fill: f64, write: f64 },
}

/// The wire of a way on which packets take longest: they come out of it one by one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gate {
    /// Its rank among the gates.
    pub(super) rank: usize,
    /// Time of a packet, that of packets which do not walk included.
    pub(super) service: f64,
}

/// Times between core, home agent, channel and core, without any waiting there.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Legs {
    pub(super) to_home: f64,
    pub(super) to_channel: f64,
    pub(super) back: f64,
}

/// A channel that is followed, with its home agent.
#[derive(Debug, Clone, Copy)]
pub(super) struct FollowedChannel {
    pub(super) slot: f64,
    /// Fills that the table holds; no limit where there are never as many.
    pub(super) table: u32,
    /// A line on the bus, and from a read's arrival until its line is on the bus.
    pub(super) line: f64,
    pub(super) ahead: f64,
    pub(super) batch: f64,
    pub(super) turning: f64,
}

/// What comes of it for workers that are alike.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Walked {
    /// Lines of the pattern in a ns, of all workers.
    pub(super) rate: f64,
    /// By way.
    pub(super) waits: Vec<Waits>,
}

/// What lines of one way met.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Waits {
    /// Waiting of a fill and of a write, at home agent, bank and bus and for answers.
    pub(super) fill: f64,
    pub(super) write: f64,
    /// Of these, at bank and bus alone.
    pub(super) read: f64,
    pub(super) taken: f64,
    /// Fills and writes that were looked at.
    pub(super) fills: f64,
    pub(super) writes: f64,
}

impl Walker {
    pub(super) fn writes(&self) -> bool {
        self.pattern.iter().any(|intent| intent.dirties() || *intent == Intent::StorePast)
    }
}

impl Waits {
    /// Means, where this has sums.
    pub(super) fn means(self) -> Self {
        let mean = |sum: f64, count: f64| if count > 0.0 { sum / count } else { 0.0 };
        Self {
            fill: mean(self.fill, self.fills),
            read: mean(self.read, self.fills),
            write: mean(self.write, self.writes),
            taken: mean(self.taken, self.writes),
            ..self
        }
    }
}
