//! Texts as names and values.

use serde_json::{Deserializer, Map, Value as Json};

use super::metric_files::{Meaning, Tool, tools};

/// A metric of a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    /// The rank of its line, as far as it can be told.
    pub(super) line: usize,
    /// The host that it is of, if the text says so.
    pub(super) host: Option<String>,
    pub(super) name: String,
    pub(super) value: f64,
    /// Its unit, if the text states it.
    pub(super) unit: Option<String>,
}

/// The metrics of a text.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) tool: &'static Tool,
    pub(super) entries: Vec<Entry>,
}

/// Rows without a head are a table from this number on.
const FEWEST_ROWS: usize = 3;

/// What marks a report of ReFrame, and the end of the names of its columns.
const REPORT: &str = "\"perfvalues\"";
const VALUE: &str = "_value";

/// The metrics of a text, if a tool's names are among them.
pub(super) fn found(raw: &str) -> Option<Found> {
    let first = raw.trim_start().chars().next()?;
    let entries = match first {
        '{' | '[' if raw.contains(REPORT) || may_hold_names(raw) => of_json(raw),
        '{' | '[' => return None,
        _ => of_log(raw).or_else(|| of_rows(raw)).or_else(|| of_words(raw))?,
    };
    let is_of = |tool: &&Tool| {
        let values = || tool.metrics.iter().filter(|metric| matches!(metric.meaning, Meaning::Value { .. }));
        entries.iter().any(|entry| values().any(|metric| metric.name.fit(&entry.name).is_some()))
    };
    let tool = tools().iter().find(is_of)?;
    Some(Found { tool, entries })
}

/// Whether a word of a name is in a text: parsing a large document costs more.
fn may_hold_names(raw: &str) -> bool {
    let mut names = tools().iter().flat_map(|tool| &tool.metrics).map(|metric| metric.name.longest_word());
    names.any(|word| word.len() > 3 && raw.contains(word))
}

/// Objects, one after the other: a host each, or a report of ReFrame.
fn of_json(raw: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut values = Deserializer::from_str(raw).into_iter::<Json>();
    // Lines before what is counted.
    let (mut line, mut counted) = (0, 0);
    loop {
        // Blank lines before an object are none of its own.
        let rest = raw[values.byte_offset()..].trim_start();
        let begin = raw.len() - rest.len();
        line += raw[counted..begin].matches('\n').count();
        counted = begin;
        match values.next() {
            Some(Ok(Json::Object(object))) => match object.get("runs").and_then(Json::as_array) {
                Some(runs) => runs.iter().for_each(|run| of_run(run, line, &mut entries)),
                None => of_object(&object, line, &mut entries),
            },
            Some(Ok(_)) => {}
            Some(Err(_)) | None => return entries,
        }
    }
}

fn of_object(object: &Map<String, Json>, line: usize, entries: &mut Vec<Entry>) {
    let host = object.get("node").and_then(Json::as_str).filter(|host| !host.is_empty());
    let first = entries.len();
    flatten("", object, line, entries);
    entries[first..].iter_mut().for_each(|entry| entry.host = host.map(str::to_owned));
}

/// Members of members have names of both, with a slash between them. SuperBench writes the rank of the process behind a name.
fn flatten(before: &str, object: &Map<String, Json>, line: usize, entries: &mut Vec<Entry>) {
    for (key, member) in object {
        let name = if before.is_empty() { key.clone() } else { format!("{before}/{key}") };
        match member {
            Json::Object(inner) => flatten(&name, inner, line, entries),
            Json::Number(number) => {
                let is_rank = |rank: &str| !rank.is_empty() && rank.bytes().all(|one| one.is_ascii_digit());
                let plain = name.rsplit_once(':').filter(|(_, rank)| is_rank(rank)).map(|(name, _)| name);
                let name = plain.unwrap_or(&name).to_owned();
                if let Some(value) = number.as_f64().filter(|value| value.is_finite()) {
                    entries.push(Entry { line, host: None, name, value, unit: None });
                }
            }
            _ => {}
        }
    }
}

