//! Intel's Memory Latency Checker, 3.0 to 3.12, and zerohop's own output in that form.
//!
//! Its output is blocks, each under a heading: `Measuring idle latencies (in ns)...`. The same text is pasted with tabs turned into
//! blanks or into nothing, as a Markdown table, with or without its banner, several invocations in a row. A block ends at the
//! next heading, or at a line after its values that cannot be one of them.
//!
//! Bandwidths are in MB/s of 1,000,000 bytes, which MLC prints itself. Latencies are in ns.

mod block;
mod conversion;
mod heading;
mod invocation;
mod loads;
mod matrix;
mod mix;
mod mixes;
mod transfers;
mod unit;
mod unlabelled_matrices;

use crate::format::{Declaration, Sign};
use crate::harvest::Harvest;
use crate::lines::Text;
use crate::problem::Problem;
use crate::sample::{Sample, Seen};

use block::Reader;
use heading::{Heading, is_head_of_loads};
use matrix::{is_bare_head, nodes_of_cells, titled};
use mix::{columns, mix};

pub(super) const FORMAT: Declaration = Declaration {
    name: "mlc",
    words: "Intel Memory Latency Checker, all its blocks",
    marks: &[
        "numa node",
        "measuring ",
        "all reads",
        "stream-triad like",
        "l2->l2",
        "inject",
        "memory latency checker",
        "each iteration took",
    ],
    sign,
    cells: false,
    read,
};

fn sign(text: &Sample<'_>) -> Sign {
    let mut sign = Sign::None;
    let mut heads = 0;
    let mut before = "";
    for Seen { line, lower, .. } in text.seen() {
        let heading = Heading::of(lower);
        let is_sign = heading.is_some_and(|heading| heading != Heading::Banner)
            || invocation::idle(lower).is_some()
            || (lower.starts_with("all reads") || lower.starts_with("stream-triad like"))
                && (mix(line).is_some() || columns(line).is_some())
            || is_bare_head(line) && titled(before).is_some()
            || lower.contains("l2->l2 hit")
            || is_head_of_loads(lower);
        if is_sign {
            return Sign::Certain;
        }
        let is_head = lower.starts_with("numa node")
            && lower.split_whitespace().count() > 2
            && lower
                .split_whitespace()
                .all(|word| ["numa", "node"].contains(&word) || !word.contains(char::is_alphabetic))
            || nodes_of_cells(line).is_some();
        heads += usize::from(is_head);
        if heading == Some(Heading::Banner) || heads > 0 && !lower.contains(':') {
            sign = Sign::Likely;
        }
        before = lower;
    }
    sign
}

fn read(_: &str, text: &mut Text) -> Result<Harvest, Problem> {
    let mut reader = Reader::new(text);
    reader.read()?;
    let (mut harvest, first_heading) = reader.finish();
    // Another tool with such matrices, which prints its settings above them.
    if text.lines().any(|(_, line)| line.starts_with("region size in KB:")) {
        harvest.tool = Some("mm-mem".to_owned());
    }
    if harvest.is_empty() {
        if let (None, Some(what)) = (&first_heading, harvest.left_out.first()) {
            return Err(Problem::of_text("idle latencies or read bandwidths", what.clone()));
        }
        return Err(match first_heading {
            Some((rank, line)) => Problem::at(rank + 1, "values below the heading", format!("only {line}")),
            None => Problem::of_text("a block of MLC, such as `Measuring idle latencies`", "none"),
        });
    }
    Ok(harvest)
}
