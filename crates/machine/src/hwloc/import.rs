//! Reading hwloc's XML.

use std::collections::{BTreeMap, BTreeSet};

use roxmltree::{Document, Node, ParsingOptions};
use zerohop_units::Bytes;

use super::{bitmap, memory};
use crate::{
    Cache, CacheKind, Core, CoreId, Machine, NodeId, OperatingSystem, Package, PackageId, Processor, Pu,
    PuId, PuSet,
};

/// Why a text is not a machine in hwloc's XML.
#[derive(Debug, thiserror::Error)]
pub enum ParseHwlocError {
    /// It is not XML.
    #[error("not XML: {0}")]
    Xml(#[from] roxmltree::Error),
    /// Its outermost element is another one.
    #[error("not hwloc's XML: the outermost element is `{found}`, not `topology`")]
    NotATopology {
        /// The element found.
        found: String,
    },
    /// It is of a version that is not read.
    #[error("hwloc's XML of version {found}, where version 2 is read (`lstopo` of hwloc 2 rewrites it)")]
    Version {
        /// The version found.
        found: String,
    },
    /// It names no PU.
    #[error("the topology has no PU")]
    NoProcessors,
}

/// Reads a machine from hwloc's XML (version 2), as [`hwloc_xml`](crate::hwloc_xml) or `lstopo` wrote it.
///
/// `lstopo` does not tell which nodes have PUs of their own: where several have the same locality, the one with the
/// lowest number is taken to.
///
/// # Errors
/// When the text is not XML, not hwloc's version 2, or names no PU.
pub fn parse_hwloc_xml(text: &str) -> Result<Machine, ParseHwlocError> {
    let document =
        Document::parse_with_options(text, ParsingOptions { allow_dtd: true, ..Default::default() })?;
    let topology = document.root_element();
    if !topology.has_tag_name("topology") {
        return Err(ParseHwlocError::NotATopology { found: topology.tag_name().name().to_owned() });
    }
    let version = topology.attribute("version").unwrap_or("1");
    if version.split('.').next() != Some("2") {
        return Err(ParseHwlocError::Version { found: version.to_owned() });
    }
    let objects = objects(topology);
    let allowed = |attribute: &str| {
        let machine = objects.iter().find(|object| object.kind == "Machine")?;
        bitmap::parse(machine.xml.attribute(attribute)?).filter(|set| !set.is_empty())
    };
    let nodes = memory::nodes(&objects, allowed("allowed_nodeset").as_ref());
    let mut machine = Machine {
        processor: processor(&objects),
        packages: packages(&objects),
        caches: caches(&objects),
        distances: memory::distances(topology, &nodes),
        nodes,
        system: system(&objects),
        name: info(&objects, "HostName").unwrap_or_default(),
        gaps: vec![
            "settings: hwloc's XML does not tell those of kernel and firmware".to_owned(),
            "memory devices: hwloc's XML does not tell them".to_owned(),
        ],
        ..Machine::default()
    };
    place_pus(&mut machine, &objects, allowed("allowed_cpuset").as_ref())?;
    machine.access = memory::access(topology, &objects, &machine.nodes);
    Ok(machine)
}

/// One `object` element.
pub(super) struct Element<'xml> {
    pub(super) xml: Node<'xml, 'xml>,
    pub(super) kind: &'xml str,
    pub(super) pus: PuSet,
}

impl Element<'_> {
    /// The operating system's number; hwloc writes -1 for none.
    pub(super) fn number(&self) -> Option<u32> {
        self.attribute("os_index").filter(|&number| number != u32::MAX)
    }

    /// Whether an export of ours says so.
    pub(super) fn is_cpu_less(&self) -> bool {
        self.info(super::CPU_LESS).is_some()
    }

    fn info(&self, name: &str) -> Option<&str> {
        let mut infos = self.xml.children().filter(|node| node.has_tag_name("info"));
        infos.find(|info| info.attribute("name") == Some(name))?.attribute("value")
    }

    pub(super) fn attribute<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.xml.attribute(name)?.parse().ok()
    }
}

fn objects<'xml>(topology: Node<'xml, 'xml>) -> Vec<Element<'xml>> {
    let objects = topology.descendants().filter(|node| node.has_tag_name("object"));
    let object = |xml: Node<'xml, 'xml>| {
        let pus = xml.attribute("cpuset").and_then(bitmap::parse).unwrap_or_default();
        let kind = xml.attribute("type").unwrap_or_default();
        Element { xml, kind, pus: pus.into_iter().map(PuId).collect() }
    };
    objects.map(object).collect()
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
    }
}

fn system(objects: &[Element<'_>]) -> OperatingSystem {
    let page = objects.iter().find_map(|object| memory::page_sizes(object.xml).min());
    OperatingSystem { kernel: info(objects, "OSRelease"), base_page: page, ..OperatingSystem::default() }
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
        let is_cache = object.kind.starts_with('L') && object.kind.ends_with("Cache");
        let kind = match object.attribute("cache_type").filter(|_| is_cache)? {
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
            // Negative is fully associative.
            ways: object.attribute("cache_associativity").filter(|&ways| ways > 0),
            pus: object.pus.clone(),
        })
    };
    let mut caches: Vec<Cache> = objects.iter().filter_map(cache).collect();
    caches.sort_by_key(|cache| (cache.level, cache.pus.first(), cache.kind));
    caches
}

/// PUs and cores; where there is no package at all, one that holds everything.
fn place_pus(
    machine: &mut Machine,
    objects: &[Element<'_>],
    allowed: Option<&BTreeSet<u32>>,
) -> Result<(), ParseHwlocError> {
    let of_kind = |kind: &'static str| objects.iter().filter(move |object| object.kind == kind);
    let pus: BTreeSet<PuId> = of_kind("PU").filter_map(Element::number).map(PuId).collect();
    if pus.is_empty() {
        return Err(ParseHwlocError::NoProcessors);
    }
    if machine.packages.is_empty() {
        machine.packages = vec![Package { id: PackageId(0), pus: pus.iter().copied().collect() }];
    }
    let mut members: BTreeMap<PuId, PuSet> = BTreeMap::new();
    for &pu in &pus {
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
