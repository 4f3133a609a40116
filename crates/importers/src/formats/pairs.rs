//! Tables with a row for each pair of nodes or of cores, as scripts and spreadsheets write them: `source,target,latency_ns`.
//!
//! Two columns name the ends, others hold latencies in ns or µs, or bandwidths. Whether the ends are nodes or cores is in their names
//! (`src_node`, `core1`, `cpu7`). Without a word, they are nodes if some end reaches itself more slowly than any cache answers: a node's
//! own memory takes tens of ns, and from a core to itself there is no way.

use zerohop_result::{Axis, Coordinates, Measure};

use crate::coordinates::{between, word};
use crate::format::{Declaration, Sign};
use crate::harvest::{Block, Harvest, Value};
use crate::kinds;
use crate::lines::Text;
use crate::number::count;
use crate::problem::Problem;
use crate::sample::Sample;
use crate::typed_tables::{SURELY_MEGABYTES, cells, rate, unit, unit_near};

pub(super) const FORMAT: Declaration = Declaration {
    name: "pairs",
    words: "a table with a row for each pair of nodes or of cores",
    marks: &["latency", "bandwidth", "source", "initiator"],
    sign,
    cells: false,
    read,
};

/// What the two columns are called, without the words for what they are.
const ENDS: [(&str, &str); 16] = [
    ("source", "target"),
    ("source", "destination"),
    ("source", "dest"),
    ("src", "dst"),
    ("src", "dest"),
    ("from", "to"),
    ("initiator", "target"),
    ("cpu", "mem"),
    ("cpu", "memory"),
    ("a", "b"),
    ("i", "j"),
    ("x", "y"),
    ("0", "1"),
    ("1", "2"),
    ("local", "remote"),
    ("", "mem"),
];

/// From a node to itself takes longer than this, in ns.
const OWN_MEMORY: f64 = 40.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Nodes,
    Cores,
}

/// The columns of a table.
struct Head {
    names: Vec<String>,
    ends: (usize, usize),
    side: Option<Side>,
    /// Columns of values, with the factor to ns or, if it is stated, to GB/s.
    values: Vec<(usize, Measure, Option<f64>)>,
    /// What the bandwidth is of.
    kernel: Option<usize>,
}

struct Row {
    ends: (u64, u64),
    side: Option<Side>,
    values: Vec<(Measure, Option<f64>, f64)>,
    kernel: String,
}

fn sign(text: &Sample<'_>) -> Sign {
    let found = text.seen().any(|seen| {
        Head::of(seen.line)
            .is_some_and(|head| next(text, seen.rank).is_some_and(|line| head.row(line).is_some()))
    });
    if found { Sign::Certain } else { Sign::None }
}

/// The next line that is not blank.
fn next(text: &Text, rank: usize) -> Option<&str> {
    (rank + 1..text.len()).map(|rank| text.line(rank)).find(|line| !line.is_empty())
}

/// A name's words, in lower case: `cpuNode1` and `cpu_node_1` are `cpu`, `node`, `1`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for one in name.chars() {
        let parts = !one.is_alphanumeric()
            || before.is_ascii_digit() != one.is_ascii_digit()
            || before.is_lowercase() && one.is_uppercase();
        if parts {
            words.push(String::new());
        }
        if one.is_alphanumeric()
            && let Some(last) = words.last_mut()
        {
            last.extend(one.to_lowercase());
        }
        before = one;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// What a column's name says of an end: its name without the words for what it is, and what it is.
fn end(name: &str) -> (String, Option<Side>) {
    let (mut bare, mut side) = (String::new(), None);
    for word in words(name) {
        match word.as_str() {
            "node" | "nodes" | "numa" | "socket" => side = Some(Side::Nodes),
            "core" | "thread" | "pu" => side = side.or(Some(Side::Cores)),
            "id" | "index" | "number" => {}
            other => bare.push_str(other),
        }
    }
    (bare, side)
}

/// Whether two columns are the ends of a way, and of what.
fn are_ends(first: &str, second: &str) -> Option<Option<Side>> {
    let ((first, one), (second, other)) = (end(first), end(second));
    let side = one.or(other);
    if ENDS.contains(&(first.as_str(), second.as_str())) {
        return (one == other || side == Some(Side::Nodes)).then_some(side);
    }
    let (first, second) = (first.replacen("cpu", "", 1), second.replacen("cpu", "", 1));
    ENDS.contains(&(first.as_str(), second.as_str())).then_some(side.or(Some(Side::Cores)))
}

