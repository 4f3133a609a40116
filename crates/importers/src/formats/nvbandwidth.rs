//! nvbandwidth: its JSON, and its tables.
//!
//! Rows and columns are the host's memory and GPUs' memories. They are shown as far nodes with names of their own (`gpu 0`), which
//! nothing judges yet. Bandwidths are in GB/s of 10^9 bytes, latencies in ns; the description of each test says which.

mod checks;

use serde_json::Value as Json;
use zerohop_result::{Axis, Coordinates, Measure};

use crate::coordinates::word;
use crate::format::{Declaration, Sign};
use crate::harvest::{Block, Harvest, Value};
use crate::kinds;
use crate::lines::Text;
use crate::number::{Token, count, number};
use crate::problem::Problem;
use crate::sample::Sample;
use crate::structured::{json, json_start, number_of, text_of};

use checks::{beyond_devices, not_the_sum};

pub(super) const FORMAT: Declaration = Declaration {
    name: "nvbandwidth",
    words: "nvbandwidth, its JSON or its tables",
    marks: &["memcpy", "(column)", "sum "],
    sign,
    cells: true,
    read,
};

fn sign(text: &Sample<'_>) -> Sign {
    let raw = text.raw();
    let is_json = text.has_json() && raw.contains("\"nvbandwidth\"");
    let is_table = || text.any_as_is(|line| description(line).is_some() || sum(line).is_some());
    if is_json || is_table() { Sign::Certain } else { Sign::None }
}

struct Matrix<'a> {
    test: &'a str,
    measure: Measure,
    rows: Side,
    columns: Side,
}

/// What rows or columns are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Cpu,
    Gpu,
    /// The GPU of the other side: copies inside its memory have a row that stands for nothing.
    Same,
    /// All GPUs together, in a row of sums.
    All,
}

impl Side {
    fn name(self, number: u64, other: u64) -> String {
        match self {
            Self::Cpu => format!("cpu {number}"),
            Self::Gpu => format!("gpu {number}"),
            Self::Same => format!("gpu {other}"),
            Self::All => "all gpus".to_owned(),
        }
    }
}

/// `memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)`: what rows, columns and values are.
fn description(line: &str) -> Option<(Side, Side, Measure)> {
    let lower = line.to_ascii_lowercase();
    let side = |part: &str| if part.trim_end().ends_with("cpu") { Side::Cpu } else { Side::Gpu };
    let (before, after) = lower.split_once("(column)")?;
    let measure = if after.contains("(ns)") { Measure::Latency } else { Measure::Bandwidth };
    match before.split_once("(row)") {
        Some((before, between)) => Some((side(before), side(between), measure)),
        None if !after.ends_with("(gb/s)") && !after.ends_with("(ns)") => None,
        None if before.contains("all gpus") => Some((Side::All, Side::Gpu, measure)),
        None => before.contains(" local ").then_some((Side::Same, Side::Gpu, measure)),
    }
}

/// What the rows of a test are: all GPUs have one row, and early versions wrote `CPU(row)` between GPUs, too.
fn rows_of(test: &str, described: Side) -> Side {
    match () {
        () if ["all_to_one", "one_to_all"].iter().any(|name| test.contains(name)) => Side::All,
        () if test.contains("device_to_device") => Side::Gpu,
        () if test.contains("device_local") => Side::Same,
        () => described,
    }
}

impl Matrix<'_> {
    fn value(&self, row: u64, column: u64, value: f64) -> Value {
        let at = Coordinates::new()
            .with(Axis::Initiator, self.rows.name(row, column))
            .with(Axis::Target, self.columns.name(column, row))
            .with(Axis::Case, word(self.test));
        match self.measure {
            Measure::Latency => Value::latency(at, value),
            _ => Value::bandwidth(at, value),
        }
    }

    fn block(&self) -> Block {
        Block::new(if self.measure == Measure::Latency {
            kinds::DEVICE_LATENCY
        } else {
            kinds::DEVICE_BANDWIDTH
        })
    }

    /// The diagonal of a matrix of GPUs is not measured, and printed as 0 by older versions.
    fn is_gap(&self, row: u64, column: u64, value: f64) -> bool {
        self.rows == self.columns && row == column && value == 0.0
    }
}

fn read(_: &str, text: &mut Text) -> Result<Harvest, Problem> {
    let mut harvest = Harvest::default();
    if json_start(text.raw()).is_some() {
        of_json(text, &mut harvest)?;
    } else {
        of_tables(text, &mut harvest)?;
    }
    if harvest.is_empty() {
        return Err(Problem::of_text("a test with a matrix of values", "none"));
    }
    Ok(harvest)
}

