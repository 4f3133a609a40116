//! The Arm System Characterization Tool (ASCT): what it prints, the CSV files of its benchmarks, and its JSON report.
//!
//! Its text is tables under titles: `Peak memory bandwidth`. A CSV file is one table, whose rows are numbered or named in a first column
//! without a name; matrices are known by the name of the file. The JSON has the tables by benchmark, column by column.
//!
//! Rows of matrices are the nodes of the cores, columns those of the memory. Bandwidths are in GB/s of 10^9 bytes, latencies in ns; with
//! `cycle_base`, both count clock cycles. Loads are slowed down by instructions that do nothing: their number is read as the delay.

mod tables;

use zerohop_result::{Axis, Coordinates};
use zerohop_units::Hertz;

use crate::coordinates::{LOCAL, between, whole_machine};
use crate::format::{Declaration, Sign};
use crate::harvest::{Block, Harvest, Value};
use crate::lines::Text;
use crate::number::{Token, count};
use crate::problem::Problem;
use crate::sample::Sample;
use tables::{Kind, Row, Table};

pub(super) const FORMAT: Declaration = Declaration {
    name: "asct",
    words: "the Arm System Characterization Tool's text, CSV and JSON",
    marks: &[
        "latencies of random memory access",
        "cross-numa bandwidths",
        "peak memory bandwidth",
        "loaded latency with background",
        "different levels of cache",
        "core-to-core latency summary",
        "injected nops",
        "lower bound",
        "membind_node",
    ],
    sign,
    cells: true,
    read,
};

fn sign(text: &Sample<'_>) -> Sign {
    if tables::begins(text) { Sign::Certain } else { Sign::None }
}

fn read(_: &str, text: &mut Text) -> Result<Harvest, Problem> {
    let mut harvest = Harvest::default();
    let tables = tables::tables(text)?;
    let has = |kinds: &[Kind]| tables.iter().any(|table| kinds.contains(&table.kind));
    if tables.iter().any(Table::has_several_nodes) && has(&[Kind::PeakBandwidths, Kind::LoadedLatencies]) {
        let what = "the bandwidth of the other nodes: peak and loaded bandwidths are those of the first node, scaled to all CPUs";
        harvest.left_out.push(what.to_owned());
    }
    for table in tables {
        let clock = text.clock().filter(|_| table.in_cycles);
        if table.in_cycles && clock.is_none() {
            harvest.left_out.push(format!(
                "{}, which are in cycles: give the clock with `--clock`, such as 2.8GHz",
                table.kind.words()
            ));
            continue;
        }
        add(&table, clock, &mut harvest)?;
    }
    if harvest.is_empty() {
        let found = harvest.left_out.first().cloned().unwrap_or_else(|| "none".to_owned());
        return Err(Problem::of_text("a table of ASCT's with values", found));
    }
    Ok(harvest)
}

