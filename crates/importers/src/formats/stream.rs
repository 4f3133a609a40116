//! McCalpin's STREAM, in C and in Fortran, several runs in a file.
//!
//! A rate is the best of several iterations, in MB/s of 10^6 bytes. The rates of the mean and of the longest time stand beside it
//! as mean and minimum. STREAM says nothing about where its threads ran: the run with the most threads of a text is taken as
//! the whole machine, others are a kind by number of threads. Scripts keep its rates as JSON, too.

mod banner;
mod checks;
mod device;
mod json;
mod run;
mod tables;

use std::collections::{HashMap, HashSet};

use zerohop_result::{Axis, Coordinates};
use zerohop_workload::Warning;

use crate::bound::{Binding, Bound, exported_threads};
use crate::coordinates::{threads_of, word};
use crate::format::{Declaration, Sign};
use crate::harvest::{Block, Harvest, Value};
use crate::kinds;
use crate::lines::Text;
use crate::number::{Token, count, is_remark, number, thousands};
use crate::problem::Problem;
use crate::sample::{Sample, Seen};
use crate::structured;

use banner::surroundings;
use run::{LEAST_IN_MEGABYTES, Row, Run};

pub(super) const FORMAT: Declaration = Declaration {
    name: "stream",
    words: "McCalpin's STREAM, in C and Fortran",
    marks: &["stream version", "function", "copy", "triad", "best rate"],
    sign,
    cells: false,
    read,
};

/// The kernels, under STREAM's names and ours.
const KERNELS: [(&str, &str); 4] = [("copy", "copy"), ("scale", "scale"), ("add", "add"), ("triad", "triad")];

/// BabelStream's, where somebody quotes a rate with its unit.
const QUOTED: [(&str, &str); 2] = [("mul", "scale"), ("dot", "dot")];

fn sign(text: &Sample<'_>) -> Sign {
    let (mut kernels, mut others) = (0, 0);
    let mut rates_alone = HashSet::new();
    for Seen { line, lower, .. } in text.seen() {
        if is_head(lower) && unit(lower).is_some() || lower.contains("stream version $") {
            return Sign::Certain;
        }
        let Some((_, row)) = labelled(line, false) else {
            others += 1;
            continue;
        };
        kernels += usize::from(row.numbers.len() == 4);
        others += usize::from(!row.is_as_printed(line));
        // Rates that somebody quotes without times: without a unit they are in MB/s, as STREAM prints them.
        if let [rate] = row.numbers[..]
            && (row.unit.is_some() || rate >= LEAST_IN_MEGABYTES)
        {
            rates_alone.insert(row.kernel);
        }
    }
    // What `grep` leaves of a run.
    let is_grepped = others == 0 && (kernels > 0 || !rates_alone.is_empty());
    let is_typed = || tables::is_any(text) || text.has_json() && !json::runs(text).is_empty();
    if kernels >= 3 || rates_alone.len() >= 3 || is_grepped || is_typed() {
        Sign::Certain
    } else {
        Sign::None
    }
}

/// A row, and what a label in front of it says about its place: `Node 0 local: Triad: 12345.6 …`.
fn labelled(line: &str, below_head: bool) -> Option<(Option<Bound>, Row)> {
    if let Some(row) = row(line, below_head) {
        return Some((None, row));
    }
    let lower = line.to_ascii_lowercase();
    let (at, _) = KERNELS.iter().find_map(|(name, _)| lower.match_indices(&format!("{name}:")).next())?;
    let label = line[..at].trim_end_matches([':', ' ', '\t', '-', '>', ',', ';']);
    Some((Some(Bound::of_label(label)?), row(&line[at..], below_head)?))
}

