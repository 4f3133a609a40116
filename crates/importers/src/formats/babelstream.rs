//! BabelStream: its table, and its comma-separated values.
//!
//! Rates are in MB/s of 10^6 bytes, or in MiB/s with `--mibibytes`; the head says which. The first iteration is left out and the
//! best of the others is printed. A run on a device is about the device's memory; one on the host is STREAM's kernels, of which
//! BabelStream calls `scale` `Mul`, and a reduction, `dot`.

mod csv;

use zerohop_result::{Axis, Coordinates, ExperimentName};
use zerohop_units::Bytes;
use zerohop_workload::Warning;

use crate::bound::{Binding, Bound};
use crate::coordinates::word;
use crate::format::{Declaration, Sign, certain_if};
use crate::harvest::{Block, Harvest, Value};
use crate::kinds;
use crate::lines::Text;
use crate::number::{Token, number};
use crate::problem::Problem;
use crate::redundancy::{contradicted, disordered};
use crate::sample::Sample;
use crate::structured::has_fields;

use csv::{Columns, Rate, Row, columns, columns_of, csv_row, has_sizes};

pub(super) const FORMAT: Declaration = Declaration {
    name: "babelstream",
    words: "BabelStream, its table or its CSV",
    marks: &["babelstream", "running triad", "function", "arrayelements", "bandwidths(gb/s)"],
    sign,
    cells: true,
    read,
};

fn sign(text: &Sample<'_>) -> Sign {
    certain_if(text, |line| {
        line == "babelstream"
            || line.strip_prefix("running triad ").is_some_and(|rest| rest.ends_with(" times"))
            || table(line).is_some()
            || columns(line).is_some()
            || kernels_by_size(line).is_some()
    })
}

/// The program, by the model of parallel programming that it was built for: `omp-stream`, `std-data-stream`.
const PROGRAMS: [&str; 5] =
    ["babelstream", "omp-stream", "std-data-stream", "std-indices-stream", "tbb-stream"];

/// Decimal GB/s in the unit of a table's head: `Function MBytes/sec Min (sec) Max Average`.
fn table(lower: &str) -> Option<f64> {
    let mut words = lower.split_whitespace();
    let first = words.next()?;
    // alpaka's version.
    if first == "kernels" && words.next()? == "bandwidths(gb/s)" {
        return Some(1.0);
    }
    let unit = (first == "function").then(|| words.next())??;
    let is_table = lower.contains("min (") && lower.contains("max") && lower.contains("average");
    match unit {
        "mbytes/sec" | "mb/s" if is_table => Some(1e-3),
        "mibytes/sec" | "mib/s" if is_table => Some(1.048_576e-3),
        "gbytes/sec" | "gb/s" if is_table => Some(1.0),
        "gbit/s" | "gbit/sec" if is_table => Some(0.125),
        _ => None,
    }
}

/// The kernels of the columns of a table by size: `ArrayElements ArraySize(MB) Copy(MBytes/s) …`, in MB/s.
fn kernels_by_size(lower: &str) -> Option<Vec<String>> {
    let names = lower.strip_prefix("arrayelements")?.split_whitespace().skip(1);
    names.map(|name| name.strip_suffix("(mbytes/s)").map(kernel)).collect()
}

/// Our name of a kernel.
fn kernel(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    if ["mul", "mult"].contains(&lower.as_str()) { "scale".to_owned() } else { word(&lower) }
}

const KERNELS: [&str; 8] = ["copy", "mul", "mult", "add", "triad", "dot", "nstream", "scale"];

