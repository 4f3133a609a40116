//! The odd ones out: cells that are worse than the comparable others of their experiment, and few enough to be the exception.

use std::collections::BTreeMap;

use zerohop_machine::NodeId;
use zerohop_result::{Axis, Cell, Coordinates, ExperimentName, ExperimentResult, Measure, ResultFile};

use crate::comparable_pairs::{ComparablePairs, PairKind};
use crate::odd_ones::{Comparable, OddOnes, odd_ones};

/// A cell this much worse than the others, as a share, is worth a look: more than machines' own asymmetries.
pub(crate) const WORTH_A_LOOK: f64 = 0.05;

/// The largest share of comparable cells that may be odd. If more are, the machine has two kinds of pair, such as one and two
/// hops behind the same distance of the firmware, and none of them is odd.
const FEW: f64 = 0.25;

/// A cell that is worse than the comparable others.
#[derive(Debug, Clone, PartialEq)]
pub struct Deviation {
    pub experiment: ExperimentName,
    pub measure: Measure,
    /// The node that reads or writes.
    pub initiator: NodeId,
    /// The node whose memory it uses.
    pub target: NodeId,
    /// The cell's other coordinates.
    pub others: Coordinates,
    pub value: f64,
    /// The value of the comparable others: their median, or that of the only other.
    pub usual: f64,
    /// The number of comparable others.
    pub sisters: usize,
}

impl Deviation {
    /// Relative loss, as a share of the usual value: above zero.
    pub fn loss(&self) -> f64 {
        (self.value / self.usual - 1.0).abs()
    }
}

/// Properties that comparable cells between nodes share.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CellKind {
    measure: Measure,
    others: Coordinates,
    pair: PairKind,
}

/// A cell from a node to a node, with both.
type PairCell<'a> = (NodeId, NodeId, &'a Cell);

/// The odd ones out of every experiment from node to node, the worst first. Doubtful cells neither are odd nor show that others are.
pub fn deviations(file: &ResultFile) -> Vec<Deviation> {
    let pairs = ComparablePairs::of(file);
    let mut odd = Vec::new();
    for experiment in &file.experiments {
        for (kind, cells) in comparable_cells(experiment, &pairs) {
            odd.extend(of_kind(&experiment.experiment, &kind, &cells));
        }
    }
    odd.sort_by(|one, other| other.loss().total_cmp(&one.loss()));
    odd
}

/// Each cell of an experiment between nodes with the usual value of comparable pairs, in its unit, as used by [`deviations`]. Doubtful cells, and
/// cells without a comparable one, are omitted.
pub fn usual_of_comparable<'a>(
    experiment: &'a ExperimentResult,
    pairs: &ComparablePairs<'_>,
) -> Vec<(&'a Cell, f64)> {
    let of_kind = |cells: Vec<PairCell<'a>>| {
        let usual = odd_ones(&comparable(&cells), WORTH_A_LOOK, FEW).map(|found| found.usual.median);
        cells.into_iter().filter_map(move |(_, _, cell)| Some((cell, usual?)))
    };
    comparable_cells(experiment, pairs).into_values().flat_map(of_kind).collect()
}

/// The cells of an experiment from node to node that are not in doubt, comparable ones together.
fn comparable_cells<'a>(
    experiment: &'a ExperimentResult,
    pairs: &ComparablePairs<'_>,
) -> BTreeMap<CellKind, Vec<PairCell<'a>>> {
    let kinds = CellKinds::of(experiment, pairs);
    let mut together: BTreeMap<CellKind, Vec<PairCell<'_>>> = BTreeMap::new();
    for cell in experiment.cells.iter().filter(|cell| !cell.is_doubtful()) {
        let Some(((initiator, target), kind)) = kinds.of_cell(cell) else { continue };
        together.entry(kind).or_default().push((initiator, target, cell));
    }
    together
}

/// The kinds of the cells of one experiment.
pub(crate) struct CellKinds(BTreeMap<(NodeId, NodeId), PairKind>);

impl CellKinds {
    pub(crate) fn of(experiment: &ExperimentResult, pairs: &ComparablePairs<'_>) -> Self {
        Self(pairs.kinds(experiment.cells.iter().filter_map(pair).collect()))
    }

    /// The initiator and the target of a cell of that experiment, and its kind; `None` if it does not lead from a node to a node.
    pub(crate) fn of_cell(&self, cell: &Cell) -> Option<((NodeId, NodeId), CellKind)> {
        let pair = pair(cell)?;
        let mut others = cell.at.clone();
        others.0.retain(|axis, _| *axis != Axis::Initiator && *axis != Axis::Target);
        Some((pair, CellKind { measure: cell.measure, others, pair: self.0.get(&pair)?.clone() }))
    }
}

