//! A table with a row for each placement of threads and memory, as people write it: `node 0 local | 12 | 62.84 GB/s`.
//!
//! The rows name nodes, or say that memory is interleaved. Columns hold threads, bandwidths and latencies; what a bandwidth is of (`read`,
//! `triad`) is in its head.

use zerohop_result::{Axis, Coordinate, Coordinates, Measure};
use zerohop_units::Bytes;

use crate::coordinates::{ALL, LOCAL, between, threads_of, word};
use crate::format::{Declaration, Sign};
use crate::harvest::{Block, Harvest, Value};
use crate::kinds;
use crate::lines::Text;
use crate::number::{count, first_number};
use crate::problem::Problem;
use crate::sample::{Sample, Seen};
use crate::typed_tables::{rate, unit, unit_near};

pub(super) const FORMAT: Declaration = Declaration {
    name: "placements",
    words: "a table with a row for each placement of threads and memory",
    marks: &["placement", "policy", "binding"],
    sign,
    cells: false,
    read,
};

/// What the first column is called.
const FIRST: [&str; 6] = ["placement", "policy", "numa policy", "memory policy", "binding", "numa placement"];

/// Words of kernels in the heads of bandwidths.
const KERNELS: [&str; 8] = ["read", "write", "copy", "scale", "add", "triad", "dot", "load"];

/// Lines without a row end a table, unless they are blank: no more of them.
const MOST_BLANK: usize = 1;

fn sign(text: &Sample<'_>) -> Sign {
    let is_table = |seen: &Seen<'_>| Table::at(text, seen.rank).is_some();
    if text.seen().any(is_table) { Sign::Certain } else { Sign::None }
}

/// A column of values.
struct Column {
    rank: usize,
    measure: Measure,
    unit: Option<f64>,
    kernel: Option<String>,
}

struct Row {
    line: usize,
    at: Coordinates,
    threads: u64,
    measure: Measure,
    value: f64,
}

struct Table {
    head: usize,
    rows: Vec<Row>,
    /// Columns that are not read.
    others: Vec<String>,
}

impl Table {
    fn at(text: &Text, head: usize) -> Option<Self> {
        let names: Vec<String> =
            text.line(head).split('\t').map(|name| name.trim().to_ascii_lowercase()).collect();
        if names.len() < 2 || !FIRST.contains(&names[0].as_str()) {
            return None;
        }
        let threads = names
            .iter()
            .position(|name| matches!(name.as_str(), "threads" | "nthreads" | "thread count" | "cores"));
        let columns: Vec<Column> =
            names.iter().enumerate().skip(1).filter_map(|(rank, name)| Column::of(rank, name)).collect();
        let mut rows = Vec::new();
        let mut blank = 0;
        for line in head + 1..text.len() {
            if text.line(line).is_empty() {
                blank += 1;
                if blank > MOST_BLANK {
                    break;
                }
                continue;
            }
            let cells: Vec<&str> = text.line(line).split('\t').map(str::trim).collect();
            let Some(at) = cells.first().and_then(|cell| place(cell)).filter(|_| cells.len() <= names.len())
            else {
                break;
            };
            blank = 0;
            let near = || unit_near(|rank| text.line(rank), (head, line));
            let values = columns.iter().filter_map(|column| column.value(cells.get(column.rank)?, near));
            let threads = threads.and_then(|column| count(cells.get(column)?)).unwrap_or(0);
            let at = if threads > 0 { at.with(Axis::Case, threads_of(threads)) } else { at };
            for (measure, value, column) in values.collect::<Vec<_>>() {
                let at = match &column.kernel {
                    Some(kernel) => at.clone().with(Axis::Kernel, kernel.as_str()),
                    None => at.clone(),
                };
                rows.push(Row { line, at, threads, measure, value });
            }
        }
        let read: Vec<usize> = columns.iter().map(|column| column.rank).chain(threads).chain([0]).collect();
        let others = names.iter().enumerate().filter(|(rank, name)| !read.contains(rank) && !name.is_empty());
        let others = others.map(|(_, name)| name.clone()).collect();
        (!rows.is_empty()).then_some(Self { head, rows, others })
    }
}

impl Column {
    fn of(rank: usize, name: &str) -> Option<Self> {
        let unit = unit(name);
        let words: Vec<&str> = name.split(|one: char| !one.is_alphanumeric()).collect();
        let has = |known: &str| words.contains(&known);
        let kernel = KERNELS.into_iter().find(|kernel| has(kernel)).map(str::to_owned);
        if has("latency") || has("ns") {
            return Some(Self { rank, measure: Measure::Latency, unit: Some(1.0), kernel: None });
        }
        let is_rate = unit.is_some() || has("bandwidth") || has("bw") || has("throughput");
        is_rate.then_some(Self { rank, measure: Measure::Bandwidth, unit, kernel })
    }

