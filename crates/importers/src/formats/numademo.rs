//! `numademo`: a policy of memory, a test, and the rates of its repetitions.

use zerohop_result::{Axis, Coordinates};

use crate::coordinates::word;
use crate::format::{Declaration, Sign};
use crate::harvest::{Block, Harvest, Value};
use crate::kinds;
use crate::lines::Text;
use crate::number::number;
use crate::problem::Problem;
use crate::sample::Sample;

pub(super) const FORMAT: Declaration = Declaration {
    name: "numademo",
    words: "numactl's numademo",
    marks: &["mb/s max"],
    sign,
    cells: false,
    read,
};

const TESTS: [&str; 8] =
    ["memset", "memcpy", "forward", "backward", "stream", "random2", "ptrchase", "random"];

fn sign(text: &Sample<'_>) -> Sign {
    if text.any_as_is(|line| row(line).is_some()) { Sign::Certain } else { Sign::None }
}

/// `memory on node 1 memset   Avg 5343.96 MB/s Max 5345.11 MB/s Min 5338.96 MB/s`: the policy, the test, and mean, largest and smallest rate.
fn row(line: &str) -> Option<(String, &'static str, [f64; 3])> {
    let (before, rates) = line.split_once(" Avg ")?;
    let words: Vec<&str> = before.split_whitespace().collect();
    let (test, policy) = words.split_last()?;
    let test = TESTS.into_iter().find(|known| known == test)?;
    let words: Vec<&str> = rates.split_whitespace().collect();
    let [mean, "MB/s", "Max", max, "MB/s", "Min", min, "MB/s"] = words[..] else { return None };
    let rates = [number(mean)?, number(max)?, number(min)?];
    (!policy.is_empty()).then(|| (word(&policy.join(" ")), test, rates))
}

fn read(_: &str, text: &mut Text) -> Result<Harvest, Problem> {
    let mut harvest = Harvest::default();
    let mut read = Vec::new();
    for (rank, line) in text.lines() {
        let Some((policy, test, rates)) = row(line) else {
            if line.contains("nodes available") || line.starts_with("Running in NUMA") {
                read.push(rank);
            }
            continue;
        };
        let [mean, max, min] = rates.map(|rate| rate / 1e3);
        let at = Coordinates::new().with(Axis::Kernel, test).with(Axis::Case, policy);
        let mut block = Block::new(kinds::KERNEL_BANDWIDTH);
        block.push(Value::bandwidth(at, mean).with_spread(min, max, mean, 0.0));
        harvest.add(block);
        read.push(rank);
    }
    read.into_iter().for_each(|rank| text.mark(rank));
    if harvest.is_empty() {
        return Err(Problem::of_text(
            "rows such as `memory on node 0 memset Avg … MB/s Max … MB/s Min … MB/s`",
            "none",
        ));
    }
    Ok(harvest)
}
