//! A line that is alone on a machine whose probes are broadcast: its probes, their answers and its data meet nobody but one another,
//! and always in the same way. Mean waiting times do not describe that; the order in which they are at each link does.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap};

use super::route::{Probes, Route};
use super::solve::Solver;
use super::stations::{PathId, Stations};
use crate::tables::Protocol;

/// The rank of the home router in a tree of probes.
const HOME: usize = 0;

/// What a lone line meets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Met {
    /// When the last answer to its probes is in, counted from the time at which the home agent sends them.
    pub(super) last: f64,
    /// Time of its data on the path.
    pub(super) data: f64,
}

impl Solver<'_> {
    /// Whether all that the machine does is one fill after another.
    pub(super) fn is_alone(&self) -> bool {
        let [class] = self.classes else { return false };
        class.workers == 1.0 && class.window == 1.0 && class.dirty + class.past == 0.0
    }

    /// What a lone line meets on a route with probes; `read` is when memory has read it, counted as [`Met::last`].
    pub(super) fn met(&self, route: &Route, probes: &Probes, read: f64) -> Met {
        let mut meeting = Meeting::new(self.stations, probes);
        meeting.forward(HOME, 0.0);
        let at_requester =
            matches!(self.stations.protocol, Protocol::Broadcast { requester_collects: true, .. });
        let together = route.data.filter(|_| at_requester);
        if let Some(data) = together {
            meeting.begin(data, read, Kind::Data);
        }
        meeting.end();
        let alone = || route.data.map_or(0.0, |data| self.stations.time(data));
        Met { last: meeting.last, data: together.map_or_else(alone, |_| meeting.data - read) }
    }
}

/// The packets of one line.
struct Meeting<'a> {
    stations: &'a Stations,
    probes: &'a Probes,
    /// Packets on their way, by when they are at their next link; of those that are there at once, the first begun is first.
    on_way: BinaryHeap<Reverse<OnWay>>,
    begun: usize,
    wires: BTreeMap<usize, Wire>,
    /// By virtual channel of a wire: when each buffer in use is free again.
    lanes: BTreeMap<usize, Vec<f64>>,
    last: f64,
    data: f64,
}

/// When a wire is free, for all packets and for those that may interrupt others.
#[derive(Debug, Default)]
struct Wire {
    free: f64,
    free_for_control: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A probe to the router of that rank in its tree.
    Probe(usize),
    Answer,
    Data,
}

/// A packet before a link of its path, or at the end of it.
#[derive(Debug, Clone, Copy)]
struct OnWay {
    at: f64,
    /// When all of it is there.
    whole: f64,
    begun: usize,
    path: PathId,
    leg: usize,
    kind: Kind,
}

impl Ord for OnWay {
    fn cmp(&self, other: &Self) -> Ordering {
        self.at.total_cmp(&other.at).then(self.begun.cmp(&other.begun))
    }
}

impl PartialOrd for OnWay {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for OnWay {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for OnWay {}

impl<'a> Meeting<'a> {
    fn new(stations: &'a Stations, probes: &'a Probes) -> Self {
        Self {
            stations,
            probes,
            on_way: BinaryHeap::new(),
            begun: 0,
            wires: BTreeMap::new(),
            lanes: BTreeMap::new(),
            last: 0.0,
            data: 0.0,
        }
    }

    fn begin(&mut self, path: PathId, at: f64, kind: Kind) {
        self.begun += 1;
        self.on_way.push(Reverse(OnWay { at, whole: at, begun: self.begun, path, leg: 0, kind }));
    }

    /// Forwards probes from a router.
    fn forward(&mut self, router: usize, at: f64) {
        let probes = self.probes;
        for &(path, child) in &probes.tree[router].forwards {
            self.begin(path, at, Kind::Probe(child));
        }
    }

    /// Moves all packets to their ends.
    fn end(&mut self) {
        while let Some(Reverse(packet)) = self.on_way.pop() {
            match self.stations.legs(packet.path).get(packet.leg) {
                Some(_) => self.cross(packet),
                None => self.arrive(packet),
            }
        }
    }

    /// A packet crosses a link, as soon as the link is free and has a buffer for it.
    fn cross(&mut self, packet: OnWay) {
        let legs = self.stations.legs(packet.path);
        let leg = &legs[packet.leg];
        let wire = self.wires.entry(leg.wire).or_default();
        let may_interrupt = leg.queue % 2 == 1;
        let mut start = packet.at.max(if may_interrupt { wire.free_for_control } else { wire.free });
        let in_use = self.lanes.entry(leg.lane).or_default();
        in_use.retain(|&until| until > start);
        let buffers = self.stations.lanes[leg.lane].buffers as usize;
        if in_use.len() >= buffers {
            in_use.sort_unstable_by(f64::total_cmp);
            start = start.max(in_use[in_use.len() - buffers]);
        }
        in_use.push(start + leg.hold);
        if may_interrupt {
            // A packet that it interrupts has left as far as the event engine is concerned: only the next one is later.
            wire.free_for_control = start + leg.send;
        }
        wire.free = wire.free.max(start) + leg.send;
        // As in the event engine, the last byte cannot leave before it has arrived.
        let facts = &self.stations.wires[leg.wire];
        let spread = facts.spread[self.stations.packet(packet.path) as usize];
        let whole = f64::max(start + leg.send, packet.whole - spread) + spread + facts.latency;
        let head = if may_interrupt { leg.send } else { facts.head.min(leg.send) };
        let is_last = packet.leg + 1 == legs.len();
        let at = if is_last || facts.passes_on_whole { whole } else { start + head + facts.latency };
        self.on_way.push(Reverse(OnWay { at, whole, leg: packet.leg + 1, ..packet }));
    }

    /// A packet is at the end of its path.
    fn arrive(&mut self, packet: OnWay) {
        match packet.kind {
            Kind::Probe(router) => {
                self.forward(router, packet.at);
                let reached = &self.probes.tree[router];
                if !reached.answers {
                    return;
                }
                let answer = packet.at + self.probes.lookup;
                match reached.answer {
                    Some(path) => self.begin(path, answer, Kind::Answer),
                    None => self.last = self.last.max(answer),
                }
            }
            Kind::Answer => self.last = self.last.max(packet.at),
            Kind::Data => self.data = packet.at,
        }
    }
}
