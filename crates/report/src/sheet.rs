//! Cells laid out in rows and columns, from which tables and pictures are drawn.
//!
//! Nothing is lost: a cell that no layout of its experiment accepts goes to a list at the end.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_result::{
    Axis, Catalogue, Cell, Columns, Coordinate, Drawing, ExperimentResult, Layout, Measure, Print, Purpose,
    Ranking,
};

use crate::layout::{RowPlace, column_of, layouts, place, rank_of_thread, row_of, takes};
use crate::measure::{head, shown_unit, with_unit};
use crate::place::{caption, place_in_full, place_in_short};

/// Rows and columns of cells.
#[derive(Debug, Clone)]
pub(crate) struct Sheet<'a> {
    /// Title of the sheet, with the coordinates that all its cells share.
    pub(crate) title: String,
    /// The axis of its rows.
    pub(crate) row_axis: Option<Axis>,
    /// The axis of its columns; `None` if each is a measure.
    pub(crate) column_axis: Option<Axis>,
    pub(crate) columns: Vec<Head<'a>>,
    pub(crate) rows: Vec<Row<'a>>,
    /// The groups of cells that have a best and a worst.
    pub(crate) ranking: Ranking,
    /// Whether it belongs to the overview or to the details.
    pub(crate) purpose: Purpose,
    /// Print form on a page.
    pub(crate) print: Print,
    /// Chart form in a picture, if it is drawn.
    pub(crate) drawing: Option<Drawing>,
}

#[derive(Debug, Clone)]
pub(crate) struct Row<'a> {
    pub(crate) head: Head<'a>,
    /// Other coordinates of its cells (`32 KiB`, `8 threads`).
    pub(crate) note: String,
    /// The cell under each column head, if there is one.
    pub(crate) cells: Vec<Option<&'a Cell>>,
}

/// The head of a row or a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Head<'a> {
    /// A position along an axis.
    Place(Axis, &'a Coordinate),
    Measure(Measure),
    /// A measure at a place along an axis.
    MeasureAt(Measure, Axis, &'a Coordinate),
    /// A measure of one of a case's threads, by its rank.
    Thread(Measure, usize),
    /// Something else, in words.
    Words(String),
}

impl Head<'_> {
    /// Full text (`node 3`).
    pub(crate) fn in_full(&self) -> String {
        match self {
            Self::Place(axis, place) => place_in_full(*axis, place),
            Self::Measure(measure) => head(*measure),
            Self::MeasureAt(measure, axis, place) => {
                with_unit(&format!("{} {}", measure.words(), place_in_full(*axis, place)), *measure)
            }
            Self::Thread(measure, rank) => with_unit(&format!("thread {}", rank + 1), *measure),
            Self::Words(words) => words.clone(),
        }
    }

    /// Short text if the axis is named elsewhere (`3`).
    pub(crate) fn in_short(&self) -> String {
        match self {
            Self::Place(axis, place) => place_in_short(*axis, place),
            Self::Measure(_) | Self::MeasureAt(..) | Self::Thread(..) | Self::Words(_) => self.in_full(),
        }
    }

    /// Whether it names a measure and its unit.
    pub(crate) const fn names_unit(&self) -> bool {
        matches!(self, Self::Measure(_) | Self::MeasureAt(..) | Self::Thread(..))
    }

    /// The number along its axis, if it is one.
    pub(crate) fn number(&self) -> Option<u64> {
        match self {
            Self::Place(_, Coordinate::Number(number)) => Some(*number),
            _ => None,
        }
    }
}

impl<'a> Sheet<'a> {
    /// Every cell, with its row's and column's heads.
    pub(crate) fn cells(&self) -> impl Iterator<Item = (&Head<'a>, &Head<'a>, &'a Cell)> {
        self.rows.iter().flat_map(move |row| {
            let columns = self.columns.iter().zip(&row.cells);
            columns.filter_map(move |(column, cell)| cell.map(|cell| (&row.head, column, cell)))
        })
    }

    /// The unit of all its cells, if they share one.
    pub(crate) fn unit(&self) -> Option<&'static str> {
        let mut units = self.cells().map(|(_, _, cell)| shown_unit(cell.measure));
        let first = units.next()?;
        units.all(|unit| unit == first).then_some(first)
    }
}

/// All sheets of an experiment, the overview first.
pub(crate) fn sheets(experiment: &ExperimentResult, experiments: Catalogue) -> Vec<Sheet<'_>> {
    let mut rest: Vec<&Cell> = experiment.cells.iter().collect();
    let mut sheets = Vec::new();
    for layout in layouts(experiment, experiments) {
        let (taken, left) = rest.into_iter().partition(|cell| takes(&layout, cell));
        rest = left;
        sheets.extend(apart(taken, &layout).into_iter().map(|cells| sheet(&cells, &layout)));
    }
    if !rest.is_empty() {
        sheets.push(list(&rest));
    }
    sheets
}

