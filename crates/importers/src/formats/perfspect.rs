//! Intel PerfSpect's JSON, and that of svr-info, its predecessor: tables by name. Its memory benchmarks run MLC.
//!
//! Bandwidths are in GB/s of 10^9 bytes, since it divides MLC's MB/s by a thousand. It drops the delays of the loaded latencies;
//! with all of MLC's nineteen rows, which it lists from the lightest load to the heaviest, they are put back.

use serde_json::Value as Json;
use zerohop_result::{Axis, Coordinates};

use crate::coordinates::{LOCAL, between};
use crate::format::{Declaration, Sign};
use crate::harvest::{Block, Harvest, Value};
use crate::kinds;
use crate::lines::Text;
use crate::number::first_number;
use crate::problem::Problem;
use crate::sample::Sample;
use crate::structured::{json, number_of, text_of};

pub(super) const FORMAT: Declaration = Declaration {
    name: "perfspect",
    words: "Intel PerfSpect's or svr-info's JSON",
    marks: &[],
    sign,
    cells: true,
    read,
};

/// MLC's delays, from the lightest load to the heaviest.
const DELAYS: [u64; 19] =
    [20_000, 9000, 5000, 3500, 2500, 1700, 1300, 1000, 700, 500, 400, 300, 200, 100, 50, 15, 8, 2, 0];

fn sign(text: &Sample<'_>) -> Sign {
    let raw = text.raw();
    if !text.has_json() {
        return Sign::None;
    }
    let lower = raw.to_ascii_lowercase();
    let names = [
        "\"memory numa bandwidth",
        "\"memory numa latency",
        "\"numa bandwidth",
        "\"numa benchmark\"",
        "\"memory loaded latency\"",
        "\"memory latency and bandwidth",
        "\"memory bandwidth and latency",
        "\"memory latency\"",
        "\"cache idle latency",
        "\"cache maximum bandwidth",
        "\"perfspect version",
        "\"svr-info version",
    ];
    // Other tools have a table of that name.
    let is_benchmark = lower.contains("\"memory benchmark\"") && lower.contains("\"latency (ns)\"");
    if is_benchmark || names.iter().any(|name| lower.contains(name)) { Sign::Certain } else { Sign::None }
}

/// A table: its name and its rows, each a list of named values.
struct Table {
    name: String,
    rows: Vec<Vec<(String, Json)>>,
}

fn read(_: &str, text: &mut Text) -> Result<Harvest, Problem> {
    let value = json(text)?;
    let mut tables = Vec::new();
    collect(&value, &mut tables);
    let mut harvest = Harvest::default();
    let mut used = 0;
    for Table { name, rows } in tables {
        let lower = name.to_ascii_lowercase();
        let block = match () {
            () if lower.contains("numa") && lower.contains("bandwidth") => matrix(&rows, false),
            () if lower.contains("numa") && lower.contains("benchmark") => matrix(&rows, false),
            () if lower.contains("numa") && lower.contains("latency") => matrix(&rows, true),
            () if lower.contains("cache") && lower.contains("latency") => levels(&rows, true),
            () if lower.contains("cache") && lower.contains("bandwidth") => levels(&rows, false),
            () if lower.contains("memory") && lower.contains("latency") => loads(&rows),
            () if lower.contains("memory") && lower.contains("benchmark") => loads(&rows),
            () => {
                if let Some(model) = field(&rows, &["cpu model", "model name", "microprocessor"]) {
                    harvest.processor.get_or_insert(model);
                } else if let Some(version) =
                    field(&rows, &["perfspect version", "version"]).filter(|_| lower.contains("perfspect"))
                {
                    harvest.version = Some(version);
                } else {
                    harvest.left_out.push(format!("the table {name}"));
                }
                continue;
            }
        };
        used += 1;
        harvest.add(block);
    }
    if harvest.runs.is_empty() {
        let found = if used > 0 { "tables without values" } else { "none" };
        return Err(Problem::of_text("a table of memory bandwidth or latency", found));
    }
    Ok(harvest)
}

/// Tables wherever they are: as members that hold lists of objects, or as objects with a name and values by host.
fn collect(value: &Json, tables: &mut Vec<Table>) {
    match value {
        Json::Object(members) => {
            let hosts = members.get("AllHostValues").and_then(Json::as_array);
            if let (Some(name), Some(hosts)) = (text_of(value, "Name"), hosts) {
                let rows = hosts.iter().flat_map(by_host).collect();
                tables.push(Table { name: name.to_owned(), rows });
                return;
            }
            for (name, member) in members {
                match member.as_array() {
                    Some(rows) if rows.iter().any(Json::is_object) && !rows.iter().any(is_table) => {
                        let rows = rows.iter().filter_map(Json::as_object).map(|row| {
                            row.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
                        });
                        tables.push(Table { name: name.clone(), rows: rows.collect() });
                    }
                    _ => collect(member, tables),
                }
            }
        }
        Json::Array(items) => items.iter().for_each(|item| collect(item, tables)),
        _ => {}
    }
}

