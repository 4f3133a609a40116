//! Tests of a listing of nodes: CPUs of several nodes, equal distances, alternating numbers, and kernel messages.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_machine::{NodeId, NumaNode};
use zerohop_units::Bytes;

use super::{PredicateResult, numa_nodes};
use crate::facts::Facts;
use crate::test_outcome::{Match, TestOutcome};
use crate::words::{listed, percent};

/// Distance of a node from itself.
const LOCAL: u32 = 10;

/// One CPU belongs to several nodes: nothing but a kernel that divides a node shows that.
pub(crate) fn shared_cpus(facts: &Facts<'_>) -> PredicateResult {
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
        return Ok(TestOutcome::No);
    }
    let names = listed(&shared.iter().map(ToString::to_string).collect::<Vec<_>>());
    let pus = of.keys().next().cloned().unwrap_or_default();
    let words = format!("nodes {names} all list CPUs {pus}");
    // It is about the listing: what seems to be wrong with single nodes follows from it.
    Ok(TestOutcome::one(Match::fact([("nodes", names)]).shown_by(words)))
}

/// Several nodes with CPUs, none farther than another.
pub(crate) fn equal_distances(facts: &Facts<'_>) -> PredicateResult {
    let distances = facts.machine().distances.as_ref().ok_or("the distances between nodes")?;
    let count = distances.nodes.len();
    if count < 2 || !distances.rows.iter().flatten().all(|distance| *distance == LOCAL) {
        return Ok(TestOutcome::No);
    }
    let names = listed(&distances.nodes.iter().map(ToString::to_string).collect::<Vec<_>>());
    let words = format!("all distances between nodes {names} are {LOCAL}, the distance of a node to itself");
    Ok(TestOutcome::one(Match::fact([("nodes", names)]).shown_by(words)))
}

/// Neighboring CPU numbers belong to different nodes.
pub(crate) fn alternating_cpus(facts: &Facts<'_>) -> PredicateResult {
    let nodes = numa_nodes::with_cpus(facts)?;
    if nodes.len() < 2 {
        return Ok(TestOutcome::No);
    }
    let of = |node: &&NumaNode| node.pus.iter().map(|pu| (pu.0, node.id)).collect::<Vec<_>>();
    let mut all: Vec<(u32, NodeId)> = nodes.iter().flat_map(of).collect();
    all.sort_unstable();
    let changes = all.windows(2).filter(|pair| pair[0].1 != pair[1].1).count();
    // Blocks of a node, one for each thread of its cores, change the node far less often.
    if all.len() < 4 || 2 * changes < all.len() {
        return Ok(TestOutcome::No);
    }
    let place = Match::fact([("nodes", nodes.len().to_string())]);
    let first = nodes.iter().map(|node| format!("node {}: {}", node.id, node.pus)).collect::<Vec<_>>();
    Ok(TestOutcome::one(place.shown_by(first.join("; "))))
}

/// Nodes of equal memory, some of which have no CPUs, and others a multiple of their share.
pub(crate) fn misplaced_cpus(facts: &Facts<'_>) -> PredicateResult {
    /// Firmware and kernel keep less of a node for themselves.
    const EQUAL: f64 = 0.05;
    numa_nodes::with_cpus(facts)?;
    let nodes: Vec<&NumaNode> = facts.machine().nodes.iter().filter(|node| node.memory.get() > 0).collect();
    let (with, without): (Vec<&NumaNode>, Vec<&NumaNode>) =
        nodes.iter().copied().partition(|node| !node.pus.is_empty());
    let sizes = || nodes.iter().map(|node| node.memory.get() as f64);
    let are_equal = sizes().fold(f64::INFINITY, f64::min) >= (1.0 - EQUAL) * sizes().fold(0.0, f64::max);
    if with.is_empty() || without.is_empty() || !are_equal {
        return Ok(TestOutcome::No);
    }
    let all: usize = with.iter().map(|node| node.pus.len()).sum();
    let share = all / nodes.len();
    let is_multiple = |node: &&&NumaNode| node.pus.len().is_multiple_of(share.max(1));
    let has_more = with.iter().any(|node| node.pus.len() > share);
    let has_own = with.iter().any(|node| node.pus.len() == share);
    // Without a node that has its share alone, the others may be memory without CPUs: of a GPU, or on CXL.
    if share * nodes.len() != all
        || with.iter().filter(is_multiple).count() < with.len()
        || !has_more
        || !has_own
    {
        return Ok(TestOutcome::No);
    }
    let ids = |of: &[&NumaNode]| listed(&of.iter().map(|node| node.id.to_string()).collect::<Vec<_>>());
    let names = [("nodes", ids(&without)), ("share", share.to_string())];
    let counts = with.iter().map(|node| format!("node {}: {} CPUs", node.id, node.pus.len()));
    let words = format!(
        "{}; as much memory and no CPUs: node {}",
        counts.collect::<Vec<_>>().join(", "),
        ids(&without)
    );
    Ok(TestOutcome::one(Match::fact(names).shown_by(words)))
}