/// Adds the values of a table.
fn add(table: &Table, clock: Option<Hertz>, harvest: &mut Harvest) -> Result<(), Problem> {
    let gigahertz = clock.map_or(1.0, |Hertz(hertz)| hertz / 1e9);
    let mut block = Block::new(table.kind.experiment());
    let mut elsewhere = 0;
    for row in &table.rows {
        let latency = |at: Coordinates, cell| {
            Ok(number(row, cell)?.map(|number| Value::latency(at, number / gigahertz)))
        };
        let bandwidth = |at: Coordinates, cell| {
            Ok(number(row, cell)?.map(|number| Value::bandwidth(at, number * gigahertz)))
        };
        match table.kind {
            Kind::IdleLatencies => block.values.extend(latency(between(node(row, 0)?, node(row, 1)?), 2)?),
            Kind::Bandwidths => block.values.extend(bandwidth(between(node(row, 0)?, node(row, 1)?), 2)?),
            Kind::PeakBandwidths => {
                let at = whole_machine(Axis::Mix, &mix(row)?);
                block.values.extend(bandwidth(at, 1)?);
            }
            Kind::LoadedLatencies => {
                let nops = whole(row, 0, "a number of injected NOPs")?;
                let at = between(0u32, LOCAL).with(Axis::Delay, nops).with(Axis::Load, "machine");
                block.values.extend(latency(at.clone(), 1)?);
                block.values.extend(bandwidth(at, 2)?);
            }
            Kind::LatencySweep => block.values.extend(latency(level(row), 1)?.map(of_one_core)),
            Kind::BandwidthSweep => block.values.extend(bandwidth(level(row), 1)?.map(of_one_core)),
            Kind::Transfers { is_far } => {
                let home = if is_far { "others_node" } else { "own_node" };
                let at = between(node(row, 0)?, node(row, 1)?).with(Axis::Placement, home);
                block.values.extend(latency(at, 2)?);
            }
            Kind::CorePairs => {
                // A line whose memory is on another node than the first core is another measurement of the same pair.
                if row.cells[3] != row.cells[4] {
                    elsewhere += 1;
                    continue;
                }
                let (from, to) = (whole(row, 0, "a CPU")?, whole(row, 1, "a CPU")?);
                let at = Coordinates::new().with(Axis::From, from).with(Axis::To, to);
                block.values.extend(latency(at, 2)?);
            }
        }
    }
    if elsewhere > 0 {
        harvest.left_out.push(format!("{elsewhere} transfers of lines whose memory is on another node"));
    }
    if table.kind == Kind::LoadedLatencies {
        harvest.left_out.push("the unit of the delays, which are injected NOPs and not cycles".to_owned());
    }
    harvest.add(block);
    Ok(())
}

fn of_one_core(value: Value) -> Value {
    let buffers = value.buffers;
    value.with_workers(1, buffers)
}

/// A value of a row; `None` where it was not measured.
fn number(row: &Row, cell: usize) -> Result<Option<f64>, Problem> {
    match Token::of(&row.cells[cell]) {
        Token::Number(number) => Ok(Some(number)),
        Token::Gap | Token::NotFinite => Ok(None),
        Token::Word if row.cells[cell].is_empty() => Ok(None),
        Token::Word => Err(Problem::at(row.line, "a number", &*row.cells[cell])),
    }
}

fn whole(row: &Row, cell: usize, expected: &str) -> Result<u64, Problem> {
    let text = &row.cells[cell];
    // Spreadsheets write whole numbers as others.
    count(text.strip_suffix(".0").unwrap_or(text))
        .ok_or_else(|| Problem::at(row.line, expected, text.as_str()))
}

/// `Node 0`, and `Node0` among transfers.
fn node(row: &Row, cell: usize) -> Result<u64, Problem> {
    let text = &row.cells[cell];
    let number = text.to_ascii_lowercase();
    let number = number.strip_prefix("node").and_then(|number| count(number.trim()));
    number.ok_or_else(|| Problem::at(row.line, "a node, such as `Node 0`", text.as_str()))
}

/// `All Reads`, `3:1 Reads-Writes`, `2:1 Rd-Wr (Non-Temporal)` in our words.
fn mix(row: &Row) -> Result<String, Problem> {
    let text = row.cells[0].to_ascii_lowercase();
    let ratio = text.split_whitespace().next().filter(|first| {
        first.split_once(':').is_some_and(|(reads, writes)| count(reads).is_some() && count(writes).is_some())
    });
    match ratio {
        Some(ratio) if text.contains("non-temporal") => Ok(format!("{ratio}_nt")),
        Some(ratio) => Ok(ratio.to_owned()),
        None if text.starts_with("all reads") => Ok("all_reads".to_owned()),
        None if text.starts_with("all writes") => Ok("all_writes".to_owned()),
        None => Err(Problem::at(
            row.line,
            "a mix of reads and writes, such as `3:1 Reads-Writes`",
            &*row.cells[0],
        )),
    }
}

/// A level, whose memory is `DRAM` there.
fn level(row: &Row) -> Coordinates {
    let level = row.cells[0].trim();
    Coordinates::new().with(Axis::Level, if level == "DRAM" { "memory" } else { level })
}
