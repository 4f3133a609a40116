//! Google's multichase, multiload, fairness and pingpong.
//!
//! multichase prints a latency in ns, alone on a line; `-v` prints its settings before it. multiload prints a row of values, the
//! load in MiB/s of 2^20 bytes. fairness prints the time of a locked increment for each CPU, several times: they are samples of one
//! value. pingpong prints a matrix of CPUs.

use zerohop_result::{Axis, Coordinates};
use zerohop_units::Bytes;

use crate::bound::{Binding, Bound};
use crate::commands::Commands;
use crate::coordinates::{threads_of, word};
use crate::format::{Declaration, Sign, certain_if};
use crate::harvest::{Block, Harvest, Value};
use crate::kinds;
use crate::lines::Text;
use crate::number::{count, first_number, is_remark, number};
use crate::problem::Problem;
use crate::sample::Sample;
use crate::structured::{fields, has_fields};

pub(super) const FORMAT: Declaration = Declaration {
    name: "multichase",
    words: "multichase, multiload, fairness and pingpong",
    marks: &["multichase", "chasens", "avg latency", "tlb_locality"],
    sign,
    cells: true,
    read,
};

/// Decimal GB/s in a MiB/s.
const MEBIBYTE: f64 = 1.048_576e-3;

fn sign(text: &Sample<'_>) -> Sign {
    certain_if(text, |line| {
        is_multiload(line)
            || line.contains("multichase") && line.contains(" -")
            || line.contains("avg latency per locked increment")
            || line.contains("avg latency to communicate a modified line")
            || line.starts_with("tlb_locality =")
    })
}

/// The columns that multiload prints.
const COLUMNS: [&str; 12] = [
    "samples",
    "byte/thd",
    "chasethds",
    "chasens",
    "chasemibs",
    "chdeviate",
    "loadthds",
    "ldmaxmibs",
    "ldavgmibs",
    "lddeviate",
    "chasearg",
    "memldarg",
];

fn is_multiload(lower: &str) -> bool {
    let has_load = lower.contains("ldavgmibs") || lower.contains("ldmaxmibs");
    lower.contains("chasens") && has_load && has_fields(lower)
}

fn read(_: &str, text: &mut Text) -> Result<Harvest, Problem> {
    let mut harvest = Harvest::default();
    let (mut settings, mut shell) = (Settings::default(), Shell::default());
    let mut columns: Option<Vec<String>> = None;
    let mut rank = 0;
    while rank < text.len() {
        let line = text.line(rank).to_owned();
        let lower = line.to_ascii_lowercase();
        if lower.contains("avg latency per locked increment") {
            rank = fairness(text, rank, &mut harvest)?;
            columns = None;
            continue;
        }
        if lower.contains("avg latency to communicate a modified line") {
            rank = pingpong(text, rank, &mut harvest);
            columns = None;
            continue;
        }
        if is_multiload(&lower) {
            let names = fields(&lower);
            let others = names.iter().filter(|name| !COLUMNS.contains(&name.as_str()));
            harvest
                .left_out
                .extend(others.map(|name| format!("column `{name}` of line {}", text.number(rank))));
            columns = Some(names);
            text.mark(rank);
        } else if settings.take(&lower) || shell.take(text, rank) || is_progress(&lower) {
            text.mark(rank);
        } else if let Some(columns) = columns.as_ref().filter(|_| has_fields(&lower)) {
            let row = fields(&line);
            if row.first().is_some_and(|samples| count(samples).is_some()) {
                harvest.add(multiload(columns, &row, rank)?);
                text.mark(rank);
            }
        } else if let Some(latency) = alone(&line).filter(|_| columns.is_none() || !has_fields(&line)) {
            shell.next(&mut settings);
            let mut at = Coordinates::new().with(Axis::Case, settings.case());
            if let Some(size) = settings.size {
                at = at.with(Axis::Footprint, size);
            }
            let mut block = Block::new(kinds::LOAD_LATENCY);
            let workers = settings.threads.unwrap_or(1);
            block.push(Value::latency(at, latency).with_workers(workers, Bytes(settings.size.unwrap_or(0))));
            harvest.add(block);
            text.mark(rank);
            settings = Settings::default();
        }
        rank += 1;
    }
    if harvest.is_empty() {
        return Err(Problem::of_text("a latency alone on a line, or a row below `ChaseNS`", "none"));
    }
    Ok(harvest)
}

/// The number of a line that has no other words than a remark.
fn alone(line: &str) -> Option<f64> {
    let mut words = line.split_whitespace();
    let value = number(words.next()?)?;
    words.next().is_none_or(is_remark).then_some(value)
}

/// How a latency was measured, from the command line or from `-v`.
#[derive(Debug, Default)]
struct Settings {
    size: Option<u64>,
    stride: Option<u64>,
    threads: Option<u32>,
    chase: Option<String>,
    place: Option<Bound>,
}

