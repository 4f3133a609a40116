//! Cores, their PUs and their caches, as an operating system numbers them.

use zerohop_document::{Number, Problems};

use super::fabric::Routers;
use super::kinds::CoreForm;
use super::node::Node;
use crate::file::tables::{MachineTable, NumberingWord};
use crate::{CoreKind, CorePlace};
use zerohop_machine::MOST_PUS;
use zerohop_machine::{Cache, Core, CoreId, Package, PackageId, Pu, PuId, PuSet};

/// Everything that follows from cores.
pub(super) struct Cores {
    pub(super) kinds: Vec<CoreKind>,
    pub(super) places: Vec<CorePlace>,
    pub(super) shown: Vec<Core>,
    pub(super) pus: Vec<Pu>,
    pub(super) packages: Vec<Package>,
    pub(super) caches: Vec<Cache>,
    /// PUs of each node, in the order of the nodes.
    pub(super) node_pus: Vec<PuSet>,
}

/// A core, before or after its PUs are numbered.
struct Placed {
    /// Rank of its node.
    node: usize,
    /// Rank in the node.
    rank: usize,
    package: PackageId,
    place: CorePlace,
    threads: u32,
    pus: Vec<PuId>,
}

pub(super) fn cores(
    tables: &MachineTable,
    nodes: &[Node<'_>],
    routers: &Routers,
    forms: Vec<CoreForm>,
    problems: &mut Problems,
) -> Option<Cores> {
    let mut cores = placed(tables, nodes, routers, &forms, problems)?;
    number(&mut cores, tables.system.numbering);
    let node_pus = (0..nodes.len())
        .map(|node| {
            cores.iter().filter(|core| core.node == node).flat_map(|core| core.pus.iter().copied()).collect()
        })
        .collect();
    let caches = caches(&cores, nodes.len(), &forms);
    // The machine's cores are in the order of their first PUs.
    cores.sort_by_key(|core| core.pus.first().copied());
    let mut shown = Vec::new();
    let mut pus = Vec::new();
    for (rank, core) in cores.iter().enumerate() {
        let id = CoreId(rank as u32);
        shown.push(Core {
            id,
            package: core.package,
            die: None,
            pus: core.pus.iter().copied().collect(),
            max_clock: Some(forms[core.place.kind].kind.parameters.clock),
        });
        pus.extend(core.pus.iter().map(|&pu| Pu {
            id: pu,
            core: id,
            package: core.package,
            node: nodes[core.node].id,
            allowed: true,
        }));
    }
    pus.sort_by_key(|pu| pu.id);
    Some(Cores {
        places: cores.iter().map(|core| core.place).collect(),
        packages: packages(&pus),
        kinds: forms.into_iter().map(|form| form.kind).collect(),
        shown,
        pus,
        caches,
        node_pus,
    })
}

/// Cores node by node.
fn placed(
    tables: &MachineTable,
    nodes: &[Node<'_>],
    routers: &Routers,
    forms: &[CoreForm],
    problems: &mut Problems,
) -> Option<Vec<Placed>> {
    let mut cores = Vec::new();
    let mut pus = 0;
    let mut right = true;
    let disabled = tables.disabled.iter().flat_map(|disabled| &disabled.names);
    let off: Vec<Option<usize>> = disabled.map(|router| routers.rank(router, problems)).collect();
    let off: Vec<usize> = off.into_iter().collect::<Option<_>>()?;
    for (rank, node) in nodes.iter().enumerate() {
        let (Some(table), Some(packages)) = (&node.table.cores, &node.table.package) else { continue };
        let count = table.count;
        let places = node.places("cores", table.at.as_ref(), count, routers, problems);
        let kind = tables.core.rank("kind of core", &table.kind, problems);
        let (Some(places), Some(kind)) = (places, kind) else {
            right = false;
            continue;
        };
        let threads = forms[kind].kind.parameters.threads;
        pus += places.len() * threads as usize;
        if pus > MOST_PUS {
            problems.add(count.place, format!("the machine has more than {MOST_PUS} PUs with these cores"));
            return None;
        }
        right &= caches_divide(&forms[kind], count, problems);
        if !places.len().is_multiple_of(packages.value.0.len()) {
            let message = format!(
                "{} cores cannot be distributed evenly over {} packages",
                places.len(),
                packages.value.0.len()
            );
            problems.add(packages.place, message);
            right = false;
            continue;
        }
        let all = places.len();
        let on = places.into_iter().enumerate().filter(|(_, router)| !off.contains(router));
        cores.extend(on.enumerate().map(|(in_node, (at, router))| Placed {
            node: rank,
            rank: in_node,
            package: PackageId(packages.value.0[at * packages.value.0.len() / all]),
            place: CorePlace { kind, router },
            threads,
            pus: Vec::new(),
        }));
    }
    if cores.is_empty() && right {
        let place = tables.disabled.as_ref().map_or(tables.title.place, |disabled| disabled.place);
        problems.add(place, "all cores are disabled");
        right = false;
    }
    right.then_some(cores)
}

fn caches_divide(form: &CoreForm, count: Number<u32>, problems: &mut Problems) -> bool {
    let odd = form.caches.iter().find(|cache| !count.value.is_multiple_of(cache.shared_by));
    if let Some(cache) = odd {
        let message = format!(
            "{} cores cannot be divided into groups of {} that share an L{} cache",
            count.value, cache.shared_by, cache.level
        );
        let hint = format!("`shared_by` is set in `core.{}`", form.kind.name);
        problems.add_with_hint(count.place, message, hint);
    }
    odd.is_none()
}

fn number(cores: &mut [Placed], numbering: NumberingWord) {
    let mut order: Vec<(usize, u32)> = Vec::new();
    for (at, core) in cores.iter().enumerate() {
        order.extend((0..core.threads).map(|thread| (at, thread)));
    }
    match numbering {
        NumberingWord::Core => {}
        NumberingWord::Thread => order.sort_by_key(|&(at, thread)| (thread, at)),
        NumberingWord::RoundRobin => order.sort_by_key(|&(at, thread)| (thread, cores[at].rank, at)),
    }
    for (number, (at, _)) in order.into_iter().enumerate() {
        cores[at].pus.push(PuId(number as u32));
    }
}

fn packages(pus: &[Pu]) -> Vec<Package> {
    let mut ids: Vec<PackageId> = pus.iter().map(|pu| pu.package).collect();
    ids.sort_unstable();
    ids.dedup();
    let of = |id| pus.iter().filter(|pu| pu.package == id).map(|pu| pu.id).collect();
    ids.into_iter().map(|id| Package { id, pus: of(id) }).collect()
}

fn caches(cores: &[Placed], nodes: usize, forms: &[CoreForm]) -> Vec<Cache> {
    let line = crate::LINE;
    let mut caches = Vec::new();
    for node in 0..nodes {
        let of_node: Vec<&Placed> = cores.iter().filter(|core| core.node == node).collect();
        let Some(first) = of_node.first() else { continue };
        for form in &forms[first.place.kind].caches {
            for group in of_node.chunks(form.shared_by as usize) {
                let pus: PuSet = group.iter().flat_map(|core| core.pus.iter().copied()).collect();
                let (level, kind, size, ways) = (form.level, form.kind, form.size, form.ways);
                caches.push(Cache { level, kind, size, line, ways, pus });
            }
        }
    }
    caches.sort_by_key(|cache| (cache.level, cache.pus.iter().next(), cache.kind));
    caches
}
