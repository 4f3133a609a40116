//! What `free`, `numastat` and the kernel's own files say of memory, of all of it and of nodes.

use zerohop_machine::{NodeId, Setting, StatedProcess, UsedMemory};
use zerohop_units::Bytes;

use super::fact_collection::Facts;
use super::size::binary_size;
use crate::lines::Text;
use crate::number::number;

/// Reads all tables of memory. Each table of nodes is a description of the machine of its own: it may be that of a later moment.
pub(super) fn read_memory(text: &mut Text, facts: &mut Facts) -> Vec<Facts> {
    read_free(text, facts);
    let mut described = read_node_files(text);
    described.extend(read_numastat(text, facts));
    described
}

/// `free`, whose unit is in its values or in the command line above.
fn read_free(text: &mut Text, facts: &mut Facts) {
    let mut read = Vec::new();
    let mut above: [(usize, &str); 2] = [(0, ""); 2];
    let mut given = None;
    for (rank, line) in text.lines() {
        let (head_rank, head) = above[1];
        let heads: Vec<&str> = head.split_whitespace().collect();
        if let Some(row) = line.strip_prefix("Mem:")
            && heads.first() == Some(&"total")
            && facts.stated.memory.is_none()
        {
            let values: Vec<&str> = row.split_whitespace().collect();
            given = unit(&values, above[0].1);
            if let Some(sizes) = given.as_deref().and_then(|unit| sizes(&values, unit)) {
                facts.stated.memory = sizes.first().copied();
                for (name, size) in heads.iter().zip(&sizes).skip(1) {
                    facts.stated.fields.push(Setting::new(format!("memory, {name}"), size.to_string()));
                }
                read.extend([head_rank, rank]);
            }
        } else if let Some(row) = line.strip_prefix("Swap:")
            && read.last() == Some(&above[1].0)
            && let Some(unit) = &given
        {
            let values: Vec<&str> = row.split_whitespace().collect();
            if let Some(size) = sizes(&values, unit).and_then(|sizes| sizes.first().copied()) {
                facts.stated.fields.push(Setting::new("swap, total", size.to_string()));
                read.push(rank);
            }
        }
        above = [above[1], (rank, line)];
    }
    read.into_iter().for_each(|rank| text.mark(rank));
}

/// The unit of the numbers of `free`, which they may have themselves. Without one, they are in KiB, unless the command line says otherwise; small
/// numbers alone do not show it.
fn unit(values: &[&str], command: &str) -> Option<String> {
    /// No machine has less, in KiB.
    const LEAST: f64 = 1e6;
    if values.iter().any(|value| value.ends_with(|one: char| one.is_ascii_alphabetic())) {
        return Some(String::new());
    }
    let option = command.split_whitespace().skip_while(|word| !word.ends_with("free")).nth(1);
    match option.and_then(|option| option.trim_start_matches('-').chars().next()) {
        Some(unit) if "bkmgt".contains(unit) => Some(unit.to_string()),
        _ => (number(values.first()?)? >= LEAST).then(|| "k".to_owned()),
    }
}

fn sizes(values: &[&str], unit: &str) -> Option<Vec<Bytes>> {
    values.iter().map(|value| binary_size(&format!("{value}{unit}"))).collect()
}

/// `Node 0 MemTotal: 131883212 kB`, as in `/sys/devices/system/node/node0/meminfo`.
fn read_node_files(text: &mut Text) -> Vec<Facts> {
    let mut read = Vec::new();
    let mut described: Vec<Facts> = Vec::new();
    for (rank, line) in text.open() {
        let mut words = line.split_whitespace();
        let (Some("Node"), Some(node), Some(name), Some(size)) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            continue;
        };
        let Ok(node) = node.parse::<NodeId>() else { continue };
        let Some(size) = binary_size(&format!("{size} {}", words.next().unwrap_or_default())) else {
            continue;
        };
        let is_total = match name {
            "MemTotal:" => true,
            "MemFree:" => false,
            _ => continue,
        };
        let is_known = |facts: &Facts| {
            let known = facts.nodes.get(&node);
            known.is_some_and(|known| if is_total { known.memory.is_some() } else { known.free.is_some() })
        };
        if described.last().is_none_or(is_known) {
            described.push(Facts::default());
        }
        if let Some(facts) = described.last_mut() {
            let entry = facts.nodes.entry(node).or_default();
            *(if is_total { &mut entry.memory } else { &mut entry.free }) = Some(in_megabytes(size));
        }
        read.push(rank);
    }
    read.into_iter().for_each(|rank| text.mark(rank));
    described
}

