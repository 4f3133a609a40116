//! Assigns cells to layouts and to positions in them, and lays out results of unknown experiments.

use std::cmp::Reverse;

use zerohop_result::{
    Axis, Catalogue, Cell, Columns, Coordinate, ExperimentResult, Layout, Measure, Query, Ranking, Wanted,
};

/// A cell's position in a layout.
type CellPlace<'a> = (RowPlace<'a>, Option<&'a Coordinate>, Measure);

/// A row's position: along the row axis, and along the second axis.
pub(crate) type RowPlace<'a> = (Option<&'a Coordinate>, Option<&'a Coordinate>);

/// Every measure, so that a new counter has a column at the parts where an engine observes it.
const ANY: &[Measure] = &Measure::ALL;

/// Layouts of machine internals, for any experiment.
const INSIDE: [Layout; 4] = [
    Layout::new("where the time of a line goes", Axis::Stage, Columns::Measures, ANY).in_detail(),
    Layout::new("links", Axis::Link, Columns::Measures, ANY).by(Axis::Direction).in_detail(),
    Layout::new("memory channels", Axis::Channel, Columns::MeasuresBy(Axis::Direction), ANY).in_detail(),
    Layout::new("home agents", Axis::Home, Columns::Measures, ANY).in_detail(),
];

/// The layouts of a result, then those of machine internals. A cell belongs to the first layout that accepts it.
pub(crate) fn layouts(result: &ExperimentResult, experiments: Catalogue) -> Vec<Layout> {
    let own = match experiments.get(&result.experiment) {
        Some(known) => known.layouts_of(result).copied().collect(),
        None => generic(result),
    };
    [own, INSIDE.to_vec()].concat()
}

/// Whether a cell belongs in a layout.
pub(crate) fn takes(layout: &Layout, cell: &Cell) -> bool {
    if !layout.measures.contains(&cell.measure) {
        return false;
    }
    let mut query = Query::of(cell.measure).at(layout.rows, Wanted::Any);
    let across = layout.columns.any_axis();
    // If only some measures have columns, the cells of the others have no place along them.
    let has_columns = |axis: &Axis| layout.columns.axis().is_some() || cell.at.get(*axis).is_some();
    if let Some(axis) = across.filter(has_columns) {
        query = query.at(axis, Wanted::Any);
    }
    if let Some((axis, word)) = layout.only {
        query = query.at(axis, word);
    }
    let is_known_thread = cell.at.get(Axis::Thread).is_none() || rank_of_thread(cell).is_some();
    (across != Some(Axis::Thread) || is_known_thread) && query.selects(cell)
}

/// A cell's position in a layout.
pub(crate) fn place<'a>(layout: &Layout, cell: &'a Cell) -> CellPlace<'a> {
    (row_of(layout, cell), column_of(layout, cell), cell.measure)
}

/// A cell's row in a layout.
pub(crate) fn row_of<'a>(layout: &Layout, cell: &'a Cell) -> RowPlace<'a> {
    (cell.at.get(layout.rows), layout.rows_by.and_then(|axis| cell.at.get(axis)))
}

/// A cell's place along the axis of a layout's columns; `None` if it has none, or if columns are measures.
pub(crate) fn column_of<'a>(layout: &Layout, cell: &'a Cell) -> Option<&'a Coordinate> {
    layout.columns.any_axis().and_then(|axis| cell.at.get(axis))
}

/// The rank of a cell's thread in its case.
pub(crate) fn rank_of_thread(cell: &Cell) -> Option<usize> {
    let (Coordinate::Word(case), Coordinate::Word(thread)) =
        (cell.at.get(Axis::Case)?, cell.at.get(Axis::Thread)?)
    else {
        return None;
    };
    case.split_whitespace().position(|label| label == thread)
}

/// For an unknown experiment: the axis with the most places gives the rows, the one with the next most the columns, and
/// each measure has a table of its own. A result with one axis has its measures side by side.
fn generic(result: &ExperimentResult) -> Vec<Layout> {
    let axes = Axis::ALL.into_iter().filter(|axis| !axis.is_part() && *axis != Axis::Direction);
    let mut axes: Vec<(usize, Axis)> = axes.map(|axis| (result.places(axis).len(), axis)).collect();
    axes.retain(|(places, _)| *places > 0);
    // Stable: among equals, the axis that is listed first gives the rows.
    axes.sort_by_key(|(places, _)| Reverse(*places));
    let measures: &'static [Measure] = &Measure::ALL;
    match axes.as_slice() {
        [] => Vec::new(),
        [(_, rows), (2.., across), ..] => {
            let present = (0..measures.len())
                .filter(|&rank| result.cells.iter().any(|cell| cell.measure == measures[rank]));
            let of = |rank: usize| {
                let columns = Columns::Along(*across);
                Layout::new(measures[rank].words(), *rows, columns, &measures[rank..=rank])
                    .ranked(Ranking::None)
            };
            present.map(of).collect()
        }
        [(_, rows), ..] => vec![Layout::new("results", *rows, Columns::Measures, measures)],
    }
}
