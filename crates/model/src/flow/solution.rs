//! The current state of the search for the fixed point: throughputs, loads and waiting times.

use super::bank::{Penalty, Users};
use super::station::Load;

/// Throughputs and waiting times.
#[derive(Debug, Clone, Default)]
pub(crate) struct Solution {
    /// Of each class: lines of the pattern per ns, of all its workers.
    pub(crate) throughput: Vec<f64>,
    /// Of each class: time of a fill, of a line that bypasses the caches, and of a write-back.
    pub(crate) times: Vec<Times>,
    /// Rates of fills and of writes by route.
    pub(crate) fills: Vec<f64>,
    pub(crate) writes: Vec<f64>,
    /// By rank among the paths in use.
    pub(crate) path_rates: Vec<f64>,
    pub(super) path_ends: Vec<f64>,
    /// By queue of a wire.
    pub(crate) loads: Vec<Load>,
    pub(crate) queues: Vec<f64>,
    /// By lane: buffers in use, and waiting for one.
    pub(crate) held: Vec<f64>,
    pub(crate) buffer_waits: Vec<f64>,
    /// By wire: credit messages, and the part of them that takes time from packets.
    pub(crate) credits: Vec<Credits>,
    pub(crate) homes: Vec<HomeState>,
    pub(crate) channels: Vec<ChannelState>,
    /// By rank of probes: time until the last answer is in.
    pub(super) answers: Vec<Answers>,
    pub(crate) route_times: Vec<RouteTimes>,
    pub(crate) rounds: u32,
    pub(crate) settled: bool,
}

/// Times of a class's lines.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Times {
    pub(crate) fill: f64,
    pub(crate) past: f64,
    pub(crate) write_back: f64,
    /// Waiting for room at home agents, part of `fill`.
    pub(crate) room: f64,
}

impl Times {
    /// Adds a share of other times.
    pub(super) fn add(&mut self, share: f64, of: Self) {
        self.fill += share * of.fill;
        self.past += share * of.past;
        self.write_back += share * of.write_back;
        self.room += share * of.room;
    }
}

/// Stages of a route.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RouteTimes {
    pub(crate) request: f64,
    pub(crate) home: f64,
    pub(crate) memory: f64,
    pub(crate) data: f64,
    pub(crate) probes: f64,
    pub(crate) hold: f64,
    pub(crate) write: f64,
}

/// The answers to probes: when the last one is in, and how much of that was waiting.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Answers {
    pub(super) last: f64,
    pub(super) waits: f64,
}

/// Credit messages on a wire.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Credits {
    pub(crate) owed: f64,
    /// Share of time that packets occupy the wire.
    pub(crate) busy: f64,
    /// Extra time that they cost a packet.
    pub(crate) each: f64,
}

/// A home agent's load; of one agent of its station.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct HomeState {
    pub(crate) rate: f64,
    pub(crate) slot_wait: f64,
    /// Requests in the table, and waiting for room in it, by class.
    pub(crate) held: [f64; 2],
    pub(crate) arriving: [f64; 2],
    pub(crate) room_wait: [f64; 2],
}

/// A channel's load; of one channel of its station.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ChannelState {
    pub(crate) reads: f64,
    pub(crate) writes: f64,
    /// Those of the writes whose line nobody has fetched.
    pub(crate) unfetched: f64,
    pub(crate) read_wait: f64,
    /// The part of it behind other lines rather than for the end of a batch.
    pub(super) line_wait: f64,
    pub(crate) write_wait: f64,
    pub(crate) users: Users,
    pub(crate) penalty: Penalty,
    /// Mean wait for the end of a batch of writes, and its mean square.
    pub(super) batch_end: f64,
    pub(super) batch_square: f64,
    /// Lines that can be in flight as writes.
    pub(super) writers: f64,
}

impl ChannelState {
    /// Visits every value that one round passes to the next.
    pub(super) fn each_value(&mut self, take: &mut impl FnMut(&mut f64)) {
        let Penalty { streaming, random, mean, varying } = &mut self.penalty;
        let waits = [&mut self.line_wait, &mut self.read_wait, &mut self.write_wait];
        waits.into_iter().chain([streaming, random, mean, varying]).for_each(take);
    }
}
