//! The route of a line between a requester's router and its home agent and channel.

use super::network::{Network, PathId};
use crate::tables::Protocol;
use crate::token::Packet;

/// A route through the machine, for lines of any class.
#[derive(Debug, Clone)]
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
    ends: Ends,
}

/// Where a route begins and ends.
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

/// The probes of fills from one home router, and the router that collects the answers.
#[derive(Debug, Clone)]
pub(crate) struct Probes {
    pub(crate) home: usize,
    pub(crate) collector: usize,
    /// Each router that answers: the probe's paths there, and the answer's path to the collector.
    pub(crate) branches: Vec<(Vec<PathId>, Option<PathId>)>,
    pub(crate) lookup: f64,
    /// When the last answer is in, without any waiting.
    pub(crate) unloaded: f64,
}

/// All routes of a workload's lines.
#[derive(Debug, Default)]
pub(crate) struct Routes {
    pub(crate) routes: Vec<Route>,
    pub(crate) probes: Vec<Probes>,
}

impl Routes {
    /// The rank of the route between these ends.
    pub(crate) fn find(&mut self, network: &Network, ends: Ends) -> usize {
        let known = self.routes.iter().position(|route| route.ends == ends);
        known.unwrap_or_else(|| {
            let route = self.route(network, ends);
            self.routes.push(route);
            self.routes.len() - 1
        })
    }

    fn route(&mut self, network: &Network, ends: Ends) -> Route {
        let Ends { requester, home, source } = ends;
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
            Protocol::Broadcast { .. } => cache_lookup(network),
        };
        Route {
            home,
            channel: if let Source::Channel(channel) = source { Some(channel) } else { None },
            request: network.path(Packet::Request, requester, agent),
            onward: network.path(onward, agent, from),
            data: network.path(data, from, requester),
            done: network.path(Packet::Response, requester, agent).filter(|_| requester_collects),
            probes: probed
                .then(|| self.probes(network, agent, if requester_collects { requester } else { agent })),
            write: network.path(Packet::Write, requester, agent),
            write_onward: network.path(Packet::Write, agent, from),
            acknowledgement: network.path(Packet::Response, from, requester),
            lookup: if probed { 0.0 } else { lookup },
            ends,
        }
    }

    fn probes(&mut self, network: &Network, home: usize, collector: usize) -> usize {
        let same = |probes: &Probes| (probes.home, probes.collector) == (home, collector);
        self.probes.iter().position(same).unwrap_or_else(|| {
            let answer = |router: usize| network.path(Packet::Response, router, collector);
            let reached = network.trees[home].reached.iter();
            let branches: Vec<(Vec<PathId>, Option<PathId>)> =
                reached.map(|(router, paths)| (paths.clone(), answer(*router))).collect();
            let lookup = cache_lookup(network);
            let time = |(paths, answer): &(Vec<PathId>, Option<PathId>)| {
                paths.iter().chain(answer).map(|&path| network.time(path)).sum::<f64>() + lookup
            };
            let unloaded = branches.iter().map(time).fold(0.0, f64::max);
            self.probes.push(Probes { home, collector, branches, lookup, unloaded });
            self.probes.len() - 1
        })
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

fn cache_lookup(network: &Network) -> f64 {
    crate::time::nanoseconds(network.tables.lookup()).get()
}
