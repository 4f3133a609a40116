//! PUs, the cores they share and the packages they sit in.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_units::Hertz;

use super::error::LoadError;
use super::reader::{Reader, possible_number};
use crate::bounds::MOST_PUS;
use crate::{Core, CoreId, NodeId, NumaNode, Package, PackageId, Pu, PuId, PuSet};

const CPU: &str = "/sys/devices/system/cpu";
const NODE: &str = "/sys/devices/system/node";

/// The parts that the PUs make up.
pub(super) struct Topology {
    pub(super) packages: Vec<Package>,
    pub(super) cores: Vec<Core>,
    pub(super) pus: Vec<Pu>,
}

/// PUs online, from sysfs or otherwise from `/proc/cpuinfo`.
pub(super) fn online(reader: &Reader<'_>) -> Result<PuSet, LoadError> {
    if let Some(online) = reader.list(&format!("{CPU}/online")).filter(|online| !online.is_empty()) {
        return Ok(with_hidden(reader, online));
    }
    let text = reader.text("/proc/cpuinfo").unwrap_or_default();
    let online: PuSet = text
        .lines()
        .filter_map(|line| line.split_once(':'))
        .filter(|(key, _)| key.trim() == "processor")
        .filter_map(|(_, number)| possible_number(number.trim()))
        .map(PuId)
        .collect();
    if online.is_empty() {
        return Err(LoadError::NoProcessors);
    }
    reader.gap("topology: no /sys/devices/system/cpu/online, so PUs are those of /proc/cpuinfo");
    Ok(online)
}

/// The same PUs or, if this process may run on others that are online as well, those of all nodes.
///
/// lxcfs may show a container as many CPUs as it has the time of, counted from 0, whatever their numbers are (`src/sysfs_fuse.c` in
/// <https://github.com/lxc/lxcfs>). The kernel's other files list the CPUs that there are.
fn with_hidden(reader: &Reader<'_>, shown: PuSet) -> PuSet {
    let affinity = super::cgroup::affinity(reader).unwrap_or_default();
    let is_online = |pu: &PuId| reader.text(&format!("{CPU}/cpu{pu}/topology/physical_package_id")).is_some();
    let others = affinity.difference(&shown);
    let hidden: PuSet = others.iter().filter(|pu| (pu.0 as usize) < MOST_PUS && is_online(pu)).collect();
    if hidden.is_empty() {
        return shown;
    }
    reader.gap(format!(
        "topology: {CPU}/online lists PUs {shown} but not {hidden}, which this process may run on; using the PUs of all nodes"
    ));
    let nodes = reader.numbered(NODE, "node");
    let of_nodes = nodes.iter().filter_map(|node| reader.list(&format!("{NODE}/node{node}/cpulist")));
    of_nodes.flat_map(|pus| pus.iter().collect::<Vec<_>>()).chain(hidden.iter()).collect()
}

/// PUs that this process may run on: its affinity within its cpuset.
pub(super) fn allowed(reader: &Reader<'_>, online: &PuSet, cpuset: Option<&PuSet>) -> PuSet {
    let affinity = super::cgroup::affinity(reader);
    let mut allowed = online.clone();
    for limit in affinity.iter().chain(cpuset) {
        allowed = allowed.intersection(limit);
    }
    if allowed.is_empty() {
        reader.gap("cpuset: allows no PU that is online, so it was ignored");
        return online.clone();
    }
    allowed
}

/// Cores, packages and positions of the PUs online.
pub(super) fn load(reader: &Reader<'_>, online: &PuSet, allowed: &PuSet, nodes: &[NumaNode]) -> Topology {
    let places: BTreeMap<PuId, Reported> =
        online.iter().map(|pu| (pu, Reported::read(reader, pu, online))).collect();
    if places.values().all(|place| place.siblings.is_none()) {
        reader.gap("topology: the kernel does not report which PUs share a core, so each counts as one");
    }
    let packages = packages(&places);
    let cores = cores(&places, &packages);
    let core_of: BTreeMap<PuId, CoreId> =
        cores.iter().flat_map(|core| core.pus.iter().map(|pu| (pu, core.id))).collect();
    let node_of = nodes_of(reader, online, nodes);
    let mut members: BTreeMap<PackageId, PuSet> = BTreeMap::new();
    for (&pu, &package) in &packages {
        members.entry(package).or_default().insert(pu);
    }
    Topology {
        packages: members.into_iter().map(|(id, pus)| Package { id, pus }).collect(),
        pus: online
            .iter()
            .map(|id| Pu {
                id,
                core: core_of[&id],
                package: packages[&id],
                node: node_of[&id],
                allowed: allowed.contains(id),
            })
            .collect(),
        cores,
    }
}

