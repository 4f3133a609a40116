//! Nodes and memory attributes in hwloc's XML.

use std::collections::{BTreeMap, BTreeSet};

use roxmltree::Node;
use zerohop_units::{Bytes, GigabytesPerSecond, Nanoseconds};

use super::element::Element;
use crate::bounds;
use crate::mask;
use crate::{AccessClass, HugePagePool, MemorySideCache, NodeAccess, NodeId, NumaNode, PuId, PuSet};

/// The memory of a node, if a machine can have that much.
fn local_memory(node: &Element<'_>) -> Option<Bytes> {
    node.attribute("local_memory").and_then(|bytes| bounds::memory(bytes, 1))
}

/// Whether a node has a capacity that is no number, or more than any machine has.
pub(super) fn is_garbled(node: &Element<'_>) -> bool {
    node.xml.has_attribute("local_memory") && local_memory(node).is_none()
}

/// The nodes, ascending. Each PU belongs to the node with the narrowest locality, or to the lowest-numbered of several such
/// nodes. hwloc 1 shows no node on a machine without NUMA. The machine's memory then belongs to node 0, as in the kernel.
pub(super) fn nodes(objects: &[Element<'_>], allowed: Option<&BTreeSet<u32>>) -> Vec<NumaNode> {
    let mut found: BTreeMap<NodeId, &Element<'_>> = BTreeMap::new();
    for object in objects.iter().filter(|object| object.kind == "NUMANode") {
        if let Some(number) = object.place() {
            found.entry(NodeId(number)).or_insert(object);
        }
    }
    if found.is_empty() {
        found.extend(
            objects.iter().find(|object| object.kind == "Machine").map(|machine| (NodeId(0), machine)),
        );
    }
    let mut own: BTreeMap<NodeId, PuSet> = BTreeMap::new();
    let pus: BTreeSet<PuId> = found.values().flat_map(|object| object.pus.iter()).collect();
    for pu in pus {
        let claims = found.iter().filter(|(_, object)| object.pus.contains(pu) && !object.is_cpu_less());
        if let Some((&id, _)) = claims.min_by_key(|(id, object)| (object.pus.len(), **id)) {
            own.entry(id).or_default().insert(pu);
        }
    }
    let node = |(id, object): (NodeId, &Element<'_>)| {
        let memory = local_memory(object).unwrap_or_default();
        NumaNode {
            id,
            pus: own.remove(&id).unwrap_or_default(),
            memory,
            // hwloc does not report free memory.
            free: memory,
            huge_pages: huge_pages(object.xml),
            memory_side_caches: memory_side_caches(object.xml),
            allowed: allowed.is_none_or(|set| set.contains(&id.0)),
        }
    };
    found.into_iter().map(node).collect()
}

fn page_types<'xml>(node: Node<'xml, 'xml>) -> impl Iterator<Item = (Bytes, u64)> + 'xml {
    let types = node.children().filter(|child| child.has_tag_name("page_type"));
    types.filter_map(|page| {
        let number = |name: &str| page.attribute(name)?.parse().ok();
        let (size, count) = (number("size")?, number("count").unwrap_or_default());
        bounds::memory(count, size)?;
        Some((Bytes(size), count))
    })
}

/// The sizes of a node's pages.
pub(super) fn page_sizes<'xml>(node: Node<'xml, 'xml>) -> impl Iterator<Item = Bytes> + 'xml {
    page_types(node).map(|(size, _)| size)
}

/// All pages but the smallest. hwloc reports their number, but not how many are free.
fn huge_pages(node: Node<'_, '_>) -> Vec<HugePagePool> {
    let base = page_sizes(node).min();
    let huge = page_types(node).filter(|&(size, _)| Some(size) != base);
    huge.map(|(page, total)| HugePagePool { page, total, free: total }).collect()
}

/// The caches in front of a node's memory, nearest to the memory first.
fn memory_side_caches(node: Node<'_, '_>) -> Vec<MemorySideCache> {
    let caches = node.ancestors().skip(1).take_while(|parent| parent.attribute("type") == Some("MemCache"));
    caches
        .zip(1..)
        .map(|(cache, level)| {
            let number =
                |name: &str| cache.attribute(name).and_then(|text| text.parse().ok()).unwrap_or_default();
            MemorySideCache {
                level,
                size: Bytes(number("cache_size")),
                line: Bytes(number("cache_linesize")),
            }
        })
        .collect()
}

/// Latencies and bandwidths by target and initiators.
pub(super) fn access(topology: Node<'_, '_>, objects: &[Element<'_>], nodes: &[NumaNode]) -> Vec<NodeAccess> {
    let targets: BTreeMap<u64, NodeId> = objects
        .iter()
        .filter(|object| object.kind == "NUMANode")
        .filter_map(|object| Some((object.reference()?, NodeId(object.place()?))))
        .collect();
    let mut found: BTreeMap<(NodeId, Vec<NodeId>), NodeAccess> = BTreeMap::new();
    for attribute in topology.children().filter(|child| child.has_tag_name("memattr")) {
        for entry in attribute.children().filter(|child| child.has_tag_name("memattr_value")) {
            let number = |name: &str| entry.attribute(name)?.parse::<u64>().ok();
            let target = number("target_obj_gp_index").and_then(|index| targets.get(&index));
            let initiators = entry.attribute("initiator_cpuset").and_then(mask::parse);
            let (Some(&target), Some(initiators), Some(value)) = (target, initiators, number("value")) else {
                continue;
            };
            let is_initiator = |node: &&NumaNode| {
                !node.pus.is_empty() && node.pus.iter().all(|pu| initiators.contains(&pu.0))
            };
            let initiators: Vec<NodeId> = nodes.iter().filter(is_initiator).map(|node| node.id).collect();
            let access =
                found.entry((target, initiators.clone())).or_insert_with(|| unknown(target, initiators));
            set(access, attribute.attribute("name").unwrap_or_default(), value as f64);
        }
    }
    let has_values = |access: &NodeAccess| *access != unknown(access.target, access.initiators.clone());
    found.into_values().filter(has_values).collect()
}

/// All initiators in hwloc are CPUs.
fn unknown(target: NodeId, initiators: Vec<NodeId>) -> NodeAccess {
    NodeAccess {
        target,
        initiators,
        class: AccessClass::NearestCpu,
        read_latency: None,
        write_latency: None,
        read_bandwidth: None,
        write_bandwidth: None,
    }
}

/// Imports one attribute. `Latency` and `Bandwidth` count for both reads and writes if these are not distinguished.
fn set(access: &mut NodeAccess, name: &str, value: f64) {
    let (latency, bandwidth) = (Nanoseconds(value), GigabytesPerSecond(value / 1e3));
    match name {
        "ReadLatency" => access.read_latency = Some(latency),
        "WriteLatency" => access.write_latency = Some(latency),
        "ReadBandwidth" => access.read_bandwidth = Some(bandwidth),
        "WriteBandwidth" => access.write_bandwidth = Some(bandwidth),
        "Latency" => {
            access.read_latency.get_or_insert(latency);
            access.write_latency.get_or_insert(latency);
        }
        "Bandwidth" => {
            access.read_bandwidth.get_or_insert(bandwidth);
            access.write_bandwidth.get_or_insert(bandwidth);
        }
        _ => {}
    }
}
