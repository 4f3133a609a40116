//! lmbench: `lat_mem_rd`, `bw_mem`, the same blocks inside the results of a whole run, and the summary of several.
//!
//! `lat_mem_rd` prints sizes in units of 2^20 bytes, `bw_mem` sizes and rates in units of 10^6 bytes; before version 3 these were
//! 2^20, too. Which it is shows in the sizes: 512 bytes are 0.000512 or 0.00049.

mod sizes;
mod summary;

use zerohop_result::{Axis, Coordinates};
use zerohop_units::Bytes;
use zerohop_workload::Warning;

use crate::bound::{Binding, Bound};
use crate::commands::Commands;
use crate::coordinates::{threads_of, word};
use crate::format::{Declaration, Sign};
use crate::harvest::{Block, Harvest, Value};
use crate::kinds;
use crate::lines::Text;
use crate::number::{count, first_number, is_remark, number};
use crate::problem::Problem;
use crate::sample::{Sample, Seen};

use sizes::{megabyte, rounded};

pub(super) const FORMAT: Declaration = Declaration {
    name: "lmbench",
    words: "lmbench's lat_mem_rd and bw_mem, or a whole run",
    marks: &[
        "stride=",
        "lat_mem_rd",
        "bw_mem",
        "lmbench",
        "l m b e n c h",
        "bcopy",
        "read bandwidth",
        "memory latencies in",
    ],
    sign,
    cells: false,
    read,
};

const MEBIBYTE: f64 = 1_048_576.0;

fn sign(text: &Sample<'_>) -> Sign {
    let mut pairs = (0, 0);
    for Seen { line, lower, .. } in text.seen() {
        let is_block = stride(line).is_some()
            || bandwidth_title(lower).is_some()
            || stream(lower).is_some()
            || summary::title(lower).is_some();
        if is_block || lower.contains("lat_mem_rd") || lower.contains("bw_mem") || lower.contains("lmbench") {
            return Sign::Certain;
        }
        pairs.0 += 1;
        pairs.1 += usize::from(pair(line).is_some());
    }
    if labelled(text.seen().map(|seen| seen.line)) {
        return Sign::Certain;
    }
    // Two columns of numbers and nothing else.
    if pairs.0 > 0 && pairs.0 == pairs.1 { Sign::Likely } else { Sign::None }
}

/// `"stride=64`: the stride in bytes. Words may stand before the quotation mark, where somebody shows an example.
fn stride(line: &str) -> Option<u64> {
    let quoted = || line.split_once("\"stride=").map(|(_, rest)| rest);
    let rest = line.trim_start_matches('"').strip_prefix("stride=").or_else(quoted)?;
    count(rest.trim_end_matches(['"', ',', ' ']).trim_end_matches("bytes").trim_end())
}

/// The kernel of a block of bandwidths in a whole run, from its title.
fn bandwidth_title(lower: &str) -> Option<&'static str> {
    let title = lower.trim_start_matches(['"', '“', '”']);
    TITLES.iter().find(|(known, _)| title == *known).map(|(_, kernel)| *kernel)
}

/// Titles of blocks about memory. Others (files, pipes, sockets) are about the kernel.
const TITLES: [(&str, &str); 11] = [
    ("libc bcopy unaligned", "bcopy unaligned"),
    ("libc bcopy aligned", "bcopy aligned"),
    ("memory bzero bandwidth", "bzero"),
    ("unrolled bcopy unaligned", "unrolled bcopy"),
    ("unrolled partial bcopy unaligned", "unrolled partial bcopy"),
    ("memory read bandwidth", "rd"),
    ("memory partial read bandwidth", "partial rd"),
    ("memory write bandwidth", "wr"),
    ("memory partial write bandwidth", "partial wr"),
    ("memory partial read/write bandwidth", "partial rdwr"),
    ("memory copy bandwidth", "cp"),
];

/// The kernels of `bw_mem`.
const KERNELS: [&str; 9] = ["rd", "wr", "rdwr", "cp", "fwr", "frd", "fcp", "bzero", "bcopy"];

/// The kernel of `bw_mem -P 4 512m rd`. Prose has no options.
fn kernel(command: &str) -> Option<String> {
    let words = arguments(command, "bw_mem")?;
    let is_kernel = |word: &&&str| KERNELS.contains(*word) || word.starts_with('$');
    let kernel = words.iter().skip(1).rfind(is_kernel)?;
    Some(if kernel.starts_with('$') { "unstated".to_owned() } else { word(kernel) })
}

