//! The route of a line between a requester's router and its home agent and channel.

use super::excerpt::Excerpt;
use super::stations::PathId;
use crate::tables::Protocol;
use crate::token::Packet;

/// A route through the machine, for lines of any class.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Route {
    pub(crate) home: usize,
    /// The station of its channels; `None` for a line that comes from another core's cache.
    pub(crate) channel: Option<usize>,
    pub(crate) request: Option<PathId>,
    /// From the home agent to the channel, or to the cache that has the line.
    pub(crate) onward: Option<PathId>,
    pub(crate) data: Option<PathId>,
    /// The message to the home agent that a fill is done.
    pub(crate) done: Option<PathId>,
    /// Rank of the probes that a fill sends out.
    pub(crate) probes: Option<usize>,
    pub(crate) write: Option<PathId>,
    pub(crate) write_onward: Option<PathId>,
    pub(crate) acknowledgement: Option<PathId>,
    /// Looking a line up, where that is on the fill's critical path.
    pub(crate) lookup: f64,
}

/// Where a route begins and ends in the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ends {
    pub(crate) requester: usize,
    pub(crate) home: usize,
    pub(crate) source: Source,
}

/// Where a line comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// A station of channels.
    Channel(usize),
    /// Another core's cache, at that router.
    Cache(usize),
}

/// The probes of fills from one home router, whose answers one router collects.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Probes {
    /// The tree that they take: first the home router, then the others that they reach.
    pub(super) tree: Vec<Reached>,
    /// Each router that answers: the probe's paths there, and the answer's path to the collector.
    pub(crate) branches: Vec<(Vec<PathId>, Option<PathId>)>,
    pub(crate) lookup: f64,
    /// When the last answer is in, without any waiting.
    pub(crate) unloaded: f64,
}

/// A router that probes reach.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reached {
    /// Where it forwards them: the path, and the rank of the router.
    pub(super) forwards: Vec<(PathId, usize)>,
    /// Whether its caches answer, and the path of the answer.
    pub(super) answers: bool,
    pub(super) answer: Option<PathId>,
}

/// All routes of a workload's lines.
#[derive(Debug, Default)]
pub(crate) struct Routes {
    pub(crate) routes: Vec<Route>,
    pub(crate) probes: Vec<Probes>,
    /// By route; and by probes the home router and the collector.
    ends: Vec<Ends>,
    probed: Vec<(usize, usize)>,
}

impl Routes {
    /// The rank of the route between these ends.
    pub(crate) fn find(&mut self, excerpt: &mut Excerpt<'_>, ends: Ends) -> usize {
        let known = self.ends.iter().position(|route| *route == ends);
        known.unwrap_or_else(|| {
            let route = self.route(excerpt, ends);
            self.routes.push(route);
            self.ends.push(ends);
            self.routes.len() - 1
        })
    }

    fn route(&mut self, excerpt: &mut Excerpt<'_>, ends: Ends) -> Route {
        let Ends { requester, home, source } = ends;
        let network = excerpt.network;
        let agent = network.homes[home].router;
        let (from, onward) = match source {
            Source::Channel(channel) => (network.channels[channel].router, Packet::Onward),
            Source::Cache(owner) => (owner, Packet::Probe),
        };
        let handed_over = matches!(source, Source::Cache(_));
        let protocol = network.tables.protocol;
        let requester_collects = matches!(protocol, Protocol::Broadcast { requester_collects: true, .. });
        let with_answer = requester_collects && !handed_over;
        let data = if with_answer { Packet::DataAndAnswer } else { Packet::Data };
        let probed = matches!(protocol, Protocol::Broadcast { .. }) && !handed_over;
        let lookup = match protocol {
            Protocol::Directory { lookup } => super::network::time(lookup),
            Protocol::Broadcast { .. } => cache_lookup(excerpt),
        };
        Route {
            home: excerpt.home(home),
            channel: match source {
                Source::Channel(channel) => Some(excerpt.channel(channel)),
                Source::Cache(_) => None,
            },
            request: excerpt.path(Packet::Request, requester, agent),
            onward: excerpt.path(onward, agent, from),
            data: excerpt.path(data, from, requester),
            done: requester_collects.then(|| excerpt.path(Packet::Response, requester, agent)).flatten(),
            probes: probed
                .then(|| self.probes(excerpt, agent, if requester_collects { requester } else { agent })),
            write: excerpt.path(Packet::Write, requester, agent),
            write_onward: excerpt.path(Packet::Write, agent, from),
            acknowledgement: excerpt.path(Packet::Response, from, requester),
            lookup: if probed { 0.0 } else { lookup },
        }
    }

    fn probes(&mut self, excerpt: &mut Excerpt<'_>, home: usize, collector: usize) -> usize {
        let known = self.probed.iter().position(|&probed| probed == (home, collector));
        known.unwrap_or_else(|| {
            self.probes.push(probes(excerpt, home, collector));
            self.probed.push((home, collector));
            self.probes.len() - 1
        })
    }
}

fn probes(excerpt: &mut Excerpt<'_>, home: usize, collector: usize) -> Probes {
    let network = excerpt.network;
    let trees = &network.tables.probes;
    let lookup = cache_lookup(excerpt);
    let reached = |answers| Reached { forwards: Vec::new(), answers, answer: None };
    let (mut tree, mut branches) = (vec![reached(false)], Vec::new());
    let mut open = vec![(0, home, Vec::new())];
    while let Some((rank, at, path)) = open.pop() {
        for child in trees.children(home as u16, at as u16) {
            let child = trees.child(child);
            let answers = trees.has_cores(child);
            let child = usize::from(child);
            let Some(edge) = excerpt.path(Packet::Probe, at, child) else { continue };
            let rank_of_child = tree.len();
            tree[rank].forwards.push((edge, rank_of_child));
            tree.push(reached(answers));
            let mut path: Vec<PathId> = path.clone();
            path.push(edge);
            if answers {
                let answer = excerpt.path(Packet::Response, child, collector);
                branches.push((path.clone(), answer));
                if let Some(reached) = tree.last_mut() {
                    reached.answer = answer;
                }
            }
            open.push((rank_of_child, child, path));
        }
    }
    let time = |(paths, answer): &(Vec<PathId>, Option<PathId>)| {
        paths.iter().chain(answer).map(|&path| excerpt.stations.time(path)).sum::<f64>() + lookup
    };
    let unloaded = branches.iter().map(time).fold(0.0, f64::max);
    Probes { tree, branches, lookup, unloaded }
}

impl Probes {
    /// The paths of all probes.
    pub(super) fn edges(&self) -> impl Iterator<Item = PathId> {
        self.tree.iter().flat_map(|reached| &reached.forwards).map(|forward| forward.0)
    }
}

impl Route {
    /// The paths of a fill's packets, without its probes.
    pub(crate) fn of_fill(&self) -> impl Iterator<Item = PathId> {
        [self.request, self.onward, self.data, self.done].into_iter().flatten()
    }

    /// The paths of a write's packets.
    pub(crate) fn of_write(&self) -> impl Iterator<Item = PathId> {
        [self.write, self.write_onward, self.acknowledgement].into_iter().flatten()
    }
}

fn cache_lookup(excerpt: &Excerpt<'_>) -> f64 {
    crate::time::nanoseconds(excerpt.network.tables.lookup()).get()
}
