//! Results of machines whose nodes are numbered differently, brought to the numbers of the base.
//!
//! Firmware numbers nodes as it likes, and sockets can be exchanged. If only another numbering makes two machines agree, that one is
//! used. If several do, the values decide, but only where they leave no doubt.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_machine::{Machine, NodeId, NumaNode, PuId};
use zerohop_result::{Axis, Coordinate, Coordinates, ResultFile};
use zerohop_units::Bytes;

use super::correspondence::{Correspondence, Machines, Unguided, cpus};
use super::value_matching::{APART, Spread, ValueMatching};
use crate::comparison::{Alignment, AlignmentReason, NodePair};

/// Another numbering counts only if it brings values together by this factor.
const NEARER: f64 = 3.0;

/// Machines of more nodes are compared by their numbers: the search takes memory with the square of them.
const MOST_NODES: usize = 256;

/// A correspondence, and how values meet under it.
type Candidate = (Spread, Correspondence);

/// Mapping from the node numbers of `other` to those of `base`; `None` if the numbers agree.
pub(super) fn alignment(name: &str, base: &ResultFile, other: &ResultFile) -> Option<Alignment> {
    if std::ptr::eq(base, other) {
        return None;
    }
    let is_shown = !base.machine.nodes.is_empty() && !other.machine.nodes.is_empty();
    let shown = [base, other].map(|file| if is_shown { file.machine.clone() } else { named(file) });
    if shown.iter().any(|machine| machine.nodes.len() > MOST_NODES) {
        return None;
    }
    let machines = Machines::new(&shown[0], &shown[1])?;
    let meeting = ValueMatching::of([base, other], [&shown[0].nodes, &shown[1].nodes]);
    let numbered = machines.same_numbers().map(|same| (meeting.spread(&same), same));
    let meets_all = |candidate: &Candidate| candidate.0.values == meeting.most;
    let all_meet_now = numbered.as_ref().is_some_and(meets_all);
    if all_meet_now && numbered.as_ref().is_some_and(|(now, _)| now.apart <= APART) {
        return None;
    }
    let spread = |correspondence: Correspondence| (meeting.spread(&correspondence), correspondence);
    let mut candidates: Vec<Candidate> =
        machines.correspondences(&meeting).into_iter().map(spread).filter(meets_all).collect();
    if candidates.is_empty() {
        // Nothing brings the values together, and the numbers are possible.
        if all_meet_now {
            return None;
        }
        candidates = machines.correspondences(&Unguided).into_iter().map(spread).collect();
    }
    // A numbering under which fewer values meet says less, and not that the rest agrees.
    let most = candidates.iter().map(|(spread, _)| spread.values).max()?;
    let meeting_most = candidates.iter().filter(|(spread, _)| spread.values == most);
    let (best, nearest) = meeting_most.min_by(|(one, _), (other, _)| one.apart.total_cmp(&other.apart))?;
    let reason = match numbered.filter(|(now, _)| now.values == most) {
        None => AlignmentReason::Topology,
        Some((_, same)) if same == *nearest => return None,
        Some((now, _)) if best.apart <= APART && now.apart > APART && now.apart >= NEARER * best.apart => {
            AlignmentReason::Values
        }
        Some(_) => return None,
    };
    let nodes = machines.pairs(nearest).into_iter();
    let nodes = nodes.map(|(base, other)| NodePair { base: base.0, other: other.0 }).collect();
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
    let pairs: Vec<(NodeId, NodeId)> =
        alignment.nodes.iter().map(|pair| (NodeId(pair.base), NodeId(pair.other))).collect();
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
