//! How the cells of an experiment are laid out on a page and on a picture, as data: what a terminal, a picture and a page in a
//! browser read alike.

use serde::Serialize;

use crate::{Axis, ExperimentResult, Measure};

/// A table of cells, and how it is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Layout {
    /// What it shows.
    pub title: &'static str,
    /// The axis that goes down.
    pub rows: Axis,
    /// A second axis that goes down: a row for each place along both.
    pub rows_by: Option<Axis>,
    /// What goes across.
    pub columns: Columns,
    /// What is measured.
    pub measures: &'static [Measure],
    /// If given, only cells that stand at this word along this axis belong here.
    pub only: Option<(Axis, &'static str)>,
    /// Which results are laid out like this.
    pub when: When,
    /// What may be compared with what.
    pub ranking: Ranking,
    /// Who wants to see it.
    pub purpose: Purpose,
    /// How a page prints it.
    pub print: Print,
    /// How a picture draws it, if it does.
    pub drawing: Option<Drawing>,
}

/// What goes across.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Columns {
    /// Places along an axis.
    Along(Axis),
    /// The measures.
    Measures,
    /// The measures; one that has a cell at each place along an axis, a column for each.
    MeasuresBy(Axis),
    /// The measures of a case, and of each of its threads.
    MeasuresAndThreads,
}

/// Which results are laid out in a certain way, by how many places their cells have along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// All.
    Always,
    /// Those with at least this many places.
    AtLeast(usize, Axis),
    /// Those with fewer.
    Fewer(usize, Axis),
}

/// Among which cells of a sheet there is a best and a worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ranking {
    /// Among none.
    None,
    /// Among all.
    Whole,
    /// Among those of a row that stand under a number (nodes, but not the machine as a whole).
    EachRow,
    /// Among those of a column.
    EachColumn,
}

/// Who wants to see a sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Everybody: it is on the survey's page.
    Overview,
    /// Whoever looks at this experiment.
    Detail,
}

/// How a page prints a sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Print {
    /// As a table.
    Table,
    /// As a line: where a curve peaks, where it bends, and whether it falls.
    Turns,
}

/// How a picture draws a sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Drawing {
    /// A coloured rectangle a cell.
    HeatMap,
    /// A bar a cell, grouped by row.
    Bars,
    /// Latency over bandwidth.
    Curve,
    /// Bandwidth over cores a node.
    Rise,
    /// Latency over footprint, of all cells that have one.
    Steps,
}

impl Columns {
    /// The axis along which its columns lie: one for each place.
    pub const fn axis(self) -> Option<Axis> {
        match self {
            Self::Along(axis) => Some(axis),
            Self::Measures | Self::MeasuresBy(_) | Self::MeasuresAndThreads => None,
        }
    }

    /// The axis along which places make columns, of all measures or of some.
    pub const fn any_axis(self) -> Option<Axis> {
        match self {
            Self::Along(axis) | Self::MeasuresBy(axis) => Some(axis),
            Self::MeasuresAndThreads => Some(Axis::Thread),
            Self::Measures => None,
        }
    }
}

impl When {
    /// Whether this result is one of them.
    pub fn holds(self, result: &ExperimentResult) -> bool {
        match self {
            Self::Always => true,
            Self::AtLeast(count, axis) => result.places(axis).len() >= count,
            Self::Fewer(count, axis) => result.places(axis).len() < count,
        }
    }
}

impl Layout {
    /// On the overview, unranked, drawn as a heat map, of every result.
    pub const fn new(
        title: &'static str,
        rows: Axis,
        columns: Columns,
        measures: &'static [Measure],
    ) -> Self {
        Self {
            title,
            rows,
            rows_by: None,
            columns,
            measures,
            only: None,
            when: When::Always,
            ranking: Ranking::None,
            purpose: Purpose::Overview,
            print: Print::Table,
            drawing: Some(Drawing::HeatMap),
        }
    }

    /// With a row for each place along this axis too.
    #[must_use]
    pub const fn by(self, axis: Axis) -> Self {
        Self { rows_by: Some(axis), ..self }
    }

    /// Of cells that stand there only.
    #[must_use]
    pub const fn only(self, axis: Axis, word: &'static str) -> Self {
        Self { only: Some((axis, word)), ..self }
    }

    /// Of such results only.
    #[must_use]
    pub const fn when(self, when: When) -> Self {
        Self { when, ..self }
    }

    /// With a best and a worst among these.
    #[must_use]
    pub const fn ranked(self, ranking: Ranking) -> Self {
        Self { ranking, ..self }
    }

    /// For whoever looks at this experiment: on no survey's page and on no picture.
    #[must_use]
    pub const fn in_detail(self) -> Self {
        Self { purpose: Purpose::Detail, drawing: None, ..self }
    }

    /// Drawn like this, on the overview or not.
    #[must_use]
    pub const fn drawn(self, drawing: Drawing) -> Self {
        Self { drawing: Some(drawing), ..self }
    }

    /// On no picture.
    #[must_use]
    pub const fn not_drawn(self) -> Self {
        Self { drawing: None, ..self }
    }

    /// Printed like this.
    #[must_use]
    pub const fn printed(self, print: Print) -> Self {
        Self { print, ..self }
    }
}