/// Splits cells into the fewest groups in which no two cells claim the same place, and heads say what each cell is.
fn apart<'a>(cells: Vec<&'a Cell>, layout: &Layout) -> Vec<Vec<&'a Cell>> {
    let Some(axis) = axis_of_collision(&cells, layout).or_else(|| hidden_node(&cells, layout)) else {
        return if cells.is_empty() { Vec::new() } else { vec![cells] };
    };
    let mut groups = grouped(&cells, |cell| cell.at.get(axis));
    let places = in_order(cells.iter().map(|cell| cell.at.get(axis)));
    let groups = places.into_iter().filter_map(|place| groups.remove(&place));
    groups.flat_map(|group| apart(group, layout)).collect()
}

/// Cells by what they have in common, each group in their order.
fn grouped<'a, K: Ord>(cells: &[&'a Cell], key: impl Fn(&'a Cell) -> K) -> BTreeMap<K, Vec<&'a Cell>> {
    let mut groups: BTreeMap<K, Vec<&'a Cell>> = BTreeMap::new();
    cells.iter().for_each(|cell| groups.entry(key(cell)).or_default().push(cell));
    groups
}

/// The first axis along which two cells with the same place differ.
fn axis_of_collision(cells: &[&Cell], layout: &Layout) -> Option<Axis> {
    let mut ranked: Vec<_> = cells.iter().map(|cell| (place(layout, cell), *cell)).collect();
    ranked.sort_by_key(|(place, _)| *place);
    ranked.windows(2).filter(|pair| pair[0].0 == pair[1].0).find_map(|pair| {
        let (one, other) = (pair[0].1, pair[1].1);
        let axes: BTreeSet<Axis> = one.at.0.keys().chain(other.at.0.keys()).copied().collect();
        axes.into_iter().find(|&axis| one.at.get(axis) != other.at.get(axis))
    })
}

/// The axis of nodes along which cells of one row differ, and no head or note says so.
fn hidden_node(cells: &[&Cell], layout: &Layout) -> Option<Axis> {
    let rows = grouped(cells, |cell| row_of(layout, cell));
    [Axis::Initiator, Axis::Target].into_iter().find(|&axis| {
        let is_shown = axis == layout.rows || layout.columns.any_axis() == Some(axis);
        let is_node = |cell: &&Cell| matches!(cell.at.get(axis), Some(Coordinate::Number(_)));
        !is_shown && rows.values().any(|row| row.iter().any(is_node) && shared(row, axis).is_none())
    })
}

/// A table has as many places as cells or, where triangles and gaps are empty, a few times as many. Cells of which hardly two share a row or a
/// column make a list: the table of 30,000 of them would have a billion places.
const MOST_EMPTY: usize = 16;

/// Any table may have as many places.
const ALWAYS: usize = 10_000;

fn sheet<'a>(cells: &[&'a Cell], layout: &Layout) -> Sheet<'a> {
    let rows = in_order(cells.iter().map(|cell| row_of(layout, cell)));
    let columns = columns(cells, layout);
    if rows.len().saturating_mul(columns.len()) > ALWAYS + MOST_EMPTY * cells.len() {
        return list(cells);
    }
    let own_axes = [Some(layout.rows), layout.columns.any_axis()];
    let axes: BTreeSet<Axis> = cells.iter().flat_map(|cell| cell.at.0.keys().copied()).collect();
    let (common, varying): (Vec<Axis>, Vec<Axis>) = axes
        .into_iter()
        .filter(|axis| !own_axes.contains(&Some(*axis)))
        .partition(|axis| shared(cells, *axis).is_some());
    let captions = common.iter().filter_map(|&axis| caption(axis, shared(cells, axis)?));
    let title = std::iter::once(layout.title.to_owned()).chain(captions).collect::<Vec<_>>().join(", ");
    let mut by_row = grouped(cells, |cell| row_of(layout, cell));
    let ranks: BTreeMap<Column<'_>, usize> =
        columns.iter().zip(0..).filter_map(|(head, rank)| Some((Column::of(head)?, rank))).collect();
    let rows = rows.into_iter().filter_map(|row| {
        let own = by_row.remove(&row).unwrap_or_default();
        let mut cells = vec![None; columns.len()];
        for &cell in &own {
            for rank in
                Column::of_cell(cell, layout).into_iter().flatten().filter_map(|column| ranks.get(&column))
            {
                cells[*rank].get_or_insert(cell);
            }
        }
        Some(Row { head: Head::Place(layout.rows, row.0?), note: note(&own, &varying), cells })
    });
    Sheet {
        title,
        row_axis: Some(layout.rows),
        column_axis: layout.columns.axis(),
        rows: rows.collect(),
        columns,
        ranking: layout.ranking,
        purpose: layout.purpose,
        print: layout.print,
        drawing: layout.drawing,
    }
}

