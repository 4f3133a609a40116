//! `numactl --hardware`: nodes, their CPUs and memory, and the firmware's distances. It has no measured values: the result
//! is a machine.
//!
//! Versions from 1.0 (no CPUs, no distances) to 2.0.19 (ranges of CPUs with `--cpu-compress`). Sizes are in units of 2^20 bytes,
//! which numactl calls MB. Long lists of CPUs may be wrapped by a terminal.

mod distances;

use std::collections::BTreeSet;
use std::ops::Range;

use zerohop_machine::{NodeId, PuId, PuSet};
use zerohop_units::Bytes;

use crate::facts::{Facts, is_start_of_processor, names_processor, read_processor};
use crate::format::{Declaration, Sign};
use crate::harvest::Harvest;
use crate::lines::Text;
use crate::number::{count, first_number, is_remark, number};
use crate::problem::Problem;
use crate::sample::{Sample, Seen};

use distances::{head_at, heads, named_row, read_distances};

pub(super) const FORMAT: Declaration = Declaration {
    name: "numactl",
    words: "nodes and distances by `numactl --hardware`",
    marks: &["cpus:", "size:", "available:", "node distance", "node dist", "cpus on node"],
    sign,
    cells: false,
    read,
};

fn sign(text: &Sample<'_>) -> Sign {
    let is_sign = |seen: &Seen<'_>| is_sign(text, seen.rank, seen.line);
    if text.seen().any(is_sign) { Sign::Certain } else { Sign::None }
}

/// Whether a line of that rank is of `numactl --hardware`.
fn is_sign(text: &Text, rank: usize, line: &str) -> bool {
    let is_node = node_field(line).is_some_and(|(_, field, _)| field == "cpus" || field == "size");
    is_node || is_title(line) || named_row(line).is_some() || head_at(text, rank).is_some()
}

/// The common step of all texts reads the nodes; this only makes sure that there are some.
fn read(_: &str, text: &mut Text) -> Result<Harvest, Problem> {
    let mut lines = text.lines();
    if let Some((rank, line)) =
        lines.find(|(_, line)| is_available(line) && first_number(line) == Some(0.0)).filter(|_| {
            !text.lines().any(|(_, line)| node_field(line).is_some())
                && heads(text, &(0..text.len())).next().is_none()
        })
    {
        let found =
            format!("`{line}` in line {}: numactl sees none, as in some containers", text.number(rank));
        return Err(Problem::of_text("a node at least", found));
    }
    if text.lines().any(|(rank, line)| is_sign(text, rank, line)) {
        Ok(Harvest::default())
    } else {
        Err(Problem::of_text("a line like `node 0 cpus: 0 1 2 3`", "none"))
    }
}

/// Reads the nodes and the processor wherever they stand in a text. A text may describe several machines, or one before and after a
/// change. What `lscpu` prints belongs to the nodes that have the same CPUs.
pub(crate) fn read_nodes(text: &mut Text, facts: &mut Facts) -> Result<(), Problem> {
    let mut starts = descriptions(text);
    starts.push(text.len());
    let is_named = names_processor(text);
    let (mut described, mut processors) = (Vec::new(), Vec::new());
    for part in starts.windows(2) {
        let (mut nodes, mut processor) = (Facts::default(), Facts::default());
        read_description(text, part[0]..part[1], &mut nodes)?;
        if is_named {
            read_processor(text, part[0]..part[1], &mut processor);
        }
        // It is the machine above, unless the two contradict each other.
        match (nodes.has_no_nodes(), nodes.merged(processor)) {
            (true, _) => processors.push(nodes),
            (false, left) => {
                described.push(nodes);
                processors.extend(left);
            }
        }
    }
    for other in described {
        facts.take_in(other);
    }
    let has_nodes = !facts.has_no_nodes();
    for other in processors {
        if let Some(other) = facts.merged_anywhere(other) {
            if has_nodes {
                let model = &other.processor.model;
                facts.doubts.push(format!("processor: the CPUs of `{model}` match no description of nodes"));
            } else {
                facts.add(other);
            }
        }
    }
    Ok(())
}

/// The ranks of the lines with which descriptions begin: their first line, or a field of a node, a table of distances or a processor
/// that comes again.
fn descriptions(text: &Text) -> Vec<usize> {
    let mut starts = vec![0];
    let mut seen: BTreeSet<(NodeId, &str)> = BTreeSet::new();
    let (mut has_distances, mut has_processor) = (false, false);
    for (rank, line) in text.open() {
        let field = node_field(line).map(|(node, field, _)| (node, field));
        let distances = head_at(text, rank).is_some();
        let processor = is_start_of_processor(line);
        let has_nodes = !seen.is_empty() || has_distances;
        let begins = (is_available(line) || processor) && has_nodes
            || field.is_some_and(|field| seen.contains(&field))
            || distances && has_distances
            || processor && has_processor;
        if begins {
            starts.push(rank);
            seen.clear();
            (has_distances, has_processor) = (false, false);
        }
        has_distances |= distances;
        has_processor |= processor;
        seen.extend(field);
    }
    starts
}

/// `available: 2 nodes (0-1)`.
fn is_available(line: &str) -> bool {
    line.starts_with("available:") && line.contains("node")
}

