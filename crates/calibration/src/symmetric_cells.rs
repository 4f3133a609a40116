//! Cells that the symmetry of a machine makes equal: one of them is computed, and stands for the others.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_machine::NodeId;
use zerohop_machine_file::{Hardware, Symmetry, symmetries};
use zerohop_result::{Axis, Cell, Cells, Coordinates, ExperimentResult};

/// Axes of cells whose only places are nodes.
const NODES_AND_WORK: [Axis; 7] =
    [Axis::Initiator, Axis::Target, Axis::Load, Axis::Kernel, Axis::Mix, Axis::ReadPercent, Axis::Delay];

/// The nodes of a cell, where they have numbers.
type Nodes = (Option<NodeId>, Option<NodeId>);

/// Which nodes of a machine can change places.
pub(crate) struct Alike(Vec<Symmetry>);

/// Which cells stand for others.
pub(crate) struct Represented(BTreeMap<Nodes, BTreeSet<Nodes>>);

impl Alike {
    /// Factors change all parts of a kind at once, and leave these symmetries as they are.
    pub(crate) fn of(hardware: &Hardware) -> Self {
        Self(symmetries(hardware))
    }

    /// Those of these places that have to be computed, and which others each of them stands for.
    pub(crate) fn representatives(&self, places: &[Coordinates]) -> (Vec<Coordinates>, Represented) {
        let mut firsts: BTreeMap<Nodes, Nodes> = BTreeMap::new();
        let mut represented: BTreeMap<Nodes, BTreeSet<Nodes>> = BTreeMap::new();
        for nodes in places.iter().filter_map(nodes_of) {
            let first = *firsts.entry(self.least(nodes)).or_insert(nodes);
            represented.entry(first).or_default().insert(nodes);
        }
        let computed = places
            .iter()
            .filter(|place| nodes_of(place).is_none_or(|nodes| represented.contains_key(&nodes)));
        (computed.cloned().collect(), Represented(represented))
    }

    /// The least of the nodes to which symmetries map these.
    fn least(&self, (initiator, target): Nodes) -> Nodes {
        let image = |symmetry: &Symmetry, node: Option<NodeId>| {
            node.map(|node| symmetry.get(&node).copied().unwrap_or(node))
        };
        let images = self.0.iter().map(|one| (image(one, initiator), image(one, target)));
        images.min().unwrap_or((initiator, target))
    }
}

impl Represented {
    /// Adds the cells for which those of a result stand.
    pub(crate) fn complete(&self, result: &mut ExperimentResult) {
        let known: BTreeSet<_> = result.cells.iter().map(|cell| (cell.measure, cell.at.clone())).collect();
        let copies = |cell: &Cell| -> Vec<Cell> {
            let others = nodes_of(&cell.at).and_then(|nodes| self.0.get(&nodes)).into_iter().flatten();
            let moved = others.map(|&nodes| Cell { at: at(&cell.at, nodes), ..cell.clone() });
            moved.filter(|copy| !known.contains(&(copy.measure, copy.at.clone()))).collect()
        };
        let all: Vec<Cell> =
            result.cells.iter().cloned().chain(result.cells.iter().flat_map(copies)).collect();
        // Different nodes make different cells.
        if let Ok(cells) = Cells::new(all) {
            result.cells = cells;
        }
    }
}

/// The nodes of a cell that has no other place.
fn nodes_of(at: &Coordinates) -> Option<Nodes> {
    let node = |axis| at.number(axis).and_then(|number| Some(NodeId(u32::try_from(number).ok()?)));
    at.0.keys().all(|axis| NODES_AND_WORK.contains(axis)).then(|| (node(Axis::Initiator), node(Axis::Target)))
}

/// The same place with other nodes.
fn at(place: &Coordinates, (initiator, target): Nodes) -> Coordinates {
    let mut place = place.clone();
    for (axis, node) in [(Axis::Initiator, initiator), (Axis::Target, target)] {
        if let Some(NodeId(number)) = node {
            place = place.with(axis, u64::from(number));
        }
    }
    place
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use zerohop_machine::Settings;
    use zerohop_machine_file::Template;

    use super::*;

    fn hardware(template: &str, words: &[&str]) -> Hardware {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../templates/{template}.toml"));
        let parsed = Arc::new(Template::parse(template, &std::fs::read_to_string(path).unwrap()).unwrap());
        let settings: Settings = words.iter().map(|word| word.parse().unwrap()).collect();
        parsed.machine_file(&settings, &Settings::none()).unwrap().hardware().unwrap()
    }

    fn pair(initiator: u64, target: u64) -> Coordinates {
        Coordinates::new().with(Axis::Initiator, initiator).with(Axis::Target, target)
    }

    /// Each die stands for those of its package.
    #[test]
    fn few_pairs_stand_for_all() {
        let alike = Alike::of(&hardware("epyc-7001", &["sockets=2"]));
        let pairs = || (0..8).flat_map(|from| (0..8).map(move |to| (from, to)));
        let all: Vec<Coordinates> = pairs().map(|(from, to)| pair(from, to)).collect();
        let (computed, represented) = alike.representatives(&all);
        let first = [(0, 0), (0, 1), (0, 4), (4, 0), (4, 4), (4, 5)];
        assert_eq!(computed, first.map(|(from, to)| pair(from, to)));
        assert_eq!(represented.0.values().map(BTreeSet::len).collect::<Vec<_>>(), [4, 12, 16, 16, 4, 12]);
        // One that is wanted is computed, even if another one is first elsewhere.
        let (computed, _) = alike.representatives(&[pair(3, 7), pair(2, 6)]);
        assert_eq!(computed, [pair(3, 7)]);
    }

    #[test]
    fn cells_that_have_other_places_stand_for_themselves() {
        let alike = Alike::of(&hardware("epyc-7001", &["sockets=2"]));
        let cores: Vec<Coordinates> =
            (0..4_u64).map(|cpu| Coordinates::new().with(Axis::From, 0_u64).with(Axis::To, cpu)).collect();
        assert_eq!(alike.representatives(&cores).0, cores);
        let all: Vec<Coordinates> = ["copy", "add"]
            .map(|kernel| Coordinates::new().with(Axis::Initiator, "all").with(Axis::Kernel, kernel))
            .into();
        assert_eq!(alike.representatives(&all).0, all);
    }
}
