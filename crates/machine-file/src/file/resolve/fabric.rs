//! Routers, and the links between them.

use std::collections::{HashMap, HashSet};

use zerohop_document::{Problems, Span, Text, suggest};
use zerohop_units::GigabytesPerSecond;

use super::kinds::{Wire, named};
use super::node::Node;
use crate::file::tables::{LinkTable, MachineTable, MeshTable};
use crate::{Buffers, Link, Router};

/// More routers than this indicate a garbled file; tables of routes grow with the square of their number.
const MOST_ROUTERS: usize = 1024;
/// More links than this indicate a garbled file.
const MOST_LINKS: usize = 16_384;

/// The routers, by name.
pub(super) struct Routers {
    pub(super) list: Vec<Router>,
    /// Locations of the names in the text.
    pub(super) places: Vec<Span>,
    ranks: HashMap<String, usize>,
}

impl Routers {
    /// The rank of the router of that name.
    pub(super) fn rank_of(&self, name: &str) -> Option<usize> {
        self.ranks.get(name).copied()
    }

    /// Rank of a name; reports a name that does not exist.
    pub(super) fn rank(&self, name: &Text, problems: &mut Problems) -> Option<usize> {
        let rank = self.rank_of(&name.text);
        if rank.is_none() {
            let hint = suggest(&name.text, self.list.iter().map(|router| router.name.as_str()));
            problems.add_with_hint(name.place, format!("no router `{}`", name.text), hint);
        }
        rank
    }
}

/// The routers that the file names, or one for each node.
pub(super) fn routers(tables: &MachineTable, nodes: &[Node<'_>], problems: &mut Problems) -> Option<Routers> {
    let traversal = tables.routing.traversal.value;
    let mut list: Vec<Router> = Vec::new();
    let mut places = Vec::new();
    let mut places_taken = HashMap::new();
    let mut right = true;
    for part in tables.router.iter() {
        let position = part.value.position.map(|position| position.value.0);
        let taken = position.and_then(|position| places_taken.insert(position, list.len()));
        if let Some(other) = taken {
            let other: &Router = &list[other];
            let message = format!("routers `{}` and `{}` have the same position", part.name, other.name);
            problems.add(part.value.position.map_or(part.place, |position| position.place), message);
            right = false;
        }
        let traversal = part.value.traversal.map_or(traversal, |own| own.value);
        list.push(Router { name: part.name.clone(), position, traversal });
        places.push(part.place);
    }
    if list.is_empty() {
        for node in nodes {
            list.push(Router { name: node.name.to_owned(), position: None, traversal });
            places.push(node.place);
        }
    }
    if let Some(&place) = places.get(MOST_ROUTERS) {
        problems.add(place, format!("more than {MOST_ROUTERS} routers"));
        return None;
    }
    let ranks = list.iter().enumerate().map(|(rank, router)| (router.name.clone(), rank)).collect();
    right.then_some(Routers { list, places, ranks })
}

/// Links of the file's list, followed by the links of the mesh.
pub(super) fn links(
    tables: &MachineTable,
    routers: &Routers,
    wires: &[Wire],
    problems: &mut Problems,
) -> Option<Vec<Link>> {
    if let Some(part) = tables.link.0.get(MOST_LINKS) {
        problems.add(part.place, format!("more than {MOST_LINKS} links"));
        return None;
    }
    let named: Vec<Option<Link>> = tables
        .link
        .iter()
        .map(|part| link(&part.name, &part.value, tables, routers, wires, problems))
        .collect();
    let of_mesh = match &tables.mesh {
        Some(mesh) => mesh_links(mesh, tables, routers, wires, problems),
        None => Some(Vec::new()),
    };
    let mut links: Vec<Link> = named.into_iter().collect::<Option<_>>()?;
    // A link that the file lists replaces the mesh's.
    let names: HashSet<String> = links.iter().map(|link| link.name.clone()).collect();
    links.extend(of_mesh?.into_iter().filter(|link| !names.contains(&link.name)));
    Some(links)
}

fn link(
    name: &str,
    table: &LinkTable,
    tables: &MachineTable,
    routers: &Routers,
    wires: &[Wire],
    problems: &mut Problems,
) -> Option<Link> {
    let wire = named(&tables.wire, wires, "kind of link", &table.wire, problems);
    let [first, second] = table.ends.names.as_slice() else {
        let message = format!("a link has two ends, not {}", table.ends.names.len());
        problems.add_with_hint(table.ends.place, message, "write, for example, `ends = [\"0\", \"1\"]`");
        return None;
    };
    let (from, to) = (routers.rank(first, problems), routers.rank(second, problems));
    let ends = [from?, to?];
    if ends[0] == ends[1] {
        let message = format!("link `{name}` connects router `{}` to itself", first.text);
        problems.add(table.ends.place, message);
        return None;
    }
    Some(joined(name.to_owned(), ends, wire?, table.count.value))
}

/// `count` parallel wires as one link: its capacity and buffers are `count` times as large, but each packet is sent at
/// the rate of one wire.
fn joined(name: String, ends: [usize; 2], wire: &Wire, count: u32) -> Link {
    let times = |buffers: u32| buffers.saturating_mul(count);
    Link {
        name,
        kind: wire.name.clone(),
        ends,
        capacity: GigabytesPerSecond(wire.capacity.get() * f64::from(count)),
        back: wire.back.map(|back| back * f64::from(count)),
        wires: count,
        buffers: Buffers {
            request: times(wire.buffers.request),
            write: times(wire.buffers.write),
            probe: times(wire.buffers.probe),
            response: times(wire.buffers.response),
        },
        parameters: wire.parameters,
    }
}

/// A link from each router with a position to the next one in its row and the next one in its column.
fn mesh_links(
    mesh: &MeshTable,
    tables: &MachineTable,
    routers: &Routers,
    wires: &[Wire],
    problems: &mut Problems,
) -> Option<Vec<Link>> {
    let row = named(&tables.wire, wires, "kind of link", &mesh.row, problems);
    let column = named(&tables.wire, wires, "kind of link", &mesh.column, problems);
    let wires = [row?, column?];
    let placed: Vec<(usize, [i32; 2])> =
        (0..routers.list.len()).filter_map(|rank| Some((rank, routers.list[rank].position?))).collect();
    if placed.is_empty() {
        let message = "no router has a position, so the mesh has no links";
        problems.add_with_hint(
            mesh.table_place,
            message,
            "write, for example, `position = [0, 1]` for each router",
        );
        return None;
    }
    let mut links = Vec::new();
    for &(rank, position) in &placed {
        for (axis, wire) in wires.iter().enumerate() {
            let beyond = placed
                .iter()
                .filter(|(_, other)| other[1 - axis] == position[1 - axis] && other[axis] > position[axis])
                .min_by_key(|(_, other)| other[axis]);
            if let Some(&(next, _)) = beyond {
                let name = format!("{}-{}", routers.list[rank].name, routers.list[next].name);
                links.push(joined(name, [rank, next], wire, 1));
            }
        }
    }
    Some(links)
}
