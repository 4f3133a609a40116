//! What `lstopo` prints as text: objects by indentation, several of them in a line where each has one child.

use std::collections::BTreeMap;

use zerohop_machine::{
    CacheKind, Core, CoreId, Machine, NodeId, NumaNode, Package, PackageId, Pu, PuId, PuSet, StatedCache,
};
use zerohop_units::Bytes;

use crate::facts::binary_size;

/// No machine has more levels of objects.
const DEEPEST: usize = 32;

/// Linux has no more nodes.
const MOST_NODES: usize = 1024;

const NODES: &[&str] = &["NUMANode", "NUMANode(HBM)"];

#[derive(Debug)]
struct Object<'a> {
    kind: &'a str,
    /// The operating system's number.
    number: Option<u32>,
    size: Option<Bytes>,
    parent: Option<usize>,
}

/// Whether a line is an object of `lstopo`.
pub(super) fn is_object(line: &str) -> bool {
    line.contains("NUMANode L#") || line.contains("PU L#")
}

/// The machine of a text, with the ranks of the lines that were read; `None` without a PU or a node.
pub(super) fn machine(raw: &str) -> Option<(Machine, Vec<usize>)> {
    let (objects, lines) = objects(raw);
    let ancestors =
        |of: usize| std::iter::successors(objects[of].parent, |&at| objects[at].parent).take(DEEPEST);
    let pus: Vec<(usize, PuId)> =
        of_kind(&objects, &["PU"]).filter_map(|(at, one)| Some((at, PuId(one.number?)))).collect();
    let mut below: BTreeMap<usize, Vec<PuId>> = BTreeMap::new();
    for &(at, pu) in &pus {
        ancestors(at).for_each(|above| below.entry(above).or_default().push(pu));
    }
    let below: BTreeMap<usize, PuSet> =
        below.into_iter().map(|(at, pus)| (at, pus.into_iter().collect())).collect();
    if of_kind(&objects, NODES).count() > MOST_NODES {
        return None;
    }
    let mut nodes = Vec::new();
    for (at, object) in of_kind(&objects, NODES) {
        // Since version 2, memory is a child beside the CPUs that are near it.
        let own = below.get(&at).cloned().or_else(|| below.get(&object.parent?).cloned()).unwrap_or_default();
        nodes.push(NumaNode {
            id: NodeId(object.number?),
            pus: own,
            memory: object.size?,
            free: Bytes(0),
            huge_pages: Vec::new(),
            memory_side_caches: Vec::new(),
            allowed: true,
        });
    }
    nodes.sort_by_key(|node| node.id);
    let mut packages: Vec<Package> = of_kind(&objects, &["Package", "Socket"])
        .enumerate()
        .map(|(rank, (at, object))| Package {
            id: PackageId(object.number.unwrap_or(rank as u32)),
            pus: below.get(&at).cloned().unwrap_or_default(),
        })
        .collect();
    packages.sort_by_key(|package| package.id);
    let of_packages: BTreeMap<PuId, PackageId> =
        packages.iter().rev().flat_map(|one| one.pus.iter().map(|pu| (pu, one.id))).collect();
    let package_of = |pu: PuId| of_packages.get(&pu).copied().unwrap_or(PackageId(0));
    let of_cores = of_kind(&objects, &["Core"]).filter_map(|(at, _)| below.get(&at).cloned());
    let mut cores: Vec<PuSet> = of_cores.collect();
    cores.sort_by_key(|own| own.iter().next());
    let cores: Vec<Core> = (0..)
        .zip(cores)
        .map(|(rank, own)| {
            let package = own.iter().next().map_or(PackageId(0), package_of);
            Core { id: CoreId(rank), package, die: None, pus: own, max_clock: None }
        })
        .collect();
    let core_of: BTreeMap<PuId, CoreId> =
        cores.iter().flat_map(|core| core.pus.iter().map(|pu| (pu, core.id))).collect();
    let node_of: BTreeMap<PuId, NodeId> =
        nodes.iter().rev().flat_map(|node| node.pus.iter().map(|pu| (pu, node.id))).collect();
    let mut listed: Vec<Pu> = pus
        .iter()
        .filter_map(|&(_, pu)| {
            Some(Pu {
                id: pu,
                core: *core_of.get(&pu)?,
                package: package_of(pu),
                node: *node_of.get(&pu)?,
                allowed: true,
            })
        })
        .collect();
    listed.sort_by_key(|pu| pu.id);
    let mut machine = Machine {
        packages,
        cores,
        pus: listed,
        no_memory_devices: Some("lstopo's text does not list DIMMs".to_owned()),
        gaps: vec!["processor, distances and settings: the text does not show them".to_owned()],
        ..Machine::default()
    };
    machine.stated.caches = caches(&objects);
    let is_whole = !nodes.is_empty() && !machine.pus.is_empty();
    machine.nodes = nodes;
    is_whole.then_some((machine, lines))
}

fn of_kind<'a>(
    objects: &'a [Object<'a>],
    kinds: &'a [&str],
) -> impl Iterator<Item = (usize, &'a Object<'a>)> {
    objects.iter().enumerate().filter(|(_, object)| kinds.contains(&object.kind))
}

