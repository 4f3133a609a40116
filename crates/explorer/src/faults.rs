//! Faults that a machine can have, to choose from.

use std::collections::BTreeSet;

use zerohop_machine_file::{Fault, Hardware};

/// Faults that this machine can have: of its links and of its memory. What surrounds a measurement comes last.
pub(crate) fn possible(hardware: &Hardware) -> Vec<String> {
    let nodes = || hardware.memories.iter().map(|memory| memory.node);
    // Links between nodes first, by the numbers that users know.
    let pairs = nodes().flat_map(|from| nodes().map(move |to| [from, to]));
    let pairs = pairs.filter(|[from, to]| from < to).map(|ends| ends.map(|node| node.to_string()));
    let mut known: BTreeSet<usize> = BTreeSet::new();
    let between: Vec<[String; 2]> =
        pairs.filter(|ends| hardware.link_between(ends).is_some_and(|rank| known.insert(rank))).collect();
    let routers: BTreeSet<[String; 2]> =
        hardware.links.iter().map(|link| link.ends.map(|end| hardware.routers[end].name.clone())).collect();
    let others = routers.into_iter().filter(|ends| !between.contains(ends)).collect::<Vec<_>>();
    let of_links = between
        .iter()
        .chain(&others)
        .flat_map(|[from, to]| ["down", "x8", "x4"].map(|state| format!("link:{from}-{to}={state}")));
    let channels = nodes().flat_map(|node| [1, 2, 3].map(|working| format!("channels:node{node}={working}")));
    let slow = nodes().map(|node| format!("slow-dimm:node{node}=1600"));
    let whole =
        ["interleaving=on", "nps=0", "threshold=8", "data-on-one-node", "noise=busy", "pages=4k", "vm=steal"];
    let all = of_links.chain(channels).chain(slow).chain(whole.map(str::to_owned));
    all.filter(|text| text.parse::<Fault>().is_ok_and(|fault| hardware.clone().inject(&fault).is_ok()))
        .take(MOST)
        .collect()
}

/// More than this nobody reads; any other can be typed.
const MOST: usize = 200;
