//! Reads result files of every version, and keeps what this version does not know.
//!
//! The version is checked first. A file of an older form is upgraded to the current one as JSON, so that the types know only the
//! current form. Additions of a later writer within the same version (fields, experiments, measures, axes, warnings) are read,
//! reported and written again. Texts that could not be shown as they are become plain.

mod texts;
mod upgrade;

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_ignored::Path;
use serde_json::Value;
use zerohop_workload::Origin;

use crate::carried::Carried;
use crate::plain::plain_text;
use crate::unknown::{Step, UnknownField};
use crate::{Axis, Cell, Coordinate, Estimate, ExperimentResult, ResultFile, SCHEMA_VERSION};

/// Characters of a message about a file, at most.
const LONGEST_MESSAGE: usize = 300;

/// Experiments of a result, at most: zerohop has 17.
const MOST_EXPERIMENTS: usize = 1000;

/// The oldest version that can be read.
const OLDEST_VERSION: u32 = 1;

/// Why a text cannot be read as a result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ReadError {
    /// It is empty.
    #[error("it is empty")]
    Empty,
    /// It is not JSON, or does not have the form of a result.
    #[error("{0}")]
    Malformed(String),
    /// It is a web page that was cut off.
    #[error("it is a truncated zerohop page, and its result is incomplete")]
    PageCut,
    /// It is a web page of several results.
    #[error("it is a page with {0} results")]
    SeveralResults(usize),
    /// It does not state its version.
    #[error("it has no `schema_version`")]
    NoVersion,
    /// It has a version that this program cannot read.
    #[error(
        "its `schema_version` is {found}; this version of zerohop reads {OLDEST_VERSION} to {SCHEMA_VERSION}"
    )]
    OtherVersion {
        /// The version, as written in the file.
        found: String,
    },
    /// It contains an experiment more than once.
    #[error("it contains the experiment {0} twice")]
    SameExperiment(String),
    /// It contains more experiments than anybody has: comparisons look for each of them among all.
    #[error("it contains {0} experiments, more than the limit of {MOST_EXPERIMENTS}")]
    TooManyExperiments(usize),
    /// The interval of a cell does not contain its median.
    #[error("{0} is not an estimate: its interval must be finite and contain its median")]
    Unsound(String),
    /// A cell is about a node that its machine does not have.
    #[error("{0}, which its machine does not have")]
    NoSuchNode(String),
    /// It was measured by a known run, but does not say when.
    #[error("it was measured, but has no `started_at`")]
    NoStart,
    /// Its engine and its origin disagree.
    #[error("its engine is a {engine} but its origin is a {origin}, so the origin of its values is unclear")]
    Contradiction {
        /// The engine's kind.
        engine: String,
        /// The origin's kind.
        origin: &'static str,
    },
}

impl ReadError {
    /// What the user can do about it.
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::OtherVersion { .. } => "read it with the version of zerohop that wrote it, or a later one",
            Self::SameExperiment(_)
            | Self::TooManyExperiments(_)
            | Self::Unsound(_)
            | Self::NoSuchNode(_)
            | Self::NoStart
            | Self::Contradiction { .. } => {
                "run the experiment again, or fix the program that wrote the file"
            }
            Self::PageCut => "copy the page again",
            Self::SeveralResults(_) => {
                "give one of the original results; `save as JSON` in the page recovers each of them"
            }
            Self::Empty | Self::Malformed(_) | Self::NoVersion => {
                "give a file written by `zerohop run … -o FILE`, a survey's `result.json`, or a survey directory"
            }
        }
    }
}

/// The part that decides how the rest is read.
#[derive(Deserialize)]
struct Head {
    schema_version: Option<Value>,
}

/// Whether the first member of an object is this version, as in every file that zerohop wrote: a look at all of the text costs a fifth of reading it.
fn begins_with_version(text: &str, version: u32) -> bool {
    let rest = |text: &str, token: &str| text.trim_start().strip_prefix(token).map(str::len);
    let mut left = text;
    for token in ["{", "\"schema_version\"", ":"] {
        let Some(length) = rest(left, token) else { return false };
        left = &left[left.len() - length..];
    }
    let number = left.trim_start();
    let end = number.find(|one: char| !one.is_ascii_digit()).unwrap_or(number.len());
    number[..end].parse() == Ok(version) && number[end..].trim_start().starts_with(',')
}

