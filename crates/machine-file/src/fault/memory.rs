//! Channels that do not work, and DIMMs that are slow.

use zerohop_units::{Bytes, GigabytesPerSecond, TransfersPerSecond, counted};

use crate::fault::FaultError;
use crate::{Hardware, Spread};
use zerohop_machine::NodeId;

/// DIMMs run at no smaller share of the rate of others: the slowest of a generation of DDR have more than a third of the fastest.
const SLOWEST: f64 = 0.1;

/// Bytes of a transfer on a channel whose file states no rate.
const TRANSFER: f64 = 8.0;

pub(super) fn lose_channels(hardware: &mut Hardware, node: NodeId, working: u32) -> Result<(), FaultError> {
    let rank = hardware.node_rank(node)?;
    let used = own_channels(hardware, node)?;
    let parts = used.first().map_or(1, |&channel| hardware.channels[channel].parameters.parts as usize);
    let (before, working) = (used.len() / parts, working as usize);
    if working >= before {
        return Err(FaultError::NotWorse { what: format!("node {node} has {}", counted(before, "channel")) });
    }
    let (before, working) = (used.len(), working * parts);
    let lost = &used[working..];
    for device in &mut hardware.machine.memory_devices {
        if lost.iter().any(|&channel| device.channel.as_deref() == Some(&hardware.channels[channel].name)) {
            device.size = Bytes(0);
            (device.rated, device.configured) = (None, None);
        }
    }
    let shown = &mut hardware.machine.nodes[rank];
    let left = |bytes: Bytes| Bytes((bytes.get() as f64 * working as f64 / before as f64).round() as u64);
    (shown.memory, shown.free) = (left(shown.memory), left(shown.free));
    if working == 0 {
        hardware.memories.retain(|memory| memory.node != node);
        return Ok(());
    }
    let is_beside = has_homes_beside_channels(hardware, node);
    for memory in hardware.memories.iter_mut().filter(|memory| memory.node == node) {
        memory.channels.truncate(working);
        if is_beside {
            memory.homes.truncate(working);
            memory.channels_of_home.truncate(working);
            if let Some(cache) = &mut memory.cache {
                cache.channels_of_home.truncate(working);
            }
            if matches!(memory.home_spread, Spread::Hashed(_)) {
                memory.home_spread = Spread::Mixed;
            }
        }
        for of_home in &mut memory.channels_of_home {
            of_home.retain(|channel| !lost.contains(channel));
            if of_home.is_empty() {
                of_home.clone_from(&memory.channels);
            }
        }
        // A hash names as many channels as there were.
        if matches!(memory.channel_spread, Spread::Hashed(_)) {
            memory.channel_spread = Spread::Mixed;
        }
    }
    Ok(())
}

pub(super) fn slow_down(
    hardware: &mut Hardware,
    node: NodeId,
    rate: TransfersPerSecond,
) -> Result<(), FaultError> {
    hardware.node_rank(node)?;
    for channel in own_channels(hardware, node)? {
        let kind = format!("channel.{}.rate", hardware.channels[channel].kind);
        let stated: Option<TransfersPerSecond> = hardware.key(&kind);
        let channel = &mut hardware.channels[channel];
        let before = stated.unwrap_or(TransfersPerSecond(channel.bandwidth.get() * 1e9 / TRANSFER));
        if rate.get() >= before.get() {
            return Err(FaultError::NotWorse { what: format!("the memory of node {node} runs at {before}") });
        }
        if rate.get() < SLOWEST * before.get() {
            let what = format!("the memory of node {node} runs at {before}");
            return Err(FaultError::Absurd { what, least: "a tenth" });
        }
        channel.bandwidth = GigabytesPerSecond(channel.bandwidth.get() * rate.get() / before.get());
        for device in &mut hardware.machine.memory_devices {
            if device.channel.as_deref() == Some(&channel.name) {
                device.configured = Some(rate);
            }
        }
    }
    Ok(())
}

/// Whether each channel of a node has a home agent beside it, at one of several routers, as in EPYC's memory controllers: no line is
/// interleaved over a controller without memory.
fn has_homes_beside_channels(hardware: &Hardware, node: NodeId) -> bool {
    let Some(memory) = hardware.memory(node) else { return false };
    let homes: Vec<usize> = memory.homes.iter().map(|&home| hardware.homes[home].router).collect();
    let channels: Vec<usize> =
        memory.channels.iter().map(|&channel| hardware.channels[channel].router).collect();
    homes == channels && homes.iter().any(|router| *router != homes[0])
}

/// The channels of a node, by rank, if no other node's memory is on them.
fn own_channels(hardware: &Hardware, node: NodeId) -> Result<Vec<usize>, FaultError> {
    hardware.node_rank(node)?;
    let Some(memory) = hardware.memory(node) else {
        return Err(FaultError::Impossible(format!("node {node} has no memory")));
    };
    let shares = |other: &&crate::NodeMemory| {
        other.node != node && other.channels.iter().any(|channel| memory.channels.contains(channel))
    };
    if let Some(other) = hardware.memories.iter().find(shares) {
        let (one, other) = (node.min(other.node), node.max(other.node));
        return Err(FaultError::Impossible(format!("nodes {one} and {other} share their channels")));
    }
    Ok(memory.channels.clone())
}
