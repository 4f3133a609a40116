//! nviennot's core-to-core-latency: its CSV, and its table.
//!
//! A row and a column for each core, one-way latencies in ns. It writes the triangle below the diagonal: the row's core and the
//! column's. The CSV has no head; cores are numbered by their rank among those that were tested.

use zerohop_result::{Axis, Coordinates};

use crate::format::{Declaration, Sign};
use crate::harvest::{Block, Harvest, Value};
use crate::kinds;
use crate::lines::Text;
use crate::number::{Token, count, first_number};
use crate::problem::Problem;
use crate::structured::{fields, has_fields};

pub(super) const FORMAT: Declaration = Declaration {
    name: "core-to-core-latency",
    words: "core-to-core latencies, as CSV or as a table",
    sign,
    read,
};

fn sign(text: &Text) -> Sign {
    if text.lines().any(|(_, line)| title(line).is_some()) {
        return Sign::Certain;
    }
    if is_csv(text) { Sign::Likely } else { Sign::None }
}

/// Lines of the same number of fields, as many as there are lines, all numbers or nothing.
fn is_csv(text: &Text) -> bool {
    let rows = rows(text);
    let width = rows.first().map_or(0, |(_, row)| row.len());
    let is_value = |field: &String| field.is_empty() || !Token::of(field).is_word();
    width > 1
        && rows.len() <= width
        && rows.len() + 1 >= width
        && rows.iter().all(|(_, row)| row.len() == width && row.iter().all(is_value))
}

/// The lines of a text that consist of fields; a row of the first core has commas alone, which look like a rule.
fn rows(text: &Text) -> Vec<(usize, Vec<String>)> {
    let lines = text.raw().lines().enumerate();
    let rows = lines.filter(|(_, line)| has_fields(line)).map(|(rank, line)| (rank, fields(line)));
    rows.collect()
}

fn read(_: &str, text: &mut Text) -> Result<Harvest, Problem> {
    let mut harvest = Harvest::default();
    let titled = text.lines().any(|(_, line)| title(line).is_some());
    if titled {
        table(text, &mut harvest);
        // With `--csv`, the table is talk, and the CSV that follows has the same latencies with all their decimals.
        let exact = square(text);
        if harvest.blocks == 1 && !exact.is_empty() {
            let rounded = std::mem::take(&mut harvest);
            harvest.processor = rounded.processor;
            csv(exact, text, &mut harvest)?;
        }
    } else {
        csv(rows(text), text, &mut harvest)?;
    }
    if harvest.is_empty() {
        return Err(Problem::of_text("a matrix of latencies", "none"));
    }
    Ok(harvest)
}

/// The rows of a matrix below a table; none if they are no matrix.
fn square(text: &Text) -> Vec<(usize, Vec<String>)> {
    let is_value = |field: &String| field.is_empty() || !Token::of(field).is_word();
    let rows: Vec<_> = rows(text).into_iter().filter(|(_, row)| row.iter().all(is_value)).collect();
    let width = rows.first().map_or(0, |(_, row)| row.len());
    let is_matrix = width > 1 && rows.len() == width && rows.iter().all(|(_, row)| row.len() == width);
    if is_matrix { rows } else { Vec::new() }
}

fn csv(rows: Vec<(usize, Vec<String>)>, text: &mut Text, harvest: &mut Harvest) -> Result<(), Problem> {
    let width = rows.first().map_or(0, |(_, row)| row.len());
    let mut cells: Vec<Vec<Option<f64>>> = Vec::new();
    for (rank, row) in rows {
        if row.len() != width {
            let expected = format!("{width} fields, as in the first row");
            return Err(Problem::at(rank + 1, expected, format!("{} fields", row.len())));
        }
        let values = row.iter().map(|field| match Token::of(field) {
            Token::Number(number) => Ok(Some(number)),
            Token::Gap | Token::NotFinite => Ok(None),
            Token::Word if field.is_empty() => Ok(None),
            Token::Word => Err(Problem::at(rank + 1, "a latency in ns, or nothing", field.as_str())),
        });
        cells.push(values.collect::<Result<_, _>>()?);
        text.mark(rank);
    }
    // A matrix with both triangles keeps both; one with a triangle is symmetric.
    let mut block = Block::new(kinds::CORE_TO_CORE);
    for (row, values) in cells.iter().enumerate() {
        for (column, value) in values.iter().enumerate() {
            if let Some(value) = value.filter(|_| row != column) {
                block.push(pair(column as u64, row as u64, value));
            }
        }
    }
    harvest.add(block);
    Ok(())
}

/// From the core with the lower number, as in results of zerohop, unless the matrix has both directions.
fn pair(from: u64, to: u64, latency: f64) -> Value {
    Value::latency(Coordinates::new().with(Axis::From, from).with(Axis::To, to), latency)
}

fn title(line: &str) -> Option<&'static str> {
    let titles = [
        "CAS latency on a single",
        "Single-writer single-reader",
        "One writer and one reader",
        // Before it had several benchmarks.
        "Showing latency=round-trip-time/2",
    ];
    titles.into_iter().find(|title| line.contains(title))
}

/// Tables with a head of cores, and rows `  2   46±1    49±0`.
fn table(text: &mut Text, harvest: &mut Harvest) {
    let mut columns: Option<Vec<u64>> = None;
    let mut block = Block::new(kinds::CORE_TO_CORE);
    let mut inside = false;
    for rank in 0..text.len() {
        let line = text.line(rank).to_owned();
        let words: Vec<&str> = line.split_whitespace().collect();
        if title(&line).is_some() {
            harvest.add(std::mem::replace(&mut block, Block::new(kinds::CORE_TO_CORE)));
            (columns, inside) = (None, true);
            text.mark(rank);
            continue;
        }
        if let Some(model) = line.strip_prefix("CPU:") {
            harvest.processor = Some(model.trim().to_owned());
            text.mark(rank);
        } else if KNOWN.iter().any(|known| line.starts_with(known)) {
            text.mark(rank);
        } else if !inside || words.is_empty() {
        } else if let Some(columns) = &columns {
            let Some(row) = count(words[0]) else {
                inside = false;
                continue;
            };
            let values: Vec<f64> = words[1..].iter().filter_map(|word| first_number(word)).collect();
            for (&column, value) in columns.iter().filter(|&&column| column != row).zip(values) {
                block.push(pair(column, row, value));
            }
            text.mark(rank);
        } else {
            columns = words.iter().map(|word| count(word)).collect();
            if columns.is_some() {
                text.mark(rank);
            }
        }
    }
    harvest.add(block);
}

const KNOWN: [&str; 8] = [
    "Num cores:",
    "Num round trips",
    "Num iterations",
    "Num samples",
    "Min  latency",
    "Max  latency",
    "Mean latency",
    "Using RDTSC",
];
