//! Results of machines whose nodes are numbered differently, brought to the numbers of the base.
//!
//! Firmware numbers nodes as it likes, and sockets can be exchanged. If only another numbering makes two machines agree, that one is
//! used. If several do, the values decide, but only where they leave no doubt.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_machine::{Machine, NodeId, NumaNode, PuId};
use zerohop_result::{Aspect, Axis, Coordinate, Coordinates, Estimate, ExperimentName, Measure, ResultFile};
use zerohop_units::Bytes;

use super::correspondence::{Pairs, correspondences, cpus};
use crate::comparison::{Alignment, AlignmentReason, NodePair};

/// Values of the same cell that are further apart than this, as a share, are not of the same nodes, if others are nearer.
const APART: f64 = 0.05;

/// Another numbering counts only if it brings values together by this factor.
const NEARER: f64 = 3.0;

/// The identity of a cell, without its place in a file.
type Key = (ExperimentName, Measure, Coordinates);

/// How `other` is numbered differently from `base`; `None` if it is numbered alike.
pub(super) fn alignment(name: &str, base: &ResultFile, other: &ResultFile) -> Option<Alignment> {
    let candidates = if base.machine.nodes.is_empty() || other.machine.nodes.is_empty() {
        correspondences(&named(base), &named(other))
    } else {
        correspondences(&base.machine, &other.machine)
    };
    let (own, values) = (values_by_node(base), values_by_node(other));
    let spreads: Vec<Spread> = candidates.iter().map(|pairs| Spread::of(&own, &values, pairs)).collect();
    // A numbering under which fewer values meet says less, and not that the rest agrees.
    let most = spreads.iter().map(|spread| spread.values).max()?;
    let meeting = || candidates.iter().zip(&spreads).filter(|(_, spread)| spread.values == most);
    let (nearest, best) = meeting().min_by(|(_, one), (_, other)| one.apart.total_cmp(&other.apart))?;
    let keeps_numbers = |pairs: &Pairs| pairs.iter().all(|(one, another)| one == another);
    if keeps_numbers(nearest) {
        return None;
    }
    let reason = match meeting().find(|(pairs, _)| keeps_numbers(pairs)) {
        None => AlignmentReason::Topology,
        Some((_, now)) if best.apart <= APART && now.apart > APART && now.apart >= NEARER * best.apart => {
            AlignmentReason::Values
        }
        Some(_) => return None,
    };
    let nodes = nearest.iter().map(|&(base, other)| NodePair { base: base.0, other: other.0 }).collect();
    Some(Alignment { name: name.to_owned(), nodes, reason })
}

/// A machine with the nodes that a result's cells name: another tool's text shows no others. Those that anything was measured from have
/// CPUs.
fn named(file: &ResultFile) -> Machine {
    let along = |axis: Axis| -> BTreeSet<u32> {
        let cells = file.experiments.iter().flat_map(|one| one.cells.iter());
        cells.filter_map(|cell| u32::try_from(cell.at.number(axis)?).ok()).collect()
    };
    let (initiators, targets) = (along(Axis::Initiator), along(Axis::Target));
    let node = |&number: &u32| NumaNode {
        id: NodeId(number),
        pus: initiators.contains(&number).then_some(PuId(number)).into_iter().collect(),
        memory: Bytes(0),
        free: Bytes(0),
        huge_pages: Vec::new(),
        memory_side_caches: Vec::new(),
        allowed: true,
    };
    Machine { nodes: initiators.union(&targets).map(node).collect(), ..Machine::default() }
}

/// A result with the numbers of the base; `None` if two of its cells would be the same then.
pub(super) fn renumbered(file: &ResultFile, base: &ResultFile, alignment: &Alignment) -> Option<ResultFile> {
    let pairs: Pairs = alignment.nodes.iter().map(|pair| (NodeId(pair.base), NodeId(pair.other))).collect();
    let cpus = cpus(&base.machine, &file.machine, &pairs);
    let cpus = cpus.into_iter().map(|(other, base)| (u64::from(other.0), u64::from(base.0))).collect();
    let nodes = pairs.iter().map(|(base, other)| (u64::from(other.0), u64::from(base.0))).collect();
    let mut renumbered = file.clone();
    for experiment in &mut renumbered.experiments {
        let change = |cells: &mut Vec<zerohop_result::Cell>| {
            for cell in cells {
                cell.at = with_numbers(&cell.at, &nodes, &cpus);
            }
        };
        experiment.cells.change(change).ok()?;
    }
    Some(renumbered)
}

/// Coordinates with other numbers for nodes and CPUs.
fn with_numbers(at: &Coordinates, nodes: &BTreeMap<u64, u64>, cpus: &BTreeMap<u64, u64>) -> Coordinates {
    let changed = at.0.iter().map(|(axis, place)| {
        let numbers = match axis {
            Axis::Initiator | Axis::Target => nodes,
            Axis::Cpu | Axis::From | Axis::To => cpus,
            _ => return (*axis, place.clone()),
        };
        let place = match place {
            Coordinate::Number(number) => Coordinate::Number(numbers.get(number).copied().unwrap_or(*number)),
            Coordinate::Word(_) => place.clone(),
        };
        (*axis, place)
    });
    Coordinates(changed.collect())
}

/// The estimates of cells that belong to certain nodes.
fn values_by_node(file: &ResultFile) -> BTreeMap<Key, Estimate> {
    let cells = file.experiments.iter().flat_map(|one| one.cells.iter().map(|cell| (&one.experiment, cell)));
    let of_nodes = cells.filter(|(_, cell)| {
        let is_numbered = |axis| cell.at.number(axis).is_some();
        let of_cpus = [Axis::Cpu, Axis::From, Axis::To].into_iter().any(is_numbered);
        cell.measure.aspect() == Aspect::Outcome
            && cell.at.is_whole()
            && cell.estimate.is_sound()
            && (is_numbered(Axis::Initiator) || is_numbered(Axis::Target))
            && !of_cpus
    });
    of_nodes.map(|(name, cell)| ((name.clone(), cell.measure, cell.at.clone()), cell.estimate)).collect()
}

/// How two results meet if their nodes correspond in some way.
struct Spread {
    /// The number of values that both have.
    values: usize,
    /// How far they are apart at most, as a logarithm. Values whose intervals overlap are not apart.
    apart: f64,
}

impl Spread {
    fn of(base: &BTreeMap<Key, Estimate>, other: &BTreeMap<Key, Estimate>, pairs: &Pairs) -> Self {
        let nodes = pairs.iter().map(|(base, other)| (u64::from(base.0), u64::from(other.0))).collect();
        let met = base.iter().filter_map(|((name, measure, at), one)| {
            let another = other.get(&(name.clone(), *measure, with_numbers(at, &nodes, &BTreeMap::new())))?;
            let overlap = one.low <= another.high && another.low <= one.high;
            Some(if overlap { 0.0 } else { libm::log(one.median / another.median).abs() })
        });
        met.fold(Self { values: 0, apart: 0.0 }, |sum, apart| Self {
            values: sum.values + 1,
            apart: if apart.is_finite() { sum.apart.max(apart) } else { sum.apart },
        })
    }
}
