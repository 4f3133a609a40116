//! CUDA's `bandwidthTest`: copies between the host and a device, with pinned or with pageable memory of the host, and inside the device.

use zerohop_result::{Axis, Coordinates};
use zerohop_units::Bytes;

use crate::format::{Declaration, Sign, certain_if};
use crate::harvest::{Block, Harvest, Value};
use crate::kinds;
use crate::lines::Text;
use crate::number::{Token, count};
use crate::problem::Problem;
use crate::sample::Sample;
use crate::typed_tables::unit;

pub(super) const FORMAT: Declaration = Declaration {
    name: "bandwidth-test",
    words: "CUDA's bandwidthTest",
    marks: &["cuda bandwidth test", "device(s)"],
    sign,
    cells: false,
    read,
};

fn sign(text: &Sample<'_>) -> Sign {
    certain_if(text, |lower| lower.contains("[cuda bandwidth test]") || ends(lower).is_some())
}

/// `host to device bandwidth, 1 device(s)`, in lower case: from where to where.
fn ends(lower: &str) -> Option<(&'static str, &'static str)> {
    let (ends, rest) = lower.split_once(" bandwidth")?;
    if !rest.contains("device(s)") {
        return None;
    }
    let side = |name: &str| match name {
        "host" => Some("cpu 0"),
        "device" => Some("gpu"),
        _ => None,
    };
    let (from, to) = ends.trim().split_once(" to ")?;
    side(from).zip(side(to))
}

fn read(_: &str, text: &mut Text) -> Result<Harvest, Problem> {
    let mut harvest = Harvest::default();
    let mut device = 0;
    let mut way: Option<(&str, &str, String)> = None;
    let (mut memory, mut scale) = (String::new(), None);
    let mut rows: Vec<(Coordinates, f64, u64)> = Vec::new();
    for rank in 0..text.len() {
        let line = text.line(rank).to_owned();
        let lower = line.to_ascii_lowercase();
        if let Some((from, to)) = ends(&lower) {
            way = Some((from, to, lower.split(" bandwidth").next().unwrap_or_default().trim().to_owned()));
            (memory, scale) = (String::new(), None);
        } else if let Some(kind) = lower.strip_suffix(" memory transfers") {
            kind.trim().clone_into(&mut memory);
        } else if lower.starts_with("transfer size") {
            scale = unit(&lower);
        } else if let Some((number, _)) = lower.strip_prefix("device ").and_then(|rest| rest.split_once(':'))
        {
            device = count(number.trim()).unwrap_or(device);
        } else if let (Some((from, to, name)), Some(scale)) = (&way, scale)
            && let Some((size, rate)) = row(&line, rank)?
        {
            let place = |side: &str| if side == "gpu" { format!("gpu {device}") } else { side.to_owned() };
            let case = if memory.is_empty() { name.clone() } else { format!("{name}, {memory}") };
            let at = Coordinates::new()
                .with(Axis::Initiator, place(from))
                .with(Axis::Target, place(to))
                .with(Axis::Case, case);
            rows.push((at, rate * scale, size));
        } else if !KNOWN.iter().any(|known| lower.starts_with(known)) {
            continue;
        }
        text.mark(rank);
    }
    // One size for all needs no coordinate.
    let is_series = rows.iter().any(|(_, _, size)| *size != rows[0].2);
    let mut block = Block::new(kinds::DEVICE_BANDWIDTH);
    for (at, rate, size) in rows {
        let at = if is_series { at.with(Axis::Footprint, size) } else { at };
        block.push(Value::bandwidth(at, rate).with_workers(0, Bytes(size)));
    }
    harvest.add(block);
    if harvest.is_empty() {
        return Err(Problem::of_text("rows with a transfer size and a bandwidth", "none"));
    }
    Ok(harvest)
}

/// A size in bytes and a rate.
fn row(line: &str, rank: usize) -> Result<Option<(u64, f64)>, Problem> {
    let mut words = line.split_whitespace();
    let (Some(size), Some(rate), None) = (words.next().and_then(count), words.next(), words.next()) else {
        return Ok(None);
    };
    match Token::of(rate) {
        Token::Number(rate) => Ok(Some((size, rate))),
        _ => Err(Problem::at(rank + 1, "a transfer size in bytes and a bandwidth", line)),
    }
}

const KNOWN: [&str; 7] = [
    "[cuda bandwidth test]",
    "running on",
    "quick mode",
    "range mode",
    "shmoo mode",
    "result = pass",
    "note: the cuda samples",
];