/// How many blocks `lat_mem_rd -P 1 64 128 256` prints: one for each stride, or one.
fn strides(command: &str) -> usize {
    let words = arguments(command, "lat_mem_rd").unwrap_or_default();
    let plain = (0..words.len()).filter(|&at| {
        let is_value = at > 0 && matches!(words[at - 1], "-p" | "-w" | "-n");
        !is_value && !words[at].starts_with('-')
    });
    // The first is the size.
    plain.count().saturating_sub(1).max(1)
}

/// Whether a line is a command that runs lmbench's `stream`, with options that McCalpin's does not have.
fn runs_stream(lower: &str) -> bool {
    let words = arguments(lower, "stream").unwrap_or_default();
    words.iter().any(|word| ["-p", "-m", "-w", "-n"].iter().any(|option| word.starts_with(option)))
}

/// The processes that a program of lmbench starts at once (`-P`), one if the command line does not say; `None` if a variable says it.
fn processes(command: &str, program: &str) -> Option<u64> {
    let mut words = command.split_whitespace().skip_while(|word| !word.contains(program));
    match words.find_map(|word| word.strip_prefix("-P")) {
        Some("") => words.next().and_then(count),
        Some(glued) => count(glued),
        None => Some(1),
    }
}

/// How a program ran: its processes, if they are known, and where they were bound.
#[derive(Debug, Clone, PartialEq)]
struct Ran {
    processes: Option<u64>,
    place: Option<Bound>,
}

impl Ran {
    const ALONE: Self = Self { processes: Some(1), place: None };

    fn of(place: Option<Bound>, command: Option<&str>, program: &str) -> Self {
        Self { processes: command.map_or(Some(1), |command| processes(command, program)), place }
    }

    /// In words, as part of a case; one process needs none.
    fn words(&self) -> Vec<String> {
        let several = (self.processes != Some(1)).then(|| count_of(self.processes));
        several.into_iter().chain(self.place.as_ref().map(Bound::words)).collect()
    }

    fn workers(&self) -> u32 {
        self.processes.and_then(|processes| u32::try_from(processes).ok()).unwrap_or(0)
    }
}

/// A number of processes, in the words that all tools share.
fn count_of(processes: Option<u64>) -> String {
    processes.map_or_else(|| "threads unstated".to_owned(), threads_of)
}

/// What stands behind a program on its command line, in lower case; `None` if a line of prose names it.
fn arguments<'a>(command: &'a str, program: &str) -> Option<Vec<&'a str>> {
    let (_, rest) = command.split_once(program)?;
    let rest = rest.split([';', '|', '&', '`', ')']).next()?;
    let words: Vec<&str> = rest.split_whitespace().take_while(|word| !word.contains('>')).collect();
    words.first()?.starts_with(|first: char| first.is_ascii_digit() || "-$".contains(first)).then_some(words)
}

/// Follows the command lines of a text.
#[derive(Debug, Default)]
struct Shell {
    binding: Binding,
    /// Whether each pair is what one `bw_mem` printed.
    prints_pairs: bool,
    /// Blocks of `lat_mem_rd` that are still to come of its command, and how they ran.
    blocks: (usize, Option<Ran>),
    /// The kernels that the last `stream` has printed, and how it ran.
    stream: (Vec<String>, String),
    /// The processes that a whole run starts at once.
    processes: Option<u64>,
}