impl Settings {
    fn case(&self) -> String {
        let chase = self.chase.as_deref().unwrap_or("simple");
        let stride = self.stride.map(|stride| format!(", stride {stride}")).unwrap_or_default();
        let place = self.place.as_ref().map(|place| format!(", {}", place.words())).unwrap_or_default();
        format!("{chase}{stride}{place}")
    }

    /// Takes a line of settings.
    fn take(&mut self, lower: &str) -> bool {
        if let Some((name, value)) = lower.split_once(" = ") {
            let first = value.split_whitespace().next().unwrap_or_default();
            match name.trim() {
                "total_memory" => self.size = count(first),
                "stride" => self.stride = count(first),
                "nr_threads" => self.threads = first.parse().ok(),
                "chase" => self.chase = Some(word(value)),
                "page_size" | "tlb_locality" | "memload" | "run_test_type" | "cache_flush_size"
                | "offset" => {}
                _ => return false,
            }
            return true;
        }
        false
    }

    /// Takes the options of a command line, in lower case.
    fn options(&mut self, line: &str) {
        let Some((_, options)) = line.split_once("multichase") else { return };
        let options = options.split([';', '|', '>', '&']).next().unwrap_or_default();
        let mut words = options.split_whitespace();
        while let Some(option) = words.next() {
            let Some(name) = option.strip_prefix('-').and_then(|rest| rest.chars().next()) else { continue };
            let value = match option.get(1 + name.len_utf8()..).unwrap_or_default() {
                "" => words.clone().next().unwrap_or_default(),
                attached => attached,
            };
            match name {
                'm' => self.size = size(value),
                's' => self.stride = size(value),
                't' => self.threads = value.parse().ok(),
                'c' => self.chase = Some(word(value)),
                _ => {}
            }
        }
    }
}

/// The command line of the next latencies.
#[derive(Debug, Default)]
struct Shell {
    commands: Option<Commands>,
    binding: Binding,
    /// Latencies since the command line.
    latencies: usize,
}

impl Shell {
    /// Takes a line that says how or where the next latencies were measured.
    fn take(&mut self, text: &Text, rank: usize) -> bool {
        if let Some(commands) = Commands::at(text, rank, "multichase") {
            (self.commands, self.latencies) = (Some(commands), 0);
        }
        self.binding.take(text, rank, "multichase")
    }

    /// The settings of the next latency.
    fn next(&mut self, settings: &mut Settings) {
        let rank = self.latencies;
        self.latencies += 1;
        settings.place = self.binding.next();
        // A command prints one latency; one that comes later was measured by a command that nobody pasted.
        if let Some(line) = self.commands.as_ref().and_then(|commands| commands.of_output(rank)) {
            settings.options(&line.to_ascii_lowercase());
        }
    }
}

/// `256m` as bytes.
fn size(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|one: char| one.is_ascii_alphabetic());
    let unit = match text[digits.len()..].chars().next() {
        None => 0,
        Some('k') => 10,
        Some('m') => 20,
        Some('g') => 30,
        Some('t') => 40,
        Some(_) => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << unit)
}

/// Lines of `-v`: one for each sample.
fn is_progress(lower: &str) -> bool {
    let starts = ["main: ", "chasavg=", "ldavgmibs=", "info: ", "cheap_create", "memload_"];
    starts.iter().any(|start| lower.starts_with(start))
}

fn multiload(columns: &[String], row: &[String], rank: usize) -> Result<Block, Problem> {
    let field = |name: &str| {
        columns.iter().position(|column| column == name).and_then(|at| row.get(at)).map(String::as_str)
    };
    let value = |name: &str| field(name).and_then(number);
    let threads = u64::from(value("loadthds").unwrap_or(0.0) as u32);
    let kernel =
        field("memldarg").filter(|kernel| !kernel.starts_with('-') && !kernel.is_empty()).unwrap_or("none");
    let at = Coordinates::new().with(Axis::Kernel, word(kernel)).with(Axis::Case, threads_of(threads));
    let mut block = Block::new(kinds::CHASE_UNDER_LOAD);
    let workers = (value("chasethds").unwrap_or(0.0) as u32).saturating_add(threads as u32);
    let buffers = Bytes((value("byte/thd").unwrap_or(0.0) as u64).saturating_mul(workers.into()));
    if let Some(latency) = value("chasens").filter(|&latency| latency > 0.0) {
        block.push(Value::latency(at.clone(), latency).with_workers(workers, buffers));
    }
    if let Some(mean) = value("ldavgmibs").or_else(|| value("ldmaxmibs")).filter(|&mean| mean > 0.0) {
        let mean = mean * MEBIBYTE;
        let max = value("ldmaxmibs").map_or(mean, |max| max * MEBIBYTE);
        let load = Value::bandwidth(at, mean).with_workers(workers, buffers);
        block.push(load.with_spread(mean.min(max), max.max(mean), mean, 0.0));
    }
    if block.values.is_empty() {
        return Err(Problem::at(
            rank + 1,
            "a latency below ChaseNS or a load below LdAvgMibs",
            row.join(", "),
        ));
    }
    Ok(block)
}

