//! Input for writing a machine file: the values of a template and the solved times.

use zerohop_document::Parameter;
use zerohop_units::{Hertz, Nanoseconds};

use super::draft::Basis;
use super::tables::{Arrangement, Generation, Known, Structure};

/// Times that are chosen so that idle latencies are as stated. Idle latency is linear in each of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Times {
    /// Between a core and its router, there and back.
    pub(super) core: Nanoseconds,
    /// On a wire between two NUMA nodes of a socket.
    pub(super) cluster: Nanoseconds,
    /// On a wire between two sockets.
    pub(super) link: Nanoseconds,
    /// On the wire of a CXL device.
    pub(super) cxl: Nanoseconds,
    /// On the wire of high-bandwidth memory.
    pub(super) hbm: Nanoseconds,
}

impl Times {
    /// Start values of the search.
    pub(super) const FIRST: Self = Self {
        core: Nanoseconds(20.0),
        cluster: Nanoseconds(5.0),
        link: Nanoseconds(20.0),
        cxl: Nanoseconds(50.0),
        hbm: Nanoseconds(5.0),
    };
}

/// The values of a template, with their sources.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    pub(super) template: &'a str,
    pub(super) title: &'a str,
    pub(super) vendor: &'a str,
    pub(super) model: &'a str,
    pub(super) technology: &'a str,
    pub(super) broadcast: bool,
    pub(super) structure: Structure,
    pub(super) arrangement: Option<Arrangement>,
    pub(super) known: Known,
    pub(super) generation: Generation,
    pub(super) parameters: &'a [Parameter],
    pub(super) assumed: Vec<String>,
    /// Known errors of such predictions.
    pub(super) errors: &'a [String],
    /// The study without which its parameters are chosen, if there is one.
    pub(super) without: Option<&'a str>,
    /// Links of a socket unless the user states them: `generation.remote` is for these.
    pub(super) usual_links: u32,
    /// Clock of the cores unless the user states it: `generation.l3_latency` is for this.
    pub(super) usual_clock: Hertz,
    pub(super) times: Times,
}