/// A size as `numactl` shows it, so that the two can be compared.
fn in_megabytes(size: Bytes) -> Bytes {
    Bytes(size.get() >> 20 << 20)
}

/// `numastat`, `numastat -m` and `numastat -p`: a head that names nodes, and rows with a value for each.
fn read_numastat(text: &mut Text, facts: &mut Facts) -> Vec<Facts> {
    let mut read = Vec::new();
    let mut described: Vec<Facts> = Vec::new();
    let mut columns: Vec<NodeId> = Vec::new();
    let (mut title, mut unit) = (String::new(), "");
    for (rank, line) in text.open() {
        if line.starts_with("Per-node ") {
            unit = if line.contains("in MBs") { " MB" } else { "" };
            title = line
                .split_once("for ")
                .map_or_else(String::new, |(_, of)| format!("{}, ", of.trim_end_matches(':')));
            columns.clear();
            read.push(rank);
            continue;
        }
        if let Some(head) = nodes_of_head(line) {
            // A terminal that is too narrow for all nodes has a further table for the others.
            if described.last().is_none_or(|facts| head.iter().any(|node| facts.nodes.contains_key(node))) {
                described.push(Facts::default());
            }
            columns = head;
            read.push(rank);
            continue;
        }
        if columns.is_empty() {
            continue;
        }
        let mut words = line.split_whitespace();
        let name = words.next().unwrap_or_default();
        let words: Vec<&str> = words.collect();
        let values: Vec<f64> = words.iter().map_while(|word| number(word)).collect();
        let is_row = name.starts_with(char::is_alphabetic) || name.parse::<u64>().is_ok();
        let extra = words.len().saturating_sub(columns.len());
        if !is_row || values.len() != words.len() || values.len() < columns.len() || extra > 1 {
            columns.clear();
            continue;
        }
        let mut of_process = Vec::new();
        if let Some(last) = described.last_mut() {
            for (&node, &value) in columns.iter().zip(&values) {
                let entry = last.nodes.entry(node).or_default();
                let size = in_megabytes(Bytes((value * 1024.0 * 1024.0).max(0.0) as u64));
                match name {
                    "Total" if !title.is_empty() && !unit.is_empty() => {
                        of_process.push(UsedMemory { node, memory: size });
                    }
                    "MemTotal" if !unit.is_empty() => entry.memory = Some(size),
                    "MemFree" if !unit.is_empty() => entry.free = Some(size),
                    _ => {}
                }
            }
        }
        if !of_process.is_empty() {
            let name = title.trim_end_matches(", ").to_owned();
            facts.stated.processes.push(StatedProcess { name, nodes: of_process });
        } else if !matches!(name, "MemTotal" | "MemFree") {
            let of_nodes =
                columns.iter().zip(&words).map(|(node, value)| format!("node {node}: {value}{unit}"));
            let of_nodes: Vec<String> = of_nodes.collect();
            let name = format!("{title}{name}");
            facts.push_field(&name, &of_nodes.join(", "));
        }
        read.push(rank);
    }
    read.into_iter().for_each(|rank| text.mark(rank));
    described.retain(|facts| facts.nodes.values().any(|node| node.memory.is_some() || node.free.is_some()));
    described
}

/// `Node 0 Node 1 Total`, `node0 node1`, or `PID Node 0 Node 1 Total`.
fn nodes_of_head(line: &str) -> Option<Vec<NodeId>> {
    let mut nodes = Vec::new();
    let mut words = line.split_whitespace().peekable();
    words.next_if_eq(&"PID");
    while let Some(word) = words.next() {
        let number = match word {
            "Node" => words.next()?,
            "Total" if !nodes.is_empty() && words.peek().is_none() => break,
            _ => word.strip_prefix("node")?,
        };
        nodes.push(number.parse().ok()?);
    }
    let is_ascending = nodes.windows(2).all(|pair: &[NodeId]| pair[0] < pair[1]);
    (!nodes.is_empty() && is_ascending).then_some(nodes)
}
