//! What a listing of nodes says of itself: CPUs of several nodes, distances without a difference, numbers that alternate, and what the kernel logs.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_machine::{NodeId, NumaNode};

use super::{Told, numa_nodes};
use crate::facts::Facts;
use crate::truth::{Match, Truth};
use crate::words::listed;

/// Distance of a node from itself.
const LOCAL: u32 = 10;

/// One CPU belongs to several nodes: nothing but a kernel that divides a node shows that.
pub(crate) fn shared_cpus(facts: &Facts<'_>) -> Told {
    let nodes = numa_nodes::with_cpus(facts)?;
    let mut of: BTreeMap<String, Vec<NodeId>> = BTreeMap::new();
    for node in &nodes {
        let shares =
            nodes.iter().any(|other| other.id != node.id && other.pus.iter().any(|pu| node.pus.contains(pu)));
        if shares {
            of.entry(node.pus.to_string()).or_default().push(node.id);
        }
    }
    let shared: BTreeSet<NodeId> = of.values().flatten().copied().collect();
    if shared.len() < 2 {
        return Ok(Truth::No);
    }
    let names = listed(&shared.iter().map(ToString::to_string).collect::<Vec<_>>());
    let pus = of.keys().next().cloned().unwrap_or_default();
    let words = format!("nodes {names} all list CPUs {pus}");
    // It is about the listing: what seems to be wrong with single nodes follows from it.
    Ok(Truth::one(Match::fact([("nodes", names)]).shown_by(words)))
}

/// Several nodes with CPUs, none farther than another.
pub(crate) fn equal_distances(facts: &Facts<'_>) -> Told {
    let distances = facts.machine().distances.as_ref().ok_or("the distances between nodes")?;
    let count = distances.nodes.len();
    if count < 2 || !distances.rows.iter().flatten().all(|distance| *distance == LOCAL) {
        return Ok(Truth::No);
    }
    let names = listed(&distances.nodes.iter().map(ToString::to_string).collect::<Vec<_>>());
    let words = format!("all distances between nodes {names} are {LOCAL}, that of a node from itself");
    Ok(Truth::one(Match::fact([("nodes", names)]).shown_by(words)))
}

/// Neighboring CPU numbers belong to different nodes.
pub(crate) fn alternating_cpus(facts: &Facts<'_>) -> Told {
    let nodes = numa_nodes::with_cpus(facts)?;
    if nodes.len() < 2 {
        return Ok(Truth::No);
    }
    let of = |node: &&NumaNode| node.pus.iter().map(|pu| (pu.0, node.id)).collect::<Vec<_>>();
    let mut all: Vec<(u32, NodeId)> = nodes.iter().flat_map(of).collect();
    all.sort_unstable();
    let changes = all.windows(2).filter(|pair| pair[0].1 != pair[1].1).count();
    // Blocks of a node, one for each thread of its cores, change the node far less often.
    if all.len() < 4 || 2 * changes < all.len() {
        return Ok(Truth::No);
    }
    let place = Match::fact([("nodes", nodes.len().to_string())]);
    let first = nodes.iter().map(|node| format!("node {}: {}", node.id, node.pus)).collect::<Vec<_>>();
    Ok(Truth::one(place.shown_by(first.join("; "))))
}

/// A line that the kernel logged about nodes holds this.
pub(crate) fn kernel_says(facts: &Facts<'_>, says: &str) -> Told {
    let messages = &facts.machine().stated.kernel_messages;
    if messages.is_empty() {
        return Err("what the kernel logged (dmesg)".to_owned());
    }
    let holds = |message: &&String| message.contains(says);
    Ok(match messages.iter().find(holds) {
        Some(message) => {
            let place = Match::fact([("message", message.clone())]);
            Truth::one(place.shown_by(format!("the kernel says: {message}")))
        }
        None => Truth::No,
    })
}
