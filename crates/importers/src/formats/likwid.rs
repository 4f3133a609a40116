//! likwid-bench: a kernel's name and its bandwidth in MByte/s of 10^6 bytes.

mod workgroup;

use zerohop_result::{Axis, Coordinates};
use zerohop_units::Bytes;
use zerohop_workload::Warning;

use crate::bound::{Binding, Bound};
use crate::coordinates::{threads_of, word};
use crate::format::{Declaration, Sign};
use crate::harvest::{Block, Harvest, Value};
use crate::kinds;
use crate::lines::Text;
use crate::number::{Token, count, first_number, number};
use crate::problem::Problem;
use crate::redundancy::contradicted;
use crate::sample::Sample;

use workgroup::Workgroups;

pub(super) const FORMAT: Declaration = Declaration {
    name: "likwid-bench",
    words: "likwid-bench",
    marks: &["likwid", "mbyte/s", "mbytes/s"],
    sign,
    cells: false,
    read,
};

fn sign(text: &Sample<'_>) -> Sign {
    let has = |words: &str| text.any_as_is(|line| line.contains(words));
    match () {
        () if has("LIKWID MICRO BENCHMARK") || has("likwid-bench -t") => Sign::Certain,
        () if text.any_as_is(|line| Columns::of(line).is_some()) => Sign::Certain,
        () if has("MByte/s:") || has("MByte/s\t") => Sign::Likely,
        () => Sign::None,
    }
}

/// A run, until its bandwidth is printed.
#[derive(Debug, Default)]
struct Run {
    kernel: Option<String>,
    threads: u64,
    bytes: Option<u64>,
    clock_ghz: Option<f64>,
    seconds: Option<f64>,
    volume: Option<f64>,
    /// Where it was bound, if the text says that it was.
    place: Option<Bound>,
    groups: Workgroups,
}

impl Run {
    /// Takes the threads and the size of its groups, which the output may state more exactly.
    fn take(&mut self, groups: &Workgroups) {
        self.groups = groups.clone();
        self.threads = groups.threads().unwrap_or(0);
        self.bytes = groups.bytes();
    }
}

/// Whether a value is the first of a calculation, as in `148545.59 / 1024 = 145`.
fn is_sum(value: &str) -> bool {
    let mut words = value.split_whitespace();
    let first = words.next().and_then(number);
    first.is_some()
        && words.next().is_some_and(|word| matches!(word, "/" | "*" | "x" | "=" | "+" | "≈" | "~"))
}

fn read(_: &str, text: &mut Text) -> Result<Harvest, Problem> {
    let mut harvest = Harvest::default();
    let (mut run, mut binding) = (Run::default(), Binding::default());
    let mut columns: Option<Columns> = None;
    for rank in 0..text.len() {
        let line = text.line(rank).to_owned();
        if let Some(head) = Columns::of(&line) {
            columns = Some(head);
            text.mark(rank);
            continue;
        }
        if let Some(columns) = columns.as_ref().filter(|_| line.contains('\t')) {
            if let Some((run, rate)) = columns.row(&line, rank)? {
                harvest.add(block(&run, rate));
                text.mark(rank);
            }
            continue;
        }
        if binding.take(text, rank, "likwid-bench") {
            text.mark(rank);
        }
        if let Some((_, options)) = line.split_once("likwid-bench ") {
            let mut words = options.split_whitespace();
            if words.any(|option| option == "-t") {
                run = Run { kernel: words.next().map(word), ..Run::default() };
                run.take(&Workgroups::of_command(options));
                text.mark(rank);
            }
            continue;
        }
        // A table lacks the colon.
        let bare = || line.split_once('\t').filter(|(name, _)| name.trim() == "MByte/s");
        let known = match line.split_once(':').or_else(bare) {
            Some((name, value)) => {
                let value = value.trim();
                match name.trim() {
                    "Test" => {
                        // What the command line said of this run still holds.
                        let groups = std::mem::take(&mut run.groups);
                        run = Run { kernel: Some(word(value)), ..Run::default() };
                        run.take(&groups);
                    }
                    "Allocate" | "Initialization" => run.groups.take_allocation(value),
                    // Older versions leave out the unit.
                    "Size (Byte)" | "Size" if count(value).is_some() => run.bytes = count(value),
                    "Time" => run.seconds = value.split_whitespace().next().and_then(number),
                    "Data volume (Byte)" => run.volume = number(value),
                    "CPU Clock" => run.clock_ghz = first_number(value).map(|hertz| hertz / 1e9),
                    // What somebody calculates with it stands elsewhere, too.
                    "MByte/s" if is_sum(value) => continue,
                    "MByte/s" => {
                        let Token::Number(rate) = Token::of(value) else {
                            return Err(Problem::at(rank + 1, "a bandwidth in MByte/s", value));
                        };
                        // The groups of the next run are its own.
                        let groups = std::mem::take(&mut run.groups);
                        run.place = binding.next().or_else(|| groups.place());
                        harvest.add(block(&run, rate / 1e3));
                    }
                    name if KNOWN.iter().any(|known| name.starts_with(known)) => {}
                    _ => continue,
                }
                true
            }
            None if line.starts_with("Using ") => {
                if line.ends_with("threads") {
                    run.threads = first_number(&line).unwrap_or(0.0) as u64;
                }
                line.ends_with("threads") || line.ends_with("work groups")
            }
            None => line.starts_with("LIKWID MICRO") || line.starts_with("Running without Marker"),
        };
        if known {
            text.mark(rank);
        }
    }
    if harvest.is_empty() {
        return Err(Problem::of_text("a line `MByte/s: …`", "none"));
    }
    Ok(harvest)
}

