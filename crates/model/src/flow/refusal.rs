//! Workloads and machines that mean-value analysis refuses.

use zerohop_machine::PackageId;
use zerohop_machine_file::{
    CacheLatency, ChannelParameters, CoreKind, CoreParameters, Hardware, HomeAgentParameters, InFlight,
    Narrowing, Networks, OnFull, OutboundFrom, Packets, Release, SideCache, SideCacheParameters, Turnaround,
    WireParameters,
};
use zerohop_workload::EngineError;

use super::class::Class;
use super::excerpt::Named;
use super::solve::Solver;
use super::stations::{Leg, PathId};
use crate::tables::Protocol;
use crate::token::Packet;

/// Share of a link's buffers that may be in use on average. Beyond it they run out repeatedly, and a packet that
/// waits for a buffer blocks others: where that matters, the result depends on the order of arrivals, which mean-value
/// analysis does not model.
const BUFFERS_IN_USE: f64 = 0.8;

/// Tolerance of the search, as a share of a station's time: utilization cannot exceed 1 by more.
const OVERFULL: f64 = 1.05;

/// Share of a table that may be in use where requests that find it full are sent back.
const TABLE_IN_USE: f64 = 0.7;

/// Share of what an agent takes that all workers together could have in flight there, where requests that find it full are
/// sent back. Below it no burst fills the table of one agent among several, so the state without retries is the only one.
const COULD_BE_IN_FLIGHT: f64 = 0.7;

/// Share of a table, and of a link that carries both probes and data, above which the two hold each other up: the
/// table waits for answers, and the answers wait behind the data of entries that the table has freed; both come in
/// bursts.
const TABLE_FULL: f64 = 0.95;
const LINK_FULL: f64 = 0.85;

/// Share of a line's time that open rows may save in random order. The number of lines that find their row open
/// changes until every bank has been used several times, which takes longer than a sample of the event engine.
const SAVED_BY_ROWS: f64 = 0.01;

/// Links on the paths of all kinds of packets between all routers, added up, beyond which they take too much memory: a ring of
/// 128 routers has 4 million, a mesh of 16 by 16 has 5 million.
const MOST_LEGS: usize = 10_000_000;

/// Why mean-value analysis refuses a workload.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// Packets wait for buffers and block others meanwhile.
    #[error(
        "{share:.0} % of the buffers of link {link} would be in use: packets that wait for one block others"
    )]
    Buffers {
        link: String,
        /// In use, in per cent; above 100 where demand exceeds the buffers.
        share: f64,
    },
    /// Requests are sent back and retried.
    #[error("{share:.0} % of the table of home agent {home} would be in use: rejected requests are retried")]
    Retries {
        home: String,
        /// In use, in per cent; above 100 where demand exceeds the table.
        share: f64,
    },
    /// More lines could be in flight than an agent takes that sends back what it cannot take: beside the solution there
    /// may be a second state, in which the agent is busy with retries.
    #[error(
        "{lines:.0} lines could be in flight at home agent {home}, whose limit is {limit}: once it rejects requests, retries may keep it busy"
    )]
    SecondState {
        home: String,
        /// Lines that could be in flight there.
        lines: f64,
        /// Lines that it takes.
        limit: f64,
    },
    /// A table waits for answers, and these wait behind the data of what leaves the table.
    #[error(
        "{share:.0} % of the table of home agent {home} and {busy:.0} % of link {link}, over which its probes go, would be in use: \
         responses come in bursts"
    )]
    Bursts {
        home: String,
        /// In use of its table, in per cent.
        share: f64,
        link: String,
        /// Busy, in per cent.
        busy: f64,
    },
    /// More requests would be outstanding than may leave a package or a router.
    #[error(
        "{share:.0} % of the outstanding requests that may leave through home agent {home} would be in use"
    )]
    Outbound {
        home: String,
        /// In use, in per cent.
        share: f64,
    },
    /// Requests go before answers and writes, and leave these little time.
    #[error("home agent {home}, which prioritizes requests, would be busy for {share:.0} % of the time")]
    Preference {
        home: String,
        /// Busy, in per cent.
        share: f64,
    },
    /// A link drops lanes and takes them back.
    #[error("link {link} would carry {share:.0} % of its capacity, at which it drops lanes")]
    Narrowing {
        link: String,
        /// Carried, in per cent.
        share: f64,
    },
    /// Random lines of a small buffer find rows open, more of them the longer it is used.
    #[error(
        "open rows would save {share:.0} % of the time of random lines in such a small buffer, and more the longer it is used"
    )]
    OpenRows {
        /// Of the time of a line, in per cent.
        share: f64,
    },
    /// The machine has a part that the solver does not model.
    #[error("the flow solver does not model {what}")]
    Unknown { what: &'static str },
    /// The paths between all pairs of routers take too much memory.
    #[error("the paths between {routers} routers take too much memory in the flow solver")]
    TooLarge {
        /// Routers of the machine.
        routers: usize,
    },
    /// The search for the equilibrium did not end.
    #[error("no equilibrium was found")]
    NotSettled,
}