/// A run of ReFrame: `"perfvalues": {"system:partition:copy_bw": [24939.4, 0, null, null, "MB/s", "pass"]}` of each of its cases.
fn of_run(run: &Json, line: usize, entries: &mut Vec<Entry>) {
    let cases = run.get("testcases").and_then(Json::as_array);
    for case in cases.into_iter().flatten() {
        let text = |key: &str| case.get(key).and_then(Json::as_str);
        let nodes = case.get("job_nodelist").and_then(Json::as_array);
        // A job of several nodes is of no single one.
        let host = nodes.filter(|nodes| nodes.len() == 1).and_then(|nodes| nodes[0].as_str());
        let Some(name) = text("display_name").or_else(|| text("name")) else { continue };
        let values = case.get("perfvalues").and_then(Json::as_object);
        for (key, tuple) in values.into_iter().flatten() {
            let Some(value) = tuple.get(0).and_then(Json::as_f64) else { continue };
            let variable = key.rsplit(':').next().unwrap_or(key);
            entries.push(Entry {
                line,
                host: host.map(str::to_owned),
                name: format!("{}/{variable}", name.replace('/', "_")),
                value,
                unit: tuple.get(4).and_then(Json::as_str).map(str::to_owned),
            });
        }
    }
}

/// A performance log of ReFrame: `…|name|…|copy_bw_value|copy_bw_unit|…`, a line each time that it ran.
fn of_log(raw: &str) -> Option<Vec<Entry>> {
    let mut lines = raw.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let (_, head) = lines.next()?;
    let head: Vec<&str> = head.split('|').map(str::trim).collect();
    let column = |name: &str| head.iter().position(|one| *one == name);
    let values: Vec<(usize, usize, &str)> = head
        .iter()
        .enumerate()
        .filter_map(|(rank, name)| {
            let variable = name.strip_suffix(VALUE)?;
            Some((rank, column(&format!("{variable}_unit"))?, variable))
        })
        .collect();
    let (name, host) = (column("name")?, column("job_nodelist"));
    if values.is_empty() {
        return None;
    }
    let mut entries = Vec::new();
    for (line, text) in lines {
        let cells: Vec<&str> = text.split('|').map(str::trim).collect();
        let cell = |rank: usize| cells.get(rank).copied().filter(|cell| !cell.is_empty());
        let is_one = |host: &&str| !host.contains(',') && *host != "null" && *host != "None";
        let host = host.and_then(cell).filter(is_one);
        for (value, unit, variable) in &values {
            let (Some(value), Some(name)) = (cell(*value).and_then(number), cell(name)) else { continue };
            entries.push(Entry {
                line,
                host: host.map(str::to_owned),
                name: format!("{}/{variable}", name.replace('/', "_")),
                value,
                unit: cell(*unit).map(str::to_owned),
            });
        }
    }
    Some(entries)
}

/// A table with a head that has the keys of a tool.
fn of_rows(raw: &str) -> Option<Vec<Entry>> {
    let mut lines = raw.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let (_, head) = lines.next()?;
    let head: Vec<&str> = head.split(',').map(str::trim).collect();
    let column = |name: &String| head.iter().position(|one| one == name);
    let columns = |names: &[String]| names.iter().map(column).collect::<Option<Vec<usize>>>();
    let of_tool = |tool: &&Tool| {
        !tool.keys.is_empty() && columns(&tool.keys).is_some() && columns(&tool.values).is_some()
    };
    let tool = tools().iter().find(of_tool)?;
    let (keys, values) = (columns(&tool.keys)?, columns(&tool.values)?);
    let mut entries = Vec::new();
    for (line, text) in lines {
        let cells: Vec<&str> = text.split(',').map(str::trim).collect();
        let Some(keys) = keys.iter().map(|key| cells.get(*key).copied()).collect::<Option<Vec<&str>>>()
        else {
            continue;
        };
        for column in &values {
            let value = cells.get(*column).and_then(|cell| number(cell)).filter(|value| *value != 0.0);
            let name = format!("{}/{}", keys.join("/"), head[*column]);
            entries.extend(value.map(|value| Entry { line, host: None, name, value, unit: None }));
        }
    }
    Some(entries)
}

/// Rows of words without a head: `rd 0.016384 475985.81`. Nothing else may be there.
fn of_words(raw: &str) -> Option<Vec<Entry>> {
    let lines = || raw.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    if lines().count() < FEWEST_ROWS {
        return None;
    }
    tools().iter().filter(|tool| !tool.columns.is_empty()).find_map(|tool| {
        let row = |(line, text): (usize, &str)| {
            let words: Vec<&str> = text.split_whitespace().collect();
            let (value, names) = words.split_last().filter(|_| words.len() == tool.columns.len())?;
            let name = format!("{}/{}", names.join("/"), tool.columns.last()?);
            let is_known = tool.metrics.iter().any(|metric| metric.name.fit(&name).is_some());
            let value = number(value).filter(|_| is_known)?;
            Some(Entry { line, host: None, name, value, unit: None })
        };
        lines().map(row).collect::<Option<Vec<Entry>>>()
    })
}

fn number(cell: &str) -> Option<f64> {
    cell.parse().ok().filter(|value: &f64| value.is_finite())
}
