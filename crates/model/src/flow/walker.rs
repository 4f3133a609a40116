//! The workers whose lines are followed through a channel, their paths, and the waits that they meet there.

use crate::token::Intent;

/// Workers that are alike.
#[derive(Debug, Clone)]
pub(super) struct Walker {
    pub(super) workers: u16,
    pub(super) pattern: Vec<Intent>,
    pub(super) window: u32,
    pub(super) evictions: u32,
    pub(super) combining: u32,
    /// Where its lines reside, and how many consecutive lines are in one place.
    pub(super) paths: Vec<Path>,
    pub(super) page: u32,
    /// Distance in pages at which a dirty line is written back.
    pub(super) behind: u32,
    /// Time to read a dirty line from its cache.
    pub(super) eviction: f64,
    /// Least time between two lines, time between two that the demand allows, and the pause after every burst.
    pub(super) spacing: f64,
    pub(super) paced: f64,
    pub(super) pause: Option<(f64, f64)>,
}

/// The path of a share of the lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct Path {
    pub(super) share: f64,
    pub(super) end: End,
}

/// A line's destination, and its times from core to core.
#[derive(Debug, Clone, Copy)]
pub(super) enum End {
    /// A followed channel: its rank; when the last answer to a fill's probes is in, as seen at the channel, counted
    /// from when the home agent looks at the fill; and the mean penalty of a bank on a fill.
    Followed {
        channel: usize,
        fill: Legs,
        write: Legs,
        answers: f64,
        bank: f64,
        /// Time from when its data leaves until a fill leaves the table of the home agent; zero if it leaves earlier.
        holds: f64,
        /// The serializing wires of a fill's data, and of a write.
        data_over: Option<Gate>,
        write_over: Option<Gate>,
    },
    /// Elsewhere: the time of a fill and of a write.
    Elsewhere { fill: f64, write: f64 },
}

/// The wire of a path on which packets take longest: it serializes them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gate {
    /// Its rank among the gates.
    pub(super) rank: usize,
    /// Time of a packet, including that of packets that do not walk.
    pub(super) service: f64,
}

/// Times between core, home agent, channel and core, without any waiting there.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Legs {
    pub(super) to_home: f64,
    pub(super) to_channel: f64,
    pub(super) back: f64,
}

/// A followed channel, with its home agent.
#[derive(Debug, Clone, Copy)]
pub(super) struct FollowedChannel {
    pub(super) slot: f64,
    /// Fills that the table holds; no limit where it never fills.
    pub(super) table: u32,
    /// Time of a line on the bus, and from a read's arrival until its line is on the bus.
    pub(super) line: f64,
    pub(super) ahead: f64,
    pub(super) batch: f64,
    pub(super) turning: f64,
    /// What the bus loses for a line that nobody has fetched.
    pub(super) store_gap: f64,
}

/// Results for workers that are alike.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Walked {
    /// Lines of the pattern per ns, of all workers.
    pub(super) rate: f64,
    pub(super) waits: Vec<Waits>,
}

/// The waits of lines of one path.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Waits {
    /// Waits of a fill and of a write, at home agent, bank and bus and for answers.
    pub(super) fill: f64,
    pub(super) write: f64,
    /// The part of these at bank and bus alone.
    pub(super) read: f64,
    pub(super) taken: f64,
    /// Fills and writes that were observed.
    pub(super) fills: f64,
    pub(super) writes: f64,
}

impl Walker {
    pub(super) fn writes(&self) -> bool {
        self.pattern.iter().any(|intent| intent.dirties() || *intent == Intent::StorePast)
    }
}

impl Waits {
    /// Divides sums by their counts.
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
