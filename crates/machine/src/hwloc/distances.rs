//! Distances between nodes in hwloc's XML.

use roxmltree::Node;

use super::element::Element;
use crate::{DistanceMatrix, NodeId, NumaNode};

/// Bits of `kind`: from the operating system, and a latency.
const OF_THE_SYSTEM: u32 = 1;
const LATENCY: u32 = 4;

/// The operating system's distances between all nodes; `nodes` is ascending.
pub(super) fn distances(
    topology: Node<'_, '_>,
    objects: &[Element<'_>],
    nodes: &[NumaNode],
) -> Option<DistanceMatrix> {
    let matrix = of_version_2(topology).or_else(|| of_version_1(topology, objects))?;
    let wanted: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    ordered(&matrix, wanted)
}

/// The matrix of `distances2`, which names its nodes; matrices of hwloc 2.0 have no names.
fn of_version_2(topology: Node<'_, '_>) -> Option<DistanceMatrix> {
    let matrix = topology.children().find(|child| {
        let is = |name: &str, value: &str| child.attribute(name) == Some(value);
        let kind: u32 = child.attribute("kind").and_then(|kind| kind.parse().ok()).unwrap_or_default();
        let is_slit = match child.attribute("name") {
            Some(name) => name == "NUMALatency",
            None => kind & OF_THE_SYSTEM != 0 && kind & LATENCY != 0,
        };
        child.has_tag_name("distances2") && is("type", "NUMANode") && is("indexing", "os") && is_slit
    })?;
    let numbers = |element: &str| -> Option<Vec<u32>> {
        let parts = matrix.children().filter(|child| child.has_tag_name(element));
        parts
            .filter_map(|part| part.text())
            .flat_map(str::split_whitespace)
            .map(|word| word.parse().ok())
            .collect()
    };
    square(numbers("indexes")?.into_iter().map(NodeId).collect(), &numbers("u64values")?)
}

/// The matrix of `distances` inside an object: between all objects of a level below it, in document order, as
/// multiples of `latency_base`.
fn of_version_1(topology: Node<'_, '_>, objects: &[Element<'_>]) -> Option<DistanceMatrix> {
    let nodes = objects.iter().filter(|object| object.kind == "NUMANode");
    let (elements, ids): (Vec<Node<'_, '_>>, Vec<NodeId>) =
        nodes.filter_map(|object| Some((object.xml, NodeId(object.place()?)))).unzip();
    let count = ids.len().to_string();
    let fitting: Vec<Node<'_, '_>> = topology
        .descendants()
        .filter(|found| found.has_tag_name("distances") && found.attribute("nbobjs") == Some(&count))
        .collect();
    let matrix = match fitting[..] {
        [only] => only,
        // Other levels may have the same number of objects.
        _ => *fitting.iter().find(|matrix| {
            let levels = matrix.attribute("relative_depth").and_then(|depth| depth.parse().ok());
            elements.iter().all(|&node| levels == levels_between(node, matrix.parent()))
        })?,
    };
    let base: f64 = matrix.attribute("latency_base")?.parse().ok()?;
    let distance = |latency: Node<'_, '_>| {
        let value = latency.attribute("value")?.parse::<f64>().ok()? * base;
        (0.0..f64::from(u32::MAX)).contains(&value).then(|| value.round() as u32)
    };
    let latencies = matrix.children().filter(|child| child.has_tag_name("latency"));
    let values: Vec<u32> = latencies.map(distance).collect::<Option<_>>()?;
    square(ids, &values)
}

/// The depth of an object below `above`.
fn levels_between(object: Node<'_, '_>, above: Option<Node<'_, '_>>) -> Option<usize> {
    object.ancestors().position(|ancestor| Some(ancestor) == above)
}

fn square(nodes: Vec<NodeId>, values: &[u32]) -> Option<DistanceMatrix> {
    if nodes.is_empty() || nodes.len().checked_mul(nodes.len()) != Some(values.len()) {
        return None;
    }
    let rows = values.chunks(nodes.len()).map(<[u32]>::to_vec).collect();
    Some(DistanceMatrix { nodes, rows })
}

/// The same matrix with the nodes of rows and columns in another order.
fn ordered(matrix: &DistanceMatrix, nodes: Vec<NodeId>) -> Option<DistanceMatrix> {
    if matrix.nodes.len() != nodes.len() {
        return None;
    }
    let places: Vec<usize> =
        nodes.iter().map(|id| matrix.nodes.iter().position(|found| found == id)).collect::<Option<_>>()?;
    let row = |&row: &usize| places.iter().map(|&column| matrix.rows[row][column]).collect();
    Some(DistanceMatrix { rows: places.iter().map(row).collect(), nodes })
}
