//! BabelStream: its table, and its comma-separated values.
//!
//! Rates are in MB/s of 10^6 bytes, or in MiB/s with `--mibibytes`; the head says which. The first iteration is left out and the
//! best of the others is printed. A run on a device is about the device's memory; one on the host is STREAM's kernels, of which
//! BabelStream calls `scale` `Mul`, and a reduction, `dot`.

use zerohop_result::{Axis, Coordinates};

use crate::coordinates::{whole_machine, word};
use crate::format::{Declaration, Sign, certain_if};
use crate::harvest::{Block, Harvest, Value};
use crate::kinds;
use crate::lines::Text;
use crate::number::{Token, number};
use crate::problem::Problem;
use crate::structured::{fields, has_fields};

pub(super) const FORMAT: Declaration =
    Declaration { name: "babelstream", words: "BabelStream, its table or its CSV", sign, read };

fn sign(text: &Text) -> Sign {
    certain_if(text, |line| line == "babelstream" || table(line).is_some() || columns(line).is_some())
}

/// Decimal GB/s in the unit of a table's head: `Function MBytes/sec Min (sec) Max Average`.
fn table(lower: &str) -> Option<f64> {
    let mut words = lower.split_whitespace();
    let unit = (words.next()? == "function").then(|| words.next())??;
    let is_table = lower.contains("min (") && lower.contains("max") && lower.contains("average");
    match unit {
        "mbytes/sec" | "mb/s" if is_table => Some(1e-3),
        "mibytes/sec" | "mib/s" if is_table => Some(1.048_576e-3),
        "gbytes/sec" | "gb/s" if is_table => Some(1.0),
        _ => None,
    }
}

/// The columns of comma-separated values.
#[derive(Debug, Clone, PartialEq)]
struct Columns {
    names: Vec<String>,
    scale: f64,
}

fn columns(lower: &str) -> Option<Columns> {
    let names = fields(lower);
    let rate = names.iter().find(|name| name.ends_with("bytes_per_sec"))?;
    let scale = if rate.contains("mib") { 1.048_576e-3 } else { 1e-3 };
    names.iter().any(|name| name == "function" || name == "phase").then_some(Columns { names, scale })
}

/// Our name of a kernel.
fn kernel(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    if lower == "mul" { "scale".to_owned() } else { word(&lower) }
}

const KERNELS: [&str; 7] = ["copy", "mul", "add", "triad", "dot", "nstream", "scale"];

fn read(_: &str, text: &mut Text) -> Result<Harvest, Problem> {
    let mut harvest = Harvest::default();
    let mut device: Option<String> = None;
    let mut scale = None;
    let mut csv: Option<Columns> = None;
    let mut block = Block::new(kinds::STREAM);
    let mut head = None;
    for rank in 0..text.len() {
        let line = text.line(rank).to_owned();
        let lower = line.to_ascii_lowercase();
        if let Some(unit) = table(&lower) {
            harvest.add(std::mem::replace(&mut block, Block::new(kinds::STREAM)));
            (scale, csv, head) = (Some(unit), None, Some(rank));
            text.mark(rank);
        } else if let Some(columns) = columns(&lower) {
            harvest.add(std::mem::replace(&mut block, Block::new(kinds::STREAM)));
            (scale, csv, head) = (None, Some(columns), Some(rank));
            text.mark(rank);
        } else if let Some(columns) = &csv
            && has_fields(&lower)
        {
            if let Some((name, value)) = csv_row(columns, &line, rank)? {
                push(&mut block, &mut harvest, device.as_deref(), &kernel(&name), value);
                text.mark(rank);
            }
        } else if let Some(unit) = scale
            && let Some((name, rates)) = table_row(&line)
        {
            let Token::Number(rate) = Token::of(rates.first().copied().unwrap_or_default()) else {
                if head.is_none_or(|head| rank > head + KERNELS.len()) {
                    // Prose.
                    continue;
                }
                return Err(Problem::at(rank + 1, format!("the rate of {name}"), line));
            };
            let times: Vec<f64> = rates.iter().skip(1).filter_map(|time| number(time)).collect();
            let value = (if unit == 1e-3 { rate / 1e3 } else { rate * unit }, times);
            push(&mut block, &mut harvest, device.as_deref(), &kernel(name), value);
            text.mark(rank);
        } else if let Some(name) = device_of(&line) {
            device = name;
            text.mark(rank);
        } else if surroundings(&line, &lower, &mut harvest) {
            if lower == "babelstream" {
                harvest.add(std::mem::replace(&mut block, Block::new(kinds::STREAM)));
                (device, scale, csv) = (None, None, None);
            }
            text.mark(rank);
        }
    }
    harvest.add(block);
    if harvest.is_empty() {
        return Err(match head {
            Some(rank) => Problem::at(rank + 1, "rows of kernels below the head", "none"),
            None => Problem::of_text("a table of BabelStream's kernels", "none"),
        });
    }
    Ok(harvest)
}

