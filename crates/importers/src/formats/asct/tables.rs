//! Tables of ASCT: found in a text, in CSV or in JSON, as rows of cells in one order.

use serde_json::Value as Json;
use zerohop_result::ExperimentName;

use crate::kinds;
use crate::lines::Text;
use crate::number::Token;
use crate::problem::Problem;
use crate::sample::Sample;
use crate::structured::{fields, json, json_start};

/// What a table holds, and the cells of its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// From the cores' node, of the memory's node, latency.
    IdleLatencies,
    /// From the cores' node, of the memory's node, bandwidth.
    Bandwidths,
    /// Mix, bandwidth.
    PeakBandwidths,
    /// Injected NOPs, latency, bandwidth.
    LoadedLatencies,
    /// Level, latency.
    LatencySweep,
    /// Level, bandwidth.
    BandwidthSweep,
    /// From node, to node, latency: the medians of all pairs of cores. The line's memory is on the first core's node, or not.
    Transfers { is_far: bool },
    /// From CPU, to CPU, latency, node of the first CPU, node of the memory.
    CorePairs,
}

impl Kind {
    /// With the words that begin its title, in lower case; and, but for matrices, with those of the columns that are read, in the order
    /// of its cells.
    const ALL: [(Self, &'static [&'static str], &'static [&'static str]); 9] = [
        (Self::IdleLatencies, &["latencies of random memory access at idle"], &[]),
        (Self::Bandwidths, &["cross-numa bandwidths for the system"], &[]),
        (Self::PeakBandwidths, &["peak memory bandwidth"], &["traffic type", "peak bw"]),
        (
            Self::LoadedLatencies,
            &["loaded latency with background memory activity"],
            &["injected nops", "loaded latency", "bandwidth"],
        ),
        (Self::LatencySweep, &["latencies at different levels of cache"], &["level", "latency"]),
        (Self::BandwidthSweep, &["bandwidth at different levels of cache"], &["level", "bandwidth"]),
        (Self::Transfers { is_far: false }, &["core-to-core latency summary", "@ local"], &[]),
        (Self::Transfers { is_far: true }, &["core-to-core latency summary", "@ remote"], &[]),
        (Self::CorePairs, &[], &["cpua", "cpub", "latency", "cpua_node", "membind_node"]),
    ];

    fn columns(self) -> &'static [&'static str] {
        Self::ALL.iter().find(|known| known.0 == self).map_or(&[], |known| known.2)
    }

    const fn is_matrix(self) -> bool {
        matches!(self, Self::IdleLatencies | Self::Bandwidths | Self::Transfers { .. })
    }

    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::IdleLatencies => "idle latencies",
            Self::Bandwidths => "bandwidths between nodes",
            Self::PeakBandwidths => "peak bandwidths",
            Self::LoadedLatencies => "loaded latencies",
            Self::LatencySweep => "latencies of levels",
            Self::BandwidthSweep => "bandwidths of levels",
            Self::Transfers { .. } | Self::CorePairs => "latencies from core to core",
        }
    }

    pub(super) const fn experiment(self) -> ExperimentName {
        match self {
            Self::IdleLatencies => kinds::LATENCY_MATRIX,
            Self::Bandwidths => kinds::BANDWIDTH_MATRIX,
            Self::PeakBandwidths => kinds::MIXES,
            Self::LoadedLatencies => kinds::LOADED_LATENCY,
            Self::LatencySweep => kinds::CACHE_LATENCY,
            Self::BandwidthSweep => kinds::CACHE_BANDWIDTH,
            Self::Transfers { .. } => kinds::CACHE_TO_CACHE,
            Self::CorePairs => kinds::CORE_TO_CORE,
        }
    }

    /// The table that begins under a title, in lower case.
    fn titled(title: &str) -> Option<Self> {
        let is_title = |words: &[&str]| match words {
            [] => false,
            [begin, inside @ ..] => {
                title.starts_with(begin) && inside.iter().all(|word| title.contains(word))
            }
        };
        Self::ALL.iter().find(|known| is_title(known.1)).map(|known| known.0)
    }

    /// The table whose columns have these names, in lower case.
    fn of_columns(names: &[String]) -> Option<Self> {
        let has = |column: &&str| names.iter().any(|name| name.starts_with(column));
        let is_of = |columns: &[&str]| !columns.is_empty() && columns.iter().all(has);
        // The columns of one sweep are among those of other tables.
        let is_sweep = |kind| match kind {
            Self::LatencySweep => names.iter().any(|name| name == "lower bound"),
            Self::BandwidthSweep => {
                names.iter().any(|name| name == "datasize used" || name == "data size used")
            }
            _ => true,
        };
        let mut of_columns = Self::ALL.iter().filter(|known| is_of(known.2) && is_sweep(known.0));
        of_columns.next().map(|known| known.0).or_else(|| {
            // Its levels are the names of its rows.
            let is_latency_sweep = ["lower bound", "upper bound", "latency ["];
            is_latency_sweep.iter().all(has).then_some(Self::LatencySweep)
        })
    }

    /// The matrix that a file or a benchmark of that name holds.
    fn of_benchmark(name: &str) -> Option<Self> {
        let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
        match file.strip_suffix(".csv").unwrap_or(file) {
            "idle-latency" => Some(Self::IdleLatencies),
            "cross-numa-bandwidth" => Some(Self::Bandwidths),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Table {
    pub(super) kind: Kind,
    pub(super) in_cycles: bool,
    pub(super) rows: Vec<Row>,
}

impl Table {
    /// Whether it is a matrix of more than one node.
    pub(super) fn has_several_nodes(&self) -> bool {
        self.kind.is_matrix() && self.rows.len() > 1
    }
}

/// A row: the number of its line, and its cells in the order of the kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) line: usize,
    pub(super) cells: Vec<String>,
}

/// Whether a text holds any table of ASCT's.
pub(super) fn begins(text: &Sample<'_>) -> bool {
    if text.has_json() {
        let names =
            ["\"peak-bandwidth\"", "\"idle-latency\"", "\"cross-numa-bandwidth\"", "\"latency-sweep\""];
        return names.iter().any(|name| text.raw().contains(name)) && text.raw().contains("\"memory\"");
    }
    text.seen().any(|seen| {
        Kind::titled(&seen.lower).is_some_and(|kind| head_below(text, seen.rank, kind).is_some())
            || csv_head(text, seen.line).is_some()
    })
}

/// All tables of a text.
pub(super) fn tables(text: &mut Text) -> Result<Vec<Table>, Problem> {
    if json_start(text.raw()).is_some() {
        return of_json(&json(text)?);
    }
    let mut tables = Vec::new();
    let mut rank = 0;
    while rank < text.len() {
        let line = text.line(rank).to_owned();
        let lower = line.to_ascii_lowercase();
        if let Some((kind, names)) = csv_head(text, &line) {
            let (table, next) = of_csv(text, rank, kind, &names)?;
            tables.push(table);
            rank = next;
        } else if let Some((kind, head)) =
            Kind::titled(&lower).and_then(|kind| Some((kind, head_below(text, rank, kind)?)))
        {
            (rank..=head).for_each(|rank| text.mark(rank));
            let (mut table, next) = of_lines(text, head, kind)?;
            table.in_cycles |= lower.contains("cycle");
            tables.push(table);
            rank = next;
        } else {
            rank += 1;
        }
    }
    Ok(tables)
}

/// The rank of the head of a table, below its title.
fn head_below(text: &Text, title: usize, kind: Kind) -> Option<usize> {
    const FARTHEST: usize = 4;
    (title + 1..text.len()).filter(|&rank| !text.line(rank).is_empty()).take(FARTHEST).find(|&rank| {
        let lower = text.line(rank).to_ascii_lowercase();
        if kind.is_matrix() {
            nodes(&lower).is_some()
        } else {
            kind.columns().iter().filter(|column| **column != "level").all(|column| lower.contains(column))
        }
    })
}

/// `Node 0 Node 1`: the nodes in the head of a matrix.
fn nodes(head: &str) -> Option<Vec<String>> {
    let words = head.to_ascii_lowercase().replace("node", " node ");
    let words: Vec<&str> = words.split([' ', '\t', ',', ';']).filter(|word| !word.is_empty()).collect();
    let pairs = words.as_chunks::<2>();
    let is_node = |pair: &[&str; 2]| pair[0] == "node" && pair[1].bytes().all(|byte| byte.is_ascii_digit());
    (!pairs.0.is_empty() && pairs.1.is_empty() && pairs.0.iter().all(is_node))
        .then(|| pairs.0.iter().map(|pair| format!("node {}", pair[1])).collect())
}

/// The rows below a head, and the rank of the line after them.
fn of_lines(text: &mut Text, head: usize, kind: Kind) -> Result<(Table, usize), Problem> {
    let names = text.line(head).to_ascii_lowercase();
    let columns = nodes(&names);
    // A share of the peak is the last column.
    let share = usize::from(names.contains('%'));
    let mut table = Table { kind, in_cycles: names.contains("cycle"), rows: Vec::new() };
    let mut rank = head + 1;
    while rank < text.len() {
        let line = text.line(rank).to_owned();
        if line.is_empty() && table.rows.is_empty() {
            rank += 1;
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let values = words.iter().rev().take_while(|word| !Token::of(word).is_word()).count();
        let last = words.len().saturating_sub(share);
        let cells = match (&columns, kind) {
            (Some(columns), _) => {
                match nodes(&words[..words.len().saturating_sub(columns.len())].join(" ")) {
                    Some(name) if values >= columns.len() => {
                        let values = &words[words.len() - columns.len()..];
                        let row = columns.iter().zip(values).map(|(column, value)| Row {
                            line: rank + 1,
                            cells: vec![name[0].clone(), column.clone(), (*value).to_owned()],
                        });
                        table.rows.extend(row);
                        text.mark(rank);
                        rank += 1;
                        continue;
                    }
                    _ if line.to_ascii_lowercase().starts_with("node") => {
                        return Err(Problem::at(
                            rank + 1,
                            format!("{} values, one for each node", columns.len()),
                            line,
                        ));
                    }
                    _ => break,
                }
            }
            (None, Kind::PeakBandwidths) if values > share && last >= 2 => {
                vec![words[..last - 1].join(" "), words[last - 1].to_owned()]
            }
            (None, Kind::LoadedLatencies) if words.len() == 3 + share && values == words.len() => {
                words[..3].iter().map(|word| (*word).to_owned()).collect()
            }
            (None, Kind::LatencySweep) if words.len() == 5 && values >= 1 => {
                vec![words[0].to_owned(), words[4].to_owned()]
            }
            (None, Kind::BandwidthSweep) if words.len() == 3 && values >= 1 => {
                vec![words[1].to_owned(), words[2].to_owned()]
            }
            _ => break,
        };
        table.rows.push(Row { line: rank + 1, cells });
        text.mark(rank);
        rank += 1;
    }
    Ok((table, rank))
}

/// The kind and the columns of a CSV file of ASCT's, whose first column has no name.
fn csv_head(text: &Text, line: &str) -> Option<(Kind, Vec<String>)> {
    if !line.starts_with([',', ';', '"']) {
        return None;
    }
    let names: Vec<String> =
        fields(&line.to_ascii_lowercase()).iter().map(|name| name.trim().to_owned()).collect();
    if names.len() < 2 || !names[0].is_empty() {
        return None;
    }
    let kind = match nodes(&names[1..].join(" ")) {
        Some(_) => Kind::of_benchmark(text.name())?,
        None => Kind::of_columns(&names)?,
    };
    Some((kind, names))
}

fn of_csv(text: &mut Text, head: usize, kind: Kind, names: &[String]) -> Result<(Table, usize), Problem> {
    text.mark(head);
    let mut table =
        Table { kind, in_cycles: names.iter().any(|name| name.contains("cycle")), rows: Vec::new() };
    let mut rank = head + 1;
    while rank < text.len() {
        let line = text.line(rank).to_owned();
        let row = fields(&line);
        if line.is_empty() || row.len() == 1 {
            break;
        }
        if row.len() != names.len() {
            return Err(Problem::at(rank + 1, format!("{} values, as in the head", names.len()), line));
        }
        let line = rank + 1;
        if kind.is_matrix() {
            table.rows.extend((1..row.len()).map(|column| Row {
                line,
                cells: vec![row[0].clone(), names[column].clone(), row[column].clone()],
            }));
        } else {
            table.rows.push(Row { line, cells: cells(kind, &row[0], names, |column| row[column].clone()) });
        }
        text.mark(rank);
        rank += 1;
    }
    Ok((table, rank))
}

/// The cells of a row in the order of the kind, by the names of its columns; a level may be the name of the row.
fn cells(kind: Kind, row: &str, names: &[String], cell: impl Fn(usize) -> String) -> Vec<String> {
    let columns = kind.columns().iter().map(|column| {
        let rank = names.iter().position(|name| name == column);
        let rank = rank.or_else(|| names.iter().position(|name| name.starts_with(column)));
        rank.map_or_else(|| row.to_owned(), &cell)
    });
    columns.collect()
}

/// The tables of a report, wherever they are in it: by benchmark, column by column.
fn of_json(value: &Json) -> Result<Vec<Table>, Problem> {
    let members = value.get("memory").and_then(Json::as_object);
    let members =
        members.ok_or_else(|| Problem::of_text("a member `memory` with the tables of ASCT", "none"))?;
    let mut tables = Vec::new();
    for (name, columns) in members {
        let columns = columns.get("summary").unwrap_or(columns);
        let Some(columns) = columns.as_object() else { continue };
        let names: Vec<String> = columns.keys().map(|name| name.to_ascii_lowercase()).collect();
        let in_cycles = names.iter().any(|name| name.contains("cycle"));
        let of_column = |column: usize| columns.values().nth(column).and_then(Json::as_object);
        let Some(rows) = of_column(0) else { continue };
        let Some(kind) = Kind::of_benchmark(name).or_else(|| Kind::of_columns(&names)) else { continue };
        let cell = |column: usize, row: &str| {
            of_column(column).and_then(|cells| cells.get(row)).map_or_else(String::new, text_of)
        };
        let mut table = Table { kind, in_cycles, rows: Vec::new() };
        for row in rows.keys() {
            if kind.is_matrix() {
                // Columns are those of the memory.
                table.rows.extend((0..names.len()).map(|column| Row {
                    line: 1,
                    cells: vec![row.clone(), names[column].clone(), cell(column, row)],
                }));
            } else {
                table.rows.push(Row { line: 1, cells: cells(kind, row, &names, |column| cell(column, row)) });
            }
        }
        tables.push(table);
    }
    Ok(tables)
}

/// A value of JSON as text.
fn text_of(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Null => String::new(),
        other => other.to_string(),
    }
}