/// A row with a colon behind the kernel's name; below a head, tables of spreadsheets and of Markdown may lack it.
fn row(line: &str, below_head: bool) -> Option<Row> {
    let bare = || {
        let (name, rest) = line.split_once(char::is_whitespace)?;
        let words: Vec<&str> = rest.split_whitespace().collect();
        // Versions in other frameworks print `Copy 258916.39 MB/s`.
        let is_rate = matches!(words[..], [rate, of] if number(rate).is_some() && unit(&of.to_ascii_lowercase()).is_some());
        (below_head || is_rate).then_some((name, rest))
    };
    let (name, rest) = line.split_once(':').or_else(bare)?;
    // Versions for MPI print the name of the host in front.
    let mut names = name.split_whitespace().rev();
    let name = names.next()?.to_ascii_lowercase();
    let host = names.next();
    let (_, kernel) = KERNELS.into_iter().chain(QUOTED).find(|(known, _)| *known == name)?;
    // A version for several nodes prints `0->0`, the nodes that it copies between.
    let rest = rest.trim_start();
    let rest = rest
        .split_once(char::is_whitespace)
        .filter(|(first, _)| is_direction(first))
        .map_or(rest, |(_, rest)| rest);
    let value = |(rank, word): (usize, &str)| {
        // Somebody quotes it from memory.
        let word = word.trim_start_matches(['~', '≈']);
        number(word).or_else(|| if rank == 0 { thousands(word) } else { None })
    };
    let numbers: Vec<f64> = rest.split_whitespace().enumerate().map_while(value).collect();
    if names.next().is_some() || host.is_some() && numbers.len() != 4 {
        return None;
    }
    // A unit may follow the rate, where somebody quotes it.
    let words = rest.split_whitespace().skip(numbers.len());
    let words: Vec<&str> = words.filter(|word| !word.ends_with('%')).collect();
    let unit = match words.as_slice() {
        [] => None,
        [word] if !is_remark(word) => Some(unit(&word.to_ascii_lowercase())?),
        [word, ..] if is_remark(word) => None,
        _ => return None,
    };
    let is_known = unit.is_some() || KERNELS.iter().any(|(known, _)| *known == name);
    let rate = rest.split_whitespace().next().unwrap_or_default();
    let decimals = rate.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    (is_known && !numbers.is_empty()).then_some(Row { kernel, numbers, decimals, unit })
}

/// `Function Best Rate MB/s Avg time Min time Max time`, or rates alone. People give the first column other names (`Task`).
fn is_head(lower: &str) -> bool {
    let is_renamed = || {
        let first = lower.split(['\t', ' ']).next().unwrap_or_default();
        ["task", "kernel", "test", "operation", "benchmark", "type"].contains(&first)
            && ["rate", "time"].iter().all(|word| lower.contains(word))
            && unit(lower).is_some()
    };
    lower.starts_with("function") && (lower.contains("rate") || has_rates_alone(lower)) || is_renamed()
}

/// The line that somebody wrote above the head of a table, as a heading.
fn heading(text: &Text, head: usize) -> Option<(usize, String)> {
    const MOST_WORDS: usize = 16;
    let rank = (head.saturating_sub(2)..head).rev().find(|&rank| !text.line(rank).is_empty())?;
    let line = text.line(rank).trim_start_matches('#').trim().trim_end_matches(':');
    let is_words = line.split_whitespace().count() <= MOST_WORDS && line.contains(char::is_alphabetic);
    let is_output = line.contains(['=', '$', '\t']) || row(line, false).is_some() || line.contains("./");
    (text.is_open(rank) && is_words && !is_output).then(|| (rank, word(line)))
}

/// `Function Best GB/s Avg GB/s Worst GB/s`.
fn has_rates_alone(lower: &str) -> bool {
    lower.split_whitespace().nth(1) == Some("best") && unit(lower).is_some() && !lower.contains("time")
}

