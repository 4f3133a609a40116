//! A workload's workers: those that become requesters of a simulation, and those whose data stays in a cache.

use std::collections::BTreeMap;

use rand_core::SeedableRng;
use rand_pcg::Pcg64Mcg;
use zerohop_machine::{NodeId, PuId};
use zerohop_machine_file::{CoreKind, CoreParameters, Hardware};
use zerohop_units::{Bytes, Hertz, Nanoseconds};
use zerohop_workload::{Activity, Demand, EngineError, Pages, Passing, Placement, Role, Worker, Workload};

use crate::buffer::Buffer;
use crate::misses::SharedMisses;
use crate::pattern::{Order, Pattern};
use crate::requester::{Done, Pause, Requester, Slots, below};
use crate::run_ahead::Ahead;
use crate::stream_pieces::Pieces;
use crate::time::{Ticks, ticks};

/// What a worker is to the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Member {
    /// A requester of the simulation, by rank.
    Simulated(u16),
    /// A worker whose data stays in a cache: every step takes this long, whatever the others do.
    Cached(Nanoseconds),
    /// A worker that only keeps lines in its cache, for another worker to fetch.
    Supplier,
}

/// The page size where the workload leaves the choice open.
const HUGE_PAGE: Bytes = Bytes::mib(2);

/// Largest deviation of a line's start from its mean. It keeps streams from falling into lockstep, which two cores of
/// a real machine never stay in for long.
const JITTER: Nanoseconds = Nanoseconds(2.0);

/// Workers begin at random within this time.
const DITHER: Nanoseconds = Nanoseconds(64.0);

/// The members of a workload and the requesters among them.
#[derive(Debug)]
pub(crate) struct WorkerRoles {
    pub(crate) members: Vec<Member>,
    pub(crate) requesters: Vec<Requester>,
    /// The page size of buffers.
    pub(crate) page: Bytes,
}

/// Bytes of each node's memory that buffers have taken so far.
pub(crate) type Taken = BTreeMap<NodeId, u64>;

/// The page size of buffers.
pub(crate) fn page_of(hardware: &Hardware, pages: Pages) -> Bytes {
    match pages {
        Pages::Base => hardware.machine.system.base_page.unwrap_or(Bytes::kib(4)),
        Pages::Best | Pages::Transparent | Pages::Huge2M => HUGE_PAGE,
        Pages::Huge1G => Bytes::gib(1),
    }
}

impl WorkerRoles {
    /// # Errors
    /// When a worker's PU is not there, or its buffer does not fit.
    pub(crate) fn new(hardware: &Hardware, workload: &Workload, seed: u64) -> Result<Self, EngineError> {
        let page = page_of(hardware, workload.pages);
        let mut cast = Self { members: Vec::new(), requesters: Vec::new(), page };
        let parts = SharedMisses::new(hardware).parts(workload);
        let mut taken = Taken::new();
        let is_kernel = |worker: &&Worker| matches!(worker.activity, Activity::Kernel { .. });
        let kernels = workload.workers.iter().filter(is_kernel).count();
        for (rank, worker) in workload.workers.iter().enumerate() {
            let kind = kind_of(hardware, worker.pu)?;
            let buffer = place(hardware, worker, page, &mut taken)?;
            if only_supplies(workload, rank) {
                cast.members.push(Member::Supplier);
                continue;
            }
            let member = match cached_step(hardware, workload, worker, kind) {
                Some(step) => Member::Cached(step),
                None => {
                    let random = random(seed, rank);
                    let partner = partner(workload, rank);
                    let owner = partner.and_then(|partner| hardware.core_of(workload.workers[partner].pu));
                    let owner = owner.map(|core| hardware.cores[core].router as u16);
                    let mut requester =
                        requester(hardware, (worker, parts[rank]), kind, buffer, random, owner)?;
                    requester.partner = partner.map(|partner| partner as u16);
                    if requester.order == Order::Ascending && requester.buffer.places.len() > 1 {
                        requester.pieces = Some(Pieces::new(&requester.buffer, kernels));
                    }
                    cast.requesters.push(requester);
                    Member::Simulated((cast.requesters.len() - 1) as u16)
                }
            };
            cast.members.push(member);
        }
        cast.rank_partners();
        Ok(cast)
    }

