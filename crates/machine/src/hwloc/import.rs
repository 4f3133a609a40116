//! Reading hwloc's XML.

use std::collections::{BTreeMap, BTreeSet};

use roxmltree::{Document, ParsingOptions};
use zerohop_units::Bytes;

use super::element::{self, Element, objects};
use super::{distances, memory};
use crate::mask;
use crate::{
    Cache, CacheKind, Core, CoreId, Machine, NodeId, OperatingSystem, Package, PackageId, Processor, Pu,
    PuId, PuSet,
};

/// Size limit of a text. The sets of its objects may take twenty times its memory.
const LARGEST: usize = 32 << 20;

/// Reason why a text is not a machine in hwloc's XML.
#[derive(Debug, thiserror::Error)]
pub enum ParseHwlocError {
    /// It is not XML.
    #[error("not XML: {0}")]
    Xml(#[from] roxmltree::Error),
    /// The outermost element is not `topology`.
    #[error("not hwloc's XML: the outermost element is `{found}`, not `topology`")]
    NotATopology { found: String },
    /// It has an unsupported version.
    #[error("hwloc's XML of version `{found}`; versions 1 to 3 are supported")]
    Version { found: String },
    /// It is larger than the topology of any machine.
    #[error("larger than {} MiB, the limit for a topology", LARGEST >> 20)]
    TooLarge,
    /// It has no PU.
    #[error("the topology has no PU")]
    NoProcessors,
}

/// Reads a machine from hwloc's XML (versions 1 to 3), as [`hwloc_xml`](crate::hwloc_xml) or `lstopo` wrote it.
///
/// `lstopo` does not report which nodes have PUs of their own. If several have the same locality, the PUs are taken to
/// belong to the node with the lowest number.
///
/// # Errors
/// The text is not XML, is not version 1, 2 or 3 of hwloc's XML, or has no PU.
pub fn parse_hwloc_xml(text: &str) -> Result<Machine, ParseHwlocError> {
    if text.len() > LARGEST {
        return Err(ParseHwlocError::TooLarge);
    }
    let document =
        Document::parse_with_options(text, ParsingOptions { allow_dtd: true, ..Default::default() })?;
    let topology = document.root_element();
    if !topology.has_tag_name("topology") {
        return Err(ParseHwlocError::NotATopology { found: topology.tag_name().name().to_owned() });
    }
    // Version 1 does not state its version.
    let version = topology.attribute("version").unwrap_or("1");
    if !matches!(version.split('.').next(), Some("1" | "2" | "3")) {
        return Err(ParseHwlocError::Version { found: version.to_owned() });
    }
    let objects = objects(topology);
    let machine_set = |attribute: &str| {
        let machine = objects.iter().find(|object| object.kind == "Machine")?;
        mask::parse(machine.xml.attribute(attribute)?).filter(|set| !set.is_empty())
    };
    // Version 3 stores with the topology what earlier versions stored with the machine object.
    let info = |name: &str| element::info(topology, name).map(str::to_owned).or_else(|| info(&objects, name));
    let nodes = memory::nodes(&objects, machine_set("allowed_nodeset").as_ref());
    let mut machine = Machine {
        processor: processor(&objects),
        packages: packages(&objects),
        caches: caches(&objects),
        distances: distances::distances(topology, &objects, &nodes),
        nodes,
        system: OperatingSystem {
            kernel: info("OSRelease"),
            base_page: objects.iter().find_map(|object| memory::page_sizes(object.xml).min()),
            ..OperatingSystem::default()
        },
        name: info("HostName").unwrap_or_default(),
        gaps: gaps(&objects),
        no_memory_devices: Some("hwloc's XML does not list DIMMs".to_owned()),
        ..Machine::default()
    };
    let pus = pus(&objects, machine_set("online_cpuset").as_ref());
    place_pus(&mut machine, &objects, &pus, machine_set("allowed_cpuset").as_ref())?;
    machine.access = memory::access(topology, &objects, &machine.nodes);
    Ok(machine)
}

/// The first `info` of that name on any object.
fn info(objects: &[Element<'_>], name: &str) -> Option<String> {
    objects.iter().find_map(|object| object.info(name)).map(str::to_owned)
}

fn processor(objects: &[Element<'_>]) -> Processor {
    let number = |name| info(objects, name)?.parse().ok();
    Processor {
        vendor: info(objects, "CPUVendor").unwrap_or_default(),
        model: info(objects, "CPUModel").unwrap_or_default(),
        family: number("CPUFamilyNumber"),
        model_number: number("CPUModelNumber"),
        stepping: number("CPUStepping"),
        instruction_sets: Vec::new(),
        second_level_tlb: None,
    }
}

/// Gaps: what hwloc's XML cannot represent, and numbers that no machine has.
fn gaps(objects: &[Element<'_>]) -> Vec<String> {
    let mut gaps = vec![
        "settings: hwloc's XML does not contain those of kernel and firmware".to_owned(),
        "memory devices: hwloc's XML does not list DIMMs".to_owned(),
    ];
    let places = objects.iter().filter(|object| matches!(object.kind, "PU" | "NUMANode"));
    let beyond = places.filter_map(|object| object.number().filter(|_| object.place().is_none())).next();
    let mut nodes = objects.iter().filter(|object| object.kind == "NUMANode" && memory::is_garbled(object));
    gaps.extend(nodes.next().and_then(Element::place).map(|node| {
        format!("memory of node {node} and others like it: the capacity is not a number, or larger than on any machine")
    }));
    gaps.extend(beyond.map(|number| {
        format!("topology: skipped PU or node {number} and others like it: no machine has so many")
    }));
    gaps
}

/// The PUs online. Version 1 lists offline PUs as well, and has a set of those online.
fn pus(objects: &[Element<'_>], online: Option<&BTreeSet<u32>>) -> BTreeSet<PuId> {
    let numbers = objects.iter().filter(|object| object.kind == "PU").filter_map(Element::place);
    numbers.filter(|number| online.is_none_or(|online| online.contains(number))).map(PuId).collect()
}

fn packages(objects: &[Element<'_>]) -> Vec<Package> {
    let mut packages: BTreeMap<PackageId, PuSet> = BTreeMap::new();
    let found = objects.iter().filter(|object| object.kind == "Package" && !object.pus.is_empty());
    for (object, rank) in found.zip(0..) {
        packages.entry(PackageId(object.number().unwrap_or(rank))).or_insert_with(|| object.pus.clone());
    }
    packages.into_iter().map(|(id, pus)| Package { id, pus }).collect()
}

fn caches(objects: &[Element<'_>]) -> Vec<Cache> {
    let cache = |object: &Element<'_>| {
        if !object.is_cache() {
            return None;
        }
        // Before hwloc 1.5, all caches were unified.
        let kind = match object.attribute("cache_type").unwrap_or(0) {
            0 => CacheKind::Unified,
            1 => CacheKind::Data,
            2 => CacheKind::Instruction,
            _ => return None,
        };
        Some(Cache {
            level: object.attribute("depth")?,
            kind,
            size: Bytes(object.attribute("cache_size")?),
            line: Bytes(object.attribute("cache_linesize").unwrap_or_default()),
            // A negative value means fully associative.
            ways: object.attribute("cache_associativity").filter(|&ways| ways > 0),
            pus: object.pus.clone(),
        })
    };
    let mut found: BTreeMap<(u8, PuSet, CacheKind), Cache> = BTreeMap::new();
    for cache in objects.iter().filter_map(cache) {
        found.entry((cache.level, cache.pus.clone(), cache.kind)).or_insert(cache);
    }
    let mut caches: Vec<Cache> = found.into_values().collect();
    caches.sort_by_key(|cache| (cache.level, cache.pus.first(), cache.kind));
    caches
}

/// PUs and cores, and one package that holds everything if the text has none.
fn place_pus(
    machine: &mut Machine,
    objects: &[Element<'_>],
    pus: &BTreeSet<PuId>,
    allowed: Option<&BTreeSet<u32>>,
) -> Result<(), ParseHwlocError> {
    let of_kind = |kind: &'static str| objects.iter().filter(move |object| object.kind == kind);
    if pus.is_empty() {
        return Err(ParseHwlocError::NoProcessors);
    }
    if machine.packages.is_empty() {
        machine.packages = vec![Package { id: PackageId(0), pus: pus.iter().copied().collect() }];
    }
    let mut members: BTreeMap<PuId, PuSet> = BTreeMap::new();
    for &pu in pus {
        let core = of_kind("Core").find(|core| core.pus.contains(pu));
        members.entry(core.and_then(|core| core.pus.first()).unwrap_or(pu)).or_default().insert(pu);
    }
    let mut sets: Vec<PuSet> = members.into_values().collect();
    sets.sort();
    let first_package = machine.packages[0].id;
    let package = |pus: &PuSet| {
        let holds = |package: &&Package| pus.first().is_some_and(|pu| package.pus.contains(pu));
        machine.packages.iter().find(holds).map_or(first_package, |package| package.id)
    };
    let die =
        |pus: &PuSet| of_kind("Die").find(|die| pus.first().is_some_and(|pu| die.pus.contains(pu)))?.number();
    machine.cores = sets
        .into_iter()
        .zip(0..)
        .map(|(pus, rank)| Core {
            id: CoreId(rank),
            package: package(&pus),
            die: die(&pus),
            pus,
            max_clock: None,
        })
        .collect();
    let fallback = machine.nodes.first().map_or(NodeId(0), |node| node.id);
    let node = |pu| machine.nodes.iter().find(|node| node.pus.contains(pu)).map_or(fallback, |node| node.id);
    machine.pus = machine
        .cores
        .iter()
        .flat_map(|core| core.pus.iter().map(move |id| (core, id)))
        .map(|(core, id)| Pu {
            id,
            core: core.id,
            package: core.package,
            node: node(id),
            allowed: allowed.is_none_or(|set| set.contains(&id.0)),
        })
        .collect();
    machine.pus.sort_by_key(|pu| pu.id);
    Ok(())
}
