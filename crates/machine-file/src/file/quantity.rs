//! Quantities that only machine files have: ranks, positions, distances.

use schemars::{Schema, json_schema};
use zerohop_document::{Content, Quantity, Value, integer};

/// Ranks of nodes and packages.
const RANKS: [i64; 2] = [0, 1023];

fn rank(value: &Value) -> Result<u32, String> {
    Ok(integer(value, "an operating system's number", RANKS)? as u32)
}

fn rank_schema() -> Schema {
    json_schema!({ "type": "integer", "minimum": RANKS[0], "maximum": RANKS[1] })
}

/// One number that the operating system uses, or several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ranks(pub(super) Vec<u32>);

impl Quantity for Ranks {
    const NAME: &'static str = "Ranks";
    const UNIT: &'static str = "numbers";
    const WORDS: &'static str = "an operating system's number, or a list of them";
    const EXAMPLE: &'static str = "0";

    fn read(value: &Value) -> Result<Self, String> {
        let Content::List(items) = &value.content else {
            return rank(value).map(|rank| Self(vec![rank]));
        };
        let ranks: Vec<u32> = items.iter().map(rank).collect::<Result<_, _>>()?;
        match ranks.is_empty() {
            true => Err("the list is empty".to_owned()),
            false => Ok(Self(ranks)),
        }
    }

    fn schema() -> Schema {
        let rank = rank_schema();
        json_schema!({ "anyOf": [rank, { "type": "array", "items": rank, "minItems": 1 }] })
    }

    fn shown(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// Column and row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position(pub(super) [i32; 2]);

impl Quantity for Position {
    const NAME: &'static str = "Position";
    const UNIT: &'static str = "column, row";
    const WORDS: &'static str = "a position (column and row)";
    const EXAMPLE: &'static str = "[0, 1]";

    fn read(value: &Value) -> Result<Self, String> {
        match &value.content {
            Content::List(items) if items.len() == 2 => {
                let at = |item: usize| integer(&items[item], "a column or row", [-1023, 1023]);
                Ok(Self([at(0)? as i32, at(1)? as i32]))
            }
            Content::List(items) => Err(format!("{} must be two integers, not {}", Self::WORDS, items.len())),
            _ => Err(format!("{} must be a list of two integers, not {}", Self::WORDS, value.kind())),
        }
    }

    fn schema() -> Schema {
        let item = json_schema!({ "type": "integer", "minimum": -1023, "maximum": 1023 });
        json_schema!({ "type": "array", "items": item, "minItems": 2, "maxItems": 2 })
    }

    fn shown(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// The firmware's distances, one row per node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Distances(pub(super) Vec<Vec<u32>>);

impl Quantity for Distances {
    const NAME: &'static str = "Distances";
    const UNIT: &'static str = "matrix";
    const WORDS: &'static str = "a matrix of distances";
    const EXAMPLE: &'static str = "[[10, 16], [16, 10]]";

    fn read(value: &Value) -> Result<Self, String> {
        let Content::List(rows) = &value.content else {
            return Err(format!("{} must be a list of rows, not {}", Self::WORDS, value.kind()));
        };
        let row = |row: &Value| match &row.content {
            Content::List(items) => items
                .iter()
                .map(|item| Ok(integer(item, "a distance", [10, 255])? as u32))
                .collect::<Result<Vec<u32>, String>>(),
            _ => Err(format!("a row must be a list of distances, not {}", row.kind())),
        };
        Ok(Self(rows.iter().map(row).collect::<Result<_, _>>()?))
    }

    fn schema() -> Schema {
        let distance = json_schema!({ "type": "integer", "minimum": 10, "maximum": 255 });
        json_schema!({ "type": "array", "items": { "type": "array", "items": distance } })
    }

    fn shown(&self) -> String {
        format!("{:?}", self.0)
    }
}