impl Shell {
    /// Takes a line; returns the program that it runs.
    fn take(&mut self, text: &mut Text, rank: usize, lower: &str) -> Option<&'static str> {
        let program = match () {
            () if kernel(lower).is_some() => Some("bw_mem"),
            () if arguments(lower, "lat_mem_rd").is_some() => Some("lat_mem_rd"),
            () if runs_stream(lower) => Some("stream"),
            () => None,
        };
        let Some(program) = program else {
            // A heading, or the command line that runs all of lmbench.
            if self.binding.take(text, rank, "lmbench") {
                text.mark(rank);
            }
            return None;
        };
        // A prompt, a path or options are not needed here to tell a command from prose.
        self.binding.follow(Commands::of_line(text, rank, program));
        (self.prints_pairs, self.blocks) = (program == "bw_mem", (0, None));
        self.stream.0.clear();
        text.mark(rank);
        Some(program)
    }

    /// How the `stream` ran that prints a rate of this kernel: a kernel that comes again is of the next run.
    fn stream(&mut self, kernel: &str) -> String {
        if self.stream.0.is_empty() || self.stream.0.iter().any(|known| known == kernel) {
            let (place, command) = self.binding.next_with_command();
            // Without a command line, it is one of a script, or of a whole run (`[SYNC_MAX: 4]`).
            let processes = command.map_or(self.processes, |command| processes(command, "stream"));
            let processes = count_of(processes);
            let place = place.map(|place| format!(", {}", place.words())).unwrap_or_default();
            self.stream = (Vec::new(), format!("{processes}{place}"));
        }
        self.stream.0.push(kernel.to_owned());
        self.stream.1.clone()
    }

    /// What the next pair of `bw_mem` is, if its command is known.
    fn pair(&mut self) -> (Option<String>, Ran) {
        let (place, command) = self.binding.next_with_command();
        let kernel = command.map(str::to_ascii_lowercase).and_then(|lower| kernel(&lower));
        (kernel, Ran::of(place, command, "bw_mem"))
    }

    /// How the program ran that prints the next block of `lat_mem_rd`.
    fn block(&mut self) -> Ran {
        self.prints_pairs = false;
        if self.blocks.0 == 0 {
            let (place, command) = self.binding.next_with_command();
            let blocks = command.map_or(1, |command| strides(&command.to_ascii_lowercase()));
            self.blocks = (blocks, Some(Ran::of(place, command, "lat_mem_rd")));
        }
        self.blocks.0 -= 1;
        self.blocks.1.clone().unwrap_or(Ran::ALONE)
    }
}

/// The core or the node that a line above pairs of `lat_mem_rd` names: `core:24`, `cpu 3`, `node 1:`.
fn label(line: &str) -> Option<String> {
    let line = line.trim_end_matches(':').to_ascii_lowercase();
    let (what, number) = line.split_once([':', ' ', '='])?;
    let number = count(number.trim())?;
    matches!(what.trim(), "core" | "cpu" | "node").then(|| format!("{} {number}", what.trim()))
}

/// Whether `lat_mem_rd` printed a pair: its sizes have five decimals, and its latencies three.
fn is_latency_pair(line: &str) -> bool {
    let decimals = |word: &str| word.split_once('.').map(|(_, decimals)| decimals.len());
    let words: Vec<&str> = line.split_whitespace().collect();
    pair(line).is_some() && words.len() == 2 && words.iter().map(|word| decimals(word)).eq([Some(5), Some(3)])
}

/// Whether a text has what `grep` leaves of `lat_mem_rd`'s output on several cores: pairs below labels.
fn labelled<'a>(mut lines: impl Iterator<Item = &'a str>) -> bool {
    let mut above = "";
    lines.any(|line| {
        let is_pair = label(above).is_some() && is_latency_pair(line);
        above = line;
        is_pair
    })
}

/// A size and a value, before a remark.
fn pair(line: &str) -> Option<(f64, f64)> {
    let mut words = line.split_whitespace();
    let pair = (number(words.next()?)?, number(words.next()?)?);
    (words.next().is_none_or(is_remark) && pair.0 >= 0.0).then_some(pair)
}

/// What the pairs below a line are.
#[derive(Debug, Clone, PartialEq)]
enum Pairs {
    Latency { case: String, workers: u32 },
    Bandwidth { kernel: String, ran: Ran },
}