/// What a column holds, and the factor to its unit.
fn quantity(name: &str) -> Option<(Measure, Option<f64>)> {
    // A round trip is not the latency of a way, and the matrix of bandwidths is of reads, one line after the other.
    const OTHERS: [&str; 38] = [
        "rt",
        "rtt",
        "round",
        "roundtrip",
        "std",
        "stdev",
        "stddev",
        "dev",
        "min",
        "max",
        "count",
        "samples",
        "var",
        "error",
        "ratio",
        "iterations",
        "cycle",
        "cycles",
        "clk",
        "clks",
        "clock",
        "clocks",
        "tick",
        "ticks",
        "ms",
        "ps",
        "p",
        "write",
        "writes",
        "wr",
        "store",
        "stores",
        "copy",
        "rw",
        "nt",
        "random",
        "loaded",
        "peak",
    ];
    let words = words(name);
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    if has(&OTHERS) || name.contains('%') {
        return None;
    }
    let lower = name.to_lowercase();
    if has(&["latency", "lat", "latencies", "ns", "nsec", "nanoseconds"]) {
        return Some((Measure::Latency, Some(if has(&["us", "µs", "usec"]) { 1e3 } else { 1.0 })));
    }
    let unit = unit(&lower);
    (has(&["bandwidth", "bw", "throughput"]) || unit.is_some()).then_some((Measure::Bandwidth, unit))
}

impl Head {
    fn of(line: &str) -> Option<Self> {
        const MOST: usize = 24;
        let names: Vec<String> = cells(line).into_iter().map(str::to_owned).collect();
        if names.len() < 3 || names.len() > MOST {
            return None;
        }
        let pairs = (1..names.len()).map(|second| (second - 1, second));
        let (ends, side) =
            pairs.filter_map(|pair| Some((pair, are_ends(&names[pair.0], &names[pair.1])?))).next()?;
        let mut values: Vec<(usize, Measure, Option<f64>)> = Vec::new();
        for (column, name) in names.iter().enumerate().filter(|(column, _)| *column > ends.1) {
            if let Some((measure, unit)) = quantity(name)
                && values.iter().all(|known| known.1 != measure)
            {
                values.push((column, measure, unit));
            }
        }
        let is_kernel = |name: &String| {
            let known = ["kernel", "op", "operation", "test", "mode", "type", "pattern", "access"];
            words(name).iter().any(|word| known.contains(&word.as_str()))
        };
        let kernel = names.iter().position(is_kernel);
        (!values.is_empty()).then_some(Self { names, ends, side, values, kernel })
    }

    fn row(&self, line: &str) -> Option<Row> {
        let cells = cells(line);
        if cells.len() > self.names.len() {
            return None;
        }
        let (from, one) = place(cells.get(self.ends.0)?)?;
        let (to, other) = place(cells.get(self.ends.1)?)?;
        let value = |&(column, measure, unit): &(usize, Measure, Option<f64>)| {
            let (value, own) = rate(cells.get(column)?.trim_end_matches("ns"))?;
            Some((measure, own.or(unit), value))
        };
        let values: Vec<_> = self.values.iter().filter_map(value).collect();
        let kernel =
            self.kernel.and_then(|column| cells.get(column)).map_or_else(String::new, |cell| word(cell));
        (!values.is_empty()).then_some(Row { ends: (from, to), side: one.or(other), values, kernel })
    }
}

/// `3`, `node3`, `NUMA 3`, `cpu3`: a number, and what it is of.
fn place(cell: &str) -> Option<(u64, Option<Side>)> {
    let digits = cell.trim_start_matches(|one: char| !one.is_ascii_digit());
    let name = cell[..cell.len() - digits.len()].trim_end_matches([' ', '#', '_', '-']).to_ascii_lowercase();
    let side = match name.as_str() {
        "" => None,
        "node" | "numa" | "numa node" | "socket" | "n" | "s" => Some(Side::Nodes),
        "core" | "cpu" | "thread" | "pu" | "c" | "p" => Some(Side::Cores),
        _ => return None,
    };
    Some((count(digits)?, side))
}

fn read(_: &str, text: &mut Text) -> Result<Harvest, Problem> {
    let mut harvest = Harvest::default();
    let mut rank = 0;
    while rank < text.len() {
        match Head::of(text.line(rank)).filter(|_| !text.is_read(rank)) {
            Some(head) => rank = table(&head, rank, text, &mut harvest)?,
            None => rank += 1,
        }
    }
    if harvest.blocks == 0 {
        let found = harvest.left_out.pop().unwrap_or_else(|| "none".to_owned());
        return Err(Problem::of_text(
            "a table such as `source,target,latency_ns`, with numbers below",
            found,
        ));
    }
    Ok(harvest)
}

