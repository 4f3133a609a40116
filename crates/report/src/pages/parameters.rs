//! Every parameter of a described machine, as its file has it or by default.

use std::collections::BTreeMap;

use zerohop_document::{Grade, KeyValue, Parameter};
use zerohop_machine_file::Hardware;

use crate::page::Page;
use crate::pages::grid::{Entry, Grid, Side};

/// Tables of parts that a machine may have hundreds of: a key is shown once for all of them.
const PARTS: [&str; 4] = ["node", "link", "router", "hash"];

/// Values of one key that are shown at most, if its parts differ.
const SHOWN: usize = 3;

/// Characters of a value that are shown at most.
const LONGEST: usize = 20;

/// Characters of the values of one key, if there are several.
const WIDEST: usize = 38;

/// What the page shows elsewhere.
const ELSEWHERE: [&str; 2] = ["title", "processor"];

/// A line for every key, in the order of the file's tables.
pub(crate) fn write_keys(page: &mut Page, hardware: &Hardware) {
    let sources: BTreeMap<&str, &Parameter> =
        hardware.parameters.iter().map(|parameter| (parameter.path.as_str(), parameter)).collect();
    let mut rows: Vec<Row> = Vec::new();
    for key in hardware.keys.iter() {
        let table = key.path.split('.').next().unwrap_or_default();
        let of_parts = PARTS.contains(&table);
        // What a node does not have is no parameter that it could have.
        if ELSEWHERE.contains(&table) || (of_parts && key.value.is_none()) {
            continue;
        }
        let path = if of_parts { of_all(&key.path) } else { key.path.clone() };
        let value = key.value.as_deref().map_or("–".to_owned(), shortened);
        let from = origin(key, sources.get(key.path.as_str()).copied());
        match rows.iter_mut().find(|row| row.path == path) {
            Some(row) => {
                push_new(&mut row.values, value);
                push_new(&mut row.from, from);
            }
            None => rows.push(Row { path, values: vec![value], from: vec![from] }),
        }
    }
    let heads = ["parameter", "value", "from"].map(|head| (head.to_owned(), Side::Left));
    let mut grid = Grid::new(heads);
    for row in rows {
        grid.push(vec![
            Entry::text(row.path),
            Entry::text(joined(&row.values)),
            Entry::text(row.from.join(", ")),
        ]);
    }
    page.blank();
    page.grid(grid);
}

struct Row {
    path: String,
    values: Vec<String>,
    from: Vec<&'static str>,
}

/// `node.*.memory` of `node.0.memory`.
fn of_all(path: &str) -> String {
    let mut keys: Vec<&str> = path.split('.').collect();
    if keys.len() > 2 {
        keys[1] = "*";
    }
    keys.join(".")
}

fn shortened(value: &str) -> String {
    if value.chars().count() <= LONGEST {
        return value.to_owned();
    }
    value.chars().take(LONGEST - 1).chain(['…']).collect()
}

fn push_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

/// As many values as fit in a column, and the number of the others.
fn joined(values: &[String]) -> String {
    let first = |shown: usize| {
        let text = values[..shown].join(", ");
        match values.len() - shown {
            0 => text,
            1 => format!("{text} and 1 other value"),
            others => format!("{text} and {others} other values"),
        }
    };
    let mut shown = values.len().min(SHOWN);
    while shown > 1 && first(shown).chars().count() > WIDEST {
        shown -= 1;
    }
    first(shown)
}

/// How well a value is founded.
fn origin(key: &KeyValue, number: Option<&Parameter>) -> &'static str {
    match number {
        Some(number) => match number.grade {
            Grade::Documented => "document",
            Grade::Measured => "measured",
            Grade::Fitted => "fitted",
            Grade::Assumed => "assumed",
            Grade::Unattributed => "file",
        },
        None if key.written => "",
        None if key.value.is_some() => "default",
        None => "not set",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_many_parts_is_one_line() {
        assert_eq!(of_all("node.12.cache.size"), "node.*.cache.size");
        let values = ["1", "2", "3", "4", "5"].map(str::to_owned);
        assert_eq!(joined(&values), "1, 2, 3 and 2 other values");
        assert_eq!(joined(&values[..2]), "1, 2");
        let wide = ["x".repeat(20), "y".repeat(20)];
        assert_eq!(joined(&wide), format!("{} and 1 other value", wide[0]));
        assert_eq!(shortened(&"x".repeat(100)).chars().count(), LONGEST);
    }
}
