//! Workers that are alike, grouped into classes.

use std::collections::BTreeSet;

use zerohop_machine::{PackageId, PuId};
use zerohop_machine_file::{CoreKind, Hardware};
use zerohop_units::{Bytes, Hertz, Nanoseconds};
use zerohop_workload::{
    Activity, Demand, EngineError, LineState, Passing, Placement, Role, Worker, Workload,
};

use super::excerpt::{Excerpt, Names};
use super::network::Network;
use super::route::{Ends, Probes, Route, Routes, Source};
use super::stations::{Home, Stations};
use crate::buffer::Buffer;
use crate::pattern::{Order, Pattern};
use crate::token::Intent;
use crate::worker_roles::{Taken, cached_step, only_supplies, page_of, partner, place};

/// Lines that count for a page, at most: simulations alternate between huge pages as well, in pieces of them.
const LONGEST_PAGE: u64 = 64;

/// Workers that are alike: same kind of core at the same router, memory in the same places, same activity.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Class {
    /// The router and the package of the workers' cores.
    pub(crate) router: usize,
    pub(crate) package: Option<PackageId>,
    pub(crate) foreground: bool,
    /// Whether each line's address depends on the one before it.
    pub(crate) is_chase: bool,
    pub(crate) workers: f64,
    /// What each worker does with the lines that it walks through, over and over.
    pub(crate) pattern: Vec<Intent>,
    /// Consecutive lines in one place, where there are several places.
    pub(crate) page: u32,
    /// Distance in lines at which a dirty line is written back.
    pub(crate) behind: f64,
    /// Per worker: fills in flight, dirty lines held, and lines in flight that bypass the caches.
    pub(crate) window: f64,
    pub(crate) evictions: f64,
    pub(crate) combining: f64,
    /// Shares of the pattern's lines: those fetched, those of the fetched that are written back, and those that
    /// bypass the caches.
    pub(crate) fills: f64,
    pub(crate) dirty: f64,
    pub(crate) past: f64,
    /// Per line of the pattern: lines that the program asked for, and lines that the bus carries.
    pub(crate) asked: f64,
    pub(crate) bus: f64,
    pub(crate) to_router: f64,
    pub(crate) from_router: f64,
    pub(crate) eviction: f64,
    pub(crate) pace: Pace,
    /// Streams of ascending lines per worker; zero for random access.
    pub(crate) streams: f64,
    /// The routes of its lines, by rank, and the share of each.
    pub(crate) routes: Vec<(usize, f64)>,
    /// By route: share of lines in random order that hit the same row as the previous line in their bank.
    pub(crate) same_row: Vec<f64>,
    /// Lines of one step of a chase.
    pub(crate) lines_of_step: f64,
    /// The worker that bounces the same line, by rank; then its class.
    pub(crate) partner: Option<usize>,
}

/// What limits a worker besides its lines in flight.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Pace {
    /// Least time between two lines of the pattern, and time between two that the demand allows.
    pub(crate) issue: f64,
    pub(crate) paced: f64,
    /// Pause after every burst, and the lines of a burst.
    pub(crate) pause: Option<(f64, f64)>,
}

impl Pace {
    /// What a demand imposes on lines that each stand for that many requested ones, at that clock of the core.
    fn of(demand: Demand, asked: f64, clock: Hertz) -> Self {
        let (paced, pause) = match demand {
            Demand::Unlimited => (0.0, None),
            Demand::Rate(rate) => (64.0 * asked / rate.get(), None),
            Demand::Delay(cycles) => {
                let time = f64::from(cycles) / clock.get() * 1e9;
                (0.0, Some((time, Demand::BURST.get() as f64 / 64.0)))
            }
        };
        Self { issue: 0.0, paced, pause }
    }

    /// Least mean time between two lines.
    pub(crate) fn spacing(self) -> f64 {
        self.issue.max(self.paced)
    }
}

/// The key by which workers are alike.
#[derive(Debug, Clone, PartialEq)]
struct Key {
    kind: usize,
    router: usize,
    package: Option<PackageId>,
    role: Role,
    placement: Placement,
    activity: Activity,
    demand: Demand,
    /// Its part of the misses that it shares with others.
    part: u32,
}

impl Key {
    fn activity_is_clean(&self) -> bool {
        matches!(self.activity, Activity::LineTransfer { passing: Passing::Fetch(LineState::Clean), .. })
    }
}