impl From<Refusal> for EngineError {
    fn from(refusal: Refusal) -> Self {
        Self::NeedsSimulation { reason: refusal.to_string() }
    }
}

/// The part of a machine that the solver does not model, if any.
///
/// Parameters are destructured without `..`: a new one does not compile until it is decided here whether the solver models it.
pub(crate) fn unknown(hardware: &Hardware) -> Option<Refusal> {
    let links = || hardware.links.iter().find_map(|link| unknown_of_link(&link.parameters));
    let caches =
        || hardware.memories.iter().find_map(|memory| memory.cache.as_ref().map(unknown_of_side_cache));
    let channels = || hardware.channels.iter().find_map(|channel| unknown_of_channel(&channel.parameters));
    let homes = || hardware.homes.iter().find_map(|home| unknown_of_home(&home.parameters));
    let cores = || hardware.core_kinds.iter().find_map(unknown_of_core);
    match links().or_else(caches).or_else(channels).or_else(homes).or_else(cores) {
        Some(what) => Some(Refusal::Unknown { what }),
        None => too_large(hardware),
    }
}

fn too_large(hardware: &Hardware) -> Option<Refusal> {
    let routers = hardware.routers.len();
    // Packets that go nowhere have paths as well.
    let hops = |to: usize| hardware.hops_to(to).into_iter().map(|hops| hops.max(1)).sum::<usize>();
    let legs = (0..routers).map(hops).sum::<usize>() * Packet::COUNT;
    (legs > MOST_LEGS).then_some(Refusal::TooLarge { routers })
}

fn unknown_of_link(link: &WireParameters) -> Option<&'static str> {
    let WireParameters {
        latency: _,
        passes_on: _,
        control: _,
        // Whether it changes the width depends on the load: `Solver::refusal` decides that.
        narrowing: Some(Narrowing { to_one_in: _, window: _, below: _, above: _, change: _ }) | None,
        networks,
        packets: Packets { request: _, probe: _, response: _, data: _, write: _, credit: _ },
    } = link;
    (*networks == Networks::Separate).then_some("meshes with wires for each kind of packet")
}

const fn unknown_of_side_cache(cache: &SideCache) -> &'static str {
    let SideCacheParameters { size: _, lookup: _, tag_read_by: _, pages: _ } = cache.parameters;
    "memory-side caches"
}

fn unknown_of_channel(channel: &ChannelParameters) -> Option<&'static str> {
    let ChannelParameters {
        efficiency: _,
        parts: _,
        access: _,
        queue,
        banks: _,
        row: _,
        row_miss: _,
        precharge: _,
        close_after: _,
        row_cycle: _,
        bank_block: _,
        row_group: _,
        refresh: _,
        turnaround: Turnaround { to_write: _, to_read: _ },
        write_batch: _,
        store_gap: _,
    } = channel;
    queue.map(|_| "channels with a limited queue")
}