fn read(_: &str, text: &mut Text) -> Result<Harvest, Problem> {
    let mut harvest = Harvest::default();
    let mut device: Option<String> = None;
    let mut scale = None;
    let mut csv: Option<Columns> = None;
    let mut block = Block::new(kinds::STREAM);
    let (mut head, mut last) = (None, None);
    let mut sizes: Option<Vec<String>> = None;
    let by_size = has_sizes(text);
    let (mut width, mut bytes) = (8, None);
    let (mut binding, mut bound) = (Binding::default(), None);
    for rank in 0..text.len() {
        let line = text.line(rank).to_owned();
        let lower = line.to_ascii_lowercase();
        if let Some(kernels) = kernels_by_size(&lower) {
            (sizes, head) = (Some(kernels), Some(rank));
            text.mark(rank);
        } else if let Some(rates) =
            sizes.as_ref().and_then(|kernels| row_by_size(&line, kernels, width, device.as_deref()))
        {
            harvest.add(rates);
            text.mark(rank);
        } else if let Some(rate) = triad_alone(&lower) {
            bound = binding.next();
            let place = Place::of(device.as_deref(), bytes, bound.as_ref());
            push(&mut block, &mut harvest, &place, "triad", (rate, Vec::new()));
            text.mark(rank);
        } else if let Some(unit) = table(&lower) {
            harvest.add(std::mem::replace(&mut block, Block::new(kinds::STREAM)));
            (scale, csv, head, last) = (Some(unit), None, Some(rank), Some(rank));
            bound = binding.next();
            text.mark(rank);
        } else if let Some(columns) = columns_of(text, rank) {
            harvest.add(std::mem::replace(&mut block, Block::new(kinds::STREAM)));
            harvest.left_out.extend(columns.left_out(text.number(rank)));
            (scale, csv, head) = (None, Some(columns), Some(rank));
            bound = binding.next();
            text.mark(rank);
        } else if let Some(columns) = &csv
            && has_fields(&lower)
        {
            if let Some(Row { kernel: name, rate, bytes, case }) = csv_row(columns, &line, rank)? {
                // How long the arrays took to be written first, and to be read back, is no kernel's.
                let is_phase = ["init", "read"].contains(&name.to_ascii_lowercase().as_str());
                if is_phase {
                    text.mark(rank);
                    continue;
                }
                let (device, bound) = (device.as_deref(), bound.as_ref());
                let place = Place { device, array: bytes, bound, by_size, case };
                push(&mut block, &mut harvest, &place, &kernel(&name), rate);
                text.mark(rank);
            }
        } else if let Some(unit) = scale
            && let Some((name, rates)) = table_row(&line, last.is_some_and(|last| rank == last + 1))
        {
            let Token::Number(rate) = Token::of(rates.first().copied().unwrap_or_default()) else {
                if head.is_none_or(|head| rank > head + KERNELS.len()) {
                    // Prose.
                    continue;
                }
                return Err(Problem::at(rank + 1, format!("the rate of {name}"), line));
            };
            if name.eq_ignore_ascii_case("init") {
                text.mark(rank);
                continue;
            }
            let times: Vec<f64> = rates.iter().skip(1).filter_map(|time| number(time)).collect();
            let value = (if unit == 1e-3 { rate / 1e3 } else { rate * unit }, times);
            let place = Place::of(device.as_deref(), bytes, bound.as_ref());
            push(&mut block, &mut harvest, &place, &kernel(name), value);
            last = Some(rank);
            text.mark(rank);
        } else if let Some(name) = device_of(&line) {
            device = name;
            text.mark(rank);
        } else if surroundings(&line, &lower, &mut harvest) {
            bytes = array(&lower).or(bytes);
            if ["implementation: cuda", "implementation: hip"].contains(&lower.as_str()) {
                device.get_or_insert_with(|| NAMELESS.to_owned());
            }
            if lower.contains("precision:") {
                width = if lower.contains("float") || lower.contains("single") { 4 } else { 8 };
            }
            if lower == "babelstream" || lower == "gpu-stream" {
                harvest.add(std::mem::replace(&mut block, Block::new(kinds::STREAM)));
                (device, scale, csv, bytes) = (None, None, None, None);
            }
            text.mark(rank);
        } else if PROGRAMS.iter().any(|program| binding.take(text, rank, program)) {
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

/// The bytes of an array that a line states: `Array size: 268.4 MB (=0.3 GB)`.
fn array(lower: &str) -> Option<f64> {
    let rest = lower.strip_prefix("array size:")?.trim_start();
    let (size, rest) = rest.split_once(char::is_whitespace)?;
    let scale = match rest.split_whitespace().next()? {
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "kib" => 1024.0,
        "mib" => 1_048_576.0,
        "gib" => 1_073_741_824.0,
        _ => return None,
    };
    Some(number(size)? * scale)
}

/// Why the numbers of a kernel cannot all be true.
fn contradictions(kernel: &str, rate: f64, times: &[f64], array: Option<f64>) -> Vec<String> {
    /// Sizes and times are printed with few digits where they are small.
    const TOLERANCE: f64 = 0.25;
    /// Times have five decimals.
    const SHORTEST: f64 = 1e-4;
    let mut reasons = Vec::new();
    if let &[least, most, mean, ..] = times {
        reasons.extend(disordered(least, mean, most));
    }
    let moved = match kernel {
        "copy" | "scale" | "dot" => Some(2.0),
        "add" | "triad" => Some(3.0),
        "nstream" => Some(4.0),
        _ => None,
    };
    if let Some((moved, array)) = moved.zip(array)
        && let Some(&least) = times.first().filter(|least| **least >= SHORTEST)
    {
        let moved = (moved * array, least);
        reasons.extend(contradicted(rate, moved, TOLERANCE, "the arrays and the shortest time"));
    }
    reasons
}

struct Place<'a> {
    /// The device, if it is none of the host's.
    device: Option<&'a str>,
    /// The bytes of an array.
    array: Option<f64>,
    /// Where it was bound on the host.
    bound: Option<&'a Bound>,
    /// Whether the arrays of the text have several sizes.
    by_size: bool,
    /// What tells it from others of its table.
    case: Option<String>,
}

impl<'a> Place<'a> {
    const fn of(device: Option<&'a str>, array: Option<f64>, bound: Option<&'a Bound>) -> Self {
        Self { device, array, bound, by_size: false, case: None }
    }

    /// The bytes of all three arrays, where they tell values apart.
    fn footprint(&self) -> Option<u64> {
        self.array.filter(|_| self.by_size).map(|array| (3.0 * array) as u64)
    }

    fn kernel(&self, kernel: &str) -> Coordinates {
        let bound = self.bound.map(Bound::words);
        let words = match self.device {
            Some(_) => Some("memory of the device".to_owned()),
            None => bound.filter(|_| self.footprint().is_some() || self.case.is_some()),
        };
        let words: Vec<String> = words.into_iter().chain(self.case.clone()).collect();
        let mut at = match (self.device, self.footprint(), &self.case) {
            (Some(device), ..) => Coordinates::new().with(Axis::Initiator, word(device)),
            (None, None, None) => return Bound::kernel(self.bound, kernel),
            (None, ..) => Coordinates::new(),
        };
        at = at.with(Axis::Kernel, kernel);
        if !words.is_empty() {
            at = at.with(Axis::Case, words.join(", "));
        }
        self.footprint().map_or(at.clone(), |bytes| at.with(Axis::Footprint, bytes))
    }

    /// What its values are: of the host's whole machine only where nothing tells them from others of their table.
    fn experiment(&self) -> ExperimentName {
        match (self.device, self.footprint(), &self.case) {
            (Some(_), ..) => kinds::DEVICE_BANDWIDTH,
            (None, Some(_), _) => kinds::BANDWIDTH_BY_SIZE,
            (None, None, Some(_)) => kinds::STREAM_BY_THREADS,
            (None, None, None) => kinds::STREAM,
        }
    }
}

fn push(block: &mut Block, harvest: &mut Harvest, place: &Place<'_>, kernel: &str, (rate, times): Rate) {
    let value = Value::bandwidth(place.kernel(kernel), rate);
    let bytes = place.footprint().unwrap_or_default();
    let value = if bytes > 0 { value.with_workers(0, Bytes(bytes)) } else { value };
    let mut value = match times.as_slice() {
        &[least, most, mean, ..] if least > 0.0 && least <= mean && mean <= most => {
            value.with_spread(rate * least / most, rate, rate * least / mean, 0.0)
        }
        _ => value,
    };
    let reasons = contradictions(kernel, rate, &times, place.array);
    value.warnings.extend(reasons.into_iter().map(|reason| Warning::Implausible { reason }));
    let experiment = place.experiment();
    if block.experiment != experiment {
        harvest.add(std::mem::replace(block, Block::new(experiment)));
    }
    block.push(value);
}

/// A row of a kernel. One of another name than BabelStream's own has a rate and its three times, and follows the head or a row.
fn table_row(line: &str, follows: bool) -> Option<(&str, Vec<&str>)> {
    let mut words = line.split_whitespace();
    let name = words.next()?.trim_end_matches(':');
    let name = name.strip_suffix("Kernel").unwrap_or(name);
    let rates: Vec<&str> = words.collect();
    let is_known = KERNELS.contains(&name.to_ascii_lowercase().as_str()) && (1..=6).contains(&rates.len());
    let is_name = name.starts_with(|one: char| one.is_ascii_alphabetic());
    let is_other = follows
        && is_name
        && (4..=5).contains(&rates.len())
        && rates.iter().all(|rate| number(rate).is_some());
    (is_known || is_other).then_some((name, rates))
}

/// `Bandwidth (GB/s):  430.125`, which is all that is printed of the triad alone: its rate in decimal GB/s.
fn triad_alone(lower: &str) -> Option<f64> {
    let (unit, rate) = lower.strip_prefix("bandwidth (")?.split_once("):")?;
    let scale = match unit {
        "gb/s" => 1.0,
        "gib/s" => 1.073_741_824,
        _ => return None,
    };
    number(rate).map(|rate| rate * scale)
}

/// A row by size: its number of elements, of `width` bytes each in three arrays, the size of an array, and a rate for each kernel.
fn row_by_size(line: &str, kernels: &[String], width: u64, device: Option<&str>) -> Option<Block> {
    let numbers: Vec<f64> = line.split_whitespace().map(number).collect::<Option<_>>()?;
    let [elements, _, rates @ ..] = numbers.as_slice() else { return None };
    if rates.len() != kernels.len() || *elements < 1.0 {
        return None;
    }
    let bytes = (*elements as u64).saturating_mul(3 * width);
    let mut block =
        Block::new(if device.is_some() { kinds::DEVICE_BANDWIDTH } else { kinds::BANDWIDTH_BY_SIZE });
    for (kernel, rate) in kernels.iter().zip(rates) {
        let at = Coordinates::new().with(Axis::Footprint, bytes).with(Axis::Kernel, kernel.as_str());
        let at = device.map_or(at.clone(), |device| at.with(Axis::Initiator, word(device)));
        block.push(Value::bandwidth(at, rate / 1e3).with_workers(0, Bytes(bytes)));
    }
    Some(block)
}

/// What a device is called that has no name.
const NAMELESS: &str = "the device";

/// `Using CUDA device NVIDIA H100`, or `Benchmark GPU-STREAM running on NVIDIA H100` above a table by size: the device, or nothing where it
/// is the host's processor.
fn device_of(line: &str) -> Option<Option<String>> {
    // Some drivers give a device no name.
    let is_nameless = line.starts_with("Using ") && line.ends_with(" device");
    if is_nameless && line.split_whitespace().count() == 3 {
        return Some(Some(NAMELESS.to_owned()));
    }
    let using = line.strip_prefix("Using ").and_then(|rest| rest.split_once(" device "));
    let alpaka = || line.starts_with("DeviceName:").then(|| line.split_once(':')).flatten();
    let (_, name) = using.or_else(|| line.split_once("GPU-STREAM running on ")).or_else(alpaka)?;
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

const KNOWN: [&str; 31] = [
    "array size provided:",
    "array size set to:",
    "number of runs provided:",
    "randomness seeded",
    "acceleratortype:",
    "numberofruns:",
    "datasize(items):",
    "workdiv",
    "babelstream",
    "gpu-stream",
    "resizing array",
    "number of elements",
    "runtime (seconds)",
    "for more details see https://github.com/uob-hpc",
    "sum was ",
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
