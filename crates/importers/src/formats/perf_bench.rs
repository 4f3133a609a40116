//! `perf bench numa mem`: tests of threads and memory on nodes that its command lines name, each with the data that they moved in a second.
//!
//! ```text
//!  # Running RAM-bw-remote, "perf bench numa mem -p 1 -t 1 -P 1024 -C 0 -M 1 -s 20 -zZq"
//!          20.132 secs slowest (max) thread-runtime
//!           9.417 GB/sec/thread speed
//!           9.417 GB/sec total speed
//! ```
//!
//! Without `-q`, a row names its test, its unit and its quantity: `RAM-bw-local,  12.801, GB/sec,  total-speed`. Scripts keep such rows without names.

use zerohop_result::{Axis, Coordinates};
use zerohop_units::Bytes;

use crate::coordinates::word;
use crate::format::{Declaration, Sign, certain_if};
use crate::harvest::{Block, Harvest, Value};
use crate::kinds;
use crate::lines::Text;
use crate::number::{count, number};
use crate::problem::Problem;
use crate::sample::Sample;

pub(super) const FORMAT: Declaration = Declaration {
    name: "perf-bench-numa",
    words: "perf bench numa mem",
    marks: &["gb/sec total speed", "total-speed"],
    sign,
    cells: false,
    read,
};

fn sign(text: &Sample<'_>) -> Sign {
    certain_if(text, |lower| lower.contains("gb/sec total speed") || lower.contains("total-speed"))
}

/// What else it prints of a test, as the ends of rows.
const OTHERS: [&str; 18] = [
    "secs slowest (max) thread-runtime",
    "secs fastest (min) thread-runtime",
    "secs average thread-runtime",
    "% difference between max/avg runtime",
    "GB data processed, per thread",
    "GB data processed, total",
    "nsecs/byte/thread runtime",
    "GB/sec/thread speed",
    "secs latency to NUMA-converge",
    "runtime-max/thread",
    "runtime-min/thread",
    "runtime-avg/thread",
    "spread-runtime/thread",
    "data/thread",
    "data-total",
    "runtime/byte/thread",
    "thread-speed",
    "NUMA-convergence-latency",
];

/// A test: its name, and the processes and threads of its command line.
struct Test {
    name: String,
    workers: u32,
}

/// ` # Running RAM-bw-local, "perf bench numa mem -p 1 -t 1 …"`.
fn head(line: &str) -> Option<Test> {
    let rest = line.trim_start_matches(['#', ' ']).strip_prefix("Running ")?;
    let (name, command) = rest.split_once('"')?;
    let words: Vec<&str> = command.trim_end_matches('"').split_whitespace().collect();
    if !words.starts_with(&["perf", "bench", "numa"]) {
        return None;
    }
    let of = |option: &str| {
        let at = words.iter().position(|word| *word == option)?;
        count(words.get(at + 1)?).and_then(|count| u32::try_from(count).ok())
    };
    let workers = of("-p").unwrap_or(1).saturating_mul(of("-t").unwrap_or(1));
    Some(Test { name: word(name.trim().trim_end_matches(',')), workers })
}

/// The whole of a test's rate in GB/s, and the name in front of it, if the row has one.
fn total(line: &str) -> Option<(Option<&str>, f64)> {
    if let Some(rate) = line.strip_suffix("GB/sec total speed") {
        return Some((None, number(rate.trim())?));
    }
    let parts: Vec<&str> = line.split(',').map(str::trim).collect();
    match parts[..] {
        [name, rate, "GB/sec", "total-speed"] => Some((Some(name), number(rate)?)),
        [rate, "GB/sec", "total-speed"] => Some((None, number(rate)?)),
        _ => None,
    }
}

fn read(_: &str, text: &mut Text) -> Result<Harvest, Problem> {
    let mut harvest = Harvest::default();
    let mut read = Vec::new();
    let mut test = Test { name: "main".to_owned(), workers: 0 };
    for (rank, line) in text.lines() {
        if let Some(found) = head(line) {
            test = found;
        } else if let Some((name, rate)) = total(line) {
            let name = name.map_or_else(|| test.name.clone(), word);
            let at = Coordinates::new().with(Axis::Kernel, "numa-mem").with(Axis::Case, name);
            let mut block = Block::new(kinds::KERNEL_BANDWIDTH);
            block.push(Value::bandwidth(at, rate).with_workers(test.workers, Bytes(0)));
            harvest.add(block);
        } else if !OTHERS.iter().any(|other| line.ends_with(other)) {
            continue;
        }
        read.push(rank);
    }
    read.into_iter().for_each(|rank| text.mark(rank));
    if harvest.is_empty() {
        return Err(Problem::of_text("rows such as `12.8 GB/sec total speed`", "none"));
    }
    Ok(harvest)
}
