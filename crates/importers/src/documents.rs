//! Matrices of nodes in JSON and YAML, as scripts keep them: `{"idle_latency_ns": [[81.2, 130.2], [130.2, 81.1]]}`.
//!
//! They become the lines that MLC would print. A bandwidth needs a unit: in the name of the member, or in one beside it.

use serde_json::Value;
use std::fmt::Write as _;

use crate::coordinates::word;
use crate::number::count;
use crate::structured::json_start;
use crate::typed_tables::{SURELY_MEGABYTES, unit};

/// Names of members that hold something else than idle latencies or read bandwidths of nodes.
const OTHERS: [&str; 11] =
    ["core", "cpu", "gpu", "device", "cache", "loaded", "write", "random", "distance", "thread", "peak"];

/// More nodes than this have no machines.
const MOST_NODES: usize = 4096;

/// The matrices of a document.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Matrices {
    /// The lines that MLC would print.
    pub(crate) lines: String,
    /// Members that are no such matrix.
    pub(crate) others: Vec<String>,
}

/// The matrices of a document; `None` if it has none.
pub(crate) fn matrices(text: &str) -> Option<Matrices> {
    let value = of_json(text).or_else(|| of_yaml(text))?;
    let mut found = Matrices::default();
    found.collect(&value, "", None);
    (!found.lines.is_empty()).then_some(found)
}

fn of_json(text: &str) -> Option<Value> {
    let start = json_start(text)?;
    serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>().next()?.ok()
}

/// The members of a YAML document whose values are lists of rows: `- [81.2, 130.2]`, or `node0: [81.2, 130.2]`.
fn of_yaml(text: &str) -> Option<Value> {
    let mut found = serde_json::Map::new();
    let mut name: Option<String> = None;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let row = line.find('[').map(|at| (line[..at].trim(), &line[at..]));
        match row {
            Some((before, list)) => {
                let row: Value = serde_json::from_str(list).ok()?;
                let Some(name) = &name else { continue };
                let rows = found.entry(name.clone()).or_insert_with(|| Value::Object(serde_json::Map::new()));
                let rows = rows.as_object_mut()?;
                let label = match before.trim_end_matches(':') {
                    "-" => rows.len().to_string(),
                    label => label.trim_matches(['"', '\'']).to_owned(),
                };
                rows.insert(label, row);
            }
            None => name = line.strip_suffix(':').map(|name| name.trim_start_matches("- ").to_owned()),
        }
    }
    (!found.is_empty()).then_some(Value::Object(found))
}

impl Matrices {
    /// Adds those of a value, whose name is that of all members above it. `beside` is a unit that stands beside it.
    fn collect(&mut self, value: &Value, name: &str, beside: Option<&str>) {
        let read =
            matrix(value).and_then(|(columns, rows)| Some((heading(name, beside, &rows)?, columns, rows)));
        if let Some((heading, columns, rows)) = read {
            let columns: Vec<String> = columns.iter().map(u64::to_string).collect();
            let _ = writeln!(self.lines, "{heading}\nNuma node\t{}", columns.join("\t"));
            for (label, row) in rows {
                let row: Vec<String> = row.iter().map(ToString::to_string).collect();
                let _ = writeln!(self.lines, "{label}\t{}", row.join("\t"));
            }
            self.lines.push('\n');
        } else if let Value::Object(members) = value {
            const UNITS: [&str; 2] = ["unit", "units"];
            let unit = UNITS.iter().find_map(|key| members.get(*key)?.as_str()).or(beside);
            for (key, member) in members.iter().filter(|(key, _)| !UNITS.contains(&key.as_str())) {
                self.collect(member, format!("{name} {}", key.to_ascii_lowercase()).trim(), unit);
            }
        } else {
            self.others.push(format!("`{}`: no matrix of nodes", word(name)));
        }
    }
}

/// MLC's heading of a matrix of that name; `None` if it is none of MLC's, or nobody says in which unit.
fn heading(name: &str, beside: Option<&str>, rows: &[(u64, Vec<f64>)]) -> Option<String> {
    let stated = format!("{name} {}", beside.unwrap_or_default().to_ascii_lowercase());
    if OTHERS.iter().any(|other| name.contains(other)) {
        return None;
    }
    if name.contains("latenc") {
        let is_other = ["us", "usec", "cycles", "clocks", "ms"]
            .iter()
            .any(|unit| stated.split(|one: char| !one.is_alphanumeric()).any(|word| word == *unit));
        return (!is_other).then(|| "Measuring idle latencies (in ns)...".to_owned());
    }
    if !name.contains("bandwidth") && !name.split(['_', ' ', '-']).any(|word| word == "bw") {
        return None;
    }
    let largest = rows.iter().flat_map(|(_, row)| row).copied().fold(0.0, f64::max);
    // MLC's reader takes these spellings.
    let spelled = match unit(&stated) {
        Some(1e-3) => "MB/s",
        Some(1.0) if stated.contains("gbps") => "Gbps",
        Some(1.0) => "GB/s",
        Some(0.125) => "Gbit/s",
        Some(1.073_741_824) => "GiB/s",
        Some(1.048_576e-3) => "MiB/s",
        Some(1e3) => "TB/s",
        None if largest > SURELY_MEGABYTES => "MB/s",
        _ => return None,
    };
    Some(format!("Measuring Memory Bandwidths between nodes within system ({spelled})"))
}

