//! Results and machines as CSV (RFC 4180): one row a number, one row a node.

mod comparison;
mod reproduction;
mod sweep;

use zerohop_machine::{Hardware, Machine, NodeId};
use zerohop_result::{Axis, Cell, ExperimentResult, ResultFile};

pub use comparison::comparison_csv;
pub use reproduction::reproduction_csv;
pub use sweep::sweep_csv;

use crate::origin::name_and_settings;

/// Columns after the axes.
const NUMBERS: [&str; 20] = [
    "measure",
    "unit",
    "median",
    "low",
    "high",
    "min",
    "max",
    "mean",
    "standard_deviation",
    "samples",
    "disturbed",
    "huge_share",
    "placed_share",
    "cpu_share",
    "warnings",
    "origin",
    "machine",
    "time",
    "version",
    "unknown_axes",
];

/// One row a cell: where it stands, its estimate in the unit named, its evidence, its warnings, and where it comes from: origin,
/// machine, time and version are the same in every row, so that rows of several results can stand in one table. What is absent is
/// empty.
pub fn result_csv(file: &ResultFile) -> String {
    let mut text = String::new();
    let heads = Axis::ALL.map(Axis::name).into_iter().chain(NUMBERS).map(str::to_owned);
    push_row(&mut text, std::iter::once("experiment".to_owned()).chain(heads));
    for experiment in &file.experiments {
        for cell in &experiment.cells {
            push_row(&mut text, fields(file, experiment, cell));
        }
    }
    text
}

/// One row a node: its CPUs, its memory, and the firmware's distance to every node that has one.
pub fn machine_csv(machine: &Machine) -> String {
    let mut text = String::new();
    let targets: &[NodeId] = machine.distances.as_ref().map_or(&[], |distances| &distances.nodes);
    let heads = ["node", "cpus", "cpu_count", "core_count", "memory_bytes", "free_bytes", "memory_allowed"];
    let heads = heads.map(str::to_owned).into_iter();
    push_row(&mut text, heads.chain(targets.iter().map(|target| format!("distance_to_{target}"))));
    for node in &machine.nodes {
        let cores = machine.cores.iter().filter(|core| !core.pus.intersection(&node.pus).is_empty()).count();
        let distance = |target: &NodeId| {
            machine
                .distances
                .as_ref()
                .and_then(|distances| distances.get(node.id, *target))
                .map(|number| number.to_string())
        };
        let fields = [
            node.id.to_string(),
            node.pus.to_string(),
            node.pus.len().to_string(),
            cores.to_string(),
            node.memory.get().to_string(),
            node.free.get().to_string(),
            node.allowed.to_string(),
        ];
        push_row(
            &mut text,
            fields.into_iter().chain(targets.iter().map(|target| distance(target).unwrap_or_default())),
        );
    }
    text
}

/// One row a machine that can be simulated.
pub fn machine_list_csv(machines: &[Hardware]) -> String {
    let mut text = String::new();
    let heads = ["machine", "title", "nodes", "cores", "routers", "links", "numbers", "fitted"];
    push_row(&mut text, heads.into_iter().map(str::to_owned));
    for hardware in machines {
        let fields = [
            hardware.machine.name.clone(),
            hardware.title.clone(),
            hardware.machine.nodes.len().to_string(),
            hardware.machine.cores.len().to_string(),
            hardware.routers.len().to_string(),
            hardware.links.len().to_string(),
            hardware.parameters.len().to_string(),
            hardware.fitted().count().to_string(),
        ];
        push_row(&mut text, fields.into_iter());
    }
    text
}

fn fields(file: &ResultFile, experiment: &ExperimentResult, cell: &Cell) -> impl Iterator<Item = String> {
    let optional = |share: Option<f64>| share.map(|share| share.to_string()).unwrap_or_default();
    let places = Axis::ALL.map(|axis| cell.at.get(axis).map(ToString::to_string).unwrap_or_default());
    let estimate = &cell.estimate;
    let unknown_axes = cell.at.0.iter().filter(|(axis, _)| matches!(axis, Axis::Unknown(_)));
    let unknown_axes: Vec<String> =
        unknown_axes.map(|(axis, place)| format!("{}={place}", axis.name())).collect();
    let warnings: Vec<String> = cell.warnings.iter().map(ToString::to_string).collect();
    let numbers = [
        cell.measure.words().to_owned(),
        cell.measure.unit().to_owned(),
        estimate.median.to_string(),
        estimate.low.to_string(),
        estimate.high.to_string(),
        estimate.min.to_string(),
        estimate.max.to_string(),
        estimate.mean.to_string(),
        estimate.standard_deviation.to_string(),
        cell.samples.len().to_string(),
        cell.evidence.disturbed.to_string(),
        optional(cell.evidence.backing.huge_share),
        optional(cell.evidence.backing.placed_share),
        optional(cell.evidence.cpu_share),
        warnings.join("; "),
        file.origin.short(),
        name_and_settings(&file.machine),
        file.started_at.clone().unwrap_or_default(),
        file.produced_by.clone(),
        unknown_axes.join("; "),
    ];
    std::iter::once(experiment.experiment.to_string()).chain(places).chain(numbers)
}

fn push_row(text: &mut String, fields: impl Iterator<Item = String>) {
    text.push_str(&fields.map(|field| quoted(&field)).collect::<Vec<_>>().join(","));
    text.push('\n');
}

/// A field, in quotes where it has to be.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}