fn read(_: &str, text: &mut Text) -> Result<Harvest, Problem> {
    let mut harvest = Harvest::default();
    let mut pairs: Option<Pairs> = None;
    let mut random = false;
    let mut shell = Shell::default();
    let mut found: Vec<(Pairs, Vec<(f64, f64)>)> = Vec::new();
    let alone = text.lines().all(|(_, line)| pair(line).is_some());
    let is_labelled = labelled(text.lines().map(|(_, line)| line));
    summary::read(text, &mut harvest);
    let summarized: Vec<bool> = (0..text.len()).map(|rank| text.is_read(rank)).collect();
    for rank in (0..text.len()).filter(|&rank| !summarized[rank]) {
        let line = text.line(rank).to_owned();
        let lower = line.to_ascii_lowercase();
        if let Some(stride) = stride(&line) {
            let order = if random { ", random" } else { "" };
            let ran = shell.block();
            let case = [vec![format!("stride {stride}{order}")], ran.words()].concat().join(", ");
            start(&mut found, &mut pairs, Pairs::Latency { case, workers: ran.workers() });
            text.mark(rank);
        } else if let Some(kernel) = bandwidth_title(&lower) {
            shell.prints_pairs = false;
            let kind = Pairs::Bandwidth { kernel: kernel.to_owned(), ran: Ran::ALONE };
            start(&mut found, &mut pairs, kind);
            text.mark(rank);
        } else if let Some(program) = shell.take(text, rank, &lower) {
            random = program == "lat_mem_rd" && lower.split_whitespace().any(|option| option == "-t");
            if shell.prints_pairs {
                let (kernel, ran) = shell.pair();
                let kernel = kernel.unwrap_or_else(|| "unstated".to_owned());
                start(&mut found, &mut pairs, Pairs::Bandwidth { kernel, ran });
            }
        } else if let Some(case) = label(&line).filter(|_| is_labelled) {
            start(&mut found, &mut pairs, Pairs::Latency { case, workers: 1 });
            text.mark(rank);
        } else if let Some(values) = pair(&line) {
            if alone && pairs.is_none() {
                // What a lone `bw_mem` or `lat_mem_rd` prints: latencies stand in long columns.
                let kind = if text.lines().count() > 3 {
                    Pairs::Latency { case: "stride unstated".to_owned(), workers: 1 }
                } else {
                    Pairs::Bandwidth { kernel: "unstated".to_owned(), ran: Ran::ALONE }
                };
                start(&mut found, &mut pairs, kind);
            }
            // Several commands in a line, or a loop, print a pair each, in their order.
            if shell.prints_pairs
                && let Some((Pairs::Bandwidth { kernel: last, .. }, list)) = found.last()
                && !list.is_empty()
            {
                let (kernel, ran) = shell.pair();
                let is_output = pairs.is_some() || kernel.is_some();
                let kind = Pairs::Bandwidth { kernel: kernel.unwrap_or_else(|| last.clone()), ran };
                if is_output && found.last().is_some_and(|(known, _)| *known != kind) {
                    start(&mut found, &mut pairs, kind);
                }
            }
            if pairs.is_some()
                && let Some((_, list)) = found.last_mut()
            {
                list.push(values);
                text.mark(rank);
            }
        } else if let Some((kernel, rate)) = stream(&lower) {
            let case = shell.stream(&kernel);
            harvest.add(stream_block(case, &kernel, rate));
            text.mark(rank);
        } else if lower.starts_with("stream") && lower.contains(" latency:") {
            // Its bandwidth says the same.
            harvest.left_out.push(format!("line {}: {line}", text.number(rank)));
            text.mark(rank);
        } else if let Some(processes) = lower.strip_prefix("[sync_max:") {
            shell.processes = count(processes.trim_end_matches(']').trim());
            text.mark(rank);
        } else if lower.starts_with("memory load latency") || lower.starts_with("random load latency") {
            random = lower.starts_with("random");
            text.mark(rank);
        } else if lower.contains("lmbench version") || lower.contains("lmbench_ver") {
            harvest.version = lower
                .split(['-', ':'])
                .next_back()
                .map(|version| version.trim_end_matches(']').trim().to_owned());
            harvest.version = harvest.version.take().filter(|version| !version.is_empty());
            text.mark(rank);
        } else if let Some((kind, _)) = found.last().filter(|_| pairs.is_some()) {
            let begun = found.last().is_some_and(|(_, list)| !list.is_empty());
            let words: Vec<&str> = line.split_whitespace().collect();
            if let [size, value] = words.as_slice()
                && !begun
                && number(size).is_some()
                && !is_remark(value)
            {
                return Err(Problem::at(rank + 1, expected(kind), line));
            }
            // The end of a command may stand between it and its values.
            if begun && !line.is_empty() {
                pairs = None;
            }
        }
    }
    for (kind, list) in found {
        harvest.add(block(&kind, &list));
    }
    if harvest.is_empty() {
        return Err(Problem::of_text(
            "two columns of numbers below `\"stride=…` or a title of a bandwidth",
            "none",
        ));
    }
    Ok(harvest)
}

fn start(found: &mut Vec<(Pairs, Vec<(f64, f64)>)>, pairs: &mut Option<Pairs>, kind: Pairs) {
    *pairs = Some(kind.clone());
    found.push((kind, Vec::new()));
}

fn expected(kind: &Pairs) -> &'static str {
    match kind {
        Pairs::Latency { .. } => "a size in MiB and a latency in ns",
        Pairs::Bandwidth { .. } => "a size in MB and a bandwidth in MB/s",
    }
}

