//! Nodes of a machine that can change places without any difference.

use std::collections::BTreeMap;

use zerohop_units::Bytes;

use crate::{DirectedLink, Hardware, Link};
use zerohop_machine::{NodeId, PackageId};

/// A permutation of a machine's nodes that leaves it the same.
pub type Symmetry = BTreeMap<NodeId, NodeId>;

/// More symmetries than this are not needed: each only saves work.
const MOST: usize = 512;

/// Steps of the search after which it contents itself with what it has.
const STEPS: usize = 200_000;

/// The permutations of nodes under which routers, routes, links, cores and memories stay the same. The identity is one of them.
pub fn symmetries(hardware: &Hardware) -> Vec<Symmetry> {
    let parts: Vec<NodeParts> =
        hardware.machine.nodes.iter().map(|node| NodeParts::of(hardware, node.id)).collect();
    let mut search = Search { hardware, parts: &parts, found: Vec::new(), steps: 0 };
    search.extend(&mut Vec::new());
    let identity: Symmetry = parts.iter().map(|part| (part.node, part.node)).collect();
    if !search.found.contains(&identity) {
        search.found.push(identity);
    }
    search.found
}

/// What is at a node.
struct NodeParts {
    node: NodeId,
    package: Option<PackageId>,
    memory: Bytes,
    /// Kinds of its cores, in their order, then the number of its home agents and of its channels.
    kinds: Vec<usize>,
    homes: Vec<String>,
    channels: Vec<String>,
    /// Routers of its cores, home agents and channels, in their order.
    routers: Vec<usize>,
}

impl NodeParts {
    fn of(hardware: &Hardware, node: NodeId) -> Self {
        let machine = &hardware.machine;
        let is_here = |pu| machine.pu(pu).is_some_and(|pu| pu.node == node);
        let cores = machine.cores.iter().zip(&hardware.cores);
        let cores: Vec<_> = cores.filter(|(core, _)| core.pus.first().is_some_and(is_here)).collect();
        let memory = hardware.memory(node);
        let homes: Vec<_> =
            memory.iter().flat_map(|memory| &memory.homes).map(|&rank| &hardware.homes[rank]).collect();
        let channels: Vec<_> =
            memory.iter().flat_map(|memory| &memory.channels).map(|&rank| &hardware.channels[rank]).collect();
        let routers = cores.iter().map(|(_, place)| place.router);
        let routers = routers.chain(homes.iter().map(|home| home.router));
        let routers = routers.chain(channels.iter().map(|channel| channel.router)).collect();
        Self {
            node,
            package: cores.first().and_then(|(core, _)| Some(machine.pu(core.pus.first()?)?.package)),
            memory: machine.node(node).map_or(Bytes(0), |node| node.memory),
            kinds: cores.iter().map(|(_, place)| place.kind).collect(),
            homes: homes.iter().map(|home| home.kind.clone()).collect(),
            channels: channels.iter().map(|channel| channel.kind.clone()).collect(),
            routers,
        }
    }

    /// Whether two nodes have the same parts, wherever these are.
    fn is_like(&self, other: &Self) -> bool {
        self.memory == other.memory
            && self.kinds == other.kinds
            && self.homes == other.homes
            && self.channels == other.channels
            && self.routers.len() == other.routers.len()
    }
}

struct Search<'a> {
    hardware: &'a Hardware,
    parts: &'a [NodeParts],
    found: Vec<Symmetry>,
    steps: usize,
}

impl Search<'_> {
    /// Extends a permutation of the first nodes, by rank, in every way that is consistent.
    fn extend(&mut self, images: &mut Vec<usize>) {
        if images.len() == self.parts.len() {
            let pairs = images.iter().enumerate();
            let nodes = pairs.map(|(from, &to)| (self.parts[from].node, self.parts[to].node));
            self.found.push(nodes.collect());
            return;
        }
        for image in 0..self.parts.len() {
            self.steps += 1;
            if self.found.len() >= MOST || self.steps > STEPS {
                return;
            }
            if images.contains(&image) || !self.parts[images.len()].is_like(&self.parts[image]) {
                continue;
            }
            images.push(image);
            if self.is_consistent(images) {
                self.extend(images);
            }
            images.pop();
        }
    }

    /// Whether a permutation of the first nodes maps routers to routers and routes to routes.
    fn is_consistent(&self, images: &[usize]) -> bool {
        let mut routers = OneToOne::default();
        for (from, &to) in images.iter().enumerate() {
            let pairs = self.parts[from].routers.iter().zip(&self.parts[to].routers);
            for (&router, &image) in pairs {
                let same = self.hardware.routers[router].traversal == self.hardware.routers[image].traversal;
                if !same || !routers.join(router, image) {
                    return false;
                }
            }
            for (other, &image) in images.iter().enumerate().take(from) {
                let package = |rank: usize| self.parts[rank].package;
                if (package(from) == package(other)) != (package(to) == package(image)) {
                    return false;
                }
            }
        }
        self.maps_routes(&routers)
    }

    fn maps_routes(&self, routers: &OneToOne) -> bool {
        let Hardware { links, routes, .. } = self.hardware;
        let mut joined = OneToOne::default();
        for (&from, &from_image) in &routers.forward {
            for (&to, &to_image) in &routers.forward {
                let mut path = routes.path(links, from, to);
                let mut image = routes.path(links, from_image, to_image);
                loop {
                    match (path.next(), image.next()) {
                        (None, None) => break,
                        (Some(link), Some(image))
                            if is_same(links, link, image) && joined.join(link.0, image.0) => {}
                        _ => return false,
                    }
                }
            }
        }
        true
    }
}

/// Whether two directions of links are alike.
fn is_same(links: &[Link], one: DirectedLink, other: DirectedLink) -> bool {
    let capacity = |link: DirectedLink| {
        let of = &links[link.link()];
        if link.direction() == 1 { of.back.unwrap_or(of.capacity) } else { of.capacity }
    };
    let (first, second) = (&links[one.link()], &links[other.link()]);
    first.kind == second.kind && first.wires == second.wires && capacity(one) == capacity(other)
}

/// Pairs of numbers, each of which occurs once on either side.
#[derive(Default)]
struct OneToOne {
    forward: BTreeMap<usize, usize>,
    back: BTreeMap<usize, usize>,
}

impl OneToOne {
    /// Adds a pair; whether it contradicts none.
    fn join(&mut self, from: usize, to: usize) -> bool {
        *self.forward.entry(from).or_insert(to) == to && *self.back.entry(to).or_insert(from) == from
    }
}