/// Whether a text has a rate behind the name of a kernel, whatever its unit.
pub(crate) fn has_rates(text: &str) -> bool {
    text.lines().map(str::to_ascii_lowercase).any(|line| {
        KERNELS.iter().any(|(name, _)| {
            let rest = line.split_once(&format!("{name}:")).map(|(_, rest)| rest);
            rest.and_then(|rest| rest.split_whitespace().next()).and_then(number).is_some()
        })
    })
}

fn is_direction(word: &str) -> bool {
    word.split_once("->").is_some_and(|(from, to)| count(from).is_some() && count(to).is_some())
}

/// Decimal GB/s in the unit of a head's rate.
fn unit(lower: &str) -> Option<f64> {
    match () {
        () if lower.contains("ratembs") => Some(1e-3),
        () if lower.contains("gbit/s") => Some(0.125),
        () if lower.contains("mbit/s") => Some(0.125e-3),
        () if lower.contains("mib/s") => Some(1.048_576e-3),
        () if lower.contains("gib/s") => Some(1.073_741_824),
        () if lower.contains("gb/s") => Some(1.0),
        () if lower.contains("mb/s") => Some(1e-3),
        () => None,
    }
}

fn read(_: &str, text: &mut Text) -> Result<Harvest, Problem> {
    let mut harvest = Harvest::default();
    let mut runs: Vec<Run> = Vec::new();
    let (mut next, mut binding) = (Run::default(), Binding::default());
    let (mut scale, mut head, mut last) = (1e-3, None, None);
    let (mut device, mut exported) = (None, None);
    let tables = tables::tables(text);
    let of_tables: HashSet<usize> = tables.iter().flat_map(|table| &table.lines).copied().collect();
    for rank in (0..text.len()).filter(|rank| !of_tables.contains(rank)) {
        let line = text.line(rank).to_owned();
        let lower = line.to_ascii_lowercase();
        if is_head(&lower) {
            if has_rates_alone(&lower) {
                harvest.left_out.push(format!("mean and worst rates below line {}", text.number(rank)));
            }
            if let Some(unit) = unit(&lower) {
                scale = unit;
            }
            head.get_or_insert(rank);
            last = Some(rank);
            next.heading = heading(text, rank);
            text.mark(rank);
        } else if let Some((label, row)) = labelled(&line, last.is_some_and(|last| rank <= last + NEAR)) {
            // A kernel that comes again, another label, or a line about threads since the last row, begins a run.
            let begins = next.heading.is_some()
                || label.is_some() && runs.last().is_none_or(|run| run.bound != label)
                || next.version.is_some()
                || next.threads.is_some()
                || next.buffers.get() > 0;
            let repeats =
                runs.last().is_none_or(|run| run.rows.iter().any(|known| known.kernel == row.kernel));
            if begins || repeats {
                let (bound, threads) = binding.next_with_threads();
                next.bound = label.or(bound);
                next.threads = next.threads.or(threads);
                next.device.clone_from(&device);
                next.exported = exported;
                runs.push(std::mem::take(&mut next));
            }
            let unit = row.unit.unwrap_or(scale);
            let scaled = Row { numbers: scaled(&row.numbers, unit), unit: Some(unit), ..row };
            last = Some(rank);
            if let Some(run) = runs.last_mut() {
                run.rows.push(scaled);
            }
            text.mark(rank);
        } else if let Some((name, rest)) =
            kernel_name(&line).filter(|_| last.is_some_and(|last| rank <= last + NEAR))
        {
            if Token::of(rest.split_whitespace().next().unwrap_or_default()).is_word() {
                return Err(Problem::at(rank + 1, format!("the rate of {name} in MB/s"), rest));
            }
            harvest.tool_says(format!("line {}: {line}", text.number(rank)));
            text.mark(rank);
        } else if let Some(named) = device::named(&line, device.as_deref()) {
            device = Some(named);
            text.mark(rank);
        } else if let Some(threads) = exported_threads(&line) {
            exported = Some(threads);
            text.mark(rank);
        } else if surroundings(&line, &lower, &mut next, &mut harvest) || binding.take(text, rank, "stream") {
            text.mark(rank);
        }
    }
    for table in tables {
        let lines = table.lines.clone();
        let (blocks, left_out) = table.blocks(text);
        harvest.left_out.extend(left_out);
        if blocks.iter().any(|block| !block.values.is_empty()) {
            lines.into_iter().for_each(|rank| text.mark(rank));
        }
        blocks.into_iter().for_each(|block| harvest.add(block));
    }
    runs.extend(of_json(text, &mut harvest));
    if runs.is_empty() && harvest.blocks == 0 {
        if let Some(what) = harvest.left_out.pop() {
            return Err(Problem::of_text("rates with a unit (`MB/s` in the head of the table)", what));
        }
        return Err(match head {
            Some(rank) => {
                let next = (rank + 1..text.len()).find(|&rank| !text.line(rank).is_empty());
                let found = next.map_or("none", |rank| text.line(rank));
                let at = next.unwrap_or(rank) + 1;
                Problem::at(at, "rows such as `Copy: 12345.6 …` below the head", found)
            }
            None => Problem::of_text("rows such as `Copy: 12345.6 …`", "none"),
        });
    }
    for run in &mut runs {
        // The C program prints its threads if it was built for several. Where the banner was shortened, nobody knows.
        if run.version.is_some() && run.threads.is_none() && run.banner == (true, true) {
            run.threads = Some(1);
        }
        run.threads = run.threads.or(run.exported);
    }
    name_by_headings(text, &mut runs);
    let mut most: HashMap<Option<Bound>, Option<u64>> = HashMap::new();
    for run in &runs {
        let known = most.entry(run.bound.clone()).or_default();
        *known = run.threads.max(*known);
    }
    for run in runs {
        let most = most.get(&run.bound).copied().flatten();
        harvest.version = run.version.clone().or_else(|| harvest.version.take());
        harvest.add(block(run, most));
    }
    Ok(harvest)
}

