//! A machine, as far as it does not change from one workload to the next.
//!
//! Times are in ns and rates in lines per ns throughout the solver. All of them come from the tables of the event
//! engine, with the same rounding, so that both engines model the same machine.

use std::collections::BTreeMap;
use std::sync::Arc;

use num_integer::gcd;
use zerohop_machine::{PackageId, PuId};
use zerohop_machine_file::{Channel, Control, Hardware, HomeAgent, OutboundFrom, Refresh, Spread};

use super::bank::Banks;
use super::stations::{Channels, Home, Lane, Wire};
use crate::misses::SharedMisses;
use crate::observe::Parts;
use crate::tables::Tables;
use crate::time::{Fine, Ticks, fine_in_ticks, nanoseconds};
use crate::token::Packet;
use crate::wire;

/// Most lines of a memory that are located to find its share at each place.
const LOOKED_AT: u64 = 1 << 14;

/// A machine, ready for any number of workloads.
#[derive(Debug)]
pub(crate) struct Network {
    pub(crate) hardware: Arc<Hardware>,
    pub(crate) tables: Tables,
    pub(crate) parts: Parts,
    /// Two for each link: one direction, and the other.
    pub(crate) wires: Vec<wire::Wire>,
    pub(crate) homes: Vec<Home>,
    pub(crate) channels: Vec<Channels>,
    /// Where each node's memory resides: portions of its lines, by home agents and channels.
    pub(crate) portions: Vec<Vec<Portion>>,
    /// Core and package of each PU.
    pub(crate) pus: BTreeMap<PuId, (usize, Option<PackageId>)>,
    /// Misses that cores share.
    pub(crate) misses: SharedMisses,
    /// The station of each home agent and of each channel.
    pub(crate) home_station: Vec<usize>,
    pub(crate) channel_station: Vec<usize>,
}

/// A portion of a memory's lines, and where they reside.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Portion {
    pub(crate) home: usize,
    pub(crate) channel: usize,
    pub(crate) share: f64,
}

pub(crate) fn time(fine: Fine) -> f64 {
    fine_in_ticks(fine) * nanoseconds(1).get()
}

pub(super) fn delay(ticks: Ticks) -> f64 {
    nanoseconds(ticks).get()
}

impl Network {
    pub(crate) fn new(hardware: &Arc<Hardware>) -> Self {
        let mut tables = Tables::new(hardware);
        let probes = Arc::make_mut(&mut tables.probes);
        (0..tables.routers).for_each(|home| probes.lay(hardware, home as u16));
        let places: Vec<Vec<(usize, usize, f64)>> =
            (0..hardware.memories.len()).map(|rank| shares(hardware, &tables, rank)).collect();
        let homes = alike(hardware.homes.len(), |one, other| {
            like_homes(&hardware.homes[one], &hardware.homes[other])
                && tables.homes[one].package == tables.homes[other].package
                && same_share(&places, |place| place.0, one, other)
        });
        let channels = alike(hardware.channels.len(), |one, other| {
            like_channels(&hardware.channels[one], &hardware.channels[other])
                && same_share(&places, |place| place.1, one, other)
        });
        Self {
            parts: Parts::new(hardware),
            wires: tables.wires(hardware),
            homes: homes.groups.iter().map(|group| home(hardware, &tables, group)).collect(),
            channels: channels.groups.iter().map(|group| channels_of(hardware, group)).collect(),
            portions: places.iter().map(|places| grouped(places, &homes.of, &channels.of)).collect(),
            pus: pus(hardware),
            misses: SharedMisses::new(hardware),
            home_station: homes.of,
            channel_station: channels.of,
            hardware: Arc::clone(hardware),
            tables,
        }
    }

    /// What the solver has to know of a direction of a link.
    pub(super) fn wire(&self, rank: usize) -> Wire {
        let (wire, link) = (&self.wires[rank], &self.hardware.links[rank / 2].parameters);
        Wire {
            head: time(wire.head()),
            latency: delay(wire.latency()),
            spread: Packet::ALL.map(|packet| delay(wire.spread(packet))),
            passes_on_whole: wire.passes_on_whole(),
            credit: time(wire.credit().0),
            credit_bytes: wire.credit().1,
            inserts_control: link.control == Control::Inserted,
            all_lanes_above: link.narrowing.as_ref().map(|narrowing| narrowing.above.0),
            bytes: Packet::ALL.map(|packet| wire.bytes(packet)),
        }
    }

    pub(super) fn lanes(&self, wire: usize) -> impl Iterator<Item = Lane> {
        let buffers = self.hardware.links[wire / 2].buffers;
        let channels = [buffers.request, buffers.write, buffers.probe, buffers.response];
        let lanes = self.tables.lanes as usize;
        let each = lanes / Packet::VIRTUAL_CHANNELS;
        (0..lanes).map(move |rank| Lane { buffers: f64::from(channels[rank / each].max(1)) })
    }
}

/// Core and package of each PU.
fn pus(hardware: &Hardware) -> BTreeMap<PuId, (usize, Option<PackageId>)> {
    let cores = hardware.machine.cores.iter().enumerate();
    let pus = cores.flat_map(|(rank, core)| core.pus.iter().map(move |pu| (pu, rank)));
    pus.map(|(pu, core)| (pu, (core, hardware.machine.pu(pu).map(|pu| pu.package)))).collect()
}

