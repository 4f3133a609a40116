//! Queries select cells of a result: one language for people and programs.
//!
//! ```text
//! bandwidth kernel=triad initiator=all
//! latency remote highest
//! link-traffic link=* scenario=crossfire,no-crossfire sum
//! ```

mod error;
mod evaluate;
mod relation;
mod text;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Axis, Coordinate, Coordinates, Measure};

pub use error::{NoValue, ParseQueryError};
pub use evaluate::Value;
pub use relation::Relation;

/// Selects cells of an experiment's result, and reduces them to a value.
///
/// Cells for a part of a measurement (a thread, a link, a statistic: [`Axis::is_part`]) are selected only if the axis is named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Query {
    /// The measure of the cells.
    pub measure: Measure,
    /// The coordinates of the cells.
    #[serde(default)]
    pub at: BTreeMap<Axis, Wanted>,
    /// Distance between initiator and memory; any distance if absent.
    #[serde(default, rename = "pairs", skip_serializing_if = "Option::is_none")]
    pub relation: Option<Relation>,
    /// Reduction of several cells to one value.
    #[serde(default)]
    pub over: Over,
}

/// The selected positions along an axis.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Written", into = "Written")]
#[schemars(with = "Written")]
pub enum Wanted {
    /// This position.
    Is(Coordinate),
    /// Any of these positions. Not empty.
    OneOf(Vec<Coordinate>),
    /// Any position, provided that the cell has this axis.
    Any,
}

/// A position, a list of positions, or `*` for any.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Written {
    Is(Coordinate),
    OneOf(Vec<Coordinate>),
}

/// The wildcard for any place along an axis.
const ANY: &str = "*";

/// Reduction of several cells to one value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Over {
    /// Median of the cells.
    #[default]
    Median,
    /// Lowest value.
    Lowest,
    /// Highest value.
    Highest,
    /// Sum of the cells.
    Sum,
    /// Geometric mean of the cells.
    Mean,
    /// A single cell. If several match, the one with the fewest coordinates is taken, so coordinates that all cells share need not be named.
    One,
}

impl Query {
    /// All cells of this measure.
    pub const fn of(measure: Measure) -> Self {
        Self { measure, at: BTreeMap::new(), relation: None, over: Over::Median }
    }

    /// Restricts the query to this place along an axis.
    #[must_use]
    pub fn at(mut self, axis: Axis, place: impl Into<Wanted>) -> Self {
        self.at.insert(axis, place.into());
        self
    }

    /// Restricts the query to these coordinates.
    #[must_use]
    pub fn at_all(self, at: &Coordinates) -> Self {
        at.0.iter().fold(self, |query, (axis, place)| query.at(*axis, place.clone()))
    }

    /// Reduces several cells like this.
    #[must_use]
    pub fn over(self, over: Over) -> Self {
        Self { over, ..self }
    }
}

impl Wanted {
    /// Whether it selects a cell at this place along the axis. A cell without that axis (`None`) is never selected.
    pub fn admits(&self, place: Option<&Coordinate>) -> bool {
        match (self, place) {
            (_, None) => false,
            (Self::Is(wanted), Some(place)) => is_same(wanted, place),
            (Self::OneOf(wanted), Some(place)) => wanted.iter().any(|wanted| is_same(wanted, place)),
            (Self::Any, Some(_)) => true,
        }
    }
}

/// A channel may be called `0`: the number in a query selects it.
fn is_same(wanted: &Coordinate, place: &Coordinate) -> bool {
    match (wanted, place) {
        (Coordinate::Number(number), Coordinate::Word(word))
        | (Coordinate::Word(word), Coordinate::Number(number)) => *word == number.to_string(),
        (one, other) => one == other,
    }
}

impl<T: Into<Coordinate>> From<T> for Wanted {
    fn from(place: T) -> Self {
        Self::Is(place.into())
    }
}

impl From<Written> for Wanted {
    fn from(written: Written) -> Self {
        match written {
            Written::Is(Coordinate::Word(word)) if word == ANY => Self::Any,
            Written::Is(place) => Self::Is(place),
            Written::OneOf(places) => Self::OneOf(places),
        }
    }
}

impl From<Wanted> for Written {
    fn from(wanted: Wanted) -> Self {
        match wanted {
            Wanted::Is(place) => Self::Is(place),
            Wanted::OneOf(places) => Self::OneOf(places),
            Wanted::Any => Self::Is(ANY.into()),
        }
    }
}

impl Over {
    pub const ALL: [Self; 6] = [Self::Median, Self::Lowest, Self::Highest, Self::Sum, Self::Mean, Self::One];

    /// Name of the reduction in queries and files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Median => "median",
            Self::Lowest => "lowest",
            Self::Highest => "highest",
            Self::Sum => "sum",
            Self::Mean => "mean",
            Self::One => "one",
        }
    }
}
