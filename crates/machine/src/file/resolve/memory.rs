//! Home agents, channels, and how the memory of nodes lies over them.

use zerohop_units::{Bytes, TransfersPerSecond};

use super::fabric::Routers;
use super::kinds::{ChannelForm, DeviceForm};
use super::nodes::Node;
use crate::file::problems::Problems;
use crate::file::read::{Number, Parts};
use crate::file::suggest::suggest;
use crate::file::tables::{MachineTable, UnitsTable};
use crate::{Channel, HomeAgent, LINE, MemoryDevice, NodeMemory};

/// More units of a kind than this are garbled.
const MOST_UNITS: usize = 16_384;

/// All that memory brings.
pub(super) struct Memory {
    pub(super) homes: Vec<HomeAgent>,
    pub(super) channels: Vec<Channel>,
    pub(super) memories: Vec<NodeMemory>,
    /// What SMBIOS would list; empty where it is not said of every channel.
    pub(super) devices: Vec<MemoryDevice>,
}

/// The units of one sort: who has which.
struct Units {
    /// Rank of the kind and of the router of each.
    list: Vec<Unit>,
    /// By node: the ranks of its units, and after how many bytes comes the next.
    by_node: Vec<Option<(Vec<usize>, Bytes)>>,
}

struct Unit {
    name: String,
    kind: usize,
    router: usize,
    /// Rank of the node that has it, its own rank there, and how many there are.
    node: usize,
    rank: usize,
    of: usize,
}

