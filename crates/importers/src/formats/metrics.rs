//! Tables of metric names and values, as test frameworks write them: SuperBench, ReFrame, hwbench, SpareCores.
//!
//! ```text
//! on_file.rs   what names mean: the files of `metrics/`
//! pattern.rs   `numa_{initiator}_{target}_bw` against a name
//! tables.rs    texts as names and values: objects of JSON, reports and logs of ReFrame, rows with and without a head
//! ```

mod metric_files;
mod pattern;
mod tables;

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use zerohop_result::{Axis, Coordinate, Coordinates, ExperimentName};
use zerohop_units::Bytes;
use zerohop_workload::Warning;

use crate::format::{Declaration, Sign};
use crate::harvest::{Block, Harvest};
use crate::hosts::Parts;
use crate::lines::Text;
use crate::problem::Problem;
use crate::sample::Sample;

pub use metric_files::metrics_schema;
use metric_files::{Meaning, Metric, Tool, tools};
use pattern::Hole;
use tables::{Entry, Found, found};

pub(super) const FORMAT: Declaration = Declaration {
    name: "metrics",
    words: "metric names and values of SuperBench, ReFrame, hwbench or SpareCores",
    marks: &["@metric"],
    sign,
    cells: true,
    read,
};

/// With what a line begins that stands for a metric of one of several hosts.
const LINE: &str = "@metric";

/// Names of metrics without a meaning that are listed.
const NAMED: usize = 4;

fn sign(text: &Sample<'_>) -> Sign {
    let is_known = text.any_as_is(|line| line.starts_with(LINE)) && of_lines(text).is_some()
        || found(text.raw()).is_some();
    if is_known { Sign::Certain } else { Sign::None }
}

/// The metrics by hosts, if the text says which host each is of.
pub(crate) fn parts(raw: &str) -> Option<Parts> {
    let Found { tool, entries } = found(raw)?;
    let mut hosts: Vec<(String, Vec<(usize, String)>)> = Vec::new();
    let mut ranks: BTreeMap<String, usize> = BTreeMap::new();
    for Entry { line, host, name, value, unit } in entries {
        let host = host?;
        let rank = *ranks.entry(host.clone()).or_insert_with(|| {
            hosts.push((host, Vec::new()));
            hosts.len() - 1
        });
        let name = name.replace(char::is_whitespace, "_");
        let unit = unit.unwrap_or_default();
        hosts[rank]
            .1
            .push((line, format!("{LINE} {} {name} {value} {unit}", tool.name).trim_end().to_owned()));
    }
    Some(Parts::of(hosts))
}

/// The metrics of lines that [`parts`] wrote.
fn of_lines(text: &Text) -> Option<Found> {
    let mut tool = None;
    let mut entries = Vec::new();
    for (line, words) in text.lines() {
        let mut words = words.split_whitespace();
        if words.next() != Some(LINE) {
            continue;
        }
        let name = words.next()?;
        tool = tool.or_else(|| tools().iter().find(|tool| tool.name == name));
        let (name, value) = (words.next()?.to_owned(), words.next()?.parse().ok()?);
        entries.push(Entry { line, host: None, name, value, unit: words.next().map(str::to_owned) });
    }
    Some(Found { tool: tool?, entries })
}

/// A metric that means something.
struct Known<'a> {
    entry: &'a Entry,
    metric: &'a Metric,
    holes: Holes,
}

fn read(_: &str, text: &mut Text) -> Result<Harvest, Problem> {
    let own = of_lines(text);
    let is_whole = own.is_none();
    let Some(Found { tool, entries }) = own.or_else(|| found(text.raw())) else {
        let expected = tools().iter().map(|tool| tool.words.as_str()).collect::<Vec<_>>().join("; ");
        return Err(Problem::of_text(format!("metrics whose names are known: {expected}"), "none"));
    };
    let mut harvest = Harvest { tool: Some(tool.name.clone()), ..Harvest::default() };
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    let beside = beside(tool, &entries);
    for entry in &entries {
        match meaning(tool, entry, &beside) {
            Some((metric, holes)) => known.push(Known { entry, metric, holes }),
            None => unknown.push(entry.name.as_str()),
        }
    }
    for experiment in experiments(&known) {
        harvest.add(block(experiment, &known)?);
    }
    leave_out(&mut harvest, &known, &unknown);
    let lines = if is_whole {
        (0..text.len()).collect()
    } else {
        entries.iter().map(|entry| entry.line).collect::<Vec<_>>()
    };
    lines.into_iter().for_each(|line| text.mark(line));
    if harvest.is_empty() {
        return Err(Problem::of_text("metrics of a host's memory", format!("{} others", unknown.len())));
    }
    Ok(harvest)
}

