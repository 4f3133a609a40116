//! The cells of a result as rows.

use zerohop_result::{Axis, Cell, Certain, Coordinate, Coordinates, ExperimentResult, ResultFile};

use crate::origin::name_and_settings;
use crate::table::Table;

/// One row per cell: its coordinates, its estimate in the unit named, its evidence, its warnings, and its origin.
pub(super) fn cells(file: &ResultFile) -> Table {
    let experiments = file.experiments.iter();
    let cells: Vec<(&ExperimentResult, &Cell)> =
        experiments.flat_map(|one| one.cells.iter().map(move |cell| (one, cell))).collect();
    let each = || cells.iter().map(|(_, cell)| *cell);
    let estimates = || each().map(|cell| cell.estimate);
    let warnings = |cell: &Cell| cell.warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    let names = cells.iter().map(|(experiment, _)| experiment.experiment.to_string());
    let table = places(Table::new().words("experiment", names), || each().map(|cell| &cell.at))
        .words("measure", each().map(|cell| cell.measure.name().to_owned()))
        .words("unit", each().map(|cell| cell.measure.unit().to_owned()))
        .numbers("median", estimates().map(|estimate| Some(estimate.median)))
        .numbers("low", estimates().map(|estimate| Some(estimate.low)))
        .numbers("high", estimates().map(|estimate| Some(estimate.high)))
        .numbers("min", estimates().map(|estimate| Some(estimate.min)))
        .numbers("max", estimates().map(|estimate| Some(estimate.max)))
        .numbers("mean", estimates().map(|estimate| Some(estimate.mean)))
        .numbers("standard_deviation", estimates().map(|estimate| Some(estimate.standard_deviation)))
        .counts("samples", each().map(|cell| cell.samples.len() as u64))
        .counts("disturbed", each().map(|cell| cell.evidence.disturbed.into()))
        .numbers("huge_share", each().map(|cell| cell.evidence.backing.huge_share))
        .numbers("placed_share", each().map(|cell| cell.evidence.backing.placed_share))
        .numbers("cpu_share", each().map(|cell| cell.evidence.cpu_share))
        .words("warnings", each().map(warnings))
        // The same in every row, so that rows of several results can be combined in one table.
        .words("origin", each().map(|_| file.origin.short()))
        .words("machine", each().map(|_| name_and_settings(&file.machine)))
        .words(
            "started_at",
            each().map(|_| file.started_at.map_or_else(String::new, |time| time.to_string())),
        )
        .words("produced_by", each().map(|_| file.produced_by.clone()))
        .where_there(|table| {
            table
                .numbers("at_least", each().map(|cell| bound(cell, true)))
                .numbers("at_most", each().map(|cell| bound(cell, false)))
        })
        .where_there(|table| table.words("unknown_axes", each().map(unknown_axes)));
    words_of_nodes(table, || each().map(|cell| &cell.at))
}

/// What is certain of a cell whose interval is too wide: of a rate, or of a time.
fn bound(cell: &Cell, of_rate: bool) -> Option<f64> {
    match cell.certain()? {
        Certain::AtLeast(bound) => of_rate.then_some(bound),
        Certain::AtMost(bound) => (!of_rate).then_some(bound),
    }
}

/// A cell's coordinates along axes that this version does not know, which have no column.
fn unknown_axes(cell: &Cell) -> String {
    let unknown = cell.at.0.iter().filter(|(axis, _)| matches!(axis, Axis::Unknown(_)));
    unknown.map(|(axis, place)| format!("{}={place}", axis.name())).collect::<Vec<_>>().join("; ")
}

/// Axes whose places are numbers of nodes, and sometimes words (`all`, `local`), which have columns of their own: a column of node
/// numbers stays one of numbers.
const NODES: [(Axis, &str); 2] = [(Axis::Initiator, "initiator_word"), (Axis::Target, "target_word")];

/// Adds a column for each axis.
pub(super) fn places<'a, I>(table: Table, at: impl Fn() -> I) -> Table
where
    I: Iterator<Item = &'a Coordinates>,
{
    let with = |table: Table, axis| match NODES.iter().any(|(node, _)| *node == axis) {
        true => table.ranks(axis.name(), at().map(|at| at.number(axis))),
        false => table.given(axis.name(), at().map(|at| at.get(axis).map(ToString::to_string))),
    };
    table.where_there(|table| Axis::ALL.into_iter().fold(table, with))
}

/// Adds the columns for words instead of node numbers.
pub(super) fn words_of_nodes<'a, I>(table: Table, at: impl Fn() -> I) -> Table
where
    I: Iterator<Item = &'a Coordinates>,
{
    let word = |place: Option<&Coordinate>| match place {
        Some(Coordinate::Word(word)) => word.clone(),
        Some(Coordinate::Number(_)) | None => String::new(),
    };
    let with = |table: Table, (axis, name)| table.words(name, at().map(|at| word(at.get(axis))));
    table.where_there(|table| NODES.into_iter().fold(table, with))
}
