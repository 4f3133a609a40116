//! The table: a head of cores, and rows `  2   46±1    49±0`, which a terminal may have wrapped at its width.
//!
//! A row has as many values as cores come before its own, so that joined lines are held against a count. A value that is cut in two
//! is put together where its `±` shows the cut.

use zerohop_result::{Axis, Coordinates};

use crate::harvest::{Block, Harvest, Value};
use crate::kinds;
use crate::lines::Text;
use crate::number::{count, first_number};
use crate::problem::Problem;

/// Lines of the banner and of the summary.
const KNOWN: [&str; 8] = [
    "Num cores:",
    "Num round trips",
    "Num iterations",
    "Num samples",
    "Min  latency",
    "Max  latency",
    "Mean latency",
    "Using RDTSC",
];

/// Reads all tables of a text.
pub(super) fn read(text: &mut Text, harvest: &mut Harvest) -> Result<(), Problem> {
    let mut block = Block::new(kinds::CORE_TO_CORE);
    let (mut inside, mut kernel) = (false, None);
    let mut rank = 0;
    while rank < text.len() {
        let line = text.line(rank).to_owned();
        if let Some(title) = title(&line) {
            harvest.add(of_benchmark(std::mem::replace(&mut block, Block::new(kinds::CORE_TO_CORE)), kernel));
            (inside, kernel) = (true, title.kernel);
            text.mark(rank);
        } else if let Some(model) = line.strip_prefix("CPU:") {
            harvest.processor = Some(model.trim().to_owned());
            text.mark(rank);
        } else if is_known(&line) {
            text.mark(rank);
        } else if inside && is_counts(&line) {
            let (head, next) = head(text, rank)?;
            rank = rows(text, next, &head, &mut block, harvest)?;
            inside = false;
            continue;
        }
        rank += 1;
    }
    harvest.add(of_benchmark(block, kernel));
    Ok(())
}

/// A block with the name of its benchmark as the kernel, so that none passes for a repeat of another.
pub(super) fn of_benchmark(mut block: Block, kernel: Option<&str>) -> Block {
    if let Some(kernel) = kernel {
        for value in &mut block.values {
            value.at = value.at.clone().with(Axis::Kernel, kernel);
        }
    }
    block
}

/// From the core with the lower number, as in results of zerohop, unless the matrix has both directions.
pub(super) fn pair(from: u64, to: u64, latency: f64) -> Value {
    Value::latency(Coordinates::new().with(Axis::From, from).with(Axis::To, to), latency)
}

/// The title of a benchmark.
pub(super) struct Title {
    words: &'static str,
    /// What tells its latencies from those of a line that both cores write, which is the first benchmark's.
    pub(super) kernel: Option<&'static str>,
}

pub(super) fn title(line: &str) -> Option<Title> {
    let titles = [
        Title { words: "CAS latency on a single", kernel: None },
        Title { words: "Single-writer single-reader", kernel: Some("single writer, single reader") },
        Title { words: "One writer and one reader", kernel: Some("one writer, one reader, many lines") },
        // Before it had several benchmarks.
        Title { words: "Showing latency=round-trip-time/2", kernel: None },
    ];
    titles.into_iter().find(|title| line.contains(title.words))
}

fn is_known(line: &str) -> bool {
    KNOWN.iter().any(|known| line.starts_with(known))
}

fn is_counts(line: &str) -> bool {
    !line.is_empty() && line.split_whitespace().all(|word| count(word).is_some())
}

/// The line at this rank or the first one behind it that is not blank.
fn full(text: &Text, rank: usize) -> usize {
    (rank..text.len()).find(|&rank| !text.line(rank).is_empty()).unwrap_or(text.len())
}

/// The cores of the head that begins here, and where the lines behind it begin.
fn head(text: &mut Text, first: usize) -> Result<(Vec<u64>, usize), Problem> {
    let mut words: Vec<String> = Vec::new();
    let (mut rank, mut lines) = (first, 0);
    loop {
        let line = text.line(rank).to_owned();
        let more: Vec<&str> = line.split_whitespace().collect();
        // The first core's row is its number alone.
        let is_row = |words: &[String]| more.len() == 1 && words.iter().any(|word| word == more[0]);
        if !is_counts(&line) || is_row(&words) {
            break;
        }
        let apart: Vec<String> = words.iter().cloned().chain(more.iter().map(ToString::to_string)).collect();
        let glued = joined(&words, &more);
        words = if !ascend(&apart) && ascend(&glued) { glued } else { apart };
        text.mark(rank);
        (rank, lines) = (full(text, rank + 1), lines + 1);
    }
    if lines > 1 && !ascend(&words) {
        let found = words.join(" ");
        return Err(Problem::at(first + 1, "a head with the cores in ascending order", found));
    }
    Ok((words.iter().filter_map(|word| count(word)).collect(), rank))
}