/// What a worker is to the solver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Member {
    /// One of the workers of a class, by rank.
    Of(usize),
    /// A worker whose data stays in a cache: every step takes this long.
    Cached(Nanoseconds),
    /// A worker that only keeps lines in its cache, for another worker to fetch.
    Supplier,
}

/// A workload, as far as the solver has to know it, and the part of the machine that it uses.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Problem {
    pub(crate) classes: Vec<Class>,
    pub(crate) routes: Vec<Route>,
    pub(crate) probes: Vec<Probes>,
    pub(crate) stations: Stations,
}

/// A workload, and what its problem leaves out.
#[derive(Debug)]
pub(crate) struct Posed {
    pub(crate) members: Vec<Member>,
    pub(crate) page: Bytes,
    pub(crate) names: Names,
    pub(crate) problem: Problem,
}

impl Posed {
    /// # Errors
    /// When a worker's PU is not there, or its buffer does not fit.
    pub(crate) fn new(network: &Network, workload: &Workload) -> Result<Self, EngineError> {
        let hardware = &network.hardware;
        let page = page_of(hardware, workload.pages);
        let mut members = Vec::new();
        let mut classes = Classes::new(network);
        let parts = network.misses.parts(workload);
        let mut taken = Taken::new();
        for (rank, worker) in workload.workers.iter().enumerate() {
            let core = network.core(worker.pu)?;
            let kind = &hardware.core_kinds[hardware.cores[core].kind];
            let placed = place(hardware, worker, page, &mut taken)?;
            if only_supplies(workload, rank) {
                members.push(Member::Supplier);
                continue;
            }
            let member = match cached_step(hardware, workload, worker, kind) {
                Some(step) => Member::Cached(step),
                None => {
                    let key = Key {
                        kind: hardware.cores[core].kind,
                        router: hardware.cores[core].router,
                        package: network.package(worker.pu),
                        role: worker.role,
                        placement: worker.placement.clone(),
                        activity: worker.activity,
                        demand: worker.demand,
                        part: parts[rank],
                    };
                    Member::Of(classes.enter(workload, (rank, &placed), key)?)
                }
            };
            members.push(member);
        }
        let Classes { mut classes, routes: Routes { routes, probes, .. }, mut excerpt, .. } = classes;
        for class in &mut classes {
            class.partner = class.partner.and_then(|partner| match members[partner] {
                Member::Of(class) => Some(class),
                Member::Cached(_) | Member::Supplier => None,
            });
        }
        for class in &mut classes {
            excerpt.let_out(class.router, class.package);
            class.router = excerpt.router(class.router);
            class.package = excerpt.package(class.package);
        }
        let (stations, names) = excerpt.end();
        Ok(Self { members, page, names, problem: Problem { classes, routes, probes, stations } })
    }
}

/// The classes of the workers so far.
struct Classes<'a> {
    keys: Vec<Key>,
    classes: Vec<Class>,
    routes: Routes,
    excerpt: Excerpt<'a>,
}

impl<'a> Classes<'a> {
    fn new(network: &'a Network) -> Self {
        Self {
            keys: Vec::new(),
            classes: Vec::new(),
            routes: Routes::default(),
            excerpt: Excerpt::new(network),
        }
    }

    /// Adds a worker to the class of its kind; returns that class.
    fn enter(
        &mut self,
        workload: &Workload,
        (rank, placed): (usize, &Buffer),
        key: Key,
    ) -> Result<usize, EngineError> {
        let network = self.excerpt.network;
        let transfer = matches!(key.activity, Activity::LineTransfer { .. });
        if !transfer && let Some(known) = self.keys.iter().rposition(|known| *known == key) {
            self.classes[known].workers += 1.0;
            return Ok(known);
        }
        let partner = partner(workload, rank);
        let owner = match (transfer, partner) {
            (true, None) => {
                return Err(EngineError::Unsupported {
                    what: "a core-to-core transfer".to_owned(),
                    reason: "two workers must name the line".to_owned(),
                });
            }
            // A clean line comes from memory; caches only answer the probes.
            (true, Some(_)) if key.activity_is_clean() => None,
            (true, Some(partner)) => {
                let core = network.core(workload.workers[partner].pu)?;
                Some(network.hardware.cores[core].router)
            }
            (false, _) => None,
        };
        let mut class = class(&network.hardware, &workload.workers[rank], &key);
        for &(memory, _) in &placed.places {
            for portion in &network.portions[usize::from(memory)] {
                let source = owner.map_or(Source::Channel(portion.channel), Source::Cache);
                let ends = Ends { requester: key.router, home: portion.home, source };
                let route = self.routes.find(&mut self.excerpt, ends);
                let share = portion.share / placed.places.len() as f64;
                match class.routes.iter_mut().find(|known| known.0 == route) {
                    Some(known) => known.1 += share,
                    None => class.routes.push((route, share)),
                }
            }
        }
        if placed.places.len() > 1 {
            class.page = placed.page.min(LONGEST_PAGE) as u32;
        }
        let bytes = (placed.lines * placed.arrays * 64) as f64;
        class.same_row = if transfer {
            // A few lines, whose rows the machine's other users close meanwhile.
            vec![0.0; class.routes.len()]
        } else {
            class.routes.iter().map(|of| self.same_row(&class, of.0, bytes)).collect()
        };
        class.partner = partner;
        self.keys.push(key);
        self.classes.push(class);
        Ok(self.classes.len() - 1)
    }