    /// The value of a cell in ns or decimal GB/s.
    fn value<'a>(&'a self, cell: &str, near: impl Fn() -> Option<f64>) -> Option<(Measure, f64, &'a Self)> {
        if self.measure == Measure::Latency {
            return Some((self.measure, first_number(cell)?, self));
        }
        let (value, own) = rate(cell)?;
        let unit = own.or(self.unit).or_else(near)?;
        Some((self.measure, value * unit, self))
    }
}

/// Where a row's threads and memory were: `node 0 local`, `node 0 remote node 1`, `dual-node interleave`, `membind 1`.
fn place(cell: &str) -> Option<Coordinates> {
    let lower = cell.to_ascii_lowercase().replace(['_', '-', '='], " ");
    let words: Vec<&str> = lower
        .split(|one: char| one.is_whitespace() || ",:()/".contains(one))
        .filter(|word| !word.is_empty())
        .collect();
    let mut nodes = Vec::new();
    for (rank, found) in words.iter().enumerate() {
        let name = found.trim_end_matches(|one: char| one.is_ascii_digit());
        let is_node = ["node", "socket", "numa", "cpunodebind", "membind", "mem", "cpu"].contains(&name);
        let glued = count(&found[name.len()..]).filter(|_| is_node);
        let next = || {
            words.get(rank + 1).and_then(|next| count(next)).filter(|_| is_node && found.len() == name.len())
        };
        nodes.extend(glued.or_else(next));
    }
    let has = |known: &[&str]| words.iter().any(|word| known.iter().any(|known| word.starts_with(known)));
    if has(&["interleav"]) {
        let initiator = nodes.first().map_or_else(|| ALL.into(), |&node| Coordinate::Number(node));
        return Some(between(initiator, "interleaved"));
    }
    match nodes[..] {
        [node] if has(&["remote", "far"]) => Some(between(Coordinate::Number(node), "remote")),
        [node] => Some(between(Coordinate::Number(node), LOCAL)),
        [node, memory, ..] if node == memory => Some(between(Coordinate::Number(node), LOCAL)),
        [node, memory, ..] => Some(between(Coordinate::Number(node), Coordinate::Number(memory))),
        [] if has(&["local", "first"]) => Some(between(ALL, LOCAL)),
        [] if has(&["default", "unbound", "none"]) => Some(between(ALL, word(cell))),
        [] => None,
    }
}

fn read(_: &str, text: &mut Text) -> Result<Harvest, Problem> {
    let mut harvest = Harvest::default();
    let mut rank = 0;
    while rank < text.len() {
        let Some(table) = Table::at(text, rank) else {
            rank += 1;
            continue;
        };
        text.mark(table.head);
        let mut blocks = [kinds::BANDWIDTH_BY_PLACEMENT, kinds::LATENCY_BY_PLACEMENT].map(Block::new);
        for Row { line, at, threads, measure, value } in table.rows {
            let (block, value) = match measure {
                Measure::Latency => (1, Value::latency(at, value)),
                _ => (0, Value::bandwidth(at, value)),
            };
            let workers = u32::try_from(threads).unwrap_or(0);
            blocks[block].push(value.with_workers(workers, Bytes(0)));
            text.mark(line);
            rank = line;
        }
        let others = table.others.into_iter();
        harvest.left_out.extend(others.map(|name| {
            format!("column `{}` of the table of line {}", word(&name), text.number(table.head))
        }));
        blocks.into_iter().for_each(|block| harvest.add(block));
        rank += 1;
    }
    if harvest.is_empty() {
        return Err(Problem::of_text(
            "a table with a column `placement`, and rows such as `node 0 local`",
            "none",
        ));
    }
    Ok(harvest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placements_are_read_as_people_name_them() {
        for (cell, found) in [
            ("node 0 local", Some("from node 0, local memory")),
            ("node1", Some("from node 1, local memory")),
            ("cpunodebind=0 membind=1", Some("from node 0 to node 1")),
            ("node 0 -> node 1", Some("from node 0 to node 1")),
            ("dual-node interleave", Some("from all nodes, interleaved memory")),
            ("first touch", Some("from all nodes, local memory")),
            ("Xeon", None),
        ] {
            assert_eq!(place(cell).is_some(), found.is_some(), "{cell}");
        }
        let at = place("cpunodebind=0 membind=1").unwrap();
        assert_eq!((at.number(Axis::Initiator), at.number(Axis::Target)), (Some(0), Some(1)));
        assert!(place("numactl --interleave=all").unwrap().is(Axis::Target, "interleaved"));
    }
}