fn columns<'a>(cells: &[&'a Cell], layout: &Layout) -> Vec<Head<'a>> {
    let of = |measure: Measure| cells.iter().copied().filter(move |cell| cell.measure == measure);
    let present = layout.measures.iter().copied().filter(|&measure| of(measure).next().is_some());
    match layout.columns {
        Columns::Along(axis) => {
            let places = in_order(cells.iter().filter_map(|cell| column_of(layout, cell)));
            places.into_iter().map(|place| Head::Place(axis, place)).collect()
        }
        Columns::Measures => present.map(Head::Measure).collect(),
        Columns::MeasuresBy(axis) => present
            .flat_map(|measure| {
                let whole = of(measure).any(|cell| column_of(layout, cell).is_none());
                let places = in_order(of(measure).filter_map(|cell| column_of(layout, cell)));
                let parts = places.into_iter().map(move |place| Head::MeasureAt(measure, axis, place));
                whole.then_some(Head::Measure(measure)).into_iter().chain(parts).collect::<Vec<_>>()
            })
            .collect(),
        Columns::MeasuresAndThreads => present
            .flat_map(|measure| {
                let threads = of(measure).filter_map(rank_of_thread).max().map_or(0, |last| last + 1);
                let whole = of(measure).any(|cell| column_of(layout, cell).is_none());
                let whole = whole.then_some(Head::Measure(measure));
                let parts = (0..threads).map(move |rank| Head::Thread(measure, rank));
                whole.into_iter().chain(parts).collect::<Vec<_>>()
            })
            .collect(),
    }
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Column<'a> {
    Place(&'a Coordinate),
    Measure(Measure),
    MeasureAt(Measure, &'a Coordinate),
    Thread(Measure, usize),
}

impl<'a> Column<'a> {
    /// What stands under a head.
    fn of(head: &Head<'a>) -> Option<Self> {
        match *head {
            Head::Place(_, place) => Some(Self::Place(place)),
            Head::Measure(measure) => Some(Self::Measure(measure)),
            Head::MeasureAt(measure, _, place) => Some(Self::MeasureAt(measure, place)),
            Head::Thread(measure, rank) => Some(Self::Thread(measure, rank)),
            Head::Words(_) => None,
        }
    }

    /// The columns in which a cell stands.
    fn of_cell(cell: &'a Cell, layout: &Layout) -> [Option<Self>; 2] {
        let across = column_of(layout, cell);
        let measure = cell.measure;
        let whole = across.is_none().then_some(Self::Measure(measure));
        match layout.columns {
            Columns::Along(_) => [across.map(Self::Place), None],
            Columns::Measures => [whole, None],
            Columns::MeasuresBy(_) => [whole, across.map(|place| Self::MeasureAt(measure, place))],
            Columns::MeasuresAndThreads => {
                [whole, rank_of_thread(cell).map(|rank| Self::Thread(measure, rank))]
            }
        }
    }
}

/// The coordinates that the cells of one row share, along axes that vary from row to row.
fn note(cells: &[&Cell], varying: &[Axis]) -> String {
    let common = varying.iter().filter_map(|&axis| {
        let place = shared(cells, axis)?;
        Some(match axis {
            Axis::Delay => format!("delay {place}"),
            _ => place_in_full(axis, place),
        })
    });
    common.collect::<Vec<_>>().join(", ")
}

/// The place along an axis that all these cells share, if they do.
fn shared<'a>(cells: &[&'a Cell], axis: Axis) -> Option<&'a Coordinate> {
    let first = cells.first()?.at.get(axis)?;
    cells.iter().all(|cell| cell.at.get(axis) == Some(first)).then_some(first)
}

/// Cells without a layout, one per row.
fn list<'a>(cells: &[&'a Cell]) -> Sheet<'a> {
    let measures = in_order(cells.iter().map(|cell| cell.measure));
    let rows = cells.iter().map(|cell| {
        let cells = measures.iter().map(|measure| (cell.measure == *measure).then_some(*cell));
        Row { head: Head::Words(cell.at.to_string()), note: String::new(), cells: cells.collect() }
    });
    Sheet {
        title: "other values".to_owned(),
        row_axis: None,
        column_axis: None,
        rows: rows.collect(),
        columns: measures.into_iter().map(Head::Measure).collect(),
        ranking: Ranking::None,
        purpose: Purpose::Detail,
        print: Print::Table,
        drawing: None,
    }
}

/// Each once: numbers ascending, then everything else in order of first appearance.
fn in_order<T: Heading>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen: Vec<T> = Vec::new();
    let mut known = BTreeSet::new();
    for item in items {
        if known.insert(item) {
            seen.push(item);
        }
    }
    seen.sort_by_key(|item| (item.number().is_none(), item.number()));
    seen
}

/// Keys by which rows and columns can be sorted.
trait Heading: Copy + Ord {
    /// Its number, if it sorts by number.
    fn number(&self) -> Option<u64>;
}

impl Heading for &Coordinate {
    fn number(&self) -> Option<u64> {
        match self {
            Coordinate::Number(number) => Some(*number),
            Coordinate::Word(_) => None,
        }
    }
}

impl Heading for Option<&Coordinate> {
    fn number(&self) -> Option<u64> {
        self.as_ref().and_then(Heading::number)
    }
}

impl Heading for RowPlace<'_> {
    fn number(&self) -> Option<u64> {
        self.0.number()
    }
}

impl Heading for Measure {
    fn number(&self) -> Option<u64> {
        None
    }
}
