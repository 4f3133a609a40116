//! Routers by the NUMA nodes whose parts they hold: one area for each set of nodes that share routers.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use zerohop_machine::NodeId;
use zerohop_machine_file::Hardware;

use crate::fabric::places;

/// Routers that hold the home agents of the same nodes, and the routers that are nearest to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Area {
    pub(super) nodes: Vec<NodeId>,
    /// Ranks of its routers, ascending.
    pub(super) routers: Vec<usize>,
}

/// All links between two areas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bundle {
    /// The areas, by rank, ascending.
    pub(super) ends: [usize; 2],
    /// The links, by rank; 1 beside those that begin at the second area.
    pub(super) links: Vec<(usize, usize)>,
}

/// The areas of a machine, in the order of their first nodes.
pub(super) fn areas(hardware: &Hardware) -> Vec<Area> {
    let of_nodes = places(hardware);
    let mut area_of: Vec<Option<usize>> = vec![None; hardware.routers.len()];
    let mut areas: Vec<Area> = Vec::new();
    for place in &of_nodes {
        // A node without memory is where its cores are.
        let routers =
            if place.homes.is_empty() { &place.cores[..place.cores.len().min(1)] } else { &place.homes };
        if routers.is_empty() {
            continue;
        }
        let known: Vec<usize> = routers.iter().filter_map(|&router| area_of[router]).collect();
        let into = known.iter().copied().min().unwrap_or_else(|| {
            areas.push(Area { nodes: Vec::new(), routers: Vec::new() });
            areas.len() - 1
        });
        areas[into].nodes.push(place.node);
        for &router in routers {
            area_of[router] = Some(into);
        }
        // Nodes that were apart until now share a router of this one.
        known.into_iter().for_each(|apart| merge(&mut areas, &mut area_of, apart, into));
    }
    merge_around_hubs(hardware, &mut area_of, &mut areas);
    spread(hardware, &mut area_of);
    for (router, area) in area_of.iter().enumerate() {
        if let Some(area) = area {
            areas[*area].routers.push(router);
        }
    }
    for area in &mut areas {
        area.nodes.sort_unstable();
        area.nodes.dedup();
    }
    areas.retain(|area| !area.nodes.is_empty());
    areas
}

fn merge(areas: &mut [Area], area_of: &mut [Option<usize>], apart: usize, into: usize) {
    if apart == into {
        return;
    }
    let moved = std::mem::take(&mut areas[apart].nodes);
    areas[into].nodes.extend(moved);
    area_of.iter_mut().filter(|area| **area == Some(apart)).for_each(|area| *area = Some(into));
}

/// Fewer areas around a router are neighbors that it joins.
const AROUND_A_HUB: usize = 3;

/// Joins the areas around a router that holds no part: they are the quadrants of one die, and none of them is nearer to the rest of the
/// machine than the others.
fn merge_around_hubs(hardware: &Hardware, area_of: &mut [Option<usize>], areas: &mut [Area]) {
    let holds_cores = |router: usize| hardware.cores.iter().any(|core| core.router == router);
    for hub in 0..area_of.len() {
        if area_of[hub].is_some() || holds_cores(hub) {
            continue;
        }
        let neighbours = hardware.links.iter().filter_map(|link| match link.ends {
            [one, other] | [other, one] if one == hub => area_of[other],
            _ => None,
        });
        let around: BTreeSet<usize> = neighbours.collect();
        if let (Some(&into), true) = (around.first(), around.len() >= AROUND_A_HUB) {
            around.iter().for_each(|&apart| merge(areas, area_of, apart, into));
        }
    }
}

/// Gives every other router to the area that reaches it over the fewest links.
fn spread(hardware: &Hardware, area_of: &mut [Option<usize>]) {
    let mut reached: VecDeque<usize> =
        (0..area_of.len()).filter(|&router| area_of[router].is_some()).collect();
    while let Some(router) = reached.pop_front() {
        for link in &hardware.links {
            let other = match link.ends {
                [one, other] | [other, one] if one == router => other,
                _ => continue,
            };
            if area_of[other].is_none() {
                area_of[other] = area_of[router];
                reached.push_back(other);
            }
        }
    }
}

/// The links between areas.
pub(super) fn bundles(hardware: &Hardware, areas: &[Area]) -> Vec<Bundle> {
    let mut bundles: BTreeMap<[usize; 2], Vec<(usize, usize)>> = BTreeMap::new();
    for (rank, link) in hardware.links.iter().enumerate() {
        let [Some(from), Some(to)] = link.ends.map(|router| area_of(areas, router)) else { continue };
        if from != to {
            let turned = usize::from(from > to);
            bundles.entry([from.min(to), from.max(to)]).or_default().push((rank, turned));
        }
    }
    bundles.into_iter().map(|(ends, links)| Bundle { ends, links }).collect()
}

/// The area of a router.
pub(super) fn area_of(areas: &[Area], router: usize) -> Option<usize> {
    areas.iter().position(|area| area.routers.binary_search(&router).is_ok())
}

/// The area of a node.
pub(super) fn area_with(areas: &[Area], node: NodeId) -> Option<usize> {
    areas.iter().position(|area| area.nodes.contains(&node))
}