pub(super) fn memory(
    tables: &MachineTable,
    nodes: &[Node<'_>],
    routers: &Routers,
    home_kinds: &[HomeAgent],
    channel_kinds: &[ChannelForm],
    problems: &mut Problems,
) -> Option<Memory> {
    let of_homes = |node: &Node<'_>| node.table.homes.clone();
    let homes = units("home agent", &tables.home, of_homes, nodes, routers, problems);
    let of_channels = |node: &Node<'_>| node.table.channels.clone();
    let channels = units("channel", &tables.channel, of_channels, nodes, routers, problems);
    let (homes, channels) = (homes?, channels?);
    let memories = nodes.iter().enumerate().filter_map(|(rank, node)| {
        let (homes, home_granularity) = homes.by_node[rank].clone()?;
        let (channels, channel_granularity) = channels.by_node[rank].clone()?;
        Some(NodeMemory { node: node.id, homes, home_granularity, channels, channel_granularity })
    });
    Some(Memory {
        memories: memories.collect(),
        devices: devices(nodes, &channels, channel_kinds),
        homes: homes
            .list
            .iter()
            .map(|unit| HomeAgent {
                name: unit.name.clone(),
                router: unit.router,
                ..home_kinds[unit.kind].clone()
            })
            .collect(),
        channels: channels
            .list
            .iter()
            .map(|unit| Channel {
                name: unit.name.clone(),
                router: unit.router,
                ..channel_kinds[unit.kind].channel.clone()
            })
            .collect(),
    })
}

/// The units of all nodes, node by node: own ones first, then those that nodes share.
fn units<T>(
    what: &str,
    kinds: &Parts<T>,
    of: impl Fn(&Node<'_>) -> Option<UnitsTable>,
    nodes: &[Node<'_>],
    routers: &Routers,
    problems: &mut Problems,
) -> Option<Units> {
    let mut units = Units { list: Vec::new(), by_node: vec![None; nodes.len()] };
    let mut shared = Vec::new();
    let mut right = true;
    for (rank, node) in nodes.iter().enumerate() {
        let Some(table) = of(node) else { continue };
        if table.of.is_some() {
            shared.push((rank, table));
            continue;
        }
        match own(what, kinds, &table, rank, node, routers, problems) {
            Some(own) => {
                let ranks: Vec<usize> = (units.list.len()..).take(own.len()).collect();
                units.list.extend(own);
                match interleave(what, &table, ranks.len(), problems) {
                    Some(grain) => units.by_node[rank] = Some((ranks, grain)),
                    None => right = false,
                }
            }
            None => right = false,
        }
        if units.list.len() > MOST_UNITS {
            problems.add(table.place, format!("the machine has more than {MOST_UNITS} units of this sort"));
            return None;
        }
    }
    for (rank, table) in shared {
        match borrowed(what, &table, nodes, &units, problems) {
            Some(memory) => units.by_node[rank] = Some(memory),
            None => right = false,
        }
    }
    right.then_some(units)
}

/// The units that a node has itself.
fn own<T>(
    what: &str,
    kinds: &Parts<T>,
    table: &UnitsTable,
    rank: usize,
    node: &Node<'_>,
    routers: &Routers,
    problems: &mut Problems,
) -> Option<Vec<Unit>> {
    let Some(kind) = &table.kind else {
        let message = format!("it is not said of which kind the {what}s of `node.{}` are", node.name);
        problems.add_with_hint(
            table.place,
            message,
            "write `kind = \"…\"`, or `of = \"…\"` for another node's",
        );
        return None;
    };
    let place = table.count.as_ref().map_or(table.place, |count| count.place);
    let count = Number { value: table.count.as_ref().map_or(1, |count| count.value.0), place };
    let kind = kinds.rank(&format!("kind of {what}"), kind, problems);
    let places = node.places(&format!("{what}s"), table.at.as_ref(), count, routers, problems)?;
    let kind = kind?;
    let of = places.len();
    let name = |unit: usize| if of == 1 { node.name.to_owned() } else { format!("{}.{unit}", node.name) };
    let unit = |(unit, router)| Unit { name: name(unit), kind, router, node: rank, rank: unit, of };
    Some(places.into_iter().enumerate().map(unit).collect())
}

/// The units of the node that `of` names.
fn borrowed(
    what: &str,
    table: &UnitsTable,
    nodes: &[Node<'_>],
    units: &Units,
    problems: &mut Problems,
) -> Option<(Vec<usize>, Bytes)> {
    let of = table.of.as_ref()?;
    if table.kind.is_some() || table.count.is_some() || table.at.is_some() {
        let message = format!("{what}s are either another node's, or have a `kind`, a `count` and a place");
        problems.add_with_hint(of.place, message, "beside `of` stands at most `interleave`");
        return None;
    }
    let owner = nodes.iter().position(|node| node.name == of.text);
    let Some(owner) = owner else {
        let hint = suggest(&of.text, nodes.iter().map(|node| node.name));
        problems.add_with_hint(of.place, format!("there is no node `{}`", of.text), hint);
        return None;
    };
    let ranks: Vec<usize> = (0..units.list.len()).filter(|&unit| units.list[unit].node == owner).collect();
    if ranks.is_empty() {
        let message = format!("node `{}` has no {what}s of its own", of.text);
        problems.add_with_hint(of.place, message, "name the node that has them");
        return None;
    }
    let grain = interleave(what, table, ranks.len(), problems)?;
    Some((ranks, grain))
}

fn interleave(what: &str, table: &UnitsTable, count: usize, problems: &mut Problems) -> Option<Bytes> {
    let Some(grain) = &table.interleave else {
        if count == 1 {
            return Some(LINE);
        }
        let message = format!("it is not said how memory is interleaved over {count} {what}s");
        problems.add_with_hint(table.place, message, "write for example `interleave = \"256 B\"`");
        return None;
    };
    if grain.value.get().is_multiple_of(LINE.get()) {
        return Some(grain.value);
    }
    let message = format!("{} is no whole number of lines of {LINE}", grain.value);
    problems.add(grain.place, message);
    None
}

/// What SMBIOS would list, if that is said of all channels.
fn devices(nodes: &[Node<'_>], channels: &Units, kinds: &[ChannelForm]) -> Vec<MemoryDevice> {
    let mut devices = Vec::new();
    for (rank, unit) in channels.list.iter().enumerate() {
        let Some(form) = &kinds[unit.kind].devices else { return Vec::new() };
        // Memory of every node that lies over this channel, shared out over its channels and their devices.
        let shares = channels.by_node.iter().zip(nodes).filter_map(|(lies, node)| {
            let (ranks, _) = lies.as_ref()?;
            ranks.contains(&rank).then(|| node.memory() / ranks.len() as u64)
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
        rated: Some(rate),
        configured: Some(rate),
        part: None,
        package: nodes[unit.node].package_of(unit.rank, unit.of),
        channel: Some(format!("{}.{rank}", unit.name)),
    }
}
