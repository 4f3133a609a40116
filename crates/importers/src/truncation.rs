//! Signs that a text was cut inside a matrix.

use zerohop_result::{Axis, Cell, Coordinates, Measure};

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