fn of_json(text: &mut Text, harvest: &mut Harvest) -> Result<(), Problem> {
    let value = json(text)?;
    let Some(body) = value.get("nvbandwidth") else {
        return Err(Problem::of_text("a member `nvbandwidth`", "none"));
    };
    harvest.version = text_of(body, "version").map(str::to_owned);
    if let Some(error) = text_of(body, "error") {
        harvest.tool_says(error);
    }
    let devices = body.get("GPU Device list").and_then(Json::as_array).map_or(0, Vec::len);
    for case in body.get("testcases").and_then(Json::as_array).into_iter().flatten() {
        let test = text_of(case, "name").unwrap_or("unnamed");
        let status = text_of(case, "status").unwrap_or("Passed");
        let told = text_of(case, "bandwidth_description").or_else(|| text_of(case, "latency_description"));
        let rows = ["bandwidth_matrix", "latency_matrix"].iter().find_map(|key| case.get(key)?.as_array());
        let Some(rows) = rows else {
            harvest.left_out.push(format!("{test}, {}", status.to_ascii_lowercase()));
            continue;
        };
        let (described, columns, measure) = told.and_then(description).unwrap_or_else(|| by_name(test));
        let side = rows_of(test, described);
        let sum = case.get("sum").and_then(number_of);
        let parts = parts(test, side, rows);
        // Nobody says of which of several matrices a sum is.
        let sum = sum.filter(|_| parts.len() == 1);
        for (test, rows) in parts {
            let test = test.as_str();
            let matrix = Matrix { test, measure, rows: side, columns };
            let mut block = matrix.block();
            for (row, values) in rows.iter().enumerate() {
                for (column, value) in values.as_array().into_iter().flatten().enumerate() {
                    let token = match value {
                        Json::Number(number) => number.as_f64().map_or(Token::Gap, Token::Number),
                        Json::String(text) => Token::of(text),
                        _ => Token::Gap,
                    };
                    match token {
                        Token::Number(number) if !matrix.is_gap(row as u64, column as u64, number) => {
                            block.push(matrix.value(row as u64, column as u64, number));
                        }
                        Token::Word => {
                            return Err(Problem::of_text(
                                format!("numbers in the matrix of {test}"),
                                value.to_string(),
                            ));
                        }
                        _ => {}
                    }
                }
            }
            let width = rows.iter().filter_map(|row| Some(row.as_array()?.len())).max().unwrap_or(0);
            let gpus = if side == Side::Gpu { width.max(rows.len()) } else { width };
            block.warnings.extend(beyond_devices(gpus, devices));
            block.warnings.extend(sum.and_then(|sum| not_the_sum(&block, sum)));
            harvest.add(block);
        }
        if status != "Passed" {
            harvest.tool_says(format!("{test}: {status}"));
        }
    }
    Ok(())
}

/// The matrices of a test in JSON. A test of both directions has three, whose rows follow each other without a mark.
fn parts<'a>(test: &str, rows_are: Side, rows: &'a [Json]) -> Vec<(String, &'a [Json])> {
    let columns = rows.iter().filter_map(|row| Some(row.as_array()?.len())).max().unwrap_or(0);
    if rows_are != Side::Gpu || columns == 0 || rows.len() != 3 * columns {
        return vec![(test.to_owned(), rows)];
    }
    let way = if test.contains("write") { "write" } else { "read" };
    let names = [format!("{test}_{way}1"), format!("{test}_{way}2"), format!("{test}_total")];
    names.into_iter().zip(rows.chunks(columns)).collect()
}

/// What rows and columns are by the name of a test.
fn by_name(test: &str) -> (Side, Side, Measure) {
    let measure = if test.contains("latency") { Measure::Latency } else { Measure::Bandwidth };
    let side = if test.contains("host") { Side::Cpu } else { Side::Gpu };
    (rows_of(test, side), Side::Gpu, measure)
}

/// A table that is being read: what rows, columns and values are, the columns once they are known, and the values.
type Table = (Side, Side, Measure, Option<Vec<u64>>, Block);

