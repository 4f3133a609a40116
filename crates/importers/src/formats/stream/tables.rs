//! Tables that people make of STREAM's rates: kernels as columns, a row for each run; or a row for each kernel, and several columns.
//!
//! The unit is that of the cell or of the head or of a line beside the table or, without any, MB/s if the rates are so large that
//! they can be nothing else. Otherwise the table is left out by name.

use zerohop_result::{Axis, Coordinates};

use crate::coordinates::{threads_of, whole_machine, word};
use crate::harvest::{Block, Value};
use crate::kinds;
use crate::lines::Text;
use crate::number::{Token, count};
use crate::sample::Sample;
use crate::typed_tables::{SURELY_MEGABYTES, cells, rate, unit, unit_near};

/// Kernels under the names of STREAM and BabelStream, and under ours.
const KERNELS: [(&str, &str); 6] = [
    ("copy", "copy"),
    ("scale", "scale"),
    ("mul", "scale"),
    ("add", "add"),
    ("triad", "triad"),
    ("dot", "dot"),
];

/// Words beside a kernel's name in a head.
const BESIDE: [&str; 22] = [
    "stream",
    "best",
    "rate",
    "bandwidth",
    "bw",
    "gb",
    "gbs",
    "gbps",
    "gib",
    "mb",
    "mbs",
    "mbps",
    "mib",
    "s",
    "sec",
    "mbytes",
    "gbytes",
    "mibs",
    "mibps",
    "gibs",
    "gibps",
    "per",
];

/// A label without tabs around it has no more words than this.
const MOST_WORDS: usize = 8;

/// A table has no more kernels than this.
const MOST_KERNELS: usize = 12;

/// Lines without a row end a table, unless they are blank: no more of them.
const MOST_BLANK: usize = 1;

#[derive(Debug, PartialEq)]
pub(super) struct Table {
    pub(super) lines: Vec<usize>,
    rates: Vec<Rate>,
    of_devices: bool,
    /// Columns that are no rates of a kernel.
    others: Vec<String>,
}

