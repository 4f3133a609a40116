//! `numactl --hardware`: nodes, their CPUs and memory, and the firmware's distances. It has no measured values: the result
//! is a machine.
//!
//! Versions from 1.0 (no CPUs, no distances) to 2.0.19 (ranges of CPUs with `--cpu-compress`). Sizes are in units of 2^20 bytes,
//! which numactl calls MB. Long lists of CPUs may be wrapped by a terminal.

use std::collections::BTreeSet;
use std::ops::Range;

use zerohop_machine::{DistanceMatrix, NodeId, PuId, PuSet};
use zerohop_units::Bytes;

use crate::facts::Facts;
use crate::format::{Declaration, Sign};
use crate::harvest::Harvest;
use crate::lines::Text;
use crate::number::{count, first_number, is_remark, number};
use crate::problem::Problem;

pub(super) const FORMAT: Declaration = Declaration {
    name: "numactl",
    words: "nodes and distances by `numactl --hardware`",
    sign,
    cells: false,
    read,
};

fn sign(text: &Text) -> Sign {
    let mut lines = text.lines();
    let is_node =
        |line: &str| node_field(line).is_some_and(|(_, field, _)| field == "cpus" || field == "size");
    if lines.any(|(_, line)| is_node(line) || is_title(line)) {
        return Sign::Certain;
    }
    if head_of_distances(text, &(0..text.len())).is_some() { Sign::Certain } else { Sign::None }
}

/// The common step of all texts reads the nodes; this only makes sure that there are some.
fn read(_: &str, text: &mut Text) -> Result<Harvest, Problem> {
    match sign(text) {
        Sign::Certain => Ok(Harvest::default()),
        _ => Err(Problem::of_text("a line like `node 0 cpus: 0 1 2 3`", "none")),
    }
}

/// Reads the nodes wherever they stand in a text. A text may describe several machines, or one before and after a change.
pub(crate) fn read_nodes(text: &mut Text, facts: &mut Facts) -> Result<(), Problem> {
    let mut starts = descriptions(text);
    starts.push(text.len());
    for part in starts.windows(2) {
        let mut other = Facts::default();
        read_description(text, part[0]..part[1], &mut other)?;
        let mut left = facts.merged(other);
        for known in &mut facts.more {
            left = left.and_then(|other| known.merged(other));
        }
        facts.more.extend(left);
    }
    Ok(())
}

/// The ranks of the lines with which descriptions begin: their first line, or a field of a node that comes again.
fn descriptions(text: &Text) -> Vec<usize> {
    let mut starts = vec![0];
    let mut seen: BTreeSet<(NodeId, &str)> = BTreeSet::new();
    for (rank, line) in text.open() {
        let field = node_field(line).map(|(node, field, _)| (node, field));
        let begins =
            is_available(line) && !seen.is_empty() || field.is_some_and(|field| seen.contains(&field));
        if begins {
            starts.push(rank);
            seen.clear();
        }
        seen.extend(field);
    }
    starts
}

/// `available: 2 nodes (0-1)`.
fn is_available(line: &str) -> bool {
    line.starts_with("available:") && line.contains("node")
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
            *known = known.iter().chain(pus.iter()).collect();
            text.mark(rank);
            continue;
        }
        cpus_of = None;
        let Some((node, field, value)) = node_field(&line) else {
            if is_available(&line) {
                announced = first_number(&line).map(|count| count as usize);
            }
            if is_title(&line) || is_available(&line) {
                text.mark(rank);
            }
            continue;
        };
        match field {
            // Somebody has left some out: which CPUs the node has is not known.
            "cpus" if value.split_whitespace().any(|word| word == "...") => {
                facts.nodes.entry(node).or_default();
                facts.doubts.push(format!("node {node} cpus: the text leaves some out (line {})", rank + 1));
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
                    let doubt = format!("node {node} {field}: `{value}` is no size (line {})", rank + 1);
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
            .push(format!("nodes: the text announces {announced} and describes {}", facts.nodes.len()));
    }
    read_distances(text, ranks, facts)
}

/// `node 0 cpus: 0 1`: the node, `cpus`, `size` or `free`, and the rest.
fn node_field(line: &str) -> Option<(NodeId, &'static str, &str)> {
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
    Some(match unit.as_str() {
        "gb" => number * 1024.0,
        "kb" => number / 1024.0,
        _ => number,
    })
}

/// `0 1 2`, `0-15 (16)` or `0-7,16-23`; nothing for a node without CPUs.
fn cpu_list(value: &str) -> Option<PuSet> {
    let list = value.split('(').next().unwrap_or_default();
    let mut pus: Vec<PuId> = Vec::new();
    for part in list.split_whitespace() {
        pus.extend(part.parse::<PuSet>().ok()?.iter());
    }
    Some(pus.into_iter().collect())
}