fn of_tables(text: &mut Text, harvest: &mut Harvest) -> Result<(), Problem> {
    let mut named: Option<String> = None;
    let mut test = String::new();
    let mut current: Option<Table> = None;
    let mut devices = 0;
    for rank in 0..text.len() {
        let line = text.line(rank).to_owned();
        if line.is_empty() {
            continue;
        }
        if let Some(name) = running(&line) {
            named = name.map(str::to_owned);
            text.mark(rank);
        } else if let Some((described, columns, measure)) = description(&line) {
            if let Some((.., block)) = current.take() {
                harvest.add(block);
            }
            test = name(named.as_deref(), name_below(text, rank), &line);
            let rows = rows_of(&test, described);
            let block = Matrix { test: &test, measure, rows, columns }.block();
            current = Some((rows, columns, measure, None, block));
            text.mark(rank);
        } else if let Some((name, value)) = sum(&line) {
            match current.take() {
                Some((.., mut block)) => {
                    block.warnings.extend(not_the_sum(&block, value));
                    harvest.add(block);
                }
                // `nvbandwidth | grep SUM`: the matrix is missing.
                None => harvest.add(of_sum(name, value)),
            }
            named = None;
            text.mark(rank);
        } else if line.starts_with("nvbandwidth Version") {
            harvest.version = line.split(':').nth(1).map(|version| version.trim().to_owned());
            text.mark(rank);
        } else if let Some((rows, columns, measure, head, block)) = &mut current {
            let words: Vec<&str> = line.split_whitespace().collect();
            match head {
                None => {
                    *head = words.iter().map(|word| count(word)).collect();
                    let Some(head) = head else { continue };
                    block.warnings.extend(beyond_devices(head.len(), devices));
                }
                Some(head) => {
                    let Some(row) = count(words[0]) else { continue };
                    let (rows, columns) = (*rows, *columns);
                    let matrix = Matrix { test: &test, measure: *measure, rows, columns };
                    if words.len() - 1 > head.len() {
                        return Err(Problem::at(rank + 1, format!("{} values", head.len()), line));
                    }
                    for (&column, value) in head.iter().zip(&words[1..]) {
                        match Token::of(value) {
                            Token::Number(number) if !matrix.is_gap(row, column, number) => {
                                block.push(matrix.value(row, column, number));
                            }
                            Token::Word => {
                                return Err(Problem::at(
                                    rank + 1,
                                    format!("numbers in the matrix of {test}"),
                                    *value,
                                ));
                            }
                            _ => {}
                        }
                    }
                }
            }
            text.mark(rank);
        } else if KNOWN.iter().any(|known| line.starts_with(known)) || is_host(text, rank) {
            devices += usize::from(line.starts_with("Device "));
            text.mark(rank);
        }
    }
    if let Some((.., block)) = current {
        harvest.add(block);
    }
    Ok(())
}

/// `SUM host_to_device_memcpy_ce 25.96`: the test, and the sum of its values.
fn sum(line: &str) -> Option<(&str, f64)> {
    let mut words = line.split_whitespace();
    let name = words.next().filter(|word| *word == "SUM").and_then(|_| words.next())?;
    let value = words.next().and_then(number)?;
    (name.contains('_') && words.next().is_none()).then_some((name, value))
}

/// The sum over all devices, where nothing else is in the text.
fn of_sum(test: &str, value: f64) -> Block {
    let (rows, columns, measure) = by_name(test);
    let matrix = Matrix { test, measure, rows, columns };
    let at = Coordinates::new()
        .with(Axis::Initiator, "all")
        .with(Axis::Target, "all")
        .with(Axis::Case, word(&format!("sum of {test}")));
    let mut block = matrix.block();
    block.push(if measure == Measure::Latency {
        Value::latency(at, value)
    } else {
        Value::bandwidth(at, value)
    });
    block
}

/// Whether a line is the name of the host, which versions since 0.8 print above the devices.
fn is_host(text: &Text, rank: usize) -> bool {
    text.line(rank).split_whitespace().count() == 1 && text.line(rank + 1).starts_with("Device ")
}

/// The test that a line announces: `Running host_to_device_memcpy_ce.`, or a command line with one name (`-t device_local_copy`,
/// `-t 0    # host_to_device_memcpy_ce`); nothing where a command line has another number of names.
fn running(line: &str) -> Option<Option<&str>> {
    if let Some(name) = line.strip_prefix("Running ") {
        return Some(Some(name.strip_prefix("benchmark ").unwrap_or(name).trim_end_matches('.')));
    }
    let (_, options) = line.split_once("nvbandwidth ").filter(|(_, options)| options.starts_with('-'))?;
    let is_name =
        |word: &&str| word.contains('_') && word.bytes().all(|one| one.is_ascii_lowercase() || one == b'_');
    let mut names = options.split_whitespace().filter(is_name);
    Some(names.next().filter(|_| names.next().is_none()))
}

/// The name of a matrix: that of its test, with the part that the sum below it adds (`_read1`); without either, what it describes.
fn name(named: Option<&str>, below: Option<String>, line: &str) -> String {
    match (named, below) {
        (Some(named), Some(below)) if !below.starts_with(named) => named.to_owned(),
        (_, Some(below)) => below,
        (Some(named), None) => named.to_owned(),
        (None, None) => {
            let words = line.replace("(row)", "").replace("(column)", "");
            words
                .rsplit_once(" (")
                .map_or(words.as_str(), |(words, _)| words)
                .trim_end_matches(" bandwidth")
                .to_owned()
        }
    }
}

/// The test that the sum below a matrix names, before the next matrix.
fn name_below(text: &Text, head: usize) -> Option<String> {
    let below = text.lines().skip_while(|(rank, _)| *rank <= head).map(|(_, line)| line);
    let mut below = below.take_while(|line| description(line).is_none());
    below.find_map(|line| sum(line).map(|(name, _)| name.to_owned()))
}

const KNOWN: [&str; 11] = [
    "Built from",
    "CUDA Runtime",
    "CUDA Driver",
    "Driver Version",
    "Device ",
    "Process ",
    "MPI version",
    "NOTE: ",
    "Performance can vary with ",
    "Waived",
    "COEFFICIENT_OF_VARIATION ",
];
