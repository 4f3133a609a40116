//! The latency of an idle machine as a sum: the time of a load that misses all caches while nothing else is in flight.

mod spread;
mod way;

use zerohop_units::Nanoseconds;

use crate::{Channel, Coherence, Collector, DirectedLink, Hardware, NodeMemory};
use spread::{Pair, pairs};
use way::{Packet, Way, way};
use zerohop_machine::{NodeId, PuId};

/// A contribution to the time of an idle read, in the order of its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum IdlePart {
    /// From the core to its router (`to_router`).
    ToRouter,
    /// On the wires of links (their `latency`), there and back, or with the last probe and its answer.
    Wires,
    /// Through routers onto links (`traversal`).
    Routers,
    /// Until the packets' bytes have been sent (`packets`, over a link's capacity).
    Bytes,
    /// In the home agent (`home.latency`).
    Home,
    /// Looking the line up in the directory, or in the caches that are probed last (`coherence.lookup`).
    Lookup,
    /// Waiting for the end of a refresh, on average.
    Refresh,
    /// Opening the line's row, which a chase hardly ever finds open: `row_miss`, less `precharge` where a refresh or a timer
    /// has closed the row before.
    Row,
    /// Reading the line (`access`).
    Access,
    /// Checking the tag in a memory-side cache (`cache.lookup`).
    Tag,
    /// From the router to the core (`from_router`).
    FromRouter,
}

impl IdlePart {
    /// All, in the order of the path.
    pub const ALL: [Self; 11] = [
        Self::ToRouter,
        Self::Wires,
        Self::Routers,
        Self::Bytes,
        Self::Home,
        Self::Lookup,
        Self::Refresh,
        Self::Row,
        Self::Access,
        Self::Tag,
        Self::FromRouter,
    ];

    /// Name of the contribution on a page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ToRouter => "to_router",
            Self::Wires => "wires",
            Self::Routers => "routers",
            Self::Bytes => "bytes",
            Self::Home => "home",
            Self::Lookup => "lookup",
            Self::Refresh => "refresh",
            Self::Row => "row_miss",
            Self::Access => "access",
            Self::Tag => "tag",
            Self::FromRouter => "from_router",
        }
    }
}

/// The time of an idle read by contribution: the mean over home agents and channels.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct IdleRead {
    parts: [f64; IdlePart::ALL.len()],
}

impl IdleRead {
    pub fn time(&self) -> Nanoseconds {
        Nanoseconds(self.parts.iter().sum())
    }

    /// The time of one contribution.
    pub fn part(&self, part: IdlePart) -> Nanoseconds {
        Nanoseconds(self.parts[part as usize])
    }

    /// The mean of several; zero without any.
    pub fn mean<'r>(reads: impl Iterator<Item = &'r Self>) -> Self {
        let mut mean = Self::default();
        let mut count = 0.0;
        for read in reads {
            mean.add_all(read, 1.0);
            count += 1.0;
        }
        mean.parts.iter_mut().for_each(|part| *part /= f64::max(count, 1.0));
        mean
    }

    fn add(&mut self, part: IdlePart, time: Nanoseconds) {
        self.parts[part as usize] += time.get();
    }

    fn add_way(&mut self, way: Way) {
        self.add(IdlePart::Wires, way.wires);
        self.add(IdlePart::Routers, way.routers);
        self.add(IdlePart::Bytes, way.bytes);
    }

    fn add_all(&mut self, other: &Self, share: f64) {
        for (own, other) in self.parts.iter_mut().zip(other.parts) {
            *own += share * other;
        }
    }

    fn later(self, other: Self) -> Self {
        if other.time() > self.time() { other } else { self }
    }
}

/// Iterations after which the latency and what depends on it (link widths, encounters with refreshes) have settled.
const ROUNDS: usize = 8;

impl Hardware {
    /// The time of a dependent load from a PU's core to a node's memory while the machine is idle; a memory-side cache
    /// hits. `None` if there is no such core or memory.
    pub fn idle_read(&self, pu: PuId, node: NodeId) -> Option<IdleRead> {
        let core = self.core_of(pu)?;
        let memory = self.memory(node)?;
        let pairs = pairs(memory);
        let with_cores = match self.coherence {
            Coherence::Broadcast { .. } => self.routers_with_cores(),
            Coherence::Directory { .. } => Vec::new(),
        };
        let mut shares = vec![0.0; self.channels.len()];
        for pair in &pairs {
            shares[pair.channel] += pair.share;
        }
        let mut read = IdleRead::default();
        for _ in 0..ROUNDS {
            let mut next = IdleRead::default();
            for pair in &pairs {
                let one = self.read_from(core, memory, pair, &shares, &with_cores, read.time());
                next.add_all(&one, pair.share);
            }
            next.add(IdlePart::Refresh, self.refreshes(&shares, read.time()));
            if next == read {
                break;
            }
            read = next;
        }
        Some(read)
    }