#[derive(Debug, PartialEq)]
struct Rate {
    case: Case,
    kernel: &'static str,
    value: f64,
    unit: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Case {
    Threads(u64),
    Named(String),
    Whole,
}

/// Whether a text has such a table.
pub(super) fn is_any(text: &Sample<'_>) -> bool {
    text.seen().any(|seen| by_run(text, seen.rank).or_else(|| by_kernel(text, seen.rank)).is_some())
}

/// The tables of a text.
pub(super) fn tables(text: &Text) -> Vec<Table> {
    let mut tables = Vec::new();
    let mut rank = 0;
    while rank < text.len() {
        match by_run(text, rank).or_else(|| by_kernel(text, rank)) {
            Some(table) => {
                rank = table.lines.last().map_or(rank, |&last| last) + 1;
                tables.push(table);
            }
            None => rank += 1,
        }
    }
    tables
}

impl Table {
    /// Its values, in blocks, or what is left out of it.
    pub(super) fn blocks(self, text: &Text) -> (Vec<Block>, Vec<String>) {
        let ends = (self.lines.first().copied().unwrap_or(0), self.lines.last().copied().unwrap_or(0));
        let near = unit_near(|rank| text.line(rank), ends);
        let largest = self.rates.iter().map(|rate| rate.value).fold(0.0, f64::max);
        let own = self.rates.iter().find_map(|rate| rate.unit);
        let Some(scale) = own.or(near).or((largest > SURELY_MEGABYTES).then_some(1e-3)) else {
            return (
                Vec::new(),
                vec![format!(
                    "the table of line {}: the unit of its rates is not stated",
                    text.number(ends.0)
                )],
            );
        };
        // A row with a name may have run on more.
        let has_names = self.rates.iter().any(|rate| matches!(rate.case, Case::Named(_)));
        let most = self.rates.iter().filter_map(|rate| rate.case.threads()).max();
        let most = most.filter(|&most| most > 1 && !has_names);
        let mut blocks = [kinds::STREAM_BY_THREADS, kinds::STREAM, kinds::DEVICE_BANDWIDTH].map(Block::new);
        for Rate { case, kernel, value, unit } in self.rates {
            let threads = case.threads();
            let (block, at) = match case {
                Case::Named(device) if self.of_devices => {
                    let at = Coordinates::new()
                        .with(Axis::Initiator, device)
                        .with(Axis::Case, "memory of the device");
                    (2, at.with(Axis::Kernel, kernel))
                }
                Case::Threads(count) if Some(count) != most => {
                    let at = Coordinates::new().with(Axis::Case, threads_of(count));
                    (0, at.with(Axis::Kernel, kernel))
                }
                Case::Named(name) => {
                    (0, Coordinates::new().with(Axis::Case, name).with(Axis::Kernel, kernel))
                }
                Case::Threads(_) | Case::Whole => (1, whole_machine(Axis::Kernel, kernel)),
            };
            let workers = threads.and_then(|threads| u32::try_from(threads).ok()).unwrap_or(0);
            let value = Value::bandwidth(at, gigabytes(value, unit.unwrap_or(scale)));
            blocks[block].push(value.with_workers(workers, zerohop_units::Bytes(0)));
        }
        let others = self.others.into_iter().filter(|name| !name.is_empty());
        let left_out: Vec<String> = others
            .map(|name| format!("column `{}` of the table of line {}", word(&name), text.number(ends.0)))
            .collect();
        (blocks.into_iter().collect(), left_out)
    }
}

/// Divided, so that a value has the decimals that it was typed with.
fn gigabytes(value: f64, unit: f64) -> f64 {
    if unit == 1e-3 { value / 1e3 } else { value * unit }
}

impl Case {
    const fn threads(&self) -> Option<u64> {
        match self {
            Self::Threads(count) => Some(*count),
            _ => None,
        }
    }
}

/// The kernel of a column or of a row.
pub(super) fn kernel(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    let mut found = None;
    for word in lower.split(|one: char| !one.is_alphanumeric()).filter(|word| !word.is_empty()) {
        match KERNELS.into_iter().find(|(known, _)| *known == word) {
            Some((_, kernel)) if found.is_none() => found = Some(kernel),
            None if BESIDE.contains(&word) => {}
            _ => return None,
        }
    }
    found
}

/// A column, a rate in it, and the rate's own unit.
type Typed = (usize, f64, Option<f64>);

/// The head of a table with kernels as columns.
struct Head<'a> {
    names: Vec<&'a str>,
    kernels: Vec<Option<&'static str>>,
    /// The first column that is a kernel.
    first: usize,
}

impl<'a> Head<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let lower = line.to_ascii_lowercase();
        let names = cells(line);
        let kernels: Vec<_> = names.iter().map(|name| kernel(name)).collect();
        let first = kernels.iter().position(Option::is_some)?;
        let has = |name| kernels.contains(&Some(name));
        let several = kernels.iter().flatten().count() > 1 && (has("triad") || has("scale"));
        let one = has("triad") && first > 0 && unit(&lower).is_some() && names.len() <= MOST_WORDS;
        // The table by size of the first BabelStreams is that tool's.
        let is_other = lower.contains("arraysize") || lower.contains("arrayelements");
        ((several || one) && !is_other).then_some(Self { names, kernels, first })
    }

    fn row(&self, line: &str) -> Option<(Case, Vec<Typed>)> {
        let row = cells(line);
        let extra = row.len().saturating_sub(self.names.len());
        let is_typed = line.contains('\t');
        let most = if is_typed { usize::from(self.first == 0) } else { MOST_WORDS };
        if extra > most || row.len() <= self.first + extra {
            return None;
        }
        let (label, values) = row.split_at(self.first + extra);
        let mut rates = Vec::new();
        for (column, cell) in (self.first..).zip(values) {
            if self.kernels.get(column).is_none_or(Option::is_none) {
                continue;
            }
            match rate(cell) {
                Some((value, unit)) => rates.push((column, value, unit)),
                None if cell.is_empty() || !Token::of(cell).is_word() => {}
                None => return None,
            }
        }
        let case = self.case(&label.join(if is_typed { ", " } else { " " }));
        Some((case, rates))
    }

    fn case(&self, label: &str) -> Case {
        let name = self.names[..self.first].join(", ");
        let lower = name.to_lowercase();
        let of_threads = ["thread", "omp", "线程"].iter().any(|word| lower.contains(word));
        match count(label) {
            _ if label.is_empty() => Case::Whole,
            Some(threads) if of_threads && threads > 0 => Case::Threads(threads),
            Some(_) if !name.is_empty() => Case::Named(word(&format!("{name} {label}"))),
            _ => Case::Named(word(label)),
        }
    }
}