fn comparable<'a>(cells: &[PairCell<'a>]) -> Vec<Comparable<'a, (NodeId, NodeId)>> {
    let of = |&(initiator, target, cell)| Comparable { key: (initiator, target), cell };
    cells.iter().map(of).collect()
}

/// The nodes of a cell that is measured from a node to a node.
fn pair(cell: &Cell) -> Option<(NodeId, NodeId)> {
    // What a program reads of its own node is no pair, and what one of several readers gets of a node depends on where the others are.
    let is_pair = cell.at.is_whole()
        && cell.at.number(Axis::Target).is_some()
        && cell.at.get(Axis::CoresPerNode).is_none();
    cell.at.between_nodes().filter(|_| is_pair)
}

fn of_kind(experiment: &ExperimentName, kind: &CellKind, cells: &[PairCell<'_>]) -> Vec<Deviation> {
    let Some(OddOnes { usual, odd, open: _ }) = odd_ones(&comparable(cells), WORTH_A_LOOK, FEW) else {
        return Vec::new();
    };
    let deviation =
        |Comparable { key: (initiator, target), cell }: Comparable<'_, (NodeId, NodeId)>| Deviation {
            experiment: experiment.clone(),
            measure: kind.measure,
            initiator,
            target,
            others: kind.others.clone(),
            value: cell.estimate.median,
            usual: usual.median,
            sisters: cells.len() - 1,
        };
    odd.into_iter().map(deviation).collect()
}

#[cfg(test)]
mod tests {
    use zerohop_machine::{DistanceMatrix, Machine, NumaNode, PuSet};
    use zerohop_result::{Cells, Completion, Estimate, Evidence, MeasuringSettings, SCHEMA_VERSION};
    use zerohop_units::{Bytes, Seconds};
    use zerohop_workload::{EngineDescription, Origin, Warning};

    use super::*;

    const NODES: u32 = 4;

    /// A machine of equal nodes in a square: two hops across, the same distance by firmware.
    fn machine() -> Machine {
        let nodes = (0..NODES).map(|id| NumaNode {
            id: NodeId(id),
            pus: PuSet::default(),
            memory: Bytes(1 << 30),
            free: Bytes(1 << 30),
            huge_pages: Vec::new(),
            memory_side_caches: Vec::new(),
            allowed: true,
        });
        let row = |from: u32| (0..NODES).map(|to| if from == to { 10 } else { 20 }).collect();
        let distances =
            DistanceMatrix { nodes: (0..NODES).map(NodeId).collect(), rows: (0..NODES).map(row).collect() };
        Machine { nodes: nodes.collect(), distances: Some(distances), ..Machine::default() }
    }

    fn cell(from: u32, to: u32, value: f64, margin: f64) -> Cell {
        Cell {
            at: Coordinates::new().with(Axis::Initiator, from).with(Axis::Target, to),
            measure: Measure::Bandwidth,
            estimate: Estimate {
                median: value,
                low: value * (1.0 - margin),
                high: value * (1.0 + margin),
                min: value,
                max: value,
                mean: value,
                standard_deviation: 0.0,
            },
            samples: vec![value],
            evidence: Evidence::default(),
            warnings: Vec::new(),
        }
    }

    /// A bandwidth matrix, whose values are `of(from, to)`.
    fn matrix(of: impl Fn(u32, u32) -> Cell) -> ExperimentResult {
        let cells = (0..NODES).flat_map(|from| (0..NODES).map(move |to| (from, to)));
        ExperimentResult {
            experiment: ExperimentName::known("bandwidth-matrix"),
            completion: Completion::Complete,
            elapsed: Seconds(0.0),
            cells: Cells::new(cells.map(|(from, to)| of(from, to)).collect()).unwrap(),
            warnings: Vec::new(),
        }
    }

    /// A result with these experiments.
    fn file(experiments: Vec<ExperimentResult>) -> ResultFile {
        ResultFile {
            schema_version: SCHEMA_VERSION,
            produced_by: String::new(),
            started_at: None,
            finished_at: None,
            run: None,
            completion: Completion::Complete,
            origin: Origin::HOST,
            engine: EngineDescription::new(&Origin::HOST, "", Vec::new()),
            machine: machine(),
            settings: MeasuringSettings::default(),
            experiments,
            warnings: Vec::new(),
            unknown: Vec::new(),
        }
    }