/// The version of a JSON text, if it can be read.
fn version(text: &str) -> Result<u32, ReadError> {
    if text.trim().is_empty() {
        return Err(ReadError::Empty);
    }
    if !text.trim_start().starts_with('{') {
        return Err(ReadError::Malformed("it is not a JSON object".to_owned()));
    }
    let head: Head = serde_json::from_str(text).map_err(|error| malformed(&error))?;
    let found = head.schema_version.ok_or(ReadError::NoVersion)?;
    let known = found.as_u64().and_then(|version| u32::try_from(version).ok());
    known
        .filter(|version| (OLDEST_VERSION..=SCHEMA_VERSION).contains(version))
        .ok_or_else(|| ReadError::OtherVersion { found: found.to_string() })
}

fn malformed(error: &serde_json::Error) -> ReadError {
    // The disk was full, or a copy was interrupted.
    if error.is_eof() {
        return ReadError::Malformed(format!("it is truncated in line {}", error.line()));
    }
    // It may quote the file.
    ReadError::Malformed(plain_text(&error.to_string(), LONGEST_MESSAGE).into_owned())
}

impl ResultFile {
    /// Reads a result file's text, or that of a web page which carries a result.
    ///
    /// # Errors
    /// When it is not a result of a readable version, or contradicts itself.
    pub fn read(text: &str) -> Result<Self, ReadError> {
        let text = match Carried::by(text) {
            Carried::Nothing => text,
            Carried::One(json) => json,
            Carried::Cut => return Err(ReadError::PageCut),
            Carried::Several(count) => return Err(ReadError::SeveralResults(count)),
        };
        let current = begins_with_version(text, SCHEMA_VERSION) || version(text)? == SCHEMA_VERSION;
        if current && texts::are_plain(text) {
            let mut json = serde_json::Deserializer::from_str(text);
            let (file, unknown) = typed::<_, Self>(&mut json)?;
            json.end().map_err(|error| malformed(&error))?;
            if !texts::are_many(&file) {
                let value = || serde_json::from_str(text).map_err(|error| malformed(&error));
                return finished(file, unknown, value);
            }
        }
        let mut value: Value = serde_json::from_str(text).map_err(|error| malformed(&error))?;
        if !current {
            upgrade::from_first(&mut value);
        }
        let written = texts::make_plain(&mut value).map_err(ReadError::Malformed)?;
        let (file, unknown) = typed(&value)?;
        let mut file = finished(file, unknown, || Ok(value))?;
        file.unknown.extend(written);
        Ok(file)
    }

    /// The same with all of its texts plain, for a result that was not read but made of a text of others.
    ///
    /// # Errors
    /// When it contradicts itself then: two of its cells may have been of places that differ only in what was cut.
    pub fn with_plain_texts(self) -> Result<Self, ReadError> {
        let text = self.compact();
        if texts::are_plain(&text) && !texts::are_many(&self) { Ok(self) } else { Self::read(&text) }
    }

    /// The text of its file: indented, with members in the order of the types, unknown fields in their places, and a trailing
    /// newline.
    pub fn text(&self) -> String {
        // Map keys are names, and non-finite numbers become null, so serialization cannot fail.
        let written = match self.unknown.is_empty() {
            true => serde_json::to_string_pretty(self),
            false => serde_json::to_string_pretty(&self.value()),
        };
        self.without_obeyed(written.expect("types of results have a JSON form")) + "\n"
    }

    /// The same without indents and line ends.
    pub fn compact(&self) -> String {
        let written = match self.unknown.is_empty() {
            true => serde_json::to_string(self),
            false => serde_json::to_string(&self.value()),
        };
        self.without_obeyed(written.expect("types of results have a JSON form"))
    }

    /// Its JSON, also of texts that were written back: nothing in it is obeyed instead of shown.
    fn without_obeyed(&self, json: String) -> String {
        if self.plain_texts() > 0 { texts::escaped(&json) } else { json }
    }

    fn value(&self) -> Value {
        let mut value = serde_json::to_value(self).expect("types of results have a JSON form");
        self.unknown.iter().for_each(|field| field.put_back(&mut value));
        value
    }
}

