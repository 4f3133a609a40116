//! Faults that a machine can have, to choose from.

use std::collections::BTreeSet;

use zerohop_machine_file::{Fault, Hardware};

/// Faults that this machine can have: of its links and of its memory. What surrounds a measurement comes last.
pub(crate) fn possible(hardware: &Hardware) -> Vec<String> {
    let links: BTreeSet<[&str; 2]> =
        hardware.links.iter().map(|link| link.ends.map(|end| hardware.routers[end].name.as_str())).collect();
    let of_links = links
        .into_iter()
        .flat_map(|[from, to]| ["down", "x8", "x4"].map(|state| format!("link:{from}-{to}={state}")));
    let nodes = || hardware.memories.iter().map(|memory| memory.node);
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