type Rows = Vec<(u64, Vec<f64>)>;

/// The nodes of the columns, and the rows, of a list of lists or of an object of lists or of objects.
fn matrix(value: &Value) -> Option<(Vec<u64>, Rows)> {
    let rows: Vec<(u64, &Value)> = match value {
        Value::Array(rows) => (0..).zip(rows).collect(),
        Value::Object(rows) => {
            rows.iter().map(|(key, row)| Some((node(key)?, row))).collect::<Option<_>>()?
        }
        _ => return None,
    };
    let mut columns: Option<Vec<u64>> = None;
    let mut found = Rows::new();
    for (label, row) in rows {
        let cells: Vec<(u64, &Value)> = match row {
            Value::Array(cells) => (0..).zip(cells).collect(),
            Value::Object(cells) => {
                cells.iter().map(|(key, cell)| Some((node(key)?, cell))).collect::<Option<_>>()?
            }
            _ => return None,
        };
        let mut cells: Vec<(u64, f64)> =
            cells.into_iter().map(|(node, cell)| Some((node, cell.as_f64()?))).collect::<Option<_>>()?;
        cells.sort_by_key(|(node, _)| *node);
        let nodes: Vec<u64> = cells.iter().map(|(node, _)| *node).collect();
        if columns.get_or_insert_with(|| nodes.clone()) != &nodes {
            return None;
        }
        found.push((label, cells.into_iter().map(|(_, cell)| cell).collect()));
    }
    found.sort_by_key(|(label, _)| *label);
    let columns = columns
        .filter(|columns| (1..=MOST_NODES).contains(&columns.len()) && found.len() <= columns.len())?;
    Some((columns, found))
}

/// `0`, `node0` or `NUMA node 0`.
fn node(key: &str) -> Option<u64> {
    let lower = key.to_ascii_lowercase();
    let number = lower.trim_start_matches(|one: char| one.is_alphabetic() || matches!(one, ' ' | '_' | '-'));
    let name = lower[..lower.len() - number.len()].trim_end_matches([' ', '_', '-']);
    let is_node = ["", "node", "numa", "numa node", "numa_node", "numanode", "n"].contains(&name);
    count(number).filter(|_| is_node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_become_mlc_s_lines() {
        let latencies =
            "Measuring idle latencies (in ns)...\nNuma node\t0\t1\n0\t81.2\t130.2\n1\t130.5\t81\n\n";
        for text in [
            "{\"idle_latency_ns\": [[81.2, 130.2], [130.5, 81.0]]}",
            "{\"mlc\": {\"version\": \"3\", \"latency_matrix\": {\"1\": {\"0\": 130.5, \"1\": 81}, \"0\": {\"0\": 81.2, \"1\": 130.2}}}}",
            "{\"latency\": {\"unit\": \"ns\", \"matrix\": {\"node0\": [81.2, 130.2], \"node1\": [130.5, 81.0]}}}",
            "mlc:\n  latency_matrix:\n    - [81.2, 130.2]\n    - [130.5, 81.0]\n",
            "latency_matrix:\n  node0: [81.2, 130.2]\n  node1: [130.5, 81.0]\n",
        ] {
            assert_eq!(matrices(text).map(|found| found.lines).as_deref(), Some(latencies), "{text}");
        }
        let bandwidths =
            matrices("{\"bandwidth_gbs\": [[122.5, 51.5], [51.5, 122.0]], \"host\": \"n1\"}").unwrap();
        assert_eq!(bandwidths.others, ["`host`: no matrix of nodes"]);
        let bandwidths = bandwidths.lines;
        assert!(
            bandwidths.starts_with("Measuring Memory Bandwidths between nodes within system (GB/s)\n"),
            "{bandwidths}"
        );
    }

    #[test]
    fn what_is_no_matrix_of_nodes_or_has_no_unit_stays() {
        for text in [
            "{\"bandwidth\": [[122.5, 51.5], [51.5, 122.0]]}",
            "{\"core_to_core_latency\": [[0, 51.5], [51.5, 0]]}",
            "{\"loaded_latency\": [[0, 51.5], [51.5, 0]]}",
            "{\"latency_cycles\": [[81.2, 130.2], [130.5, 81.0]]}",
            "{\"latency\": [[81.2, 130.2], [130.5]]}",
            "{\"latency\": [[81.2, null], [130.5, 1]]}",
            "{\"latency\": [1, 2]}",
            "latency:\n  - a\n",
        ] {
            assert_eq!(matrices(text), None, "{text}");
        }
    }
}
