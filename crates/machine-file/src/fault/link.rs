//! A link that is down, narrow or slow.

use std::collections::VecDeque;

use zerohop_units::{GigabytesPerSecond, TransfersPerSecond};

use crate::fault::{FaultError, LinkState};
use crate::{DirectedLink, Hardware, Routes};
use zerohop_machine::{NodeId, PackageId};

/// The lanes of a link whose file states none: a full link of HyperTransport, xGMI or UPI carries 16 bits of data.
const LANES: u32 = 16;

/// Links run at no smaller share of their rate: one that stayed in the mode in which it starts is 157 times as slow (QPI, 66 MT/s).
const SLOWEST: f64 = 1e-3;

pub(super) fn harm(hardware: &mut Hardware, ends: &[String; 2], state: LinkState) -> Result<(), FaultError> {
    let rank = find(hardware, ends)?;
    let link = &hardware.links[rank];
    let name = link.name.clone();
    let lanes = hardware.key(&format!("wire.{}.lanes", link.kind)).unwrap_or(LANES);
    let stated: Option<TransfersPerSecond> = hardware.key(&format!("wire.{}.rate", link.kind));
    let of_wire = link.capacity.get() / f64::from(link.wires);
    let rate = stated.unwrap_or(TransfersPerSecond(of_wire * 1e9 * 8.0 / f64::from(lanes)));
    let share = match state {
        LinkState::Down if link.wires == 1 => return cut(hardware, rank),
        LinkState::Down => {
            let before = link.wires;
            let link = &mut hardware.links[rank];
            link.wires -= 1;
            let kept = |packets: u32| packets * link.wires / before;
            let buffers = link.buffers;
            link.buffers.request = kept(buffers.request);
            link.buffers.write = kept(buffers.write);
            link.buffers.probe = kept(buffers.probe);
            link.buffers.response = kept(buffers.response);
            f64::from(link.wires) / f64::from(before)
        }
        LinkState::Lanes(fewer) if fewer >= lanes => {
            return Err(FaultError::NotWorse { what: format!("link `{name}` has {lanes} lanes") });
        }
        LinkState::Lanes(fewer) => f64::from(fewer) / f64::from(lanes),
        LinkState::Rate(slower) if slower.get() >= rate.get() => {
            let gigatransfers = rate.get() / 1e9;
            return Err(FaultError::NotWorse { what: format!("link `{name}` runs at {gigatransfers} GT/s") });
        }
        LinkState::Rate(slower) if slower.get() < SLOWEST * rate.get() => {
            let what = format!("link `{name}` runs at {} GT/s", rate.get() / 1e9);
            return Err(FaultError::Absurd { what, least: "a thousandth" });
        }
        LinkState::Rate(slower) => slower.get() / rate.get(),
    };
    let link = &mut hardware.links[rank];
    link.capacity = GigabytesPerSecond(link.capacity.get() * share);
    link.back = link.back.map(|back| GigabytesPerSecond(back.get() * share));
    Ok(())
}

impl Hardware {
    /// The rank of the link that a fault names by two nodes or two routers, if the machine has it (still).
    pub fn link_between(&self, ends: &[String; 2]) -> Option<usize> {
        find(self, ends).ok()
    }
}

/// The link that joins two routers of these names, or that leads from one node's package to another's.
fn find(hardware: &Hardware, ends: &[String; 2]) -> Result<usize, FaultError> {
    let router = |name: &String| hardware.routers.iter().position(|router| router.name == *name);
    if let (Some(from), Some(to)) = (router(&ends[0]), router(&ends[1])) {
        let joins = |link: &crate::Link| link.ends == [from, to] || link.ends == [to, from];
        if let Some(rank) = hardware.links.iter().position(joins) {
            return Ok(rank);
        }
    }
    let packages = packages(hardware);
    let between = |link: &crate::Link| packages[link.ends[0]] != packages[link.ends[1]];
    let missing = || {
        let of_packages = hardware.links.iter().filter(|link| between(link));
        FaultError::NoLink { ends: ends.clone(), has: of_packages.map(|link| link.name.clone()).collect() }
    };
    let home = |name: &String| {
        let node = NodeId(name.strip_prefix("node").unwrap_or(name).parse().ok()?);
        let memory = hardware.memory(node)?;
        Some(hardware.homes[*memory.homes.first()?].router)
    };
    let (Some(from), Some(to)) = (home(&ends[0]), home(&ends[1])) else { return Err(missing()) };
    let path = hardware.path(from, to);
    let crossing: Vec<usize> =
        path.iter().map(|link| link.link()).filter(|&rank| between(&hardware.links[rank])).collect();
    match (crossing.as_slice(), path.as_slice()) {
        ([only], _) => Ok(*only),
        // Two nodes of one package, side by side.
        ([], [only]) => Ok(only.link()),
        _ => Err(missing()),
    }
}

