//! Signs that a text was cut inside a matrix.

use std::collections::BTreeSet;

use zerohop_machine::Machine;
use zerohop_result::{Axis, Cell, Coordinates, Measure};
use zerohop_workload::Warning;

/// A row of a matrix: what it is of, and the nodes whose memory it is about, in the order of the text.
struct Row {
    of: (Measure, Coordinates),
    initiator: u64,
    targets: Vec<u64>,
}

/// Whether the last row ends before the others do.
pub(crate) fn is_last_row_cut(cells: &[Cell]) -> bool {
    let rows = rows(cells);
    let Some((last, before)) = rows.split_last() else { return false };
    let before: Vec<&Row> = before.iter().filter(|row| row.of == last.of).collect();
    let Some(first) = before.first() else { return false };
    before.iter().all(|row| row.targets == first.targets)
        && last.targets.len() < first.targets.len()
        && first.targets.starts_with(&last.targets)
}

/// Says of which nodes there are columns and no row, unless the machine shows that they have no CPUs.
pub(crate) fn rows_missing(cells: &[Cell], machine: &Machine) -> Option<Warning> {
    let rows = rows(cells);
    let initiators: BTreeSet<u64> = rows.iter().map(|row| row.initiator).collect();
    let targets: BTreeSet<u64> = rows.iter().flat_map(|row| row.targets.iter().copied()).collect();
    let without_cpus = |node: u64| {
        let known = machine.nodes.iter().find(|known| u64::from(known.id.0) == node);
        !machine.pus.is_empty() && known.is_some_and(|known| machine.usable_pus(known.id).is_empty())
    };
    let missing = targets.difference(&initiators).filter(|node| !without_cpus(**node));
    let missing: Vec<String> = missing.map(u64::to_string).collect();
    // A matrix of one row is a list.
    if missing.is_empty() || initiators.len() < 2 {
        return None;
    }
    let what = format!(
        "rows of the matrix for node {}, which the text does not have: these nodes have no CPUs, or the text was cut",
        missing.join(", ")
    );
    Some(Warning::NotImported { what })
}

fn rows(cells: &[Cell]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for cell in cells {
        let (Some(initiator), Some(target)) = (cell.at.number(Axis::Initiator), cell.at.number(Axis::Target))
        else {
            continue;
        };
        let mut at = cell.at.clone();
        at.0.remove(&Axis::Initiator);
        at.0.remove(&Axis::Target);
        let of = (cell.measure, at);
        match rows.last_mut() {
            Some(row) if row.of == of && row.initiator == initiator => row.targets.push(target),
            _ => rows.push(Row { of, initiator, targets: vec![target] }),
        }
    }
    rows
}