/// Headings name runs where several runs have one each, and all are different.
fn name_by_headings(text: &mut Text, runs: &mut [Run]) {
    let headings: HashSet<&str> =
        runs.iter().filter_map(|run| run.heading.as_ref()).map(|(_, words)| words.as_str()).collect();
    let are_names = runs.len() > 1 && headings.len() == runs.len();
    for run in runs {
        match &run.heading {
            Some((rank, _)) if are_names => text.mark(*rank),
            _ => run.heading = None,
        }
    }
}

/// The runs of a text that is JSON.
fn of_json(text: &mut Text, harvest: &mut Harvest) -> Vec<Run> {
    let found = json::runs(text);
    if !found.is_empty() {
        // It was read once to find them.
        let _ = structured::json(text);
    }
    let run = |run: json::Rates| {
        let others = run.others.iter().map(|name| format!("`{name}`: not a STREAM kernel"));
        harvest.left_out.extend(others);
        let row = |(kernel, rate, unit)| Row {
            kernel,
            numbers: scaled(&[rate], unit),
            decimals: 0,
            unit: Some(unit),
        };
        Run { threads: run.threads, rows: run.rates.into_iter().map(row).collect(), ..Run::default() }
    };
    found.into_iter().map(run).collect()
}

/// Lines after a row in which a kernel's name without a rate is a fault, not prose.
const NEAR: usize = 2;

/// Only the rate has a unit that differs.
fn scaled(numbers: &[f64], scale: f64) -> Vec<f64> {
    let rate = |&rate: &f64| if scale == 1e-3 { rate / 1e3 } else { rate * scale };
    numbers.iter().take(1).map(rate).chain(numbers.iter().skip(1).copied()).collect()
}