/// A row for each sample and a column for each CPU, first with and then without pauses.
fn fairness(text: &mut Text, start: usize, harvest: &mut Harvest) -> Result<usize, Problem> {
    text.mark(start);
    let mut cpus: Vec<u64> = Vec::new();
    let mut scenario = "unrelaxed";
    let mut samples: Vec<(&str, u64, Vec<f64>)> = Vec::new();
    let mut rank = start + 1;
    while rank < text.len() {
        let line = text.line(rank).to_owned();
        let lower = line.to_ascii_lowercase();
        let with_commas = lower.starts_with("relaxed,sweep");
        if lower.starts_with("cpu:") || lower.starts_with("cpu,") || with_commas {
            // `cpu-7`, or `0[7]`: the thread, and its CPU.
            let number = |name: &str| name.trim_start_matches("cpu-").trim_end_matches(']').to_owned();
            let names = lower.split([',', ' ', '\t', ':']).map(number);
            cpus = names.filter_map(|name| count(name.rsplit('[').next()?)).collect();
        } else if lower.starts_with("global counter") {
            scenario = if lower.contains("unrelaxed") { "unrelaxed" } else { "relaxed" };
        } else if lower.starts_with("relaxed:") {
            scenario = "relaxed";
        } else if lower.starts_with("unrelaxed:") {
            scenario = "unrelaxed";
        } else if !line.is_empty() {
            let commas = fields(&line);
            let values: Vec<f64> = if line.starts_with(',') {
                commas[1..].iter().filter_map(|value| number(value)).take(cpus.len()).collect()
            } else if commas.len() > cpus.len() && commas.len() > 2 {
                scenario = if commas[0] == "1" { "relaxed" } else { "unrelaxed" };
                commas[2..].iter().filter_map(|value| number(value)).take(cpus.len()).collect()
            } else {
                let values = line.split(':').next().unwrap_or_default().split_whitespace();
                values.map_while(number).collect()
            };
            if values.is_empty() && harvest_has(&samples) {
                break;
            }
            if values.len() != cpus.len() {
                return Err(Problem::at(rank + 1, format!("a time for each of {} CPUs", cpus.len()), line));
            }
            for (&cpu, value) in cpus.iter().zip(values) {
                match samples.iter_mut().find(|known| known.0 == scenario && known.1 == cpu) {
                    Some(known) => known.2.push(value),
                    None => samples.push((scenario, cpu, vec![value])),
                }
            }
        }
        text.mark(rank);
        rank += 1;
    }
    let mut block = Block::new(kinds::LOCKED_INCREMENTS);
    for (scenario, cpu, mut values) in samples {
        values.retain(|value| value.is_finite());
        values.sort_by(f64::total_cmp);
        let Some(&median) = values.get(values.len() / 2) else { continue };
        let at = Coordinates::new().with(Axis::Cpu, cpu).with(Axis::Scenario, scenario);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = (squares / (values.len() as f64 - 1.0).max(1.0)).sqrt();
        let (min, max) = (values[0], values[values.len() - 1]);
        block.push(Value::latency(at, median).with_spread(min, max, mean, deviation));
    }
    harvest.add(block);
    Ok(rank)
}

fn harvest_has(samples: &[(&str, u64, Vec<f64>)]) -> bool {
    !samples.is_empty()
}

/// A row for each CPU, with the CPUs after it as columns.
fn pingpong(text: &mut Text, start: usize, harvest: &mut Harvest) -> usize {
    text.mark(start);
    let mut columns: Vec<u64> = Vec::new();
    let mut block = Block::new(kinds::CORE_TO_CORE);
    let mut rank = start + 1;
    while rank < text.len() {
        let line = text.line(rank).to_owned();
        let words: Vec<&str> = line.split_whitespace().collect();
        if line.is_empty() || line.to_ascii_lowercase().starts_with("times are in ns") {
        } else if columns.is_empty() {
            columns = words.iter().map_while(|word| count(word)).collect();
            if columns.len() != words.len() {
                break;
            }
        } else {
            let Some(from) = words[0].trim_end_matches(':').parse::<u64>().ok() else { break };
            let later: Vec<u64> = columns.iter().copied().filter(|&to| to > from).collect();
            // The matrix is a triangle: its last columns belong to the values.
            let values: Vec<f64> = words[1..].iter().filter_map(|word| first_number(word)).collect();
            if values.is_empty() || values.len() > later.len() {
                break;
            }
            for (&to, value) in later[later.len() - values.len()..].iter().zip(values) {
                let at = Coordinates::new().with(Axis::From, from).with(Axis::To, to);
                block.push(Value::latency(at, value));
            }
        }
        text.mark(rank);
        rank += 1;
    }
    harvest.add(block);
    rank
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_says_what_was_chased() {
        let (mut settings, mut shell) = (Settings::default(), Shell::default());
        assert!(shell.take(&Text::new("$ ./multichase -m 1g -s256 -c chaseload -n 5"), 0));
        shell.next(&mut settings);
        assert_eq!((settings.size, settings.stride), (Some(1 << 30), Some(256)));
        assert_eq!(settings.case(), "chaseload, stride 256");
    }
}