    /// Replaces partners' ranks in the workload by their ranks among the requesters.
    fn rank_partners(&mut self) {
        for requester in &mut self.requesters {
            requester.partner = requester.partner.and_then(|partner| match self.members[partner as usize] {
                Member::Simulated(rank) => Some(rank),
                Member::Cached(_) | Member::Supplier => None,
            });
        }
    }
}

/// A worker's own random numbers: adding another worker does not change them.
fn random(seed: u64, rank: usize) -> Pcg64Mcg {
    let mixed =
        (seed ^ 0x9e37_79b9_7f4a_7c15).wrapping_add((rank as u64 + 1).wrapping_mul(0xd134_2543_de82_ef95));
    Pcg64Mcg::seed_from_u64(mixed)
}

fn kind_of(hardware: &Hardware, pu: PuId) -> Result<&CoreKind, EngineError> {
    let core = hardware
        .core_of(pu)
        .ok_or_else(|| EngineError::NoSuchPu { pu, reason: "the machine file has no such CPU".to_owned() })?;
    Ok(&hardware.core_kinds[hardware.cores[core].kind])
}

/// The worker that passes the same lines.
pub(crate) fn partner(workload: &Workload, rank: usize) -> Option<usize> {
    let activity = workload.workers[rank].activity;
    let Activity::LineTransfer { .. } = activity else { return None };
    (0..workload.workers.len()).find(|&other| other != rank && workload.workers[other].activity == activity)
}

/// Whether a worker only keeps lines in its cache for another worker, which fetches them. Preparing them takes no simulated time.
pub(crate) fn only_supplies(workload: &Workload, rank: usize) -> bool {
    let fetch =
        matches!(workload.workers[rank].activity, Activity::LineTransfer { passing: Passing::Fetch(_), .. });
    fetch && partner(workload, rank).is_some_and(|partner| partner < rank)
}

/// Time of a step of a worker whose data stays in caches: a chase through a buffer that fits, or core-to-core
/// transfers between PUs that share a cache.
pub(crate) fn cached_step(
    hardware: &Hardware,
    workload: &Workload,
    worker: &Worker,
    kind: &CoreKind,
) -> Option<Nanoseconds> {
    match worker.activity {
        Activity::Chase { .. } | Activity::TimedChase { .. } => {
            // A chase uses every other line, and those map to every other set only: the whole buffer has to fit.
            kind.caches.iter().find(|cache| worker.buffer <= cache.size).map(|cache| cache.latency)
        }
        Activity::LineTransfer { passing, .. } => {
            let same = |other: &&Worker| other.activity == worker.activity && other.pu != worker.pu;
            let partner = workload.workers.iter().find(same)?;
            let shared = hardware.machine.data_caches(worker.pu);
            let level = shared.into_iter().find(|cache| cache.pus.contains(partner.pu))?.level;
            let cache = kind.caches.iter().find(|cache| cache.level == level)?;
            // A round trip is a miss of each of the two.
            Some(cache.latency * if passing.is_exchange() { 2.0 } else { 1.0 })
        }
        Activity::Kernel { .. } => None,
    }
}

/// Places a worker's buffer; its bytes are added to `taken`.
pub(crate) fn place(
    hardware: &Hardware,
    worker: &Worker,
    page: Bytes,
    taken: &mut Taken,
) -> Result<Buffer, EngineError> {
    let nodes = match &worker.placement {
        Placement::Node(node) => vec![*node],
        Placement::Interleaved(nodes) => nodes.clone(),
        Placement::FirstTouch(pu) => {
            let node = hardware.machine.pu(*pu).map(|pu| pu.node);
            vec![node.ok_or(EngineError::NoSuchPu {
                pu: *pu,
                reason: "the machine file has no such CPU".to_owned(),
            })?]
        }
    };
    let no_memory = |node: NodeId, reason: String| EngineError::NoMemory {
        wanted: worker.buffer,
        place: format!("node {node}"),
        reason,
    };
    // As many pages in each place: buffers of many workers are evenly spread together, and what matters are many pages.
    let count = nodes.len().max(1) as u64;
    let each = (worker.buffer.get() / count).next_multiple_of(page.get());
    let mut places = Vec::with_capacity(nodes.len());
    for &node in &nodes {
        let memory = hardware.memories.iter().position(|memory| memory.node == node);
        let memory = memory.ok_or_else(|| no_memory(node, "it has no memory".to_owned()))?;
        let size = hardware.machine.node(node).map_or(0, |node| node.memory.get());
        let base = taken.entry(node).or_default();
        if *base + worker.buffer.get() / nodes.len() as u64 > size {
            let free = Bytes(size.saturating_sub(*base));
            return Err(no_memory(node, format!("{free} of {} is free", Bytes(size))));
        }
        places.push((memory as u16, *base));
        *base += each;
    }
    if places.is_empty() {
        return Err(EngineError::Unsupported {
            what: "a buffer interleaved over no node".to_owned(),
            reason: "give at least one node".to_owned(),
        });
    }
    let arrays = match worker.activity {
        Activity::Kernel { kernel, .. } => u64::from(kernel.arrays()),
        Activity::Chase { .. } | Activity::TimedChase { .. } | Activity::LineTransfer { .. } => 1,
    };
    let bytes = if count > 1 { each * count } else { worker.buffer.get() };
    Ok(Buffer { places, page: page.get() / 64, lines: (bytes / 64 / arrays).max(1), arrays })
}