const fn unknown_of_home(home: &HomeAgentParameters) -> Option<&'static str> {
    let HomeAgentParameters {
        latency: _,
        slot: _,
        table: _,
        local_limit: _,
        remote_limit: _,
        on_full: OnFull::Wait | OnFull::Retry | OnFull::Recirculate,
        retry_delay: _,
        requests_in_a_row: _,
        release: Release::Read | Release::Sent,
        outbound_limit: _,
        outbound_from: OutboundFrom::Package | OutboundFrom::Router,
    } = home;
    None
}

fn unknown_of_core(kind: &CoreKind) -> Option<&'static str> {
    let CoreParameters {
        clock: _,
        threads: _,
        in_flight: InFlight { sequential: _, strided: _, random: _, ahead },
        evictions: _,
        write_combining: _,
        issue: _,
        to_router: _,
        from_router: _,
    } = kind.parameters;
    kind.caches.iter().for_each(|&CacheLatency { level: _, size: _, latency: _, misses: _ }| ());
    ahead.map(|_| "streams with a limited run-ahead")
}

impl Solver<'_> {
    /// Why the solution cannot be trusted, if so.
    pub(crate) fn refusal(&self, named: Named<'_>) -> Option<Refusal> {
        if !self.solution.settled || self.is_overfull() {
            return Some(Refusal::NotSettled);
        }
        if let Some(refusal) = self.refusal_of_buffers(named) {
            return Some(refusal);
        }
        for (wire, facts) in self.stations.wires.iter().enumerate() {
            let busy = self.solution.credits[wire].busy;
            if facts.all_lanes_above.is_some_and(|above| busy > 0.0 && busy < above) {
                return Some(Refusal::Narrowing { link: named.link(wire).to_string(), share: busy * 100.0 });
            }
        }
        self.refusal_of_homes(named)
            .or_else(|| self.refusal_of_probes(named))
            .or_else(|| self.refusal_of_rows())
    }

    /// Random lines that find rows open.
    fn refusal_of_rows(&self) -> Option<Refusal> {
        let saved = |class: &Class| -> f64 {
            let routes = class.routes.iter().filter_map(|&(route, share)| {
                let channel = self.routes[route].channel?;
                let users = &self.solution.channels[channel].users;
                Some(share * self.stations.channels[channel].banks.saved(users))
            });
            routes.sum()
        };
        let random = self.classes.iter().zip(&self.solution.times).filter(|(class, _)| class.streams == 0.0);
        let shares = random.map(|(class, times)| saved(class) / times.fill);
        let share = shares.fold(0.0, f64::max);
        (share > SAVED_BY_ROWS).then_some(Refusal::OpenRows { share: share * 100.0 })
    }

    /// Whether any station carries more than it can: the solution is then no equilibrium, however steady it looks.
    fn is_overfull(&self) -> bool {
        let solution = &self.solution;
        let wires = self.wires.iter().map(|(wire, _)| solution.credits[*wire].busy);
        let homes = solution.homes.iter().zip(&self.stations.homes);
        let slots = homes.map(|(state, home)| state.rate * home.slot);
        let channels = solution.channels.iter().zip(&self.stations.channels);
        let buses = channels.map(|(state, facts)| (state.reads + state.writes) * facts.line);
        wires.chain(slots).chain(buses).any(|busy| busy > OVERFULL)
    }

    /// Packets that wait for buffers and block others. Where each request has one answer, the same link throttles all of
    /// them in the end, and a chase beside them waits as they do. Not so where writes compete with answers for the link, or
    /// where packets in a full buffer on its path wait for the next one; and probes hold up traffic that they are not part of.
    /// Nor where workers with all their lines come to one full link, page after page, and there hold up those that do not use it.
    fn refusal_of_buffers(&self, named: Named<'_>) -> Option<Refusal> {
        let stations = self.stations;
        let each = stations.lanes_each;
        let probes = matches!(stations.protocol, Protocol::Broadcast { .. });
        let share = |lane: usize| self.solution.held[lane] / stations.lanes[lane].buffers;
        let is_full = |lane: usize| share(lane) > BUFFERS_IN_USE;
        let full: Vec<usize> = (0..stations.lanes.len()).filter(|&lane| is_full(lane)).collect();
        let holds_up = |lane: usize| {
            probes
                || self.is_on_path_of_chase(lane / each) && (self.writes() || self.is_in_chains(is_full))
                || self.writes() && self.moves_on_by_page() && self.forks(lane)
        };
        let held_up = full.into_iter().filter(|&lane| holds_up(lane));
        let lane = held_up.max_by(|&one, &other| share(one).total_cmp(&share(other)))?;
        let link = named.link(lane / each).to_string();
        Some(Refusal::Buffers { link, share: share(lane) * 100.0 })
    }

    /// Whether a chase shares a wire with others.
    fn is_on_path_of_chase(&self, wire: usize) -> bool {
        self.classes.len() > 1 && self.legs_of_chases().any(|leg| leg.wire == wire)
    }

    /// Whether any lines go to memory.
    fn writes(&self) -> bool {
        self.classes.iter().any(|class| class.dirty + class.past > 0.0)
    }

    /// Whether a chase goes through full buffers while packets that hold one of those wait for another.
    fn is_in_chains(&self, is_full: impl Fn(usize) -> bool) -> bool {
        let is_chain = |legs: &[Leg]| legs.iter().all(|leg| is_full(leg.lane));
        self.legs_of_chases().any(|leg| is_full(leg.lane))
            && self.used_paths().any(|path| self.stations.legs(path).windows(2).any(is_chain))
    }

    /// Whether any worker's pages are in several places, so that all its lines are in one of them at a time.
    fn moves_on_by_page(&self) -> bool {
        self.classes.iter().any(|class| class.page > 1 && class.routes.len() > 1)
    }

    /// Whether packets in a lane that go on over a full link hold up others that do not.
    fn forks(&self, lane: usize) -> bool {
        let onward = |legs: &[Leg]| {
            let place = legs.iter().position(|leg| leg.lane == lane)?;
            Some(legs.get(place + 1).map(|leg| leg.wire))
        };
        let onward: Vec<_> = self.used_paths().filter_map(|path| onward(self.stations.legs(path))).collect();
        let is_full =
            |wire: &Option<usize>| wire.is_some_and(|wire| self.solution.credits[wire].busy > LINK_FULL);
        onward.iter().any(is_full) && onward.iter().any(|wire| *wire != onward[0])
    }

    fn used_paths(&self) -> impl Iterator<Item = PathId> {
        let rates = self.paths.iter().zip(&self.solution.path_rates);
        rates.filter(|(_, rate)| **rate > 0.0).map(|(&path, _)| path)
    }

    /// What the fills of chases go over.
    fn legs_of_chases(&self) -> impl Iterator<Item = &Leg> {
        let chases = self.classes.iter().filter(|class| class.is_chase);
        let paths = chases.flat_map(|class| &class.routes).flat_map(|of| self.routes[of.0].of_fill());
        paths.flat_map(|path| self.stations.legs(path))
    }

    /// Probes of a full table over a full link.
    fn refusal_of_probes(&self, named: Named<'_>) -> Option<Refusal> {
        for route in self.routes {
            let Some(probes) = route.probes else { continue };
            let (state, home) = (&self.solution.homes[route.home], &self.stations.homes[route.home]);
            let share = (state.held[0] + state.held[1]) / home.table;
            if share < TABLE_FULL {
                continue;
            }
            let edges = self.probes[probes].edges();
            let wires = edges.flat_map(|edge| self.stations.legs(edge)).map(|leg| leg.wire);
            let busy = |wire: &usize| self.solution.credits[*wire].busy;
            let Some(wire) = wires.max_by(|one, other| busy(one).total_cmp(&busy(other))) else { continue };
            if busy(&wire) > LINK_FULL {
                return Some(Refusal::Bursts {
                    home: named.home(route.home),
                    share: share.min(1.0) * 100.0,
                    link: named.link(wire).to_string(),
                    busy: busy(&wire).min(1.0) * 100.0,
                });
            }
        }
        None
    }

    fn refusal_of_homes(&self, named: Named<'_>) -> Option<Refusal> {
        let homes = self.solution.homes.iter().zip(&self.stations.homes).enumerate();
        for (rank, (state, home)) in homes {
            let name = || named.home(rank);
            let busy = state.rate * home.slot;
            if home.prefers && busy > TABLE_IN_USE {
                return Some(Refusal::Preference { home: name(), share: busy * 100.0 });
            }
            let out = home.outbound.map_or(0.0, |limit| self.out(rank) / (limit * home.count));
            if out > TABLE_IN_USE {
                return Some(Refusal::Outbound { home: name(), share: out * 100.0 });
            }
            if !home.retries {
                continue;
            }
            let [local, remote] = state.held;
            let share =
                ((local + remote) / home.table).max(local / home.limits[0]).max(remote / home.limits[1]);
            if share > TABLE_IN_USE {
                return Some(Refusal::Retries { home: name(), share: share * 100.0 });
            }
            let [local, remote] = self.could_be_in_flight(rank);
            let limits = [(local, home.limits[0]), (remote, home.limits[1]), (local + remote, home.table)];
            if let Some((lines, limit)) =
                limits.into_iter().find(|(lines, limit)| *lines > COULD_BE_IN_FLIGHT * limit)
            {
                return Some(Refusal::SecondState { home: name(), lines, limit });
            }
        }
        None
    }

    /// Lines of local and of remote workers that could be in flight at once at each of these home agents: all that the
    /// workers may have in flight, as far as their packages let them out. Writes take no place in its table.
    fn could_be_in_flight(&self, home: usize) -> [f64; 2] {
        let homes = &self.stations.homes;
        let (mut local, mut remote) = (0.0, Vec::<(Option<PackageId>, f64)>::new());
        for class in self.classes.iter().filter(|class| class.fills > 0.0) {
            let shares = class.routes.iter().filter(|(route, _)| self.routes[*route].home == home);
            let lines = class.workers * class.window * shares.map(|route| route.1).sum::<f64>();
            match remote.iter_mut().find(|known| known.0 == class.package) {
                _ if class.is_local_to(&homes[home]) => local += lines,
                Some(known) => known.1 += lines,
                None => remote.push((class.package, lines)),
            }
        }
        let leaves = |package: Option<PackageId>| {
            let agents = homes.iter().filter(|home| home.package == package);
            agents
                .map(|home| home.outbound.unwrap_or(f64::INFINITY) * home.count)
                .reduce(|one, other| one + other)
        };
        let remote =
            remote.into_iter().map(|(package, lines)| lines.min(leaves(package).unwrap_or(f64::INFINITY)));
        let count = homes[home].count;
        [local / count, remote.sum::<f64>() / count]
    }

    /// Outstanding requests to memory elsewhere that a home agent lets out: those of its package's cores, or of those at its router.
    fn out(&self, home: usize) -> f64 {
        let homes = &self.stations.homes;
        let here = &homes[home];
        let is_near = |class: &Class, home: usize| match here.outbound_of_router {
            true => class.router == homes[home].router,
            false => class.is_local_to(&homes[home]),
        };
        let of = |(rank, class): (usize, &Class)| {
            let away = class.routes.iter().filter(|(route, _)| !is_near(class, self.routes[*route].home));
            let time = away.map(|&(route, share)| {
                let times = &self.solution.route_times[route];
                share * (times.request + times.home + times.memory + times.data + times.probes)
            });
            self.solution.throughput[rank] * class.fills * time.sum::<f64>()
        };
        self.classes.iter().enumerate().filter(|(_, class)| is_near(class, home)).map(of).sum()
    }
}