/// What the holes of a name hold.
type Holes = Vec<(Hole, String)>;

/// For each metric of a tool: what the names hold beside which it means what it does, or `None` if it does so alone.
fn beside(tool: &Tool, entries: &[Entry]) -> Vec<Option<BTreeSet<Holes>>> {
    let of = |metric: &Metric| {
        let beside = metric.beside.as_ref()?;
        Some(entries.iter().filter_map(|entry| beside.fit(&entry.name)).collect())
    };
    tool.metrics.iter().map(of).collect()
}

/// What a metric of a tool means: the first of its meanings that fits.
fn meaning<'a>(
    tool: &'a Tool,
    entry: &Entry,
    beside: &[Option<BTreeSet<Holes>>],
) -> Option<(&'a Metric, Holes)> {
    tool.metrics.iter().zip(beside).find_map(|(metric, beside)| {
        let holes = metric.name.fit(&entry.name)?;
        beside.as_ref().is_none_or(|there| there.contains(&holes)).then_some((metric, holes))
    })
}

fn experiments<'a>(known: &[Known<'a>]) -> Vec<&'a ExperimentName> {
    let mut names: Vec<&ExperimentName> = Vec::new();
    for one in known {
        if let Meaning::Value { experiment, .. } = &one.metric.meaning
            && !names.contains(&experiment)
        {
            names.push(experiment);
        }
    }
    names
}

fn block(experiment: &ExperimentName, known: &[Known<'_>]) -> Result<Block, Problem> {
    let mut block = Block::new(experiment.clone());
    let of: Vec<_> = known
        .iter()
        .filter_map(|one| match &one.metric.meaning {
            Meaning::Value { experiment: own, at, unit, note } if own == experiment => {
                Some((one, at, unit, note))
            }
            _ => None,
        })
        .collect();
    // A case that all have tells nothing apart.
    let cases: Vec<_> = of.iter().map(|(one, ..)| case(&one.holes)).collect();
    let has_one_case = cases.iter().all(|case| *case == cases[0]);
    for (Known { entry, holes, .. }, at, unit, note) in of {
        let Entry { line, name, value, .. } = entry;
        let unit = match unit {
            Some(unit) => *unit,
            None => metric_files::Unit::of(entry.unit.as_deref().unwrap_or_default()).ok_or_else(|| {
                Problem::at(
                    line + 1,
                    format!("a unit of bandwidth or time of `{name}`"),
                    entry.unit.as_deref().unwrap_or(""),
                )
            })?,
        };
        let mut place = at.clone();
        for (hole, text) in
            holes.iter().filter(|(hole, _)| !(has_one_case && *hole == Hole::Axis(Axis::Case)))
        {
            place = with(place, *hole, text)
                .ok_or_else(|| Problem::at(line + 1, "a number in its name", name))?;
        }
        block.push(unit.value(place, *value));
        if let Some(note) = note {
            block.warnings.push(Warning::ToolWarned { message: note.clone() });
        }
    }
    block.warnings = Warning::union(&block.warnings);
    Ok(block)
}

fn case(holes: &[(Hole, String)]) -> Option<&str> {
    holes.iter().find(|(hole, _)| *hole == Hole::Axis(Axis::Case)).map(|(_, text)| text.as_str())
}

/// A place with what a hole of the name holds.
fn with(place: Coordinates, hole: Hole, text: &str) -> Option<Coordinates> {
    Some(match hole {
        Hole::Axis(axis @ (Axis::Initiator | Axis::Target)) => place.with(axis, text.parse::<u64>().ok()?),
        Hole::Axis(axis) => place.with(axis, Coordinate::from(text)),
        Hole::Kibibytes => place.with(Axis::Footprint, text.parse::<u64>().ok()?.checked_mul(1024)?),
        Hole::Megabytes => {
            let megabytes = f64::from_str(text).ok().filter(|size| (0.0..1e12).contains(size))?;
            place.with(Axis::Footprint, Bytes((megabytes * 1e6).round() as u64).get())
        }
    })
}

/// Names what is no value here, and why.
fn leave_out(harvest: &mut Harvest, known: &[Known<'_>], unknown: &[&str]) {
    for one in known {
        if let Meaning::Instead(why) = &one.metric.meaning {
            let words = format!("`{}` {why}", one.metric.name);
            if !harvest.left_out.contains(&words) {
                harvest.left_out.push(words);
            }
        }
    }
    if !unknown.is_empty() {
        let named = unknown.iter().take(NAMED).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let more = if unknown.len() > NAMED { ", …" } else { "" };
        harvest.left_out.push(format!("{} other metrics ({named}{more})", unknown.len()));
    }
}

#[cfg(test)]
mod tests;
