//! What the injected faults of a machine concern, to mark it.

use std::collections::BTreeMap;

use zerohop_machine::NodeId;
use zerohop_machine_file::{Fault, Hardware, LinkState};

use super::areas::{Area, area_of, area_with};

/// Parts with a fault, each with its fault in a few words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FaultyParts {
    /// Links by rank.
    pub(super) links: BTreeMap<usize, String>,
    /// Links that are down: the areas that they joined.
    pub(super) gone: Vec<([usize; 2], String)>,
    pub(super) nodes: BTreeMap<NodeId, Vec<String>>,
}

/// The parts that the machine's faults concern. Faults of the whole machine, and of what surrounds a measurement, have no part.
pub(super) fn faulty_parts(hardware: &Hardware, areas: &[Area]) -> FaultyParts {
    let mut parts = FaultyParts::default();
    let faults = hardware.machine.faults.iter();
    for (text, fault) in faults.filter_map(|text| Some((text, text.parse::<Fault>().ok()?))) {
        match fault {
            Fault::Link { ends, state } => match (hardware.link_between(&ends), state) {
                (Some(rank), _) => {
                    parts.links.insert(rank, text.clone());
                }
                (None, LinkState::Down) => {
                    let [from, to] = ends.map(|end| end_of(hardware, areas, &end));
                    if let (Some(from), Some(to)) = (from, to) {
                        parts.gone.push(([from, to], text.clone()));
                    }
                }
                (None, _) => {}
            },
            Fault::Channels { node, working } => {
                let words = if working == 1 {
                    "1 channel left".to_owned()
                } else {
                    format!("{working} channels left")
                };
                parts.nodes.entry(node).or_default().push(words);
            }
            Fault::SlowDimm { node, rate } => {
                let words = format!("slow: {} MT/s", rate.get() / 1e6);
                parts.nodes.entry(node).or_default().push(words);
            }
            Fault::OneNode(_) | Fault::Threshold(_) | Fault::Measuring(_) => {}
        }
    }
    parts
}

/// The area of a router or a node of this name.
fn end_of(hardware: &Hardware, areas: &[Area], name: &str) -> Option<usize> {
    let router = hardware.routers.iter().position(|router| router.name == name);
    let node = || name.strip_prefix("node").unwrap_or(name).parse().ok().map(NodeId);
    router.and_then(|router| area_of(areas, router)).or_else(|| area_with(areas, node()?))
}
