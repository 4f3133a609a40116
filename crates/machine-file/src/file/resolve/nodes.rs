//! NUMA nodes: their numbers, and the positions of their units.

use zerohop_document::{Names, Number, Problems, Text};
use zerohop_units::Bytes;

use super::fabric::Routers;
use super::node::Node;
use crate::file::tables::MachineTable;
use zerohop_machine::{MemorySideCache, NodeId, NumaNode, PackageId, PuSet};

/// More nodes than Linux supports indicate a garbled file.
const MOST_NODES: u32 = 1024;

/// The nodes by ascending number.
pub(super) fn nodes<'t>(tables: &'t MachineTable, problems: &mut Problems) -> Option<Vec<Node<'t>>> {
    let mut nodes: Vec<Node<'_>> = Vec::new();
    let mut right = true;
    for part in tables.node.iter() {
        let node = part.name.parse().ok().filter(|&number| number < MOST_NODES).map(|number| Node {
            id: NodeId(number),
            name: &part.name,
            place: part.place,
            table: &part.value,
        });
        let Some(node) = node else {
            let message = format!("invalid node number `{}`", part.name);
            let hint = format!("nodes are named by the operating system's numbers, 0 to {}", MOST_NODES - 1);
            problems.add_with_hint(part.place, message, hint);
            right = false;
            continue;
        };
        if let Some(other) = nodes.iter().find(|other| other.id == node.id) {
            let message = format!("`node.{}` and `node.{}` are the same node", other.name, node.name);
            problems.add(node.place, message);
            right = false;
        }
        right &= has_parts(&node, problems);
        nodes.push(node);
    }
    right &= machine_has(&nodes, tables, problems);
    nodes.sort_by_key(|node| node.id);
    right.then_some(nodes)
}

/// Checks that the node has cores or memory, and everything that these need.
fn has_parts(node: &Node<'_>, problems: &mut Problems) -> bool {
    let table = node.table;
    let name = format!("`node.{}`", node.name);
    let before = problems.count();
    match (&table.cores, &table.package) {
        (Some(_), None) => {
            let message = format!("{name} has cores but no `package`");
            problems.add_with_hint(node.place, message, "write, for example, `package = 0`");
        }
        (None, _) if table.memory.is_none() => {
            let message = format!("{name} has neither cores nor memory");
            problems.add_with_hint(node.place, message, "write, for example, `memory = \"8 GiB\"`");
        }
        _ => {}
    }
    for (key, units) in [("channels", &table.channels), ("homes", &table.homes)] {
        match (table.memory.is_some(), units) {
            (true, None) => {
                let message = format!("{name} has memory but no `{key}`");
                let hint = format!("write, for example, `{key} = {{ kind = \"…\", count = 1 }}`");
                problems.add_with_hint(node.place, message, hint);
            }
            (false, Some(units)) => {
                let message = format!("{name} has `{key}` but no memory");
                problems.add_with_hint(units.table_place, message, format!("add `memory`, or omit `{key}`"));
            }
            (true, Some(_)) | (false, None) => {}
        }
    }
    if let (None, Some(cache)) = (&table.memory, &table.cache) {
        let message = format!("{name} has a `cache` but no memory");
        problems.add_with_hint(cache.table_place, message, "a memory-side cache needs a node with memory");
    }
    problems.count() == before
}

fn machine_has(nodes: &[Node<'_>], tables: &MachineTable, problems: &mut Problems) -> bool {
    let place = tables.title.place;
    let without = match () {
        () if tables.node.iter().len() == 0 => Some("nodes"),
        () if nodes.iter().all(|node| node.table.cores.is_none()) => Some("cores"),
        () if nodes.iter().all(|node| node.table.memory.is_none()) => Some("memory"),
        () => None,
    };
    if let Some(without) = without {
        let hint = "at least one `[node.0]` with `cores` and `memory` is required";
        problems.add_with_hint(place, format!("the machine has no {without}"), hint);
    }
    without.is_none()
}

impl Node<'_> {
    pub(super) fn memory(&self) -> Bytes {
        self.table.memory.as_ref().map_or(Bytes(0), |memory| memory.value)
    }

    /// The package of one of `count` units, which are divided evenly over packages, one package after the other.
    pub(super) fn package_of(&self, unit: usize, count: usize) -> Option<PackageId> {
        let packages = &self.table.package.as_ref()?.value.0;
        packages.get(unit * packages.len() / count.max(1)).map(|&package| PackageId(package))
    }

    /// Its memory-side cache, as an operating system shows it.
    fn side_cache(&self) -> Option<MemorySideCache> {
        let cache = self.table.cache.as_ref()?;
        Some(MemorySideCache { level: 1, size: cache.size.value, line: crate::LINE })
    }

    /// The node as an operating system shows it, with all memory free.
    pub(super) fn shown(&self, pus: &PuSet) -> NumaNode {
        NumaNode {
            id: self.id,
            pus: pus.clone(),
            memory: self.memory(),
            free: self.memory(),
            huge_pages: Vec::new(),
            memory_side_caches: self.side_cache().into_iter().collect(),
            allowed: true,
        }
    }

    /// The router of each of `count` units: divided evenly over the routers that `at` names, or else at the node's own.
    pub(super) fn places(
        &self,
        what: &str,
        at: Option<&Names>,
        count: Number<u32>,
        routers: &Routers,
        problems: &mut Problems,
    ) -> Option<Vec<usize>> {
        let Some(at) = at else {
            let own = match &self.table.router {
                Some(router) => routers.rank(router, problems)?,
                None => {
                    let name = Text { text: self.name.to_owned(), place: self.place };
                    routers.rank_of(&name.text).or_else(|| {
                        let message = format!("the router of the {what} of `node.{}` is missing", self.name);
                        let hint = "write `router = \"…\"` for the node, or `at = [\"…\"]` for its units";
                        problems.add_with_hint(self.place, message, hint);
                        None
                    })?
                }
            };
            return Some(vec![own; count.value as usize]);
        };
        let ranks: Vec<Option<usize>> = at.names.iter().map(|name| routers.rank(name, problems)).collect();
        let ranks: Vec<usize> = ranks.into_iter().collect::<Option<_>>()?;
        let (units, places) = (count.value as usize, ranks.len());
        if places == 0 || !units.is_multiple_of(places) {
            let message = format!("{units} {what} cannot be distributed evenly over {places} routers");
            let hint = "use a number of routers that divides the number of units";
            problems.add_with_hint(at.place, message, hint);
            return None;
        }
        let each = units / places;
        Some(ranks.into_iter().flat_map(|rank| std::iter::repeat_n(rank, each)).collect())
    }
}