/// Caches of one level and kind, with the number of them.
fn caches(objects: &[Object<'_>]) -> Vec<StatedCache> {
    let mut known: Vec<StatedCache> = Vec::new();
    for Object { kind, size, .. } in objects {
        let (level, content) = match *kind {
            "L1d" | "L1" => (1, CacheKind::Data),
            "L1i" => (1, CacheKind::Instruction),
            "L2" => (2, CacheKind::Unified),
            "L3" => (3, CacheKind::Unified),
            "L4" => (4, CacheKind::Unified),
            _ => continue,
        };
        match known.iter_mut().find(|one| (one.level, one.kind) == (level, content)) {
            Some(one) => one.instances = one.instances.map(|count| count + 1),
            None => {
                known.push(StatedCache { level, kind: content, one: *size, all: None, instances: Some(1) });
            }
        }
    }
    known.sort_by_key(|cache| (cache.level, cache.kind));
    known
}

/// The objects of a text in its order, and the ranks of their lines.
fn objects(raw: &str) -> (Vec<Object<'_>>, Vec<usize>) {
    let mut objects: Vec<Object<'_>> = Vec::new();
    let mut lines = Vec::new();
    let mut open: Vec<(usize, usize)> = Vec::new();
    for (rank, line) in raw.lines().enumerate() {
        let bare = line.trim_start();
        let depth = line.len() - bare.len();
        let parts: Vec<&str> = bare.split(" + ").collect();
        let read: Vec<Object<'_>> = parts.iter().filter_map(|part| object(part)).collect();
        if read.is_empty() || read.len() != parts.len() {
            continue;
        }
        open.retain(|(before, _)| *before < depth);
        let mut parent = open.last().map(|(_, at)| *at);
        for one in read {
            objects.push(Object { parent, ..one });
            parent = Some(objects.len() - 1);
        }
        if let Some(last) = parent {
            open.push((depth, last));
        }
        lines.push(rank);
    }
    (objects, lines)
}

/// `NUMANode L#0 (P#0 125GB)`, `L2 L#3 (1024KB)`, `PU L#1 (P#48)`, `Machine (251GB total)`.
fn object(part: &str) -> Option<Object<'_>> {
    const KINDS: [&str; 15] = [
        "Machine",
        "Package",
        "Socket",
        "NUMANode",
        "NUMANode(HBM)",
        "Group0",
        "Group1",
        "Die",
        "L4",
        "L3",
        "L2",
        "L1d",
        "L1i",
        "L1",
        "Core",
    ];
    let kind = part.split([' ', '\t']).next()?;
    if !(KINDS.contains(&kind) || kind == "PU")
        || !(part.contains("L#") || part.contains("P#") || kind == "Machine")
    {
        return None;
    }
    let inside = part.split_once('(').map_or("", |(_, inside)| inside.trim_end_matches(')'));
    let number = |text: &str| {
        text.split_once("P#")
            .and_then(|(_, rest)| rest.split(|one: char| !one.is_ascii_digit()).next()?.parse().ok())
    };
    let size = inside.split([' ', ')']).find_map(|word| {
        let is_size = word.ends_with('B') && word.starts_with(|one: char| one.is_ascii_digit());
        is_size.then(|| binary_size(word)).flatten()
    });
    Some(Object { kind, number: number(part), size, parent: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Machine (250GB total)\n  Package L#0\n    NUMANode L#0 (P#0 125GB)\n    L3 L#0 (32MB)\n      \
                        L2 L#0 (1024KB) + L1d L#0 (32KB) + L1i L#0 (32KB) + Core L#0\n        PU L#0 (P#0)\n        PU L#1 (P#2)\n  \
                        Package L#1\n    NUMANode L#1 (P#1 125GB)\n    L3 L#1 (32MB)\n      L2 L#1 (1024KB) + L1d L#1 (32KB) + L1i L#1 (32KB) + Core L#1\n        \
                        PU L#2 (P#1)\n        PU L#3 (P#3)\n";

    #[test]
    fn objects_have_their_places() {
        let (machine, lines) = machine(TEXT).unwrap();
        assert_eq!(lines.len(), TEXT.lines().count());
        let of_nodes: Vec<String> = machine.nodes.iter().map(|node| node.pus.to_string()).collect();
        assert_eq!(of_nodes, ["0,2", "1,3"]);
        assert_eq!((machine.packages.len(), machine.cores.len(), machine.pus.len()), (2, 2, 4));
        assert_eq!(machine.nodes[1].memory, Bytes::gib(125));
        let caches: Vec<_> =
            machine.stated.caches.iter().map(|cache| (cache.level, cache.instances)).collect();
        assert_eq!(caches, [(1, Some(2)), (1, Some(2)), (2, Some(2)), (3, Some(2))]);
    }

    #[test]
    fn nodes_of_the_first_version_hold_their_packages() {
        let text = "Machine (64GB)\n  NUMANode L#0 (P#0 32GB) + Socket L#0 + L3 L#0 (8MB)\n    L2 L#0 (256KB) + L1d L#0 (32KB) + Core L#0 + PU L#0 (P#0)\n  \
                    NUMANode L#1 (P#1 32GB) + Socket L#1 + L3 L#1 (8MB)\n    L2 L#1 (256KB) + L1d L#1 (32KB) + Core L#1 + PU L#1 (P#1)\n";
        let (machine, _) = machine(text).unwrap();
        let of_nodes: Vec<String> = machine.nodes.iter().map(|node| node.pus.to_string()).collect();
        assert_eq!((of_nodes, machine.packages.len()), (vec!["0".to_owned(), "1".to_owned()], 2));
        assert!(super::machine("Machine (64GB)\n  Package L#0\n").is_none());
    }
}