/// The table whose head is that line.
fn by_run(text: &Text, start: usize) -> Option<Table> {
    let line = text.line(start);
    let head = Head::of(line)?;
    let (mut lines, mut rates) = (vec![start], Vec::new());
    let mut blank = 0;
    for rank in start + 1..text.len() {
        let line = text.line(rank);
        if line.is_empty() {
            blank += 1;
            if blank > MOST_BLANK {
                break;
            }
            continue;
        }
        let Some((case, row)) = head.row(line) else { break };
        blank = 0;
        // A run that failed.
        if row.is_empty() {
            continue;
        }
        for (column, value, unit) in row {
            let unit = unit.or_else(|| self::unit(&head.names[column].to_ascii_lowercase()));
            let Some(kernel) = head.kernels[column] else { continue };
            rates.push(Rate { case: case.clone(), kernel, value, unit });
        }
        lines.push(rank);
    }
    let others = (head.first..head.names.len()).filter(|&column| head.kernels[column].is_none());
    let others = others.map(|column| head.names[column].to_owned()).collect();
    let of_devices = head.names[..head.first].iter().any(|name| is_of_device(name));
    (!rates.is_empty()).then_some(Table { lines, rates, of_devices, others })
}

fn is_of_device(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower.contains("gpu") || lower.contains("device")
}

/// The first cell of a line, in lower case.
fn label(line: &str) -> String {
    line.split('\t').next().unwrap_or_default().to_ascii_lowercase()
}

/// A row of a kernel: its cells, as text.
fn row_of_kernel(line: &str) -> Option<(&'static str, Vec<String>)> {
    if line.contains('\t') {
        let cells = cells(line);
        let kernel = kernel(cells.first()?.trim_end_matches(':'))?;
        return Some((kernel, cells[1..].iter().map(|cell| (*cell).to_owned()).collect()));
    }
    // Kernel developers print the change behind each rate: `Copy: 97700.5 (0.00 pct) 95930.5 (-1.80 pct)`.
    let (name, rest) = line.split_once(':')?;
    let kernel = kernel(name.trim()).filter(|_| is_compared(line) || has_rates_alone(rest))?;
    let (mut cells, mut inside) = (Vec::new(), false);
    for word in rest.split_whitespace() {
        inside |= word.starts_with('(');
        if !inside && word != "*" {
            cells.push(word.to_owned());
        }
        inside &= !word.ends_with(')');
    }
    (cells.len() > 1).then_some((kernel, cells))
}

fn is_compared(line: &str) -> bool {
    line.contains("pct)") || line.contains("%)")
}

/// Whether values are so large that none of them is a time.
fn has_rates_alone(rest: &str) -> bool {
    const SURELY_RATE: f64 = 100.0;
    rest.split_whitespace().all(|word| rate(word).is_some_and(|(value, _)| value >= SURELY_RATE))
}

/// The names of columns between blanks: as many words as a row has values, and one above the kernels.
fn names_between_blanks(line: &str, columns: usize) -> Option<Vec<&str>> {
    let names: Vec<&str> = line.split_whitespace().collect();
    let lower = line.to_ascii_lowercase();
    (names.len() == columns + 1 && !lower.contains("time") && !lower.contains("rate")).then_some(names)
}