    /// The time that a link adds to a read that crosses it both ways: a request out and a line of data back, over the
    /// lanes that an idle link keeps.
    pub fn idle_round_trip(&self, link: usize) -> IdleRead {
        let rarely = Nanoseconds(f64::INFINITY);
        let [out, home] = [0, 1].map(|direction| DirectedLink::new(link, direction));
        let mut trip = IdleRead::default();
        trip.add_way(way(self, &[out], Packet::Request, rarely));
        trip.add_way(way(self, &[home], Packet::Data, rarely));
        trip
    }

    /// An idle read from one home agent and channel, without refreshes. `shares` are those of the channels in all loads,
    /// `between` is the time from one load to the next.
    fn read_from(
        &self,
        core: usize,
        memory: &NodeMemory,
        pair: &Pair,
        shares: &[f64],
        with_cores: &[bool],
        between: Nanoseconds,
    ) -> IdleRead {
        let kind = &self.core_kinds[self.cores[core].kind];
        let (asks, home) = (self.cores[core].router, &self.homes[pair.home]);
        let channel = &self.channels[pair.channel];
        let over = |from, to, packet| way(self, &self.path(from, to), packet, between);
        let mut asked = IdleRead::default();
        asked.add(IdlePart::ToRouter, kind.parameters.to_router);
        asked.add_way(over(asks, home.router, Packet::Request));
        asked.add(IdlePart::Home, home.parameters.latency);
        let mut read = asked;
        if let Coherence::Directory { lookup } = self.coherence {
            read.add(IdlePart::Lookup, lookup);
        }
        read.add_way(over(home.router, channel.router, Packet::Request));
        read.add(IdlePart::Row, channel.idle_row(between / shares[pair.channel]));
        read.add(IdlePart::Access, channel.parameters.access);
        if let Some(cache) = &memory.cache {
            read.add(IdlePart::Tag, cache.parameters.lookup);
        }
        let mut read = match self.coherence {
            Coherence::Directory { .. } => {
                read.add_way(over(channel.router, asks, Packet::Data));
                read
            }
            Coherence::Broadcast { lookup, collector: Collector::Requester } => {
                read.add_way(over(channel.router, asks, Packet::DataAndAnswer));
                read.later(self.last_answer(asked, home.router, asks, lookup, with_cores, between))
            }
            Coherence::Broadcast { lookup, collector: Collector::Home } => {
                let answers = self.last_answer(asked, home.router, home.router, lookup, with_cores, between);
                let mut collected = read.later(answers);
                collected.add_way(over(channel.router, asks, Packet::Data));
                collected
            }
        };
        read.add(IdlePart::FromRouter, kind.parameters.from_router);
        read
    }

    /// The time until the last answer of the caches that are probed from the home agent's router on has arrived.
    fn last_answer(
        &self,
        asked: IdleRead,
        home: usize,
        collector: usize,
        lookup: Nanoseconds,
        with_cores: &[bool],
        between: Nanoseconds,
    ) -> IdleRead {
        let tree = self.probe_tree(home);
        let mut last = asked;
        let mut probed = vec![(home, asked)];
        while let Some((at, probe)) = probed.pop() {
            for &link in &tree[at] {
                // A router forwards a probe only once it is complete, because it must know its destinations.
                let mut onward = probe;
                onward.add_way(way(self, &[link], Packet::Probe, between));
                let next = self.end(link);
                if with_cores[next] {
                    let mut answer = onward;
                    answer.add(IdlePart::Lookup, lookup);
                    answer.add_way(way(self, &self.path(next, collector), Packet::Response, between));
                    last = last.later(answer);
                }
                probed.push((next, onward));
            }
        }
        last
    }

    /// The mean time that refreshes add to a load, where loads are `between` apart.
    fn refreshes(&self, shares: &[f64], between: Nanoseconds) -> Nanoseconds {
        if between.get() <= 0.0 {
            return Nanoseconds(0.0);
        }
        let waits = self.channels.iter().zip(shares.iter().copied()).filter(|(_, share)| *share > 0.0);
        Nanoseconds(waits.map(|(channel, share)| channel.wait_for_refresh(share, between).get()).sum())
    }
}

impl Channel {
    /// The mean time that its refreshes add to a load of a worker, each of whose loads follows the one before by `between`. A load goes
    /// to this channel with a probability of `share`, and otherwise to another one.
    pub fn wait_for_refresh(&self, share: f64, between: Nanoseconds) -> Nanoseconds {
        let Some(refresh) = self.parameters.refresh else { return Nanoseconds(0.0) };
        // The row is opened meanwhile.
        let longest = (refresh.takes - self.idle_row(between / share)).get();
        let between = between.get();
        // Only the first load that meets a refresh waits for it; after that, it is over.
        let (mut begins, mut none_before, mut wait) = (0.0, 1.0, 0.0);
        while begins < longest && none_before > 1e-6 {
            let ends = f64::min(begins + between, longest);
            let met = (ends - begins) * (longest - (begins + ends) / 2.0);
            wait += none_before * share / between * met;
            none_before *= 1.0 - share;
            begins += between;
        }
        Nanoseconds(wait * between / refresh.every.get())
    }
}
