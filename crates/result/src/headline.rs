//! The headlines of an experiment, as data: the few values that summarize its result.

use serde::Serialize;

use crate::{Axis, Measure, Over};

/// Values of an experiment that a sweep reports by default.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Headline {
    pub measure: Measure,
    pub of: Of,
    /// Grouping of the cells: each group yields one value.
    pub by: By,
    /// Reduction of the cells of a group to one value.
    pub over: Over,
}

/// Cells of a result that count. Cells for a part of a measurement count only if their place is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Of {
    Everything,
    /// Cells of the whole machine: of all nodes, or of the only one.
    Machine,
    /// Cells with the highest place along a numeric axis.
    Most(Axis),
    /// Cells with the lowest place along a numeric axis.
    Least(Axis),
    /// Cells at this place along this axis.
    At(Axis, &'static str),
}

/// Grouping of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// All together, under this name.
    Name(&'static str),
    /// Grouped by place along an axis.
    Axis(Axis),
    /// Grouped by distance from initiator to target.
    Distance,
    /// Grouped by place along an axis, and by distance.
    AxisAndDistance(Axis),
    /// Grouped by scenario; cases without a scenario by case, or all together if there are many.
    Scenario,
}

/// Summary of an experiment at the top of a survey's page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Glance {
    /// The local value, the remote value and their ratio, by initiator and target.
    NearAndFar(Measure),
    /// The highest bandwidth of the whole machine, over all experiments with this glance, and the place along an axis where
    /// it was reached.
    BestBandwidth(Axis),
}

impl Headline {
    /// The median of each group's cells.
    pub const fn new(measure: Measure, of: Of, by: By) -> Self {
        Self { measure, of, by, over: Over::Median }
    }

    /// Reports the highest cell instead of the median.
    #[must_use]
    pub const fn highest(self) -> Self {
        Self { over: Over::Highest, ..self }
    }
}