fn requester(
    hardware: &Hardware,
    (worker, part): (&Worker, u32),
    kind: &CoreKind,
    buffer: Buffer,
    mut random: Pcg64Mcg,
    owner: Option<u16>,
) -> Result<Requester, EngineError> {
    let core = hardware.core_of(worker.pu).unwrap_or_default();
    let CoreParameters {
        clock,
        // PUs are the machine's.
        threads: _,
        in_flight,
        evictions,
        write_combining,
        issue,
        to_router,
        from_router,
    } = kind.parameters;
    if let (Activity::LineTransfer { line, .. }, None) = (worker.activity, owner) {
        return Err(EngineError::Unsupported {
            what: format!("a core-to-core transfer of line {line}"),
            reason: "two workers must name the line".to_owned(),
        });
    }
    let pattern = Pattern::of(worker.activity, &in_flight);
    let (pace, pause) = (pace(worker.demand, &pattern), pause(worker.demand, clock));
    let Pattern { steps, order, in_flight: fills, streams } = pattern;
    let largest = kind.caches.iter().max_by_key(|cache| cache.size);
    let to_router = ticks(to_router);
    let first_line = below(&mut random, buffer.lines);
    Ok(Requester {
        package: hardware.machine.pu(worker.pu).map(|pu| pu.package),
        router: hardware.cores[core].router as u16,
        foreground: worker.role == Role::Foreground,
        to_router,
        from_router: ticks(from_router),
        order,
        buffer,
        pieces: None,
        write_back_lag: largest.map_or(0, |cache| cache.size.get() / 64),
        eviction: largest.map_or(0, |cache| ticks(cache.latency)),
        fills: Slots::new(fills.max(1).min(part)),
        ahead: in_flight.ahead.filter(|_| streams && order == Order::Ascending).map(Ahead::new),
        evictions: Slots::new(evictions.max(1)),
        combining: Slots::new(write_combining.max(1)),
        stalled: 0,
        spacing: if streams { ticks(issue) } else { 0 },
        pace,
        pause,
        partner: None,
        owner: owner.unwrap_or_default(),
        jitter: if streams { ticks(JITTER).min(to_router / 2) } else { 0 },
        random,
        done: Done::default(),
        last_line: 0,
        position: 0,
        // A random place in its arrays, the same in each: two workers do not start at the beginning of theirs at the
        // same time.
        cursors: [first_line; 4],
        next_start: 0,
        next_allowed: 0,
        pattern: steps,
    })
}

/// The time between two lines of a pattern that the demand allows; zero for any.
fn pace(demand: Demand, pattern: &Pattern) -> Ticks {
    match demand {
        Demand::Rate(rate) => ticks(Nanoseconds(64.0 * pattern.asked() / rate.get())).max(1),
        Demand::Unlimited | Demand::Delay(_) => 0,
    }
}

/// The pause that the demand puts after every burst of lines.
fn pause(demand: Demand, clock: Hertz) -> Option<Pause> {
    match demand {
        Demand::Delay(cycles) => Some(Pause {
            time: ticks(Nanoseconds(f64::from(cycles) / clock.get() * 1e9)),
            every: (Demand::BURST.get() / 64) as u32,
            since: 0,
        }),
        Demand::Unlimited | Demand::Rate(_) => None,
    }
}

/// When a worker starts.
pub(crate) fn begins(requester: &mut Requester) -> Ticks {
    below(&mut requester.random, ticks(DITHER))
}
