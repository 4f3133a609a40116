//! Layouts of an experiment's cells in tables and charts, as data shared by the terminal, the charts and the page in a browser.

use serde::Serialize;

use crate::{Axis, ExperimentResult, Measure};

/// A table of cells, and how it is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Layout {
    pub title: &'static str,
    /// The axis of the rows.
    pub rows: Axis,
    /// A second axis of the rows: one row per pair of places.
    pub rows_by: Option<Axis>,
    pub columns: Columns,
    pub measures: &'static [Measure],
    /// If given, only cells at this place along this axis belong here.
    pub only: Option<(Axis, &'static str)>,
    /// Results that use the layout.
    pub when: When,
    /// Cells that are ranked together.
    pub ranking: Ranking,
    /// Whether it belongs on overviews.
    pub purpose: Purpose,
    /// Print form on a page.
    pub print: Print,
    /// Chart form, if it is drawn.
    pub drawing: Option<Drawing>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Columns {
    /// One column per place along an axis.
    Along(Axis),
    /// One column per measure.
    Measures,
    /// One column per measure; a measure with cells along the axis gets a column per place.
    MeasuresBy(Axis),
    /// The measures of a case, and of each of its threads.
    MeasuresAndThreads,
}

/// Results that use a layout, by the number of places of their cells along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    Always,
    /// Results with at least this many places.
    AtLeast(usize, Axis),
    /// Results with fewer places.
    Fewer(usize, Axis),
}

/// Cells of a sheet that are ranked together from best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ranking {
    None,
    Whole,
    /// Each row by itself, numbered columns only (nodes, but not the machine as a whole).
    EachRow,
    /// Each column by itself.
    EachColumn,
}

/// Places where a sheet is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// On the survey's page.
    Overview,
    /// On the experiment's own page only.
    Detail,
}

/// Print form of a sheet on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Print {
    Table,
    /// A line of text: peak and knee of a curve, and whether it falls.
    Turns,
}

/// Chart form of a sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Drawing {
    /// One colored rectangle per cell.
    HeatMap,
    /// One bar per cell, grouped by row.
    Bars,
    Curve,
    /// Bandwidth over cores per node.
    Rise,
    /// Latency over footprint, for all cells that have a footprint.
    Steps,
}

impl Columns {
    /// The axis of the columns, if each column is a place along one axis.
    pub const fn axis(self) -> Option<Axis> {
        match self {
            Self::Along(axis) => Some(axis),
            Self::Measures | Self::MeasuresBy(_) | Self::MeasuresAndThreads => None,
        }
    }

    /// The axis whose places are columns, for all measures or for some.
    pub const fn any_axis(self) -> Option<Axis> {
        match self {
            Self::Along(axis) | Self::MeasuresBy(axis) => Some(axis),
            Self::MeasuresAndThreads => Some(Axis::Thread),
            Self::Measures => None,
        }
    }
}

impl When {
    /// Whether it holds for this result.
    pub fn holds(self, result: &ExperimentResult) -> bool {
        match self {
            Self::Always => true,
            Self::AtLeast(count, axis) => result.places(axis).len() >= count,
            Self::Fewer(count, axis) => result.places(axis).len() < count,
        }
    }
}

impl Layout {
    /// A layout for every result: on the overview, unranked, drawn as a heat map.
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

    /// Adds a row for each place along this axis.
    #[must_use]
    pub const fn by(self, axis: Axis) -> Self {
        Self { rows_by: Some(axis), ..self }
    }

    /// Restricts the layout to cells at this place.
    #[must_use]
    pub const fn only(self, axis: Axis, word: &'static str) -> Self {
        Self { only: Some((axis, word)), ..self }
    }

    /// Restricts the layout to these results.
    #[must_use]
    pub const fn when(self, when: When) -> Self {
        Self { when, ..self }
    }

    #[must_use]
    pub const fn ranked(self, ranking: Ranking) -> Self {
        Self { ranking, ..self }
    }

    /// Shows it only on the experiment's own page, without a chart.
    #[must_use]
    pub const fn in_detail(self) -> Self {
        Self { purpose: Purpose::Detail, drawing: None, ..self }
    }

    /// Draws it like this, on the overview or not.
    #[must_use]
    pub const fn drawn(self, drawing: Drawing) -> Self {
        Self { drawing: Some(drawing), ..self }
    }

    /// Does not draw it.
    #[must_use]
    pub const fn not_drawn(self) -> Self {
        Self { drawing: None, ..self }
    }

    /// Prints it like this.
    #[must_use]
    pub const fn printed(self, print: Print) -> Self {
        Self { print, ..self }
    }
}