/// A node's memory is within this share below the sizes of its DIMMs: firmware and kernel keep the rest.
const KEPT: f64 = 0.05;

/// Most nodes have sizes that no DIMMs add up to: they are a part of a machine.
pub(crate) fn sizes_unlike_dimms(facts: &Facts<'_>) -> PredicateResult {
    let sizes: Vec<f64> = facts
        .machine()
        .nodes
        .iter()
        .map(|node| node.memory.get() as f64 / f64::from(1 << 30))
        .filter(|&size| size > 0.0)
        .collect();
    if sizes.is_empty() {
        return Err("the memory of nodes".to_owned());
    }
    // DIMMs of 4 GiB and more, but on small machines; nearly any large size is a sum of small ones.
    let step = |size: f64| if size > 8.0 { 4.0 } else { 1.0 };
    let is_unlike = |&&size: &&f64| size < (1.0 - KEPT) * (size / step(size)).ceil() * step(size);
    let unlike = sizes.iter().filter(is_unlike).count();
    if 2 * unlike <= sizes.len() {
        return Ok(TestOutcome::No);
    }
    Ok(TestOutcome::one(Match::fact([("count", unlike.to_string())])))
}

/// Nearly all memory of a process, or the memory used between two listings of free memory, is on one node.
pub(crate) fn memory_on_one_node(facts: &Facts<'_>) -> PredicateResult {
    /// Of less, a node holds all by chance.
    const LEAST: f64 = (1_u64 << 30) as f64;
    /// Shared libraries and page cache are where another program touched them first.
    const NEARLY_ALL: f64 = 0.95;
    let machine = facts.machine();
    let of_processes = machine.stated.processes.iter().map(|process| {
        let nodes: Vec<(NodeId, f64)> =
            process.nodes.iter().map(|part| (part.node, part.memory.get() as f64)).collect();
        (format!("process {}", process.name), nodes)
    });
    let of_states = machine.taken_memory().into_iter().map(|taken| {
        let nodes = taken.nodes.iter().map(|part| (part.node, part.free.get() as f64)).collect();
        ("the memory used between two listings".to_owned(), nodes)
    });
    let mut looked = false;
    let mut found = Vec::new();
    for (what, nodes) in of_processes.chain(of_states).filter(|(_, nodes)| nodes.len() > 1) {
        let all: f64 = nodes.iter().map(|(_, bytes)| bytes).sum();
        let Some(&(node, most)) = nodes.iter().max_by(|one, other| one.1.total_cmp(&other.1)) else {
            continue;
        };
        looked |= all >= LEAST;
        if all >= LEAST && most >= NEARLY_ALL * all {
            let size = Bytes(all as u64).to_string();
            let words = format!("{what}: {size}, {} of it on node {node}", percent(most / all));
            let names =
                [("node", node.to_string()), ("what", what), ("size", size), ("share", percent(most / all))];
            found.push(Match::fact(names).about([node]).shown_by(words));
        }
    }
    if looked {
        Ok(TestOutcome::of(found))
    } else {
        Err("where the pages of a process are (`numastat -p PID`)".to_owned())
    }
}

/// A line that the kernel logged about nodes holds this.
pub(crate) fn kernel_says(facts: &Facts<'_>, says: &str) -> PredicateResult {
    let messages = &facts.machine().stated.kernel_messages;
    if messages.is_empty() {
        return Err("the kernel log (dmesg)".to_owned());
    }
    let holds = |message: &&String| message.contains(says);
    Ok(match messages.iter().find(holds) {
        Some(message) => {
            let place = Match::fact([("message", message.clone())]);
            TestOutcome::one(place.shown_by(format!("the kernel logged: {message}")))
        }
        None => TestOutcome::No,
    })
}