/// Whether an object is itself a table, or holds some.
fn is_table(value: &Json) -> bool {
    value.get("AllHostValues").is_some()
        || value.as_object().is_some_and(|members| members.values().any(Json::is_array))
}

/// svr-info's rows: names once, values row by row.
fn by_host(host: &Json) -> Vec<Vec<(String, Json)>> {
    let list = |key: &str| host.get(key).and_then(Json::as_array).cloned().unwrap_or_default();
    let names: Vec<String> =
        list("ValueNames").iter().filter_map(|name| name.as_str().map(str::to_owned)).collect();
    let row = |row: &Json| {
        let values = row.as_array().cloned().unwrap_or_default();
        names.iter().cloned().zip(values).collect()
    };
    list("Values").iter().map(row).collect()
}

fn field(rows: &[Vec<(String, Json)>], names: &[&str]) -> Option<String> {
    let fields = rows.iter().flatten();
    let value = fields.into_iter().find(|(name, _)| names.contains(&name.to_ascii_lowercase().as_str()))?;
    value.1.as_str().map(str::to_owned).filter(|text| !text.is_empty())
}

/// A row for each node: its number, and a value for each node by name or in one list.
fn matrix(rows: &[Vec<(String, Json)>], latency: bool) -> Block {
    let mut block = Block::new(if latency { kinds::LATENCY_MATRIX } else { kinds::BANDWIDTH_MATRIX });
    for row in rows {
        let node = row.iter().find(|(name, _)| name.eq_ignore_ascii_case("node"));
        let Some(node) = node.and_then(|(_, value)| number_of(value)).map(|node| node as u64) else {
            continue;
        };
        let mut values: Vec<(u64, f64)> = Vec::new();
        for (name, value) in row {
            match name.trim().parse::<u64>() {
                Ok(target) => values.extend(number_of(value).map(|number| (target, number))),
                Err(_) if name.to_ascii_lowercase().contains("0-n") => {
                    let list = value.as_str().unwrap_or_default().split(',');
                    values.extend(
                        list.enumerate().filter_map(|(rank, text)| Some((rank as u64, first_number(text)?))),
                    );
                }
                Err(_) => {}
            }
        }
        for (target, value) in values {
            let at = between(node, target);
            // svr-info's lists are MLC's own MB/s.
            let value = if !latency && value > 3000.0 { value / 1e3 } else { value };
            block.push(if latency { Value::latency(at, value) } else { Value::bandwidth(at, value) });
        }
    }
    block
}

fn loads(rows: &[Vec<(String, Json)>]) -> Block {
    let point = |row: &Vec<(String, Json)>| {
        let of = |words: &str| {
            let field = row.iter().find(|(name, _)| name.to_ascii_lowercase().starts_with(words))?;
            Some((field.0.to_ascii_lowercase(), number_of(&field.1)?))
        };
        let (name, bandwidth) = of("bandwidth")?;
        let scale = if name.contains("mb/s") { 1e-3 } else { 1.0 };
        Some((of("latency")?.1, bandwidth * scale))
    };
    let points: Vec<(f64, f64)> = rows.iter().filter_map(point).collect();
    let known = points.len() == DELAYS.len();
    // Its newest version lists the lightest load first; older ones keep MLC's order.
    let ascending = points.first().zip(points.last()).is_some_and(|(first, last)| first.1 <= last.1);
    let mut block = Block::new(if known { kinds::LOADED_LATENCY } else { kinds::LATENCY_BY_LOAD });
    for (rank, &(latency, bandwidth)) in points.iter().enumerate() {
        let at = if known {
            let delay = if ascending { DELAYS[rank] } else { DELAYS[DELAYS.len() - 1 - rank] };
            between(0u32, LOCAL).with(Axis::Delay, delay).with(Axis::Load, "machine")
        } else {
            Coordinates::new().with(Axis::Case, rank as u64 + 1)
        };
        block.push(Value::latency(at.clone(), latency));
        block.push(Value::bandwidth(at, bandwidth));
    }
    block
}

/// One row with a field for each level.
fn levels(rows: &[Vec<(String, Json)>], latency: bool) -> Block {
    let mut block = Block::new(if latency { kinds::CACHE_LATENCY } else { kinds::CACHE_BANDWIDTH });
    for (name, value) in rows.iter().flatten() {
        let level = name.split_whitespace().find(|word| matches!(*word, "L1" | "L2" | "L3"));
        let (Some(level), Some(value)) = (level, number_of(value)) else { continue };
        let at = Coordinates::new().with(Axis::Level, level);
        block.push(if latency { Value::latency(at, value) } else { Value::bandwidth(at, value) });
    }
    block
}