/// Reads the table below a head; the rank of the line behind it.
fn table(head: &Head, start: usize, text: &mut Text, harvest: &mut Harvest) -> Result<usize, Problem> {
    let (mut rows, mut lines) = (Vec::new(), vec![start]);
    let mut rank = start + 1;
    while rank < text.len() {
        let line = text.line(rank);
        let cells = cells(line).len();
        match head.row(line) {
            Some(row) => {
                rows.push(row);
                lines.push(rank);
            }
            None if line.is_empty() => {}
            // A row of the same width with a word in it.
            None if cells == head.names.len()
                && line.contains('\t')
                && !rows.is_empty()
                && Head::of(line).is_none() =>
            {
                return Err(Problem::at(rank + 1, "the numbers of two ends and a value", line));
            }
            None => break,
        }
        rank += 1;
    }
    if rows.is_empty() {
        return Ok(start + 1);
    }
    let side = head.side.or_else(|| rows.iter().find_map(|row| row.side)).unwrap_or_else(|| by_values(&rows));
    let ends = (start, lines.last().copied().unwrap_or(start));
    let largest = rows.iter().flat_map(|row| &row.values).filter(|value| value.0 == Measure::Bandwidth);
    let largest = largest.map(|value| value.2).fold(0.0, f64::max);
    let near = unit_near(|rank| text.line(rank), ends).or((largest > SURELY_MEGABYTES).then_some(1e-3));
    let has_kernels = rows.iter().any(|row| row.kernel != rows[0].kernel);
    let mut blocks = [kinds::LATENCY_MATRIX, kinds::BANDWIDTH_MATRIX, kinds::CORE_TO_CORE].map(Block::new);
    let mut left_out = None;
    for Row { ends: (from, to), values, kernel, .. } in rows {
        for (measure, unit, value) in values {
            let at = match side {
                Side::Nodes => between(from, to),
                Side::Cores => Coordinates::new().with(Axis::From, from).with(Axis::To, to),
            };
            let at = if has_kernels { at.with(Axis::Kernel, kernel.as_str()) } else { at };
            match (side, measure, unit.or(near)) {
                (Side::Nodes, Measure::Latency, factor) => {
                    blocks[0].push(Value::latency(at, value * factor.unwrap_or(1.0)));
                }
                (Side::Nodes, _, Some(factor)) => {
                    let value = if factor == 1e-3 { value / 1e3 } else { value * factor };
                    blocks[1].push(Value::bandwidth(at, value));
                }
                (Side::Nodes, _, None) => left_out = Some("the unit of its bandwidths is not stated"),
                (Side::Cores, Measure::Latency, factor) if from != to => {
                    blocks[2].push(Value::latency(at, value * factor.unwrap_or(1.0)));
                }
                (Side::Cores, Measure::Latency, _) => {}
                (Side::Cores, ..) => left_out = Some("core-to-core bandwidths are not supported"),
            }
        }
    }
    harvest.left_out.extend(left_out.map(|why| format!("the table of line {}: {why}", text.number(start))));
    let columns = head.names.iter().enumerate().filter(|(column, name)| {
        let is_used = *column == head.ends.0
            || *column == head.ends.1
            || head.kernel == Some(*column)
            || head.values.iter().any(|value| value.0 == *column);
        !is_used && !name.is_empty()
    });
    harvest
        .left_out
        .extend(columns.map(|(_, name)| format!("column `{}` of line {}", word(name), text.number(start))));
    lines.into_iter().for_each(|rank| text.mark(rank));
    blocks.into_iter().for_each(|block| harvest.add(block));
    Ok(rank)
}

/// What the ends are, where no word says it.
fn by_values(rows: &[Row]) -> Side {
    let mut own = rows.iter().filter(|row| row.ends.0 == row.ends.1).flat_map(|row| &row.values);
    let has_latencies = rows.iter().flat_map(|row| &row.values).any(|value| value.0 == Measure::Latency);
    let is_memory = own.any(|&(measure, factor, value)| {
        measure == Measure::Latency && value * factor.unwrap_or(1.0) > OWN_MEMORY
    });
    if is_memory || !has_latencies { Side::Nodes } else { Side::Cores }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marks::Marks;

    #[test]
    fn the_names_of_columns_say_what_the_ends_are() {
        let side = |first: &str, second: &str| are_ends(first, second);
        assert_eq!(side("source", "target"), Some(None));
        assert_eq!(side("src_node", "dst_node"), Some(Some(Side::Nodes)));
        assert_eq!(side("cpu_node", "mem_node"), Some(Some(Side::Nodes)));
        assert_eq!(side("core1", "core2"), Some(Some(Side::Cores)));
        assert_eq!(side("From CPU", "To CPU"), Some(Some(Side::Cores)));
        assert_eq!(side("coreA", "coreB"), Some(Some(Side::Cores)));
        assert_eq!(side("source", "latency"), None);
        assert_eq!(quantity("latency_ns"), Some((Measure::Latency, Some(1.0))));
        assert_eq!(quantity("Bandwidth (GB/s)"), Some((Measure::Bandwidth, Some(1.0))));
        assert_eq!((quantity("latency_ms"), quantity("stddev_ns")), (None, None));
        assert_eq!(quantity("median_ns_rt"), None);
        assert_eq!((quantity("write_bandwidth_gbps"), quantity("latency [clk]")), (None, None));
        assert_eq!((quantity("latency_ps"), quantity("random_bw_gbps")), (None, None));
        assert_eq!(quantity("read_bandwidth_gbps"), Some((Measure::Bandwidth, Some(1.0))));
    }

    #[test]
    fn ways_between_other_things_are_none() {
        for text in [
            "source,target,latency_ms\nR1,R2,10\nR1,R5,20\n",
            "source,target,weight\n0,1,10\n1,2,20\n",
            "from,to,latency\nlondon,paris,10.5\nparis,rome,20.5\n",
        ] {
            let whole = Text::new(text).with_tabs();
            assert_eq!(sign(&Sample::of(&whole, &Marks::of(&[]))), Sign::None, "{text}");
        }
    }
}
