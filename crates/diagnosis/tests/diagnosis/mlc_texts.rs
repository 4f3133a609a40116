//! What Intel MLC prints of a model: its two matrices, with noise and with what is wrong.

use std::collections::BTreeMap;
use std::fmt::Write;

use zerohop_model::Solver;
use zerohop_result::{Axis, ResultFile};

use crate::bench::{MATRICES, machine, result};
use crate::drawn::Random;

/// How far noise takes a value at most.
pub(crate) const NOISE: f64 = 0.01;

/// Latencies in ns and bandwidths in GB/s, by experiment, initiator and target.
pub(crate) type Values = BTreeMap<(&'static str, u64, u64), f64>;

/// A fault as `--fault` takes it, or what one direction between two nodes still reaches.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Wrong {
    Fault(String),
    Direction { from: u64, to: u64, share: f64 },
}

pub(crate) fn values(file: &ResultFile) -> Values {
    let mut values = Values::new();
    for done in &file.experiments {
        let name = MATRICES.into_iter().find(|name| done.experiment.as_str() == *name).unwrap();
        for cell in &done.cells {
            let ends = cell.at.number(Axis::Initiator).zip(cell.at.number(Axis::Target));
            if let Some((from, to)) = ends.filter(|_| cell.at.0.len() == 2) {
                values.insert((name, from, to), cell.estimate.median);
            }
        }
    }
    values
}

/// The two matrices as MLC prints them, each value off by at most the share `noise`.
pub(crate) fn text(values: &Values, random: &mut Random, noise: f64) -> String {
    let mut text = "Intel(R) Memory Latency Checker - v3.11\n".to_owned();
    for (experiment, head, unit) in [
        (MATRICES[0], "Measuring idle latencies for random access (in ns)...", 1.0),
        (MATRICES[1], "Measuring Memory Bandwidths between nodes within system", 1000.0),
    ] {
        let mut rows: BTreeMap<u64, BTreeMap<u64, f64>> = BTreeMap::new();
        for ((_, from, to), value) in values.iter().filter(|((name, ..), _)| *name == experiment) {
            rows.entry(*from)
                .or_default()
                .insert(*to, value * unit * random.between(1.0 - noise, 1.0 + noise));
        }
        let Some(first) = rows.values().next() else { continue };
        let nodes: Vec<String> = first.keys().map(u64::to_string).collect();
        let _ = write!(text, "{head}\n\t\tNuma node\nNuma node\t{}\n", nodes.join("\t"));
        for (from, row) in &rows {
            let row: Vec<String> = row.values().map(|value| format!("{value:.1}")).collect();
            let _ = writeln!(text, "{from}\t{}\t", row.join("\t"));
        }
        text.push('\n');
    }
    text
}

/// The values of the machine with what is wrong; `None` where it cannot be injected.
pub(crate) fn values_of(name: &str, wrong: &[Wrong], solver: Solver) -> Option<Values> {
    let mut hardware = machine(name);
    let mut directions = Vec::new();
    for one in wrong {
        match one {
            Wrong::Fault(fault) => hardware = hardware.inject(&fault.parse().unwrap()).ok()?,
            Wrong::Direction { from, to, share } => directions.push((*from, *to, *share)),
        }
    }
    let mut values = values(&result(hardware, &MATRICES, solver, 1));
    for (from, to, share) in directions {
        *values.get_mut(&(MATRICES[1], from, to))? *= share;
    }
    Some(values)
}

/// The largest share that a value loses.
pub(crate) fn lost(healthy: &Values, faulty: &Values) -> f64 {
    let shares = faulty.iter().filter_map(|(place, after)| {
        let before = healthy.get(place)?;
        Some(1.0 - if place.0 == MATRICES[0] { before / after } else { after / before })
    });
    shares.fold(0.0, f64::max)
}

pub(crate) fn imported(text: &str) -> ResultFile {
    let mut imported =
        zerohop_importers::import("mlc.txt", text, None).unwrap_or_else(|error| panic!("{error}\n{text}"));
    imported.swap_remove(0).result
}