/// `found 2 numa nodes, 128 CPUs`: how many llama.cpp counts.
fn counted_nodes(line: &str) -> Option<(u64, u64)> {
    let (nodes, pus) = line.strip_prefix("found ")?.strip_suffix(" CPUs")?.split_once(" numa nodes, ")?;
    count(nodes).zip(count(pus))
}

fn read_description(text: &mut Text, ranks: Range<usize>, facts: &mut Facts) -> Result<(), Problem> {
    let mut cpus_of = None;
    let mut announced = None;
    for rank in ranks.clone() {
        let line = text.line(rank).to_owned();
        if line.is_empty() || !text.is_open(rank) {
            continue;
        }
        let wrapped = cpus_of.filter(|_| line.split_whitespace().all(|word| count(word).is_some()));
        if let Some(node) = wrapped {
            // The rest of a list of CPUs, wrapped by a terminal.
            let pus = cpu_list(&line).ok_or_else(|| Problem::at(rank + 1, "CPU numbers", line.clone()))?;
            let known = facts.nodes.entry(node).or_default().pus.get_or_insert_with(PuSet::new);
            pus.iter().for_each(|pu| known.insert(pu));
            text.mark(rank);
            continue;
        }
        cpus_of = None;
        let Some((node, field, value)) = node_field(&line) else {
            if is_available(&line) {
                announced = first_number(&line).map(|count| count as usize);
            }
            if let Some((nodes, pus)) = counted_nodes(&line) {
                announced = Some(nodes as usize);
                facts.stated.pus = u32::try_from(pus).ok();
            } else if !is_title(&line) && !is_available(&line) {
                continue;
            }
            text.mark(rank);
            continue;
        };
        match field {
            // Somebody has left some out: which CPUs the node has is not known.
            "cpus" if value.split_whitespace().any(|word| word == "...") => {
                facts.nodes.entry(node).or_default();
                facts
                    .doubts
                    .push(format!("node {node} cpus: the text leaves some out (line {})", text.number(rank)));
            }
            "cpus" => {
                let pus = cpu_list(value)
                    .ok_or_else(|| Problem::at(rank + 1, "CPU numbers, as `0 1 2` or `0-2 (3)`", value))?;
                facts.nodes.entry(node).or_default().pus = Some(pus);
                cpus_of = Some(node);
            }
            _ => {
                let size = size(value).filter(|&size| size >= 0.0);
                let entry = facts.nodes.entry(node).or_default();
                let bytes = size.map(|size| Bytes((size * f64::from(1 << 20)) as u64));
                if field == "size" {
                    entry.memory = bytes;
                } else {
                    entry.free = bytes;
                }
                if size.is_none() {
                    let doubt =
                        format!("node {node} {field}: invalid size `{value}` (line {})", text.number(rank));
                    facts.doubts.push(doubt);
                }
            }
        }
        text.mark(rank);
    }
    if let Some(announced) = announced
        && !facts.nodes.is_empty()
        && announced != facts.nodes.len()
    {
        facts
            .doubts
            .push(format!("nodes: the text announces {announced} but describes {}", facts.nodes.len()));
    }
    read_distances(text, ranks, facts)
}

/// `node 0 cpus: 0 1`: the node, `cpus`, `size` or `free`, and the rest.
fn node_field(line: &str) -> Option<(NodeId, &'static str, &str)> {
    // As llama.cpp lists them.
    if let Some((node, cpus)) = line.strip_prefix("CPUs on node ").and_then(|rest| rest.split_once(':')) {
        return Some((NodeId(node.trim().parse().ok()?), "cpus", cpus.trim()));
    }
    let rest = line.strip_prefix("node ").or_else(|| line.strip_prefix("Node "))?;
    let (head, value) = rest.split_once(':')?;
    let mut words = head.split_whitespace();
    let node = NodeId(words.next()?.parse().ok()?);
    let field = match words.next()? {
        "cpus" | "cpu" => "cpus",
        "size" => "size",
        "free" => "free",
        _ => return None,
    };
    words.next().is_none().then(|| (node, field, value.trim()))
}

/// A size and its unit; `None` where there is none (`<not available>`).
fn size(value: &str) -> Option<f64> {
    // Thousands may have commas.
    let number = value.split_whitespace().next().and_then(number).or_else(|| first_number(value))?;
    let unit = value.trim_start_matches(|one: char| !one.is_ascii_alphabetic()).to_ascii_lowercase();
    Some(match unit.split(|one: char| !one.is_ascii_alphabetic()).next().unwrap_or_default() {
        "tb" | "tib" => number * 1024.0 * 1024.0,
        "gb" | "gib" => number * 1024.0,
        "kb" | "kib" => number / 1024.0,
        _ => number,
    })
}

/// `0 1 2`, `0-15 (16)` or `0-7,16-23`, before a remark; nothing for a node without CPUs.
fn cpu_list(value: &str) -> Option<PuSet> {
    let list = value.split('(').next().unwrap_or_default();
    let mut pus: Vec<PuId> = Vec::new();
    for part in list.split_whitespace().take_while(|word| !is_remark(word)) {
        pus.extend(part.parse::<PuSet>().ok()?.iter());
    }
    Some(pus.into_iter().collect())
}

fn is_title(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    lower.starts_with("node distances") || lower.starts_with("no distance information")
}