    /// Share of a class's lines on a route, in random order over `bytes`, that hit the same row as the previous line
    /// in their bank.
    fn same_row(&self, class: &Class, route: usize, bytes: f64) -> f64 {
        let channel_of = |route: usize| self.routes.routes[route].channel;
        let Some(channel) = channel_of(route) else { return 0.0 };
        let here = class.routes.iter().filter(|of| channel_of(of.0) == Some(channel));
        let share: f64 = here.map(|of| of.1).sum();
        let channels = &self.excerpt.stations.channels[channel];
        channels.banks.same_row(bytes * share / channels.count)
    }
}

fn class(hardware: &Hardware, worker: &Worker, key: &Key) -> Class {
    let kind: &CoreKind = &hardware.core_kinds[key.kind];
    let of_core = &kind.parameters;
    let pattern = Pattern::of(worker.activity, &of_core.in_flight);
    let is_stream = pattern.streams;
    let lines = pattern.steps.len() as f64;
    let share = |wanted: &[Intent]| {
        pattern.steps.iter().filter(|step| wanted.contains(&step.intent)).count() as f64 / lines
    };
    let past = share(&[Intent::StorePast]);
    let dirty = share(&[Intent::Update, Intent::Store]);
    let asked = pattern.asked();
    let largest = kind.caches.iter().max_by_key(|cache| cache.size);
    let issue = if is_stream { of_core.issue.get() } else { 0.0 };
    let arrays: BTreeSet<u8> = pattern.steps.iter().map(|step| step.array).collect();
    let written = if dirty > 0.0 { 1.0 } else { 0.0 };
    Class {
        router: key.router,
        package: key.package,
        is_chase: matches!(key.activity, Activity::Chase { .. } | Activity::TimedChase { .. }),
        foreground: worker.role == Role::Foreground,
        workers: 1.0,
        pattern: if is_stream {
            pattern.steps.iter().map(|step| step.intent).collect()
        } else {
            vec![Intent::Load]
        },
        page: 1,
        behind: largest.map_or(0.0, |cache| (cache.size.get() / 64) as f64),
        window: f64::from(pattern.in_flight.max(1).min(key.part)),
        evictions: f64::from(of_core.evictions.max(1)),
        combining: f64::from(of_core.write_combining.max(1)),
        fills: 1.0 - past,
        dirty,
        past,
        asked,
        bus: 1.0 + dirty,
        to_router: of_core.to_router.get(),
        from_router: of_core.from_router.get(),
        eviction: largest.map_or(0.0, |cache| cache.latency.get()),
        pace: Pace { issue, ..Pace::of(worker.demand, asked, of_core.clock) },
        streams: if !is_stream || pattern.order == Order::Random {
            0.0
        } else {
            arrays.len() as f64 + written
        },
        routes: Vec::new(),
        same_row: Vec::new(),
        lines_of_step: match worker.activity {
            Activity::Chase { chains, .. } => f64::from(chains.max(1)),
            _ => 1.0,
        },
        partner: None,
    }
}

impl Class {
    /// Whether the workers are local to these home agents.
    pub(super) fn is_local_to(&self, home: &Home) -> bool {
        self.package == home.package
    }
}

impl Network {
    fn core(&self, pu: PuId) -> Result<usize, EngineError> {
        self.pus.get(&pu).map(|of| of.0).ok_or_else(|| EngineError::NoSuchPu {
            pu,
            reason: "the machine file has no such CPU".to_owned(),
        })
    }

    fn package(&self, pu: PuId) -> Option<PackageId> {
        self.pus.get(&pu).and_then(|of| of.1)
    }
}