/// The columns of a table with a row for each run, which scripts and spreadsheets make of its values.
struct Columns {
    count: usize,
    kernel: usize,
    rate: usize,
    threads: Option<usize>,
    bytes: Option<usize>,
}

impl Columns {
    /// Those of a head such as `Test, Threads, Size (Byte), MByte/s`.
    fn of(line: &str) -> Option<Self> {
        let names: Vec<String> = line.split('\t').map(|name| name.trim().to_ascii_lowercase()).collect();
        let at = |known: &[&str]| names.iter().position(|name| known.contains(&name.as_str()));
        Some(Self {
            count: names.len(),
            kernel: at(&["test", "kernel", "benchmark"])?,
            rate: at(&["mbyte/s", "mbytes/s", "bandwidth [mbyte/s]", "bandwidth (mbyte/s)"])?,
            threads: at(&["threads", "nthreads", "num threads", "#threads", "number of threads"]),
            bytes: at(&["size (byte)", "size [byte]", "bytes", "size (bytes)"]),
        })
    }

    fn row(&self, line: &str, rank: usize) -> Result<Option<(Run, f64)>, Problem> {
        let cells: Vec<&str> = line.split('\t').map(str::trim).collect();
        if cells.len() != self.count {
            return Ok(None);
        }
        let number = |column: Option<usize>| column.and_then(|column| count(cells[column]));
        match Token::of(cells[self.rate]) {
            Token::Number(rate) => {
                let kernel = Some(word(cells[self.kernel]));
                let threads = number(self.threads).unwrap_or(0);
                let run = Run { kernel, threads, bytes: number(self.bytes), ..Run::default() };
                Ok(Some((run, rate / 1e3)))
            }
            Token::Word => Err(Problem::at(rank + 1, "a bandwidth in MByte/s", cells[self.rate])),
            Token::Gap | Token::NotFinite => Ok(None),
        }
    }
}

fn block(run: &Run, rate: f64) -> Block {
    let mut at = Coordinates::new().with(Axis::Kernel, run.kernel.as_deref().unwrap_or("unstated"));
    let threads = (run.threads > 0).then(|| threads_of(run.threads));
    let case: Vec<String> = threads.into_iter().chain(run.place.as_ref().map(Bound::words)).collect();
    if !case.is_empty() {
        at = at.with(Axis::Case, case.join(", "));
    }
    if let Some(bytes) = run.bytes {
        at = at.with(Axis::Footprint, bytes);
    }
    let workers = u32::try_from(run.threads).unwrap_or(0);
    let mut value = Value::bandwidth(at, rate).with_workers(workers, Bytes(run.bytes.unwrap_or(0)));
    value.clock_ghz = run.clock_ghz.filter(|clock| (0.1..20.0).contains(clock));
    value.warnings.extend(contradiction(run, rate).map(|reason| Warning::Implausible { reason }));
    let mut block = Block::new(kinds::KERNEL_BANDWIDTH);
    // A kernel without memory has no bandwidth: `peakflops` prints 0.
    if rate != 0.0 || !run.kernel.as_ref().is_some_and(|kernel| kernel.starts_with("peakflops")) {
        block.push(value);
    }
    block
}

/// Why a rate in GB/s cannot be that of a run which moved its volume in its time: somebody changed one of them, or the unit.
fn contradiction(run: &Run, rate: f64) -> Option<String> {
    /// Volume, time and rate are printed with six digits or more.
    const TOLERANCE: f64 = 0.02;
    let seconds = run.seconds.filter(|seconds| *seconds > 0.0)?;
    contradicted(rate, (run.volume?, seconds), TOLERANCE, "the volume and the time")
}

const KNOWN: [&str; 22] = [
    "Group",
    "Cycles",
    "Cycle Clock",
    "Iterations",
    "Inner loop executions",
    "Size per thread",
    "Number of Flops",
    "MFlops/s",
    "Cycles per update",
    "Loads per update",
    "Stores per update",
    "Load bytes per element",
    "Store bytes per elem.",
    "Load/store ratio",
    "Instructions",
    "UOPs",
    "Runtime",
    "Vectorlength",
    "Size",
    "Warning",
    "Sanitizing",
    "Running with Marker API",
];