/// Whether the numbers ascend.
fn ascend(words: &[String]) -> bool {
    let numbers: Vec<Option<u64>> = words.iter().map(|word| count(word)).collect();
    numbers.windows(2).all(|pair| pair[0] < pair[1])
}

/// The words of a line and of the next one, with the word between them put together.
fn joined(words: &[String], more: &[&str]) -> Vec<String> {
    let mut all = words.to_vec();
    let mut more = more.iter();
    if let Some(last) = all.last_mut() {
        last.push_str(more.next().copied().unwrap_or_default());
    }
    all.extend(more.map(ToString::to_string));
    all
}

/// Reads the rows below a head; returns where they end.
fn rows(
    text: &mut Text,
    mut rank: usize,
    cores: &[u64],
    block: &mut Block,
    harvest: &mut Harvest,
) -> Result<usize, Problem> {
    let mut is_square = false;
    for (place, &core) in cores.iter().enumerate() {
        let first = full(text, rank);
        let line = text.line(first).to_owned();
        let mut words = line.split_whitespace();
        if words.next().and_then(count) != Some(core) {
            if !line.is_empty() && line.split_whitespace().all(is_value) {
                let expected = format!("the row of core {core}, with a value for each core before it");
                return Err(Problem::at(first + 1, expected, line));
            }
            // The table ends early.
            if place > 0 {
                let what = format!(
                    "the rows of {} of {} cores: the table is cut off",
                    cores.len() - place,
                    cores.len()
                );
                harvest.left_out.push(what);
            }
            return Ok(rank);
        }
        let mut values: Vec<String> = words.map(str::to_owned).collect();
        is_square |= place == 0 && !values.is_empty();
        let expected = if is_square { cores.len() - 1 } else { place };
        text.mark(first);
        rank = first + 1;
        let next = cores.get(place + 1).copied();
        while let Some(more) = continued(text.line(rank), &values, expected, next) {
            values = more;
            text.mark(rank);
            rank += 1;
        }
        let wrapped = rank > first + 1;
        // The last digit of what stands behind `±`.
        let line = text.line(rank).to_owned();
        if is_counts(&line) && line.split_whitespace().count() == 1 && count(&line) != next {
            if let Some(last) = values.last_mut().filter(|last| last.contains('±')) {
                last.push_str(&line);
            }
            text.mark(rank);
            rank += 1;
        }
        if values.len() > expected || wrapped && !is_complete(&values, expected) {
            let what = format!("{expected} values in the row of core {core}, lines joined that were wrapped");
            return Err(Problem::at(first + 1, what, format!("{}", values.len())));
        }
        if values.len() < expected {
            let missing = expected - values.len();
            harvest.left_out.push(format!(
                "line {}: the last {missing} of {expected} values of core {core} are missing",
                text.number(first)
            ));
        }
        let numbers = values.iter().filter_map(|value| Some((first_number(value)?, deviation(value))));
        for (&column, (value, deviation)) in cores.iter().filter(|&&column| column != core).zip(numbers) {
            let mut value = pair(column, core, value);
            value.estimate.standard_deviation = deviation;
            block.push(value);
        }
    }
    Ok(rank)
}

/// The deviation behind `±`, where there is one.
fn deviation(value: &str) -> f64 {
    value.split_once('±').and_then(|(_, deviation)| first_number(deviation)).unwrap_or_default()
}

/// The values of a row with those of the next line, if that continues it: the row lacks some, or its last one is cut.
fn continued(line: &str, values: &[String], expected: usize, next: Option<u64>) -> Option<Vec<String>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let &first = words.first()?;
    if is_complete(values, expected) || !line.split_whitespace().all(is_value) {
        return None;
    }
    let is_cut = values.last().is_some_and(|last| is_cut(last)) || is_cut(first) && !values.is_empty();
    let has_signs = values.iter().any(|value| value.contains('±')) || line.contains('±');
    let more = if is_cut && has_signs {
        joined(values, &words)
    } else {
        values.iter().cloned().chain(words.iter().map(ToString::to_string)).collect()
    };
    // What begins as the next row does is only a continuation where it makes this one whole.
    let is_next = next.is_some() && count(first) == next;
    (!is_next || is_complete(&more, expected)).then_some(more)
}

/// Whether a word is `46±1`, or a part of it.
fn is_value(word: &str) -> bool {
    word.chars().all(|one| one.is_ascii_digit() || matches!(one, '±' | '.'))
}

/// Whether a row has all its values, and none is cut.
fn is_complete(values: &[String], expected: usize) -> bool {
    let has_signs = values.iter().any(|value| value.contains('±'));
    values.len() == expected && !(has_signs && values.iter().any(|value| is_cut(value)))
}

/// Whether a word is a part of `46±1`.
fn is_cut(word: &str) -> bool {
    word.split_once('±').is_none_or(|(value, error)| value.is_empty() || error.is_empty())
}