/// The package of every router: that of its cores or its memory, or of the nearest router that has some.
fn packages(hardware: &Hardware) -> Vec<Option<PackageId>> {
    let mut packages = vec![None; hardware.routers.len()];
    for (core, place) in hardware.machine.cores.iter().zip(&hardware.cores) {
        packages[place.router].get_or_insert(core.package);
    }
    for memory in &hardware.memories {
        let node = hardware.machine.node(memory.node);
        let package = node
            .and_then(|node| node.pus.first())
            .and_then(|pu| hardware.machine.pu(pu))
            .map(|pu| pu.package);
        let routers = memory.homes.iter().map(|&home| hardware.homes[home].router);
        for router in routers {
            packages[router] = packages[router].or(package);
        }
    }
    let mut reached: VecDeque<usize> =
        (0..packages.len()).filter(|&router| packages[router].is_some()).collect();
    while let Some(router) = reached.pop_front() {
        for link in &hardware.links {
            let other = match link.ends {
                [one, other] if one == router => other,
                [other, one] if one == router => other,
                _ => continue,
            };
            if packages[other].is_none() {
                packages[other] = packages[router];
                reached.push_back(other);
            }
        }
    }
    packages
}

/// Takes a link out. Packets that went over it take the fewest links that are left; all others go as before.
fn cut(hardware: &mut Hardware, dead: usize) -> Result<(), FaultError> {
    let count = hardware.routers.len();
    let name = hardware.links[dead].name.clone();
    let mut next = vec![None; count * count];
    for to in 0..count {
        let uses_it =
            (0..count).any(|from| hardware.routes.next(from, to).is_some_and(|link| link.link() == dead));
        let distances = distances(hardware, to, dead);
        for from in (0..count).filter(|&from| from != to) {
            let now = hardware.routes.next(from, to);
            if !uses_it {
                next[from * count + to] = now;
                continue;
            }
            let Some(far) = distances[from] else { return Err(FaultError::OnlyWay { link: name }) };
            let nearer = |link: &DirectedLink| {
                link.link() != dead && distances[hardware.end(*link)].is_some_and(|near| near < far)
            };
            let ways = (0..2 * hardware.links.len()).map(DirectedLink);
            let mut ways = ways.filter(|link| hardware.start(*link) == from).filter(nearer);
            next[from * count + to] = now.filter(nearer).or_else(|| ways.next());
        }
    }
    let renumbered = |link: DirectedLink| {
        DirectedLink::new(link.link() - usize::from(link.link() > dead), link.direction())
    };
    let next = next.into_iter().map(|link| link.map(renumbered)).collect();
    hardware.links.remove(dead);
    hardware.routes = Routes::new(count, next);
    Ok(())
}

/// The fewest links from every router to `to` without the link `dead`.
fn distances(hardware: &Hardware, to: usize, dead: usize) -> Vec<Option<u32>> {
    let mut distances = vec![None; hardware.routers.len()];
    distances[to] = Some(0);
    let mut reached = VecDeque::from([to]);
    while let Some(at) = reached.pop_front() {
        for (rank, link) in hardware.links.iter().enumerate().filter(|(rank, _)| *rank != dead) {
            debug_assert_ne!(rank, dead);
            for direction in 0..2 {
                let (from, over) = (link.ends[direction], link.ends[1 - direction]);
                if over == at && distances[from].is_none() {
                    distances[from] = distances[at].map(|far: u32| far + 1);
                    reached.push_back(from);
                }
            }
        }
    }
    distances
}
