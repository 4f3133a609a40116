//! The summary of whole runs (`make see`): tables with a row for each run. The rule below their heads shows where the columns are;
//! cells may be empty, or wider than their column.

use zerohop_result::{Axis, Coordinates};

use crate::coordinates::word;
use crate::harvest::{Block, Harvest, Value};
use crate::kinds;
use crate::lines::Text;
use crate::number::{number, thousands};

/// Columns about memory, by their heads without blanks, and their names.
const COLUMNS: [(&str, &str); 8] = [
    ("bcopy(libc)", "bcopy libc"),
    ("bcopy(hand)", "bcopy hand"),
    ("memread", "rd"),
    ("memwrite", "wr"),
    ("l1$", "L1"),
    ("l2$", "L2"),
    ("mainmem", "main memory"),
    ("randmem", "main memory, random"),
];

/// Whether a line is the title of a table about memory, and of latencies.
pub(super) fn title(lower: &str) -> Option<bool> {
    match () {
        () if lower.contains("communication bandwidths in mb/s") => Some(false),
        () if lower.starts_with("memory latencies in nanoseconds") => Some(true),
        () => None,
    }
}

/// Reads all tables about memory. Runs of the same host and system follow each other in each of them.
pub(super) fn read(text: &mut Text, harvest: &mut Harvest) {
    let raw: Vec<String> = text.raw().split('\n').map(str::to_owned).collect();
    let mut rates = 1e-3;
    let mut runs: Vec<(String, Vec<Block>)> = Vec::new();
    for rank in 0..raw.len() {
        let lower = text.line(rank).to_ascii_lowercase();
        if let Some(version) = lower.strip_prefix("l m b e n c h ") {
            let version: String =
                version.chars().take_while(|&one| one != 's').filter(|one| *one != ' ').collect();
            // Before version 3, a MB was 2^20 bytes.
            rates = if version.starts_with('2') { 1.048_576e-3 } else { 1e-3 };
            harvest.version = Some(version);
            text.mark(rank);
        } else if let Some(is_latency) = title(&lower) {
            for (order, (label, cells)) in table(&raw, rank, text).into_iter().enumerate() {
                let mut block =
                    Block::new(if is_latency { kinds::LOAD_LATENCY } else { kinds::KERNEL_BANDWIDTH });
                for (name, value) in cells {
                    let at = Coordinates::new();
                    block.push(if is_latency {
                        Value::latency(at.with(Axis::Case, word(&format!("{name}, {label}"))), value)
                    } else {
                        let at = at.with(Axis::Kernel, name).with(Axis::Case, label.as_str());
                        Value::bandwidth(at, value * rates)
                    });
                }
                match runs.get_mut(order).filter(|run| run.0 == label) {
                    Some(run) => run.1.push(block),
                    None => runs.push((label, vec![block])),
                }
            }
        }
    }
    runs.into_iter().flat_map(|run| run.1).for_each(|block| harvest.add(block));
}

/// The rows of a table: host and system, and the cells about memory.
fn table(raw: &[String], title: usize, text: &mut Text) -> Vec<(String, Vec<(&'static str, f64)>)> {
    const LONGEST_HEAD: usize = 8;
    let is_rule = |line: &str| line.contains("- -") && line.trim().chars().all(|one| "->| ".contains(one));
    let Some(rule) = (title..raw.len().min(title + LONGEST_HEAD)).find(|&rank| is_rule(&raw[rank])) else {
        return Vec::new();
    };
    let spans: Vec<(usize, usize)> = tokens(&raw[rule])
        .filter(|token| token.2.starts_with('-'))
        .map(|(start, end, _)| (start, end))
        .collect();
    let mut names = vec![String::new(); spans.len()];
    for line in &raw[title + 1..rule] {
        for (start, end, word) in tokens(line).filter(|token| !token.2.contains("--")) {
            if let Some(column) = column(&spans, start, end) {
                names[column] += &word.to_ascii_lowercase();
            }
        }
    }
    (title..=rule).for_each(|rank| text.mark(rank));
    let mut rows = Vec::new();
    for (rank, line) in raw.iter().enumerate().skip(rule + 1) {
        let (mut label, mut cells) = (Vec::new(), Vec::new());
        for (start, end, word) in tokens(line) {
            match column(&spans, start, end) {
                Some(0 | 1) => label.push(word),
                Some(column) => {
                    let known = COLUMNS.iter().find(|(head, _)| names[column].ends_with(head));
                    let value = thousands(word).or_else(|| number(word));
                    cells.extend(known.zip(value).map(|((_, name), value)| (*name, value)));
                }
                None => {}
            }
        }
        if cells.is_empty() {
            break;
        }
        rows.push((word(&label.join(" ")), cells));
        text.mark(rank);
    }
    rows
}

/// The words of a line, with the places of their first character and behind their last one.
fn tokens(line: &str) -> impl Iterator<Item = (usize, usize, &str)> {
    // The place behind the last word, in bytes and in characters.
    let mut known = (0, 0);
    line.split_whitespace().map(move |word| {
        let at = word.as_ptr() as usize - line.as_ptr() as usize;
        let start = known.1 + line[known.0..at].chars().count();
        let end = start + word.chars().count();
        known = (at + word.len(), end);
        (start, end, word)
    })
}

/// The column whose dashes a word shares most characters with: words may be wider than their column, on its left.
fn column(spans: &[(usize, usize)], start: usize, end: usize) -> Option<usize> {
    let shared = |span: &(usize, usize)| span.1.min(end).saturating_sub(span.0.max(start));
    let best = spans.iter().enumerate().max_by_key(|(_, span)| shared(span))?;
    (shared(best.1) > 0).then_some(best.0)
}
