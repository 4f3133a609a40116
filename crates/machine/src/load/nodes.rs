//! NUMA nodes: their memory, PUs, huge pages, memory-side caches and distances.

use zerohop_units::Bytes;

use super::reader::{Reader, field};
use crate::bounds;
use crate::{DistanceMatrix, HugePagePool, MemorySideCache, NodeId, NumaNode, PuId, PuSet};

const NODE: &str = "/sys/devices/system/node";

/// The nodes online, ascending; a single node that holds everything if the kernel shows none.
pub(super) fn load(reader: &Reader<'_>, online: &PuSet) -> Vec<NumaNode> {
    let numbers = reader
        .list(&format!("{NODE}/online"))
        .filter(|nodes| !nodes.is_empty())
        .unwrap_or_else(|| reader.numbered(NODE, "node"));
    if numbers.is_empty() {
        reader.gap("nodes: no /sys/devices/system/node, so everything counts as node 0");
        return vec![whole_machine(reader, online)];
    }
    let mut nodes =
        numbers.iter().map(|PuId(number)| node(reader, NodeId(number), online)).collect::<Vec<_>>();
    complete(reader, &mut nodes);
    nodes
}

/// A kernel that initializes memory when it is first needed counts at its nodes what it has initialized so far, and for the machine all
/// there is.
fn complete(reader: &Reader<'_>, nodes: &mut [NumaNode]) {
    let meminfo = reader.text("/proc/meminfo");
    let amount =
        |key: &str| meminfo.as_deref().and_then(|text| kilobytes(field(text, key)?)).unwrap_or_default();
    let (total, of_nodes) = (amount("MemTotal"), nodes.iter().map(|node| node.memory).sum::<Bytes>());
    if total <= of_nodes || of_nodes == Bytes(0) {
        return;
    }
    if let [node] = nodes {
        (node.memory, node.free) = (total, amount("MemFree"));
    } else {
        reader.gap(format!("nodes: they have {of_nodes} of the machine's {total}; the kernel may not have initialized the rest yet"));
    }
}

fn node(reader: &Reader<'_>, id: NodeId, online: &PuSet) -> NumaNode {
    let directory = format!("{NODE}/node{id}");
    let meminfo = reader.text(&format!("{directory}/meminfo"));
    if meminfo.is_none() {
        reader.gap(format!("node {id}: no meminfo, so it counts as having no memory"));
    }
    // Each line starts with `Node 0 `.
    let amount = |key: &str| {
        let text = meminfo.as_deref()?;
        kilobytes(field(text, &format!("Node {id} {key}"))?)
    };
    let (total, free) = (amount("MemTotal"), amount("MemFree"));
    if meminfo.is_some() && total.is_none() {
        reader.gap(format!("node {id}: meminfo without MemTotal, so it counts as having no memory"));
    }
    let pus = reader.set(&format!("{directory}/cpulist"), &format!("{directory}/cpumap"));
    NumaNode {
        id,
        pus: pus.unwrap_or_default().intersection(online),
        memory: total.unwrap_or_default(),
        free: free.unwrap_or_default(),
        huge_pages: huge_pages(reader, &format!("{directory}/hugepages")),
        memory_side_caches: memory_side_caches(reader, &directory),
        allowed: true,
    }
}

fn whole_machine(reader: &Reader<'_>, online: &PuSet) -> NumaNode {
    let meminfo = reader.text("/proc/meminfo");
    if meminfo.is_none() {
        reader.gap("node 0: no /proc/meminfo, so it counts as having no memory");
    }
    let amount = |key: &str| meminfo.as_deref().and_then(|text| kilobytes(field(text, key)?));
    NumaNode {
        id: NodeId(0),
        pus: online.clone(),
        memory: amount("MemTotal").unwrap_or_default(),
        free: amount("MemFree").unwrap_or_default(),
        huge_pages: huge_pages(reader, "/sys/kernel/mm/hugepages"),
        memory_side_caches: Vec::new(),
        allowed: true,
    }
}

/// An amount such as `1024 kB`. As everywhere in the kernel's texts, kB means KiB.
fn kilobytes(value: &str) -> Option<Bytes> {
    let count: u64 = value.strip_suffix("kB")?.trim().parse().ok()?;
    bounds::memory(count, 1024)
}

fn huge_pages(reader: &Reader<'_>, directory: &str) -> Vec<HugePagePool> {
    let mut pools: Vec<HugePagePool> = reader
        .names(directory)
        .iter()
        .filter_map(|name| {
            let size = name.strip_prefix("hugepages-")?;
            let pool = format!("{directory}/{name}");
            let page = kilobytes(size)?;
            let total = reader.number(&format!("{pool}/nr_hugepages"))?;
            let free = reader.number(&format!("{pool}/free_hugepages"))?;
            if bounds::memory(total, page.get()).is_none() {
                reader.gap(format!("{pool}: {total} pages are more than any machine has"));
                return None;
            }
            Some(HugePagePool { page, total, free })
        })
        .collect();
    pools.sort_by_key(|pool| pool.page);
    pools
}

fn memory_side_caches(reader: &Reader<'_>, node: &str) -> Vec<MemorySideCache> {
    let directory = format!("{node}/memory_side_cache");
    let levels = reader.numbered(&directory, "index");
    levels
        .iter()
        .filter_map(|PuId(index)| {
            Some(MemorySideCache {
                level: u8::try_from(index).ok()?,
                size: bounds::memory(reader.number(&format!("{directory}/index{index}/size"))?, 1)?,
                line: Bytes(reader.number(&format!("{directory}/index{index}/line_size")).unwrap_or(0)),
            })
        })
        .collect()
}

/// The SLIT. A row has one entry for each node online, in ascending order.
pub(super) fn distances(reader: &Reader<'_>, nodes: &[NumaNode]) -> Option<DistanceMatrix> {
    let mut rows = Vec::with_capacity(nodes.len());
    for node in nodes {
        let path = format!("{NODE}/node{}/distance", node.id);
        let text = reader.text(&path)?;
        let row: Option<Vec<u32>> = text.split_whitespace().map(|value| value.parse().ok()).collect();
        let Some(row) = row.filter(|row| row.len() == nodes.len()) else {
            reader.gap(format!("{path}: not {} numbers, so there is no distance matrix", nodes.len()));
            return None;
        };
        rows.push(row);
    }
    Some(DistanceMatrix { nodes: nodes.iter().map(|node| node.id).collect(), rows })
}

/// Marks the nodes that this process may take memory from.
pub(super) fn mark_allowed(reader: &Reader<'_>, nodes: &mut [NumaNode], cpuset: Option<&PuSet>) {
    let status = super::cgroup::status_list(reader, "Mems_allowed_list");
    let allows = |id: NodeId| status.iter().chain(cpuset).all(|set| set.contains(PuId(id.0)));
    if !nodes.iter().any(|node| allows(node.id)) {
        reader.gap("cpuset: allows no memory node that is online, so it was ignored");
        return;
    }
    for node in nodes {
        node.allowed = allows(node.id);
    }
}

/// The numbers of some nodes, as a set that prints in the kernel's list form.
pub(super) fn numbers<'node>(nodes: impl Iterator<Item = &'node NumaNode>) -> PuSet {
    nodes.map(|node| PuId(node.id.0)).collect()
}