fn is_title(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    lower.starts_with("node distances") || lower.starts_with("no distance information")
}

/// The rank of the head of the distances, and its nodes: `node 0 1 2`, followed by rows `0: 10 21 21`.
fn head_of_distances(text: &Text, ranks: &Range<usize>) -> Option<(usize, Vec<NodeId>)> {
    text.lines().filter(|(rank, _)| ranks.contains(rank)).find_map(|(rank, line)| {
        let rest = line.strip_prefix("node").or_else(|| line.strip_prefix("Node"))?;
        let nodes = rest.split_whitespace().map(|word| count(word).and_then(|id| u32::try_from(id).ok()));
        let nodes: Vec<NodeId> = nodes.map(|id| id.map(NodeId)).collect::<Option<_>>()?;
        let next = (rank + 1..text.len()).map(|next| text.line(next)).find(|line| !line.is_empty());
        let is_head =
            !nodes.is_empty() && next.is_some_and(|line| distance_row(line).is_some() || is_numbers(line));
        is_head.then_some((rank, nodes))
    })
}

/// Whether a line is the rest of another, wrapped by a terminal.
fn is_numbers(line: &str) -> bool {
    !line.is_empty() && line.split_whitespace().all(|word| count(word).is_some())
}

/// `0: 10 21`: the node, and what follows.
fn distance_row(line: &str) -> Option<(NodeId, Vec<&str>)> {
    let (node, rest) = line.split_once(':')?;
    let node = NodeId(count(node.trim())?.try_into().ok()?);
    let words: Vec<&str> = rest.split_whitespace().take_while(|word| !is_remark(word)).collect();
    (!words.is_empty()).then_some((node, words))
}

fn read_distances(text: &mut Text, ranks: Range<usize>, facts: &mut Facts) -> Result<(), Problem> {
    let Some((head, mut columns)) = head_of_distances(text, &ranks) else { return Ok(()) };
    text.mark(head);
    let mut rows: Vec<(NodeId, Vec<u32>)> = Vec::new();
    let mut rank = head;
    while rank + 1 < ranks.end {
        rank += 1;
        let line = text.line(rank).to_owned();
        if line.is_empty() {
            continue;
        }
        // Some people leave out the colon behind the node.
        let next = columns.get(rows.len()).map(ToString::to_string);
        let row: Vec<&str> = line.split_whitespace().collect();
        if row.len() == columns.len() + 1 && is_numbers(&line) && row.first().copied() == next.as_deref() {
            let distances = row[1..].iter().filter_map(|word| word.parse().ok()).collect();
            rows.push((columns[rows.len()], distances));
            text.mark(rank);
            continue;
        }
        if rows.is_empty() && is_numbers(&line) {
            columns.extend(line.split_whitespace().filter_map(|word| word.parse().ok()).map(NodeId));
            text.mark(rank);
            continue;
        }
        let Some((node, words)) = distance_row(&line) else { break };
        let mut words: Vec<String> = words.into_iter().map(str::to_owned).collect();
        let first = rank;
        while words.len() < columns.len() && is_numbers(text.line(rank + 1)) {
            rank += 1;
            words.extend(text.line(rank).split_whitespace().map(str::to_owned));
            text.mark(rank);
        }
        let distances = words.iter().map(|word| word.parse::<u32>());
        let distances = distances
            .collect::<Result<Vec<u32>, _>>()
            .map_err(|_| Problem::at(first + 1, "distances, which are whole numbers", line.clone()))?;
        if distances.len() != columns.len() {
            let expected = format!("{} distances of node {node}", columns.len());
            return Err(Problem::at(first + 1, expected, format!("{} in {line}", distances.len())));
        }
        text.mark(first);
        rows.push((node, distances));
    }
    if rows.len() < columns.len() {
        facts.doubts.push(format!(
            "distances: {} of {} rows, so they are left out",
            rows.len(),
            columns.len()
        ));
        return Ok(());
    }
    // Both in ascending order, whatever the text's is.
    let mut order: Vec<usize> = (0..columns.len()).collect();
    order.sort_by_key(|&column| columns[column]);
    rows.sort_by_key(|row| row.0);
    let nodes: Vec<NodeId> = order.iter().map(|&column| columns[column]).collect();
    if rows.iter().map(|row| row.0).collect::<Vec<_>>() != nodes {
        facts.doubts.push("distances: rows and columns have other nodes, so they are left out".to_owned());
        return Ok(());
    }
    let rows: Vec<Vec<u32>> =
        rows.into_iter().map(|(_, row)| order.iter().map(|&column| row[column]).collect()).collect();
    let near = rows.iter().flatten().filter(|&&distance| distance < 10).count();
    if near > 0 {
        facts.doubts.push(format!("distances: {near} are below 10, which is local by definition"));
    }
    facts.distances = Some(DistanceMatrix { nodes, rows });
    Ok(())
}
