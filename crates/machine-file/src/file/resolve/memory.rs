//! Home agents, channels, and how the memory of nodes is distributed over them.

use zerohop_document::{ByName, Key, Problems, suggest};
use zerohop_units::{Bytes, TransfersPerSecond};

use super::fabric::Routers;
use super::inherited::drop_inherited;
use super::kinds::{ChannelForm, DeviceForm, HomeForm};
use super::maps::{ChannelMap, Maps};
use super::node::Node;
use crate::file::tables::{MachineTable, NodeTable};
use crate::hardware::UnitsTable;
use crate::{Channel, HomeAgent, NodeMemory, SideCache, SideCacheParameters};
use zerohop_machine::MemoryDevice;

/// More units of a kind than this indicate a garbled file.
const MOST_UNITS: usize = 16_384;

/// Everything that follows from memory.
pub(super) struct Memory {
    pub(super) homes: Vec<HomeAgent>,
    pub(super) channels: Vec<Channel>,
    pub(super) memories: Vec<NodeMemory>,
    /// The devices that SMBIOS would list; empty unless every channel describes them.
    pub(super) devices: Vec<MemoryDevice>,
}

/// The units of one sort, and which of them each wish gets.
struct Units {
    /// Every unit, with the ranks of its kind and of its router.
    list: Vec<Unit>,
    /// For each wish, the ranks of its units.
    by_wish: Vec<Vec<usize>>,
}

struct Unit {
    name: String,
    kind: usize,
    router: usize,
    /// Rank of the node that has it, its own rank there, and the number of units there.
    node: usize,
    rank: usize,
    of: usize,
    /// Whether it is part of a memory-side cache.
    of_cache: bool,
}

/// Units that a node asks for: its own, or another node's.
struct Wish<'t> {
    /// Rank of the node.
    node: usize,
    table: &'t UnitsTable,
    /// Whether a memory-side cache consists of them.
    of_cache: bool,
}

/// What nodes ask for, and what they get.
struct Granted<'t> {
    home_wishes: Vec<Wish<'t>>,
    homes: Units,
    channel_wishes: Vec<Wish<'t>>,
    channels: Units,
    maps: Maps,
}