impl Plan<'_> {
    /// Source of the parameter at that path.
    pub(super) fn basis(&self, path: &str) -> Basis {
        match self.parameter(path) {
            Some(parameter) => Basis::of(self.template, parameter),
            None => Basis::assumed(&format!("template {}: the usual value", self.template)),
        }
    }

    /// The parameter of that path, if the template or the user states it.
    pub(super) fn parameter(&self, path: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.path == path)
    }

    /// One sentence on the machine.
    pub(super) fn heading(&self) -> String {
        let Known { sockets, cores, channels, rate, .. } = self.known;
        let of_each =
            [(sockets, "socket"), (cores, "core"), (channels, "channel")].map(|(n, what)| counted(n, what));
        let [sockets, cores, channels] = of_each;
        format!("{}: {sockets} of {cores} and {channels} of {} at {rate}", self.title, self.technology)
    }

    /// Whether the user stated it.
    pub(super) fn is_given(&self, path: &str) -> bool {
        self.parameter(path).is_some_and(|parameter| parameter.source == super::words::GIVEN)
    }

    /// The number of the node of that rank in its socket.
    pub(super) fn node(&self, socket: u32, rank: u32) -> u32 {
        socket * self.known.nodes + rank
    }

    pub(super) fn nodes(&self) -> u32 {
        self.known.sockets * self.known.nodes
    }

    pub(super) fn cxl(&self) -> u32 {
        self.known.cxl.unwrap_or(0)
    }

    /// Rank of the socket that they are attached to.
    pub(super) const fn cxl_socket(&self) -> u32 {
        self.known.cxl_socket - 1
    }

    /// Wires between two sockets that are joined, and the pairs that are.
    pub(super) fn joined(&self) -> (u32, Vec<[u32; 2]>) {
        let (sockets, links) = (self.known.sockets, self.known.links);
        let all = || (0..sockets).flat_map(move |one| (one + 1..sockets).map(move |other| [one, other]));
        match sockets {
            1 => (0, Vec::new()),
            // Everybody with everybody, as far as the links go round.
            _ if links >= sockets - 1 => (links / (sockets - 1), all().collect()),
            // Two links: a ring.
            _ if links == 2 => (1, (0..sockets).map(|one| ordered(one, (one + 1) % sockets)).collect()),
            // Three of eight: a cube whose upper side is twisted, so that no socket is more than two links away from most.
            _ => (1, all().filter(|[one, other]| is_cube_edge(*one, *other)).collect()),
        }
    }

    /// The latency of the last-level cache. Before it, the core looks into a cache that answers in cycles of its own clock: at a low
    /// one that takes as long as the last-level cache does at the usual one, which comes after it nevertheless.
    pub(super) fn l3_latency(&self) -> Nanoseconds {
        let l2 = |clock: Hertz| f64::from(self.generation.l2_cycles) * 1e9 / clock.get();
        let usual = self.generation.l3_latency.get();
        let beyond = 0.5 * (usual - l2(self.usual_clock));
        Nanoseconds(usual.max(l2(self.known.clock) + beyond))
    }

    /// The idle latency of local memory, and its parameter.
    pub(super) fn local(&self) -> (Nanoseconds, &'static str) {
        match (self.known.local, self.generation.local_of_cluster) {
            (Some(known), _) => (known, "known.local"),
            (None, Some(clustered)) if self.known.nodes > 1 => (clustered, "generation.local_of_cluster"),
            _ => (self.generation.local, "generation.local"),
        }
    }

    /// The share of a channel's bandwidth that sequential reads reach, if it is stated, and its source.
    pub(super) fn efficiency(&self) -> Option<(f64, Basis)> {
        let Generation { efficiency, efficiency_of_cluster, .. } = &self.generation;
        let (share, path) = match efficiency_of_cluster {
            Some(share) if self.known.nodes > 1 => (*share, "generation.efficiency_of_cluster"),
            _ => ((*efficiency)?, "generation.efficiency"),
        };
        Some((share.0, self.basis(path)))
    }

    /// Whether the nodes of a socket lie in a row.
    pub(super) fn is_row(&self) -> bool {
        self.known.nodes > 1 && self.arrangement == Some(Arrangement::Row)
    }

    /// Links that each node of a socket has of its own to the node of the same rank in the other socket, if it has any.
    pub(super) fn cluster_links(&self) -> Option<u32> {
        let Known { sockets, nodes, links, .. } = self.known;
        let own = self.generation.cluster_links.filter(|_| sockets == 2 && nodes > 1)?;
        Some(own.min(links / nodes)).filter(|&own| own > 0)
    }

    /// The share of a link's raw rate that reads get as data, and its source.
    pub(super) fn link_data(&self) -> (f64, Basis) {
        match self.generation.link_data_of_cluster.filter(|_| self.cluster_links().is_some()) {
            Some(share) => (share.0, self.basis("generation.link_data_of_cluster")),
            None => (self.generation.link_data.0, self.basis("generation.link_data")),
        }
    }

    /// The idle latency of another socket's memory over one link, and its parameter.
    pub(super) fn remote(&self) -> (Nanoseconds, &'static str) {
        if let Some(known) = self.known.remote {
            return (known, "known.remote");
        }
        let generation = &self.generation;
        let wires = self.joined().0;
        let usual = if self.known.sockets == 2 { self.usual_links } else { 1 };
        let fewer = if wires < usual { generation.fewer_links.get() } else { 0.0 };
        let is_tiled = generation.tiled_from.is_some_and(|least| self.known.cores >= least);
        let more = fewer + if is_tiled { generation.tiled_adds.get() } else { 0.0 };
        let (remote, path, usual_local) = match (self.known.nodes, generation.remote_of_cluster) {
            (1, _) => (generation.remote.get(), "generation.remote", generation.local),
            (_, Some(remote)) => {
                let local = generation.local_of_cluster.unwrap_or(generation.local);
                (remote.get(), "generation.remote_of_cluster", local)
            }
            _ => {
                let local = generation.local_of_cluster.unwrap_or(generation.local);
                let beside = generation.cluster.unwrap_or(local).get() - local.get();
                // Quadrants of an I/O die are nearer to half of the far memory, and farther from the other half.
                let across = if self.structure == Structure::Chiplets { 0.0 } else { 0.5 * beside };
                (generation.remote.get() + across, "generation.remote", local)
            }
        };
        // A stated local latency moves the remote one along: the way from the link to the memory is the same.
        let moved = self.known.local.map_or(0.0, |local| local.get() - usual_local.get());
        (Nanoseconds(remote + more + moved), path)
    }
}

/// `3 links`.
pub(super) fn counted(count: u32, what: &str) -> String {
    zerohop_units::counted(count as usize, what)
}

const fn ordered(one: u32, other: u32) -> [u32; 2] {
    if one < other { [one, other] } else { [other, one] }
}

/// Edges of a cube of eight sockets; of fewer sockets, those that are left.
const fn is_cube_edge(one: u32, other: u32) -> bool {
    (one ^ other).is_power_of_two()
}