/// A rate in GB/s, and the shortest, longest and mean time in s.
type Rate = (f64, Vec<f64>);

fn push(block: &mut Block, harvest: &mut Harvest, device: Option<&str>, kernel: &str, (rate, times): Rate) {
    let at = match device {
        Some(device) => Coordinates::new()
            .with(Axis::Initiator, word(device))
            .with(Axis::Case, "memory of the device")
            .with(Axis::Kernel, kernel),
        None => whole_machine(Axis::Kernel, kernel),
    };
    let value = Value::bandwidth(at, rate);
    let value = match times.as_slice() {
        &[least, most, mean, ..] if least > 0.0 && least <= mean && mean <= most => {
            value.with_spread(rate * least / most, rate, rate * least / mean, 0.0)
        }
        _ => value,
    };
    let experiment = if device.is_some() { kinds::DEVICE_BANDWIDTH } else { kinds::STREAM };
    if block.experiment != experiment {
        harvest.add(std::mem::replace(block, Block::new(experiment)));
    }
    block.push(value);
}

fn table_row(line: &str) -> Option<(&str, Vec<&str>)> {
    let mut words = line.split_whitespace();
    let name = words.next()?.trim_end_matches(':');
    let known = KERNELS.contains(&name.to_ascii_lowercase().as_str());
    let rates: Vec<&str> = words.collect();
    (known && (1..=6).contains(&rates.len())).then_some((name, rates))
}

/// The kernel and the rate of a row; `None` for another table's.
fn csv_row(columns: &Columns, line: &str, rank: usize) -> Result<Option<(String, Rate)>, Problem> {
    let fields = fields(line);
    if fields.len() != columns.names.len() {
        return Ok(None);
    }
    let field = |name: &str| {
        let column = columns.names.iter().position(|known| known.ends_with(name))?;
        fields.get(column).map(String::as_str)
    };
    let Some(name) = field("function").or_else(|| field("phase")) else { return Ok(None) };
    let rate = field("bytes_per_sec").unwrap_or_default();
    let Token::Number(rate) = Token::of(rate) else {
        return Err(Problem::at(rank + 1, format!("the rate of {name} in the column of rates"), line));
    };
    let times = ["min_runtime", "max_runtime", "avg_runtime"].iter().map_while(|name| number(field(name)?));
    let rate = if columns.scale == 1e-3 { rate / 1e3 } else { rate * columns.scale };
    Ok(Some((name.to_owned(), (rate, times.collect()))))
}

/// `Using CUDA device NVIDIA H100`: the device, or nothing where it is the host's processor.
fn device_of(line: &str) -> Option<Option<String>> {
    let rest = line.strip_prefix("Using ")?;
    let (_, name) = rest.split_once(" device ")?;
    let lower = name.to_ascii_lowercase();
    let is_host = ["pthread", "cpu", "xeon", "epyc", "ryzen", "core(tm)", "neoverse"]
        .iter()
        .any(|host| lower.contains(host));
    Some((!is_host).then(|| name.trim().to_owned()))
}

fn surroundings(line: &str, lower: &str, harvest: &mut Harvest) -> bool {
    if let Some(version) = lower.strip_prefix("version:") {
        harvest.version = Some(version.trim().to_owned());
        return true;
    }
    if lower.starts_with("validation failed") {
        harvest.tool_says(line);
        return true;
    }
    KNOWN.iter().any(|known| lower.starts_with(known))
}

const KNOWN: [&str; 17] = [
    "babelstream",
    "implementation:",
    "running kernels",
    "running all",
    "running triad",
    "number of iterations",
    "precision:",
    "array size:",
    "total size:",
    "driver:",
    "memory:",
    "reduction kernel config",
    "init:",
    "read:",
    "using openmp",
    "warning:",
    "cache size:",
];
