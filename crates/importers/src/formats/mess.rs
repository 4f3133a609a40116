//! Curves of the Mess benchmark: the comma-separated values that its scripts write (`memory_curves.csv`, `bandwidth-latency.csv`), and
//! that zerohop writes with `--format mess`.
//!
//! A row is a point: share of reads in percent, pause, bandwidth in GB/s, latency in ns. The mean is taken where there is one,
//! never the smoothed value.

use zerohop_result::Axis;

use crate::coordinates::{LOCAL, between};
use crate::format::{Declaration, Sign};
use crate::harvest::{Block, Harvest, Value};
use crate::kinds;
use crate::lines::Text;
use crate::number::{Token, number};
use crate::problem::Problem;
use crate::structured::fields;

pub(super) const FORMAT: Declaration =
    Declaration { name: "mess", words: "curves of the Mess benchmark, as CSV", sign, read };

fn sign(text: &Text) -> Sign {
    if text.lines().any(|(_, line)| columns(line).is_some()) { Sign::Certain } else { Sign::None }
}

/// Where a row has its values.
struct Columns {
    count: usize,
    share: usize,
    pause: usize,
    bandwidth: usize,
    latency: usize,
    names: Vec<String>,
}

fn columns(line: &str) -> Option<Columns> {
    let names = fields(&line.to_ascii_lowercase());
    let at = |options: &[&str]| options.iter().find_map(|name| names.iter().position(|known| known == name));
    Some(Columns {
        count: names.len(),
        share: at(&["rd_percentage", "read_pct_rounded", "read_percentage"])?,
        pause: at(&["pause"])?,
        bandwidth: at(&["bandwidth_mean", "bandwidth"])?,
        latency: at(&["latency_mean", "latency"])?,
        names,
    })
}

fn read(_: &str, text: &mut Text) -> Result<Harvest, Problem> {
    let mut harvest = Harvest::default();
    let mut head: Option<Columns> = None;
    let mut block = Block::new(kinds::LOAD_CURVES);
    for rank in 0..text.len() {
        let line = text.line(rank).to_owned();
        if let Some(columns) = columns(&line) {
            harvest.add(std::mem::replace(&mut block, Block::new(kinds::LOAD_CURVES)));
            head = Some(columns);
            text.mark(rank);
            continue;
        }
        let Some(columns) = head.as_ref().filter(|_| line.contains(',')) else { continue };
        let row = fields(&line);
        if row.len() != columns.count {
            return Err(Problem::at(rank + 1, format!("{} values, as in the head", columns.count), line));
        }
        let value = |column: usize| match Token::of(&row[column]) {
            Token::Number(number) => Ok(Some(number)),
            Token::Gap | Token::NotFinite => Ok(None),
            Token::Word if row[column].is_empty() => Ok(None),
            Token::Word => {
                Err(Problem::at(rank + 1, format!("a number below {}", columns.names[column]), &*row[column]))
            }
        };
        let (share, pause) = (value(columns.share)?, value(columns.pause)?);
        let (bandwidth, latency) = (value(columns.bandwidth)?, value(columns.latency)?);
        let (Some(share), Some(pause)) = (share, pause) else {
            return Err(Problem::at(rank + 1, "a share of reads and a pause", line));
        };
        let at = between(0u32, LOCAL)
            .with(Axis::Delay, pause.max(0.0).round() as u64)
            .with(Axis::ReadPercent, share.max(0.0).round() as u64);
        let beside = |name: &str| {
            let column = columns.names.iter().position(|known| known == name)?;
            number(&row[column])
        };
        if let Some(latency) = latency {
            let value = Value::latency(at.clone(), latency);
            block.push(spread(value, latency, |part| beside(&format!("latency_{part}"))));
        }
        if let Some(bandwidth) = bandwidth {
            let value = Value::bandwidth(at, bandwidth);
            block.push(spread(value, bandwidth, |part| beside(&format!("bandwidth_{part}"))));
        }
        text.mark(rank);
    }
    harvest.add(block);
    if harvest.is_empty() {
        return Err(Problem::of_text(
            "rows below a head with rd_percentage, pause, bandwidth and latency",
            "none",
        ));
    }
    Ok(harvest)
}

fn spread(value: Value, mean: f64, beside: impl Fn(&str) -> Option<f64>) -> Value {
    let deviation = beside("std").unwrap_or(0.0);
    let (min, max) = (beside("min").unwrap_or(mean), beside("max").unwrap_or(mean));
    value.with_spread(min, max, mean, deviation)
}