/// A value, and the paths of fields that its types do not have.
fn typed<'de, D, T>(json: D) -> Result<(T, Vec<Vec<Step>>), ReadError>
where
    D: serde::Deserializer<'de, Error = serde_json::Error>,
    T: DeserializeOwned,
{
    let mut ignored = Vec::new();
    let value = serde_ignored::deserialize(json, |path| ignored.push(steps(&path)))
        .map_err(|error| malformed(&error))?;
    Ok((value, ignored))
}

fn steps(path: &Path<'_>) -> Vec<Step> {
    match path {
        Path::Root => Vec::new(),
        Path::Seq { parent, index } => with(parent, Step::Rank(*index)),
        Path::Map { parent, key } => with(parent, Step::Key(key.clone())),
        Path::NewtypeVariant { parent } => with(parent, Step::Variant),
        Path::Some { parent } | Path::NewtypeStruct { parent } => steps(parent),
    }
}

fn with(parent: &Path<'_>, step: Step) -> Vec<Step> {
    let mut steps = steps(parent);
    steps.push(step);
    steps
}

/// The file with its unknown fields, if it does not contradict itself.
fn finished(
    mut file: ResultFile,
    unknown: Vec<Vec<Step>>,
    value: impl FnOnce() -> Result<Value, ReadError>,
) -> Result<ResultFile, ReadError> {
    if !unknown.is_empty() {
        let value = value()?;
        file.unknown = unknown.into_iter().filter_map(|path| UnknownField::of(path, &value)).collect();
        // The order must not depend on the order of members in the text.
        file.unknown.sort_by(|one, other| one.path().cmp(other.path()));
    }
    if file.engine.kind != file.origin.kind() && is_kind(&file.engine.kind) {
        let engine = file.engine.kind;
        return Err(ReadError::Contradiction { engine, origin: file.origin.kind() });
    }
    // Earlier versions did not name the run; some of their results may lack the time.
    if file.started_at.is_none() && file.run.as_ref().is_some_and(|run| run.host.is_some()) {
        return Err(ReadError::NoStart);
    }
    if file.experiments.len() > MOST_EXPERIMENTS {
        return Err(ReadError::TooManyExperiments(file.experiments.len()));
    }
    for (rank, experiment) in file.experiments.iter().enumerate() {
        let name = &experiment.experiment;
        if file.experiments[..rank].iter().any(|other| other.experiment == *name) {
            return Err(ReadError::SameExperiment(name.to_string()));
        }
        if let Some(cell) = experiment.cells.iter().find(|cell| !cell.estimate.is_sound()) {
            return Err(ReadError::Unsound(format!("{name}: {}", words(cell))));
        }
        if let Some((cell, node)) = foreign_node(&file, experiment) {
            let what = format!("{name}: {} at {} refers to node {node}", cell.measure, cell.at);
            return Err(ReadError::NoSuchNode(what));
        }
    }
    Ok(file)
}

/// A cell of a node that the machine does not have, with the node. Tools whose output is imported number devices, too.
fn foreign_node<'file>(
    file: &'file ResultFile,
    experiment: &'file ExperimentResult,
) -> Option<(&'file Cell, u64)> {
    let nodes: BTreeSet<u64> = file.machine.nodes.iter().map(|node| u64::from(node.id.0)).collect();
    if nodes.is_empty() || matches!(file.origin, Origin::Imported(_)) {
        return None;
    }
    let is_foreign = |node: &u64| !nodes.contains(node);
    experiment.cells.iter().find_map(|cell| {
        let places = [Axis::Initiator, Axis::Target].map(|axis| cell.at.get(axis));
        let numbers = places.into_iter().flatten().filter_map(|place| match place {
            Coordinate::Number(node) => Some(*node),
            Coordinate::Word(_) => None,
        });
        Some((cell, numbers.into_iter().find(is_foreign)?))
    })
}

/// Whether an engine's kind is also the kind of an origin.
fn is_kind(kind: &str) -> bool {
    ["host", "model", "imported"].contains(&kind)
}

fn words(cell: &Cell) -> String {
    let Estimate { median, low, high, .. } = cell.estimate;
    format!("{} at {}: {median:?}, {low:?} to {high:?}", cell.measure, cell.at)
}
