//! What counters of memory saw while a program ran: `pcm-memory`, and the memory groups of `likwid-perfctr`.
//!
//! It is the traffic of everything that ran, not what a memory can do: a kind of its own, which nothing compares with bandwidths.

use std::collections::BTreeMap;

use zerohop_result::{Axis, Coordinates, Estimate};
use zerohop_statistics::{ascending, mean_and_deviation, median};

use crate::coordinates::{ALL, word};
use crate::format::{Declaration, Sign};
use crate::harvest::{Block, Harvest, Value};
use crate::kinds;
use crate::lines::Text;
use crate::number::{count, first_number, number};
use crate::problem::Problem;
use crate::sample::Sample;

pub(super) const FORMAT: Declaration = Declaration {
    name: "traffic",
    words: "memory traffic by Intel's pcm-memory or by likwid-perfctr",
    marks: &["(mb/s)", "[mbytes/s]"],
    sign,
    cells: false,
    read,
};

fn sign(text: &Sample<'_>) -> Sign {
    let is_traffic = |line: &str| !counters(line).is_empty() || metric(line).is_some();
    if text.any_as_is(is_traffic) { Sign::Certain } else { Sign::None }
}

/// Where traffic was, and of which kind.
type Place = (Option<u64>, &'static str);

/// The values of a line of `pcm-memory`, which has a part for each of two sockets: `NODE 0 Mem Read (MB/s) : 520.71`.
fn counters(line: &str) -> Vec<(Place, f64)> {
    let lower = line.to_ascii_lowercase();
    if !lower.contains("(mb/s)") {
        return Vec::new();
    }
    let parts = lower.split(['|', '\t']).map(|part| part.trim_matches(['-', ' ']));
    let value = |part: &str| {
        let (name, value) = part.split_once(':')?;
        let value = first_number(value)?;
        let name = name.split("(mb/s)").next()?.trim();
        let kind = |name: &str| match name {
            "mem read" => Some("reads"),
            "mem write" => Some("writes"),
            "memory" => Some("all traffic"),
            "pmm read" => Some("reads of persistent memory"),
            "pmm write" => Some("writes of persistent memory"),
            _ => None,
        };
        let node = name
            .strip_prefix("node ")
            .or_else(|| name.strip_prefix("skt "))
            .and_then(|rest| rest.split_once(' '));
        if let Some((node, name)) = node {
            return Some(((Some(count(node)?), kind(name.trim())?), value));
        }
        let kind = match name {
            "system read throughput" => "reads",
            "system write throughput" => "writes",
            "system memory throughput" => "all traffic",
            _ => return None,
        };
        Some(((None, kind), value))
    };
    parts.filter_map(value).collect()
}

/// A row of `likwid-perfctr`: the kind of traffic, and its sum over all threads. Only one thread of a socket counts that of its socket.
fn metric(line: &str) -> Option<(&'static str, f64, bool)> {
    let mut cells = line.split('\t').map(str::trim);
    let name = cells.next()?;
    let (name, is_statistic) = match name.strip_suffix(" STAT") {
        Some(name) => (name, true),
        None => (name, false),
    };
    let kind = match name.to_ascii_lowercase().strip_suffix(" [mbytes/s]")? {
        "memory bandwidth" => "all traffic",
        "memory read bandwidth" => "reads",
        "memory write bandwidth" => "writes",
        _ => return None,
    };
    let values: Vec<f64> = cells.map(number).collect::<Option<_>>()?;
    // Sum, smallest, largest and mean.
    let sum = if is_statistic { *values.first()? } else { values.iter().sum() };
    (!values.is_empty()).then_some((kind, sum, is_statistic))
}

fn read(_: &str, text: &mut Text) -> Result<Harvest, Problem> {
    let mut harvest = Harvest::default();
    let mut samples: BTreeMap<(Option<u64>, String, String), Vec<f64>> = BTreeMap::new();
    let mut region = String::new();
    let mut others: Vec<String> = Vec::new();
    for rank in 0..text.len() {
        let line = text.line(rank).to_owned();
        let found = counters(&line);
        if let Some((kind, sum, is_statistic)) = metric(&line) {
            let key = (None, kind.to_owned(), region.clone());
            // The sum comes again in a table of statistics.
            if !is_statistic || !samples.contains_key(&key) {
                samples.entry(key).or_default().push(sum);
            }
        } else if !found.is_empty() {
            for ((node, kind), value) in found {
                samples.entry((node, kind.to_owned(), region.clone())).or_default().push(value);
            }
        } else if let Some(name) = line.strip_prefix("Region ") {
            region = word(name.split(',').next().unwrap_or_default());
        } else if line.to_ascii_lowercase().contains("mem ch ") || line.contains("CAS_COUNT") {
            others.push(text.number(rank).to_string());
        } else {
            continue;
        }
        text.mark(rank);
    }
    let mut block = Block::new(kinds::MEMORY_TRAFFIC);
    for ((node, kind, region), values) in samples {
        let at = match node {
            Some(node) => Coordinates::new().with(Axis::Target, node),
            None => Coordinates::new().with(Axis::Target, ALL),
        };
        let at = if region.is_empty() { at } else { at.with(Axis::Case, format!("region {region}")) };
        block.push(sampled(at.with(Axis::Kernel, kind), &values));
    }
    harvest.add(block);
    if !others.is_empty() {
        harvest.left_out.push(format!(
            "counts of single channels (lines: {}, the first of them {})",
            others.len(),
            others[0]
        ));
    }
    if harvest.is_empty() {
        return Err(Problem::of_text(
            "rows such as `NODE 0 Mem Read (MB/s) : …` or `Memory bandwidth [MBytes/s]`",
            "none",
        ));
    }
    Ok(harvest)
}

/// The median of samples in MB/s, as GB/s.
fn sampled(at: Coordinates, megabytes: &[f64]) -> Value {
    let values: Vec<f64> = megabytes.iter().map(|value| value / 1e3).collect();
    let mut value = Value::bandwidth(at, median(values.iter().copied()).unwrap_or(f64::NAN));
    if let ([_, _, ..], [min, .., max]) = (values.as_slice(), ascending(&values).as_slice()) {
        let (mean, standard_deviation) = mean_and_deviation(&values);
        value.estimate = Estimate { min: *min, max: *max, mean, standard_deviation, ..value.estimate };
        value.samples = values;
    }
    value
}