    /// The odd ones of a bandwidth matrix.
    fn odd(of: impl Fn(u32, u32) -> Cell) -> Vec<(u32, u32)> {
        deviations(&file(vec![matrix(of)])).iter().map(|odd| (odd.initiator.0, odd.target.0)).collect()
    }

    fn healthy(from: u32, to: u32) -> f64 {
        // Nodes 0 and 3, 1 and 2 are across.
        if from == to {
            400.0
        } else if from + to == 3 {
            120.0
        } else {
            180.0
        }
    }

    #[test]
    fn the_pair_that_reads_less_than_its_sisters_is_odd_the_worst_first() {
        let slow = |from: u32, to: u32| match (from, to) {
            (2, 2) => 300.0,
            (1, 3) => 90.0,
            _ if from == to => 400.0,
            _ => 180.0,
        };
        assert_eq!(odd(|from, to| cell(from, to, slow(from, to), 0.01)), [(1, 3), (2, 2)]);
    }

    #[test]
    fn each_pair_stands_beside_what_is_usual_among_its_like() {
        let slow = |from: u32, to: u32| if (from, to) == (2, 2) { 300.0 } else { healthy(from, to) };
        let doubtful = |from: u32, to: u32| Cell {
            warnings: if (from, to) == (0, 1) { vec![Warning::Throttled {}] } else { Vec::new() },
            ..cell(from, to, slow(from, to), 0.01)
        };
        let file = file(vec![matrix(doubtful)]);
        let usual = usual_of_comparable(&file.experiments[0], &ComparablePairs::of(&file));
        assert_eq!(usual.len(), 15, "all but the doubtful one");
        for (cell, usual) in usual {
            let own = cell.at.get(Axis::Initiator) == cell.at.get(Axis::Target);
            assert_eq!(usual, if own { 400.0 } else { 180.0 });
        }
    }

    #[test]
    fn the_end_of_a_gradient_is_not_odd() {
        let gradient = |from: u32, to: u32| if from == to { 400.0 - f64::from(from) * 12.0 } else { 180.0 };
        assert_eq!(odd(|from, to| cell(from, to, gradient(from, to), 0.001)), []);
    }

    #[test]
    fn pairs_across_a_square_are_a_kind_of_their_own_and_no_exception() {
        assert_eq!(odd(|from, to| cell(from, to, healthy(from, to), 0.01)), []);
    }

    #[test]
    fn a_neighbour_as_slow_as_the_diagonals_is_odd_where_latencies_tell_them_apart() {
        let of = |measure, name, values: fn(u32, u32) -> f64| {
            let cell = |from, to| Cell { measure, ..cell(from, to, values(from, to), 0.01) };
            ExperimentResult { experiment: ExperimentName::known(name), ..matrix(cell) }
        };
        let slow = |from: u32, to: u32| if (from, to) == (0, 1) { 120.0 } else { healthy(from, to) };
        let latency = |from: u32, to: u32| match () {
            () if from == to => 80.0,
            () if from + to == 3 => 160.0,
            () => 120.0,
        };
        let bandwidth = of(Measure::Bandwidth, "bandwidth-matrix", slow);
        let latency = of(Measure::Latency, "latency-matrix", latency);
        assert!(deviations(&file(vec![bandwidth.clone()])).is_empty());
        let odd = deviations(&file(vec![bandwidth, latency]));
        assert_eq!(odd.iter().map(|odd| (odd.initiator.0, odd.target.0)).collect::<Vec<_>>(), [(0, 1)]);
    }

    #[test]
    fn more_than_the_sisters_reach_is_no_fault() {
        let fast = |from: u32, to: u32| if (from, to) == (2, 2) { 480.0 } else { healthy(from, to) };
        assert_eq!(odd(|from, to| cell(from, to, fast(from, to), 0.01)), []);
    }

    #[test]
    fn what_intervals_or_warnings_leave_open_is_not_odd() {
        let slow = |from: u32, to: u32| if (from, to) == (2, 2) { 360.0 } else { healthy(from, to) };
        assert_eq!(odd(|from, to| cell(from, to, slow(from, to), 0.01)), [(2, 2)]);
        assert_eq!(odd(|from, to| cell(from, to, slow(from, to), 0.1)), []);
        let doubtful = |from: u32, to: u32| Cell {
            warnings: if from == 2 { vec![Warning::Throttled {}] } else { Vec::new() },
            ..cell(from, to, slow(from, to), 0.01)
        };
        assert_eq!(odd(doubtful), []);
    }
}