fn kernel_name(line: &str) -> Option<(&'static str, &str)> {
    let (name, rest) = line.split_once(':')?;
    let name = name.trim().to_ascii_lowercase();
    let (known, _) = KERNELS.into_iter().find(|(known, _)| *known == name)?;
    // Prose may begin with the same word.
    let rest = rest.trim();
    let is_value = !rest.is_empty() && rest.split_whitespace().count() <= 5;
    is_value.then_some((known, rest))
}

fn block(run: Run, most: Option<u64>) -> Block {
    // One thread is not a machine, unless the text says that there are no more.
    let whole = run.threads == most && most != Some(1) && run.heading.is_none();
    let mut block = Block::new(match (&run.device, whole) {
        (Some(_), _) => kinds::DEVICE_BANDWIDTH,
        (None, true) => kinds::STREAM,
        (None, false) => kinds::STREAM_BY_THREADS,
    });
    let workers = run.threads.and_then(|threads| u32::try_from(threads).ok()).unwrap_or(0);
    let arrays = checks::arrays(run.rows.iter().map(|row| (row.kernel, row.numbers.as_slice())), run.buffers);
    for Row { kernel, numbers, decimals, unit } in run.rows {
        let rate = numbers[0];
        let at = match run.threads.filter(|_| !whole) {
            _ if run.device.is_some() => device::place(run.device.as_deref(), kernel),
            threads if run.heading.is_some() => {
                let heading = run.heading.as_ref().map(|(_, words)| words.clone());
                let words = heading.into_iter().chain(threads.map(threads_of));
                let case: Vec<String> = words.chain(run.bound.as_ref().map(Bound::words)).collect();
                Coordinates::new().with(Axis::Case, case.join(", ")).with(Axis::Kernel, kernel)
            }
            Some(threads) => {
                let place =
                    run.bound.as_ref().map(|bound| format!(", {}", bound.words())).unwrap_or_default();
                let case = format!("{}{place}", threads_of(threads));
                Coordinates::new().with(Axis::Case, case).with(Axis::Kernel, kernel)
            }
            None => Bound::kernel(run.bound.as_ref(), kernel),
        };
        let value = Value::bandwidth(at, rate).with_workers(workers, arrays.unwrap_or(run.buffers));
        let mut value = match numbers.as_slice() {
            // Mean, shortest and longest time.
            &[_, mean, least, most] if least > 0.0 && least <= mean && mean <= most => {
                value.with_spread(rate * least / most, rate, rate * least / mean, 0.0)
            }
            _ => value,
        };
        let step = unit.unwrap_or(1.0) * libm::pow(10.0, -(decimals as f64));
        let reasons = checks::contradictions(kernel, &numbers, step, arrays);
        value.warnings.extend(reasons.into_iter().map(|reason| Warning::Implausible { reason }));
        block.push(value);
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(text: &str) -> Harvest {
        read("a", &mut Text::new(text)).unwrap()
    }

    #[test]
    fn a_run_with_fewer_threads_is_not_the_machine() {
        let text = "Number of Threads counted = 8\nFunction Best Rate MB/s Avg time Min time Max time\nCopy: 2000.0 0.02 0.01 0.04\n\
                    Number of Threads counted = 16\nFunction Best Rate MB/s Avg time Min time Max time\nCopy: 3000.0 0.02 0.01 0.04\n";
        let harvest = runs(text);
        let kinds: Vec<_> =
            harvest.runs.iter().flat_map(|run| &run.blocks).map(|block| block.experiment.as_str()).collect();
        assert_eq!(kinds, ["stream-by-threads", "stream"]);
        let estimate = harvest.runs[0].blocks[1].values[0].estimate;
        assert_eq!((estimate.median, estimate.min, estimate.mean), (3.0, 0.75, 1.5));
    }

    #[test]
    fn a_rate_that_is_a_word_is_a_fault() {
        let problem = read("a", &mut Text::new("Function Best Rate MB/s\nCopy: fast")).unwrap_err();
        assert_eq!((problem.line, problem.found.as_str()), (Some(2), "`fast`"));
    }
}
