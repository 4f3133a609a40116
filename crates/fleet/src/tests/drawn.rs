//! Fleets drawn at random, of which it is known who is bad and why.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use zerohop_result::{Axis, Coordinates, Measure};

use super::super::{Fact, Observation};
use super::{observation, value};

/// A fleet to draw.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    pub(super) nodes: usize,
    /// The share of bad ones.
    pub(super) bad: f64,
    /// What they lose, as a share, where they lose.
    pub(super) loss: f64,
    /// Whether one setting makes all of them bad.
    pub(super) one_setting: bool,
}

/// A fleet, and who is bad.
pub(super) struct Drawn {
    pub(super) fleet: Vec<Observation>,
    pub(super) bad: Vec<bool>,
}

/// Each value of a healthy node differs by this, as a standard deviation; one in fifty by three times as much.
const NOISE: f64 = 0.01;

/// Healthy nodes differ by this as a whole.
const NODE: f64 = 0.005;

/// Nodes are measured one after the other, and the last are slower by this: the room gets warmer.
const DRIFT: f64 = 0.01;

/// The share of values that a node lacks.
const MISSING: f64 = 0.03;

/// What makes a node bad.
#[derive(Clone, Copy)]
enum Fault {
    /// Its own memory, all of it.
    Memory,
    /// The memory of one node.
    Node,
    /// The links between two nodes.
    Link,
    /// Its own memory answers late.
    Late,
}

struct Chance(Pcg64Mcg);

impl Chance {
    fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * libm::log(self.uniform())).sqrt() * libm::cos(std::f64::consts::TAU * self.uniform())
    }

    fn happens(&mut self, share: f64) -> bool {
        self.uniform() < share
    }

    fn noise(&mut self) -> f64 {
        let times = if self.happens(0.02) { 3.0 } else { 1.0 };
        libm::exp(NOISE * times * self.normal())
    }
}

impl Plan {
    /// The fleet that this seed draws: two kinds of machine, of two and of eight nodes, two versions of firmware that differ in nothing.
    pub(super) fn draw(self, seed: u64) -> Drawn {
        let mut chance = Chance(Pcg64Mcg::seed_from_u64(seed));
        let mut drawn = Drawn { fleet: Vec::new(), bad: Vec::new() };
        let mut left = (self.bad * self.nodes as f64).round() as usize;
        for node in 0..self.nodes {
            // As many as planned, wherever they are.
            let bad = chance.happens(left as f64 / (self.nodes - node) as f64);
            left -= usize::from(bad);
            let drift = 1.0 - DRIFT * node as f64 / self.nodes as f64;
            drawn.fleet.push(self.node(&mut chance, node, bad, drift));
            drawn.bad.push(bad);
        }
        drawn
    }

    fn node(self, chance: &mut Chance, node: usize, bad: bool, drift: f64) -> Observation {
        // Few machines are of one kind.
        let large = self.nodes >= 16 && node.is_multiple_of(3);
        let numa: u64 = if large { 8 } else { 2 };
        let fault = match chance.uniform() {
            _ if self.one_setting => Fault::Memory,
            drawn if drawn < 0.25 => Fault::Memory,
            drawn if drawn < 0.5 => Fault::Node,
            drawn if drawn < 0.75 => Fault::Link,
            _ => Fault::Late,
        };
        let own = drift * libm::exp(NODE * chance.normal());
        let mut values = Vec::new();
        for (from, to) in (0..numa).flat_map(|from| (0..numa).map(move |to| (from, to))) {
            let is_link = [(0, 1), (1, 0)].contains(&(from, to));
            let slow = bad
                && match fault {
                    Fault::Memory => from == to,
                    Fault::Node => to == 1,
                    Fault::Link => is_link,
                    Fault::Late => false,
                };
            let late = bad && matches!(fault, Fault::Late) && from == to;
            let left = |hit: bool| if hit { 1.0 - self.loss } else { 1.0 };
            let at = Coordinates::new().with(Axis::Initiator, from).with(Axis::Target, to);
            let (bandwidth, latency) = if from == to { (100.0, 80.0) } else { (40.0, 140.0) };
            let bandwidth = bandwidth * own * left(slow) * chance.noise();
            let latency = latency / own / left(late) * chance.noise();
            if !chance.happens(MISSING) {
                values.push(value("bandwidth-matrix", Measure::Bandwidth, at.clone(), bandwidth));
            }
            if !chance.happens(MISSING) {
                values.push(value("latency-matrix", Measure::Latency, at, latency));
            }
        }
        let firmware = if chance.happens(0.3) { "1.4" } else { "1.5" };
        let setting = if bad && self.one_setting { "power saving" } else { "performance" };
        // The setting is also on some that it does not hurt, and racks are spread over all.
        let setting = if chance.happens(0.02) { "power saving" } else { setting };
        let facts = [
            ("processor", if large { "large" } else { "small" }.to_owned()),
            ("firmware", firmware.to_owned()),
            ("profile", setting.to_owned()),
            ("rack", format!("r{}", node / 40)),
            ("DIMM parts", ["a", "b", "c"][(chance.uniform() * 3.0) as usize].to_owned()),
            ("serial", node.to_string()),
        ];
        let facts = facts.into_iter().map(|(name, value)| Fact { name: name.to_owned(), value });
        observation(&format!("n{node:05}"), facts.collect(), values)
    }
}