/// The table whose first row is that line, a row for each kernel.
fn by_kernel(text: &Text, start: usize) -> Option<Table> {
    let mut rows = Vec::new();
    for rank in start..text.len().min(start + MOST_KERNELS) {
        let Some((kernel, row)) = row_of_kernel(text.line(rank)) else { break };
        rows.push((rank, kernel, row));
    }
    let columns = rows.first()?.2.len();
    let has = |name: &str| rows.iter().any(|(_, kernel, _)| *kernel == name);
    let is_even = rows.iter().all(|(_, _, row)| row.len() == columns);
    if rows.len() < 2 || !is_even || !(has("triad") || has("scale")) {
        return None;
    }
    let is_typed = text.line(start).contains('\t');
    let above = (start.saturating_sub(2)..start).rev().find(|&rank| !text.line(rank).is_empty());
    let is_compared = is_compared(text.line(start));
    let head_of = |line| match row_of_kernel(line) {
        None if is_typed && line.contains('\t') => Some(cells(line)),
        None if !is_typed && !is_compared => names_between_blanks(line, columns),
        _ => None,
    };
    let above = above.filter(|&rank| head_of(text.line(rank)).is_some());
    let head: Vec<&str> = above.and_then(|rank| head_of(text.line(rank))).unwrap_or_default();
    // STREAM's own table, with times beside the rates, is read elsewhere.
    let lower = head.join(" ").to_ascii_lowercase();
    if lower.contains("time") || lower.starts_with("function") || !is_compared && head.is_empty() {
        return None;
    }
    let corner = usize::from(head.len() == columns + 1);
    let name = |column: usize| head.get(corner + column).map_or_else(String::new, |name| (*name).to_owned());
    let of_rates: Vec<usize> =
        (0..columns).filter(|&column| rows.iter().any(|(_, _, row)| rate(&row[column]).is_some())).collect();
    let case = |column: usize| match name(column) {
        _ if of_rates.len() == 1 => Case::Whole,
        name if name.is_empty() => Case::Named(format!("column {}", column + 1)),
        name => Case::Named(word(&name)),
    };
    let mut rates = Vec::new();
    for (rank, kernel, row) in &rows {
        for &column in &of_rates {
            let Some((value, own)) = rate(&row[column]) else { continue };
            let beside =
                || unit(&name(column).to_ascii_lowercase()).or_else(|| unit(&label(text.line(*rank))));
            rates.push(Rate { case: case(column), kernel, value, unit: own.or_else(beside) });
        }
    }
    let others = (0..columns).filter(|column| !of_rates.contains(column)).map(name).collect();
    let lines = above.into_iter().chain(rows.iter().map(|(rank, _, _)| *rank)).collect();
    let of_devices = head.iter().skip(corner).any(|name| is_of_device(name));
    (!rates.is_empty()).then_some(Table { lines, rates, of_devices, others })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, f64)> {
        let text = Text::new(text).with_tabs();
        let blocks = tables(&text).into_iter().flat_map(|table| table.blocks(&text).0);
        let values = blocks.flat_map(|block| block.values);
        values.map(|value| (value.at.to_string(), value.estimate.median)).collect()
    }

    #[test]
    fn kernels_are_known_beside_units() {
        for (name, found) in [
            ("Copy", Some("copy")),
            ("Triad (MB/s)", Some("triad")),
            ("copy_mbps", Some("copy")),
            ("triad*", Some("triad")),
            ("Mul", Some("scale")),
            ("Copy, 4 ch", None),
            ("Copy Add", None),
            ("", None),
        ] {
            assert_eq!(kernel(name), found, "{name}");
        }
    }

    #[test]
    fn columns_of_kernels_may_be_parted_by_blanks() {
        let rows =
            "Copy:    10,566.5     10,421\nAdd:     12,044.1     11,814.5\nTriad:   12,064.5     11,846.5\n";
        let table = format!("Avg throughput in MB/s of 20 runs\nTest     old      old+patch\n{rows}");
        let found = read(&table);
        assert_eq!(found.len(), 6);
        assert!(found.iter().any(|(at, rate)| at.contains("old+patch") && *rate == 10.421), "{found:?}");
        assert_eq!(read(rows), []);
    }

    #[test]
    fn what_is_no_table_of_rates_is_none() {
        for text in [
            "Usage: stream Copy Scale Add Triad\nwith 4 threads\n",
            "| Function | Best Rate MB/s | Avg time |\n| Copy | 20100.5 | 0.03 |\n| Triad | 20200.5 | 0.03 |\n",
            "name,copy,add\na,1,2\n",
            "# ArrayElements ArraySize(MB) Copy(MBytes/s) Mul(MBytes/s)\n 1024 0.003 9500.5 9600.5\n",
        ] {
            assert_eq!(read(text), [], "{text}");
        }
    }
}
