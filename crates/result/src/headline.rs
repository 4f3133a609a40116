//! What matters most of an experiment, as data: the few values that sum its result up.

use serde::Serialize;

use crate::{Axis, Measure, Over};

/// Values that a sweep reports of an experiment unless others are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Headline {
    /// What is measured.
    pub measure: Measure,
    /// Which cells count.
    pub of: Of,
    /// How they are grouped: each group is a value.
    pub by: By,
    /// What is made of the cells of a group.
    pub over: Over,
}

/// Which cells of a result count. Unless a place is named, a part of what another cell has whole does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Of {
    /// All.
    Everything,
    /// Those of the whole machine: of all nodes, or of the only one.
    Machine,
    /// Those that stand highest along an axis of numbers.
    Most(Axis),
    /// Those that stand lowest along an axis of numbers.
    Least(Axis),
    /// Those that stand there.
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
    /// By how far the memory is from who asks.
    Distance,
    /// By their place along an axis, and by distance.
    AxisAndDistance(Axis),
    /// By scenario; those that belong to none by case, or all together if they are many.
    Scenario,
}

/// What a survey's page says of an experiment at its top.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Glance {
    /// The local value, the remote one and their ratio, by initiator and target.
    NearAndFar(Measure),
    /// The highest bandwidth of the whole machine, over all experiments that have this, and the place along an axis at which
    /// it was reached.
    BestBandwidth(Axis),
}

impl Headline {
    /// The middle of all cells of a group.
    pub const fn new(measure: Measure, of: Of, by: By) -> Self {
        Self { measure, of, by, over: Over::Median }
    }

    /// The highest instead.
    #[must_use]
    pub const fn highest(self) -> Self {
        Self { over: Over::Highest, ..self }
    }
}