/// The share of a memory's lines at each place: home agent, channel, share.
fn shares(hardware: &Hardware, tables: &Tables, rank: usize) -> Vec<(usize, usize, f64)> {
    let memory = &hardware.memories[rank];
    let grains = [(&memory.home_spread, memory.homes.len()), (&memory.channel_spread, memory.channels.len())];
    // Where both are interleaved, the pattern repeats after as many bytes as both patterns fit into.
    let interleaved = grains.map(|(spread, units)| match spread {
        Spread::Interleaved(grain) => Some((grain.get(), grain.get() * units as u64)),
        Spread::Mixed | Spread::Hashed(_) => None,
    });
    let (step, count) = match interleaved {
        [Some((home, homes)), Some((channel, channels))] => {
            let step = home.min(channel).max(64);
            let together = (homes / gcd(homes, channels)).saturating_mul(channels);
            (step, (together / step).clamp(1, LOOKED_AT))
        }
        _ => (64, LOOKED_AT),
    };
    let mut places: Vec<(usize, usize, f64)> = Vec::new();
    for line in 0..count {
        let location = tables.locate(rank as u16, line * step);
        let (home, channel) = (usize::from(location.home), usize::from(location.channel));
        match places.iter_mut().find(|place| (place.0, place.1) == (home, channel)) {
            Some(place) => place.2 += 1.0 / count as f64,
            None => places.push((home, channel, 1.0 / count as f64)),
        }
    }
    places
}

/// Items grouped by likeness.
struct Groups {
    groups: Vec<Vec<usize>>,
    of: Vec<usize>,
}

fn alike(count: usize, like: impl Fn(usize, usize) -> bool) -> Groups {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut of = Vec::with_capacity(count);
    for rank in 0..count {
        let group = groups.iter().position(|group| like(group[0], rank));
        let group = group.unwrap_or_else(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[group].push(rank);
        of.push(group);
    }
    Groups { groups, of }
}

fn like_homes(one: &HomeAgent, other: &HomeAgent) -> bool {
    HomeAgent { name: other.name.clone(), ..one.clone() } == *other
}

fn like_channels(one: &Channel, other: &Channel) -> bool {
    Channel { name: other.name.clone(), ..one.clone() } == *other
}

/// Whether two parts carry the same share of every memory.
fn same_share(
    places: &[Vec<(usize, usize, f64)>],
    part: impl Fn(&(usize, usize, f64)) -> usize,
    one: usize,
    other: usize,
) -> bool {
    let share = |memory: &[(usize, usize, f64)], rank: usize| -> f64 {
        memory.iter().filter(|place| part(place) == rank).map(|place| place.2).sum()
    };
    places.iter().all(|memory| (share(memory, one) - share(memory, other)).abs() < 1e-3)
}

fn grouped(places: &[(usize, usize, f64)], homes: &[usize], channels: &[usize]) -> Vec<Portion> {
    let mut groups: Vec<Portion> = Vec::new();
    for &(home, channel, share) in places {
        let (home, channel) = (homes[home], channels[channel]);
        match groups.iter_mut().find(|portion| (portion.home, portion.channel) == (home, channel)) {
            Some(portion) => portion.share += share,
            None => groups.push(Portion { home, channel, share }),
        }
    }
    groups
}

fn home(hardware: &Hardware, tables: &Tables, group: &[usize]) -> Home {
    let agent = &tables.homes[group[0]];
    Home {
        count: group.len() as f64,
        router: usize::from(agent.router),
        latency: delay(agent.latency),
        slot: time(agent.slot),
        table: f64::from(agent.table),
        limits: agent.limits.map(f64::from),
        retries: agent.retry.is_some() || agent.recirculation.is_some(),
        prefers: agent.requests_in_a_row.is_some(),
        holds_until_sent: agent.holds_until_sent,
        outbound: hardware.homes[group[0]].parameters.outbound_limit.map(f64::from),
        outbound_of_router: agent.outbound_from == OutboundFrom::Router,
        package: agent.package,
    }
}

fn channels_of(hardware: &Hardware, group: &[usize]) -> Channels {
    let channel = &hardware.channels[group[0]];
    let turning = channel.parameters.turnaround.to_write.get() + channel.parameters.turnaround.to_read.get();
    let refresh = channel.parameters.refresh;
    let refresh_takes = refresh.map_or(0.0, |Refresh { every: _, takes }| takes.get());
    let available = 1.0 - refresh.map_or(0.0, |Refresh { every, takes }| takes.get() / every.get());
    Channels {
        count: group.len() as f64,
        router: channel.router,
        line: channel.line_time().get() / available,
        access: channel.parameters.access.get(),
        batch: f64::from(channel.parameters.write_batch.clamp(1, crate::channel::LARGEST_BATCH as u32)),
        turning,
        store_gap: channel.parameters.store_gap.get() / available,
        refresh_takes,
        available,
        banks: Banks::new(channel),
    }
}
