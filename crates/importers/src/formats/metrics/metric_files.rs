//! What names of metrics mean: the files of `metrics/`, read once.

use std::sync::LazyLock;

use schemars::Schema;
use schemars::generate::SchemaSettings;
use zerohop_document::{List, Names, Text, read, tables};
use zerohop_result::{Axis, Coordinates, ExperimentName};

use super::pattern::Pattern;
use crate::harvest::Value;

/// Name and text of each file.
const FILES: [(&str, &str); 5] = [
    ("superbench", include_str!("../../../../../metrics/superbench.toml")),
    ("hwbench", include_str!("../../../../../metrics/hwbench.toml")),
    ("reframe", include_str!("../../../../../metrics/reframe.toml")),
    ("sparecores-membench", include_str!("../../../../../metrics/sparecores-membench.toml")),
    ("sparecores-bw-mem", include_str!("../../../../../metrics/sparecores-bw-mem.toml")),
];

tables! {
    /// Names of a tool's metrics, with their meanings.
    ToolTable {
        /// The tool.
        tool: Text,
        /// Part of the tool's output that is read, in a few words.
        words: Text,
        /// In a table with a head, the columns that distinguish its rows: names are composed of them and of a column of values.
        keys: Option<Names>,
        /// In a table with a head, the columns that hold values; 0 is none.
        values: Option<Names>,
        /// Meanings of the words in rows without a head; the first one is a part of names, and the last one the value.
        columns: Option<Names>,
        /// Metrics of the tool, the first matching of which is used.
        metric: List<MetricTable>,
        /// Documentation of names and forms.
        source: Text,
    }

    /// A metric, or several whose names differ only in their placeholders.
    MetricTable {
        /// Name of the metric, with placeholders in braces: an axis of results, `{footprint_kib}` or `{footprint_mb}`.
        name: Text,
        /// Name that must also be present, with the same placeholder values, for the metric to have this meaning.
        beside: Option<Text>,
        /// Experiment that the value belongs to.
        experiment: Option<Text>,
        /// Coordinates of the value in the experiment: `kernel=copy`.
        at: Option<Names>,
        /// Unit of the value; by default, the unit that the text states.
        unit: Option<Text>,
        /// Note on the value.
        note: Option<Text>,
        /// Meaning of a metric that is not imported as a value.
        instead: Option<Text>,
        /// Documentation of the metric, if it differs from the tool's.
        source: Option<Text>,
    }
}

#[derive(Debug)]
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) words: String,
    pub(super) keys: Vec<String>,
    pub(super) values: Vec<String>,
    pub(super) columns: Vec<String>,
    pub(super) metrics: Vec<Metric>,
}

#[derive(Debug)]
pub(super) struct Metric {
    pub(super) name: Pattern,
    pub(super) beside: Option<Pattern>,
    pub(super) meaning: Meaning,
}

/// What a metric means.
#[derive(Debug)]
pub(super) enum Meaning {
    Value { experiment: ExperimentName, at: Coordinates, unit: Option<Unit>, note: Option<String> },
    Instead(String),
}

/// A unit, with what it is of in ns or decimal GB/s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Unit {
    Nanoseconds(f64),
    Gigabytes(f64),
}

impl Unit {
    /// The unit of that name.
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "ns" => Self::Nanoseconds(1.0),
            "us" | "µs" => Self::Nanoseconds(1e3),
            "MB/s" => Self::Gigabytes(1e-3),
            "GB/s" => Self::Gigabytes(1.0),
            "MiB/s" => Self::Gigabytes(1.048_576e-3),
            "GiB/s" => Self::Gigabytes(1.073_741_824),
            _ => return None,
        })
    }

    /// A value in it.
    pub(super) fn value(self, at: Coordinates, number: f64) -> Value {
        match self {
            Self::Nanoseconds(factor) => Value::latency(at, number * factor),
            Self::Gigabytes(factor) => Value::bandwidth(at, number * factor),
        }
    }
}

/// The tools whose metrics are known.
pub(super) fn tools() -> &'static [Tool] {
    static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
        let tools = FILES.iter().map(|(name, text)| Tool::read(&format!("metrics/{name}.toml"), text));
        tools.collect::<Result<_, _>>().unwrap_or_else(|wrong| panic!("{wrong}"))
    });
    &TOOLS
}

/// The JSON Schema (draft 2020-12) of a file in `metrics/`.
pub fn metrics_schema() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<ToolTable>()
}

impl Tool {
    fn read(file: &str, text: &str) -> Result<Self, String> {
        let hint = "docs/import.md describes its keys";
        let (table, _) = read::<ToolTable>("the names of metrics", hint, file, text)
            .map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
        let names = |names: &Option<Names>| texts(names.as_ref()).collect();
        let metrics = table.metric.iter().map(|metric| {
            Metric::read(metric).map_err(|wrong| format!("{file}: `{}`: {wrong}", metric.name.text))
        });
        Ok(Self {
            name: table.tool.text.clone(),
            words: table.words.text.clone(),
            keys: names(&table.keys),
            values: names(&table.values),
            columns: names(&table.columns),
            metrics: metrics.collect::<Result<_, _>>()?,
        })
    }
}

impl Metric {
    fn read(table: &MetricTable) -> Result<Self, String> {
        let MetricTable { name, beside, experiment, at, unit, note, instead, .. } = table;
        let meaning = match (experiment, instead) {
            (Some(experiment), None) => Meaning::Value {
                experiment: experiment
                    .text
                    .parse()
                    .map_err(|_| format!("no experiment `{}`", experiment.text))?,
                at: place(texts(at.as_ref()))?,
                unit: unit
                    .as_ref()
                    .map(|unit| Unit::of(&unit.text).ok_or_else(|| format!("no unit `{}`", unit.text)))
                    .transpose()?,
                note: note.as_ref().map(|note| note.text.clone()),
            },
            (None, Some(instead)) => Meaning::Instead(instead.text.clone()),
            _ => return Err("it needs either an `experiment` or what it is `instead`".to_owned()),
        };
        let beside = beside.as_ref().map(|beside| Pattern::parse(&beside.text)).transpose()?;
        Ok(Self { name: Pattern::parse(&name.text)?, beside, meaning })
    }
}

fn texts(names: Option<&Names>) -> impl Iterator<Item = String> {
    names.into_iter().flat_map(|names| names.names.iter().map(|name| name.text.clone()))
}

/// Coordinates from `kernel=copy`.
fn place(texts: impl Iterator<Item = String>) -> Result<Coordinates, String> {
    let mut at = Coordinates::new();
    for text in texts {
        let (axis, word) = text.split_once('=').ok_or_else(|| format!("`{text}` is not AXIS=PLACE"))?;
        let axis = Axis::ALL
            .into_iter()
            .find(|one| one.name() == axis)
            .ok_or_else(|| format!("no axis `{axis}`"))?;
        at = at.with(axis, word);
    }
    Ok(at)
}