/// The position of one PU, as the kernel reports it.
struct Reported {
    package: Option<u32>,
    package_members: Option<PuSet>,
    die: Option<u32>,
    core: Option<u32>,
    siblings: Option<PuSet>,
    max_clock: Option<Hertz>,
}

impl Reported {
    fn read(reader: &Reader<'_>, pu: PuId, online: &PuSet) -> Self {
        let topology = format!("{CPU}/cpu{pu}/topology");
        // Kernels before 5.3 have only the older of the two names.
        let members = |names: [&str; 2]| {
            names
                .iter()
                .find_map(|name| {
                    reader.set(&format!("{topology}/{name}_list"), &format!("{topology}/{name}"))
                })
                .map(|set| set.intersection(online))
                .filter(|set| set.contains(pu))
        };
        let number = |name: &str| {
            let value: i64 = reader.number(&format!("{topology}/{name}"))?;
            // Virtual machines and old firmware give -1, or its 16-bit form.
            u32::try_from(value).ok().filter(|&id| id < u32::from(u16::MAX))
        };
        let clock: Option<u64> = reader.number(&format!("{CPU}/cpu{pu}/cpufreq/cpuinfo_max_freq"));
        Self {
            package: number("physical_package_id"),
            package_members: members(["package_cpus", "core_siblings"]),
            die: number("die_id"),
            core: number("core_id"),
            siblings: members(["core_cpus", "thread_siblings"]),
            max_clock: clock.filter(|&khz| khz > 0).map(|khz| Hertz(khz as f64 * 1e3)),
        }
    }
}

/// The package of each PU: the kernel's number or, if it has none, the rank of the set of PUs that share the package.
fn packages(places: &BTreeMap<PuId, Reported>) -> BTreeMap<PuId, PackageId> {
    let known: BTreeSet<u32> = places.values().filter_map(|place| place.package).collect();
    let mut free = (0..).filter(|id| !known.contains(id));
    let mut unnumbered: BTreeMap<Option<&PuSet>, PackageId> = BTreeMap::new();
    let mut packages = BTreeMap::new();
    for (&pu, place) in places {
        let package = match place.package {
            Some(id) => PackageId(id),
            None => *unnumbered
                .entry(place.package_members.as_ref())
                .or_insert_with(|| PackageId(free.next().unwrap_or_default())),
        };
        packages.insert(pu, package);
    }
    packages
}

/// Cores, ranked by their first PU.
fn cores(places: &BTreeMap<PuId, Reported>, packages: &BTreeMap<PuId, PackageId>) -> Vec<Core> {
    let mut dies: BTreeMap<PackageId, BTreeSet<u32>> = BTreeMap::new();
    let mut by_number: BTreeMap<(PackageId, Option<u32>, u32), PuId> = BTreeMap::new();
    let mut members: BTreeMap<PuId, PuSet> = BTreeMap::new();
    for (&pu, place) in places {
        let package = packages[&pu];
        dies.entry(package).or_default().extend(place.die);
        let first = match (&place.siblings, place.core) {
            (Some(siblings), _) => siblings.first().unwrap_or(pu),
            (None, Some(core)) => *by_number.entry((package, place.die, core)).or_insert(pu),
            (None, None) => pu,
        };
        members.entry(first).or_default().insert(pu);
    }
    let mut sets: Vec<PuSet> = members.into_values().collect();
    sets.sort();
    let mut cores = Vec::with_capacity(sets.len());
    for (pus, rank) in sets.into_iter().zip(0..) {
        let Some(first) = pus.first() else { continue };
        let place = &places[&first];
        let package = packages[&first];
        cores.push(Core {
            id: CoreId(rank),
            package,
            die: place.die.filter(|_| dies[&package].len() > 1),
            pus,
            max_clock: place.max_clock,
        });
    }
    cores
}

/// The node of each PU: the lowest one that claims it.
fn nodes_of(reader: &Reader<'_>, online: &PuSet, nodes: &[NumaNode]) -> BTreeMap<PuId, NodeId> {
    let fallback = nodes.first().map_or(NodeId(0), |node| node.id);
    let mut orphans = PuSet::new();
    let mut shared = PuSet::new();
    let mut node_of = BTreeMap::new();
    for pu in online.iter() {
        let mut claims = nodes.iter().filter(|node| node.pus.contains(pu));
        let first = claims.next();
        if first.is_none() {
            orphans.insert(pu);
        }
        if claims.next().is_some() {
            shared.insert(pu);
        }
        node_of.insert(pu, first.map_or(fallback, |node| node.id));
    }
    if !orphans.is_empty() {
        reader.gap(format!("nodes: PUs {orphans} belong to none, so they count as node {fallback}'s"));
    }
    if !shared.is_empty() {
        reader.gap(format!("nodes: PUs {shared} are claimed by several (faked NUMA?); the lowest counts"));
    }
    node_of
}