/// The wishes of one sort, node by node.
fn wishes<'t>(
    nodes: &[Node<'t>],
    of_cache: bool,
    of: impl Fn(&'t NodeTable) -> Option<&'t UnitsTable>,
) -> Vec<Wish<'t>> {
    let wish = |(node, part): (usize, &Node<'t>)| Some(Wish { node, table: of(part.table)?, of_cache });
    nodes.iter().enumerate().filter_map(wish).collect()
}

pub(super) fn memory(
    tables: &MachineTable,
    nodes: &[Node<'_>],
    routers: &Routers,
    home_kinds: &[HomeForm],
    channel_kinds: &[ChannelForm],
    problems: &mut Problems,
) -> Option<Memory> {
    let home_wishes = wishes(nodes, false, |table| table.homes.as_ref());
    let homes = units("home agent", &tables.home, &home_wishes, nodes, routers, problems);
    let mut channel_wishes = wishes(nodes, false, |table| table.channels.as_ref());
    channel_wishes.extend(wishes(nodes, true, |table| Some(&table.cache.as_ref()?.channels)));
    let channels = units("channel", &tables.channel, &channel_wishes, nodes, routers, problems);
    let maps = Maps::new(tables, routers, problems);
    let (homes, channels, maps) = (homes?, channels?, maps?);
    let granted = Granted { home_wishes, homes, channel_wishes, channels, maps };
    let mut memories = Vec::new();
    let mut right = true;
    for (rank, node) in nodes.iter().enumerate() {
        let find = |wishes: &[Wish<'_>], of_cache| {
            wishes.iter().position(|wish| wish.node == rank && wish.of_cache == of_cache)
        };
        let home = find(&granted.home_wishes, false);
        let Some((home, channel)) = home.zip(find(&granted.channel_wishes, false)) else { continue };
        let cache = find(&granted.channel_wishes, true);
        match granted.memory(node, home, channel, cache, problems) {
            Some(memory) => memories.push(memory),
            None => right = false,
        }
    }
    right.then(|| Memory {
        devices: devices(nodes, &granted.channels, &memories, channel_kinds),
        memories,
        homes: granted.homes.list.iter().map(|unit| unit.home_agent(home_kinds)).collect(),
        channels: granted.channels.list.iter().map(|unit| unit.channel(channel_kinds)).collect(),
    })
}

impl Granted<'_> {
    /// The memory of a node that asks for these home agents and channels, and for the channels of a cache, if it has one.
    fn memory(
        &self,
        node: &Node<'_>,
        home: usize,
        channel: usize,
        cache: Option<usize>,
        problems: &mut Problems,
    ) -> Option<NodeMemory> {
        let homes = self.homes.by_wish[home].clone();
        let at = self.homes.routers(&homes);
        // All are resolved before a failure ends it, so that every problem is reported.
        let of_memory = self.channels(channel, &at, problems);
        let of_cache = cache.map(|wish| self.channels(wish, &at, problems));
        let home_spread = self.maps.homes(self.home_wishes[home].table, homes.len(), problems);
        let ((channels, map), home_spread) = (of_memory?, home_spread?);
        let cache = match (of_cache, &node.table.cache) {
            (Some(of_cache), Some(table)) => {
                let (channels, map) = of_cache?;
                Some(SideCache {
                    channels,
                    spread: map.spread,
                    channels_of_home: map.of_home,
                    memory: node.memory(),
                    parameters: SideCacheParameters::of(table),
                })
            }
            _ => None,
        };
        Some(NodeMemory {
            node: node.id,
            homes,
            home_spread,
            channels,
            channel_spread: map.spread,
            channels_of_home: map.of_home,
            cache,
        })
    }

    /// The channels of a wish, and how lines from home agents at these routers are distributed over them.
    fn channels(
        &self,
        wish: usize,
        homes_at: &[usize],
        problems: &mut Problems,
    ) -> Option<(Vec<usize>, ChannelMap)> {
        let ranks = self.channels.by_wish[wish].clone();
        let at = self.channels.routers(&ranks);
        let map = self.maps.channels(self.channel_wishes[wish].table, &ranks, &at, homes_at, problems)?;
        Some((ranks, map))
    }
}

impl Units {
    /// The router of each of these units.
    fn routers(&self, ranks: &[usize]) -> Vec<usize> {
        ranks.iter().map(|&rank| self.list[rank].router).collect()
    }
}

impl Unit {
    fn home_agent(&self, kinds: &[HomeForm]) -> HomeAgent {
        let HomeForm { name, parameters, .. } = &kinds[self.kind];
        HomeAgent {
            name: self.name.clone(),
            kind: name.clone(),
            router: self.router,
            parameters: *parameters,
        }
    }

    fn channel(&self, kinds: &[ChannelForm]) -> Channel {
        let ChannelForm { name, bandwidth, parameters, .. } = &kinds[self.kind];
        Channel {
            name: self.name.clone(),
            kind: name.clone(),
            router: self.router,
            bandwidth: *bandwidth,
            parameters: *parameters,
        }
    }
}

/// The units that nodes ask for: own ones first, then those that they share.
fn units<T>(
    what: &str,
    kinds: &ByName<T>,
    wishes: &[Wish<'_>],
    nodes: &[Node<'_>],
    routers: &Routers,
    problems: &mut Problems,
) -> Option<Units> {
    let mut units = Units { list: Vec::new(), by_wish: vec![Vec::new(); wishes.len()] };
    let mut right = true;
    for (rank, wish) in wishes.iter().enumerate().filter(|(_, wish)| wish.table.of.is_none()) {
        match own(what, kinds, wish, nodes, routers, problems) {
            Some(own) => {
                units.by_wish[rank] = (units.list.len()..).take(own.len()).collect();
                units.list.extend(own);
            }
            None => right = false,
        }
        if units.list.len() > MOST_UNITS {
            let message = format!("the machine has more than {MOST_UNITS} units of this kind");
            problems.add(wish.table.table_place, message);
            return None;
        }
    }
    for (rank, wish) in wishes.iter().enumerate().filter(|(_, wish)| wish.table.of.is_some()) {
        match borrowed(what, wish, nodes, &units, problems) {
            Some(ranks) => units.by_wish[rank] = ranks,
            None => right = false,
        }
    }
    right.then_some(units)
}

/// The units that a node has itself.
fn own<T>(
    what: &str,
    kinds: &ByName<T>,
    wish: &Wish<'_>,
    nodes: &[Node<'_>],
    routers: &Routers,
    problems: &mut Problems,
) -> Option<Vec<Unit>> {
    let (node, table, of_cache) = (&nodes[wish.node], wish.table, wish.of_cache);
    let Some(kind) = &table.kind else {
        let message = format!("the kind of the {what}s of `node.{}` is missing", node.name);
        problems.add_with_hint(
            table.table_place,
            message,
            "write `kind = \"…\"`, or `of = \"…\"` for another node's",
        );
        return None;
    };
    let count = table.count;
    let kind = kinds.rank(&format!("kind of {what}"), kind, problems);
    let places = node.places(&format!("{what}s"), table.at.as_ref(), count, routers, problems)?;
    let kind = kind?;
    let base = if of_cache { format!("{}.cache", node.name) } else { node.name.to_owned() };
    let of = places.len();
    let name = |unit: usize| if of == 1 { base.clone() } else { format!("{base}.{unit}") };
    let unit =
        |(unit, router)| Unit { name: name(unit), kind, router, node: wish.node, rank: unit, of, of_cache };
    Some(places.into_iter().enumerate().map(unit).collect())
}

/// The units of the node that `of` names.
fn borrowed(
    what: &str,
    wish: &Wish<'_>,
    nodes: &[Node<'_>],
    units: &Units,
    problems: &mut Problems,
) -> Option<Vec<usize>> {
    let table = wish.table;
    let of = table.of.as_ref()?;
    let count = (table.count.place != table.table_place).then_some(table.count.place);
    if table.kind.is_some() || count.is_some() || table.at.is_some() {
        let message =
            format!("{what}s either belong to another node, or have a `kind`, a `count` and a place");
        let given = [
            ("of", Some(of.place)),
            ("kind", table.kind.as_ref().map(|kind| kind.place)),
            ("count", count),
            ("at", table.at.as_ref().map(|at| at.place)),
        ];
        let key = match (what, wish.of_cache) {
            (_, true) => "cache.channels",
            ("channel", false) => "channels",
            (_, false) => "homes",
        };
        let path = format!("node.{}.{key}", nodes[wish.node].name);
        let hint = drop_inherited(&path, &given, problems);
        let hint = hint
            .unwrap_or_else(|| "with `of`, only `interleave`, `hash` and `within` are allowed".to_owned());
        problems.add_with_hint(of.place, message, hint);
        return None;
    }
    let owner = nodes.iter().position(|node| node.name == of.text);
    let Some(owner) = owner else {
        let hint = suggest(&of.text, nodes.iter().map(|node| node.name));
        problems.add_with_hint(of.place, format!("no node `{}`", of.text), hint);
        return None;
    };
    let is_own = |unit: &Unit| unit.node == owner && !unit.of_cache;
    let ranks: Vec<usize> = (0..units.list.len()).filter(|&unit| is_own(&units.list[unit])).collect();
    if ranks.is_empty() {
        let message = format!("node `{}` has no {what}s of its own", of.text);
        problems.add_with_hint(of.place, message, "give the node that has them");
        return None;
    }
    Some(ranks)
}

/// The devices that SMBIOS would list, if all channels describe them.
fn devices(
    nodes: &[Node<'_>],
    channels: &Units,
    memories: &[NodeMemory],
    kinds: &[ChannelForm],
) -> Vec<MemoryDevice> {
    let mut devices = Vec::new();
    for (rank, unit) in channels.list.iter().enumerate() {
        let Some(form) = &kinds[unit.kind].devices else { return Vec::new() };
        // The memory of every node that uses this channel, divided evenly over its channels and their devices.
        let shares = memories.iter().filter(|memory| memory.channels.contains(&rank)).filter_map(|memory| {
            let node = nodes.iter().find(|node| node.id == memory.node)?;
            Some(node.memory() / memory.channels.len() as u64)
        });
        let size = shares.sum::<Bytes>() / u64::from(form.count);
        devices.extend((0..form.count).map(|of_channel| device(nodes, unit, form, of_channel, size)));
    }
    devices
}

fn device(nodes: &[Node<'_>], unit: &Unit, form: &DeviceForm, rank: u32, size: Bytes) -> MemoryDevice {
    let rate: TransfersPerSecond = form.rate;
    MemoryDevice {
        locator: format!("channel {} device {rank}", unit.name),
        bank: format!("node {}", nodes[unit.node].name),
        size,
        technology: form.technology.clone(),
        data_width: Some(form.width),
        channel_width: (form.count > 1).then_some(form.width * form.count as u16),
        rated: Some(rate),
        configured: Some(rate),
        part: None,
        package: nodes[unit.node].package_of(unit.rank, unit.of),
        channel: Some(unit.name.clone()),
    }
}