fn block(kind: &Pairs, list: &[(f64, f64)]) -> Block {
    let mut block = Block::new(match kind {
        Pairs::Latency { .. } => kinds::LOAD_LATENCY,
        Pairs::Bandwidth { .. } => kinds::BANDWIDTH_BY_SIZE,
    });
    let megabyte = megabyte(list);
    for (rank, &(size, value)) in list.iter().enumerate() {
        block.push(match kind {
            Pairs::Latency { case, workers } => {
                let bytes = rounded(size * MEBIBYTE);
                let at = Coordinates::new().with(Axis::Footprint, bytes).with(Axis::Case, case.as_str());
                let mut latency = Value::latency(at, value).with_workers(*workers, Bytes(bytes));
                let reason = dip(&list[..rank], value, &list[rank + 1..]);
                latency.warnings.extend(reason.map(|reason| Warning::Implausible { reason }));
                latency
            }
            Pairs::Bandwidth { kernel, ran } => {
                let bytes = rounded(size * megabyte);
                let at = Coordinates::new().with(Axis::Footprint, bytes).with(Axis::Kernel, kernel.as_str());
                let case = ran.words();
                let at = if case.is_empty() { at } else { at.with(Axis::Case, case.join(", ")) };
                let rate = if megabyte == 1e6 { value / 1e3 } else { value * megabyte / 1e9 };
                Value::bandwidth(at, rate).with_workers(ran.workers(), Bytes(bytes))
            }
        });
    }
    block
}

/// Why a latency cannot be true between those of a smaller and of a larger size: more memory never answers sooner by that much.
fn dip(before: &[(f64, f64)], value: f64, after: &[(f64, f64)]) -> Option<String> {
    const TIMES: f64 = 4.0;
    let ((_, before), (_, after)) = (before.last()?, after.first()?);
    (TIMES * value < before.min(*after))
        .then(|| format!("{value} ns between {before} ns for less memory and {after} ns for more"))
}

/// `STREAM copy bandwidth: 12345.67 MB/sec`, in lower case: the kernel and the rate of all processes in MB/s. Its second version has
/// kernels of its own (`STREAM2 copy`).
fn stream(lower: &str) -> Option<(String, f64)> {
    let (title, rest) = lower.split_once(" bandwidth:")?;
    let (version, kernel) = title.split_once(' ')?;
    let kernel = match version {
        "stream" => word(kernel),
        "stream2" => word(title),
        _ => return None,
    };
    Some((kernel, first_number(rest)?))
}

fn stream_block(case: String, kernel: &str, rate: f64) -> Block {
    let workers = case.split(' ').next().and_then(count).and_then(|count| u32::try_from(count).ok());
    let at = Coordinates::new().with(Axis::Case, case).with(Axis::Kernel, kernel);
    let mut block = Block::new(kinds::STREAM_BY_THREADS);
    block.push(Value::bandwidth(at, rate / 1e3).with_workers(workers.unwrap_or(0), Bytes(0)));
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_about_a_program_is_no_command() {
        let mut text = Text::new("bw_mem 3.0 was used\nlat_mem_rd prints two columns\nbw_mem 512m $k");
        let mut take = |rank: usize| {
            let lower = text.line(rank).to_owned();
            Shell::default().take(&mut text, rank, &lower)
        };
        assert_eq!([take(0), take(1), take(2)], [None, None, Some("bw_mem")]);
    }

    #[test]
    fn one_command_of_lat_mem_rd_prints_a_block_for_each_stride() {
        for (command, count) in [
            ("lat_mem_rd 512 64 128", 2),
            ("./lat_mem_rd -p 1 -n 3 -t 512m 64 2>&1 | tee log", 1),
            ("lat_mem_rd 512", 1),
            ("(lat_mem_rd -t 512 64 128 256) > log", 3),
        ] {
            assert_eq!(strides(command), count, "{command}");
        }
    }

    #[test]
    fn the_unit_of_a_size_shows_in_the_sizes() {
        assert_eq!(megabyte(&[(0.000512, 1.0), (0.001024, 1.0), (8.388608, 1.0)]), 1e6);
        assert_eq!(megabyte(&[(0.00049, 1.0), (8.00, 1.0)]), MEBIBYTE);
        assert_eq!(rounded(0.00049 * MEBIBYTE), 512);
        assert_eq!(rounded(8.39 * 1e6), 8 << 20);
    }
}
