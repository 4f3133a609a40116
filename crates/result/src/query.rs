//! Which cells of a result are meant: the one way of saying so, for people and for programs.
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

/// Which cells of an experiment's result are meant, and what is made of them.
///
/// Cells of a part of what was measured (a thread, a link, a statistic: [`Axis::is_part`]) are meant only where the axis is named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Query {
    /// What is measured.
    pub measure: Measure,
    /// Where the cells stand.
    #[serde(default)]
    pub at: BTreeMap<Axis, Wanted>,
    /// How far the memory is from the initiator; any distance, if absent.
    #[serde(default, rename = "pairs", skip_serializing_if = "Option::is_none")]
    pub relation: Option<Relation>,
    /// What is made of several cells.
    #[serde(default)]
    pub over: Over,
}

/// Which places along an axis are meant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Written", into = "Written")]
#[schemars(with = "Written")]
pub enum Wanted {
    /// This one.
    Is(Coordinate),
    /// Any of these. Not empty.
    OneOf(Vec<Coordinate>),
    /// Any at all: the cell has that axis.
    Any,
}

/// A place, a list of places, or `*` for any.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Written {
    Is(Coordinate),
    OneOf(Vec<Coordinate>),
}

/// What stands for any place along an axis.
const ANY: &str = "*";

/// What is made of several cells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Over {
    /// The one in the middle.
    #[default]
    Median,
    /// The lowest.
    Lowest,
    /// The highest.
    Highest,
    /// All together.
    Sum,
    /// Their geometric mean.
    Mean,
    /// Nothing: one cell is meant. Of several that match it is the one with the fewest coordinates, so that coordinates that all
    /// cells share need not be named.
    One,
}

impl Query {
    /// The cells of this measure, wherever they stand.
    pub const fn of(measure: Measure) -> Self {
        Self { measure, at: BTreeMap::new(), relation: None, over: Over::Median }
    }

    /// The same, at this place along an axis.
    #[must_use]
    pub fn at(mut self, axis: Axis, place: impl Into<Wanted>) -> Self {
        self.at.insert(axis, place.into());
        self
    }

    /// The same, at these coordinates.
    #[must_use]
    pub fn at_all(self, at: &Coordinates) -> Self {
        at.0.iter().fold(self, |query, (axis, place)| query.at(*axis, place.clone()))
    }

    /// The same, where memory is this far.
    #[must_use]
    pub fn where_memory_is(self, relation: Relation) -> Self {
        Self { relation: Some(relation), ..self }
    }

    /// The same, with this made of several cells.
    #[must_use]
    pub fn over(self, over: Over) -> Self {
        Self { over, ..self }
    }
}

impl Wanted {
    /// Whether a cell that stands at `place`, or has no such axis, is meant.
    pub fn admits(&self, place: Option<&Coordinate>) -> bool {
        match (self, place) {
            (_, None) => false,
            (Self::Is(wanted), Some(place)) => is_same(wanted, place),
            (Self::OneOf(wanted), Some(place)) => wanted.iter().any(|wanted| is_same(wanted, place)),
            (Self::Any, Some(_)) => true,
        }
    }
}

/// A channel may be called `0`: whoever writes the number means it.
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
    /// Every one.
    pub const ALL: [Self; 6] = [Self::Median, Self::Lowest, Self::Highest, Self::Sum, Self::Mean, Self::One];

    /// Its name in queries and files.
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
