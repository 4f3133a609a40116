//! The headlines of an experiment, as data: the few values that summarize its result.

use serde::Serialize;

use crate::{Axis, Measure, Over};

/// Values of an experiment that a sweep reports by default.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Headline {
    pub measure: Measure,
    pub of: Of,
    /// How they are grouped: each group yields one value.
    pub by: By,
    /// How the cells of a group are reduced to a value.
    pub over: Over,
}

/// Which cells of a result count. Cells for a part of a measurement only count where their place is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Of {
    Everything,
    /// Those of the whole machine: of all nodes, or of the only one.
    Machine,
    /// Those with the highest place along a numeric axis.
    Most(Axis),
    /// Those with the lowest place along a numeric axis.
    Least(Axis),
    /// Those at this place along this axis.
    At(Axis, &'static str),
}

/// How cells are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// All together, under this name.
    Name(&'static str),
    /// By their place along an axis.
    Axis(Axis),
    /// By the distance from initiator to target.
    Distance,
    /// By their place along an axis, and by distance.
    AxisAndDistance(Axis),
    /// By scenario; cases without a scenario by case, or all together if there are many.
    Scenario,
}

/// What the top of a survey's page reports about an experiment.
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
