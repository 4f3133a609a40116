//! Reads result files, and keeps what this version does not know.
//!
//! The version is checked first: another one is refused. Additions of a later writer within the same version (fields, experiments,
//! measures, axes, warnings) are read, reported and written again. Texts that could not be shown as they are become plain.

mod texts;

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_ignored::Path;
use serde_json::Value;
use zerohop_workload::Origin;

use crate::page_data::Carried;
use crate::sanitized_text::plain_text;
use crate::unknown_fields::{Step, UnknownField};
use crate::{Axis, Cell, Coordinate, Estimate, ExperimentResult, ResultFile, SCHEMA_VERSION};

/// Characters of a message about a file, at most.
const LONGEST_MESSAGE: usize = 300;

/// Experiments of a result, at most: zerohop has 17.
const MOST_EXPERIMENTS: usize = 1000;

/// Reason why a text cannot be read as a result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ReadError {
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
    /// The version of the text is not the one that this program reads.
    #[error("it was written by zerohop of format {found}; this one reads {SCHEMA_VERSION}")]
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
    /// Engine and origin contradict each other.
    #[error("its engine is a {engine} but its origin is a {origin}, so the origin of its values is unclear")]
    Contradiction { engine: String, origin: &'static str },
}

impl ReadError {
    /// Hint for the user.
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::OtherVersion { .. } => "read it with the version of zerohop that wrote it",
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

/// Whether the first member of an object is our version, as in every file that zerohop wrote: a look at all of the text costs a fifth of reading it.
fn begins_with_version(text: &str) -> bool {
    let rest = |text: &str, token: &str| text.trim_start().strip_prefix(token).map(str::len);
    let mut left = text;
    for token in ["{", "\"schema_version\"", ":"] {
        let Some(length) = rest(left, token) else { return false };
        left = &left[left.len() - length..];
    }
    let number = left.trim_start();
    let end = number.find(|one: char| !one.is_ascii_digit()).unwrap_or(number.len());
    number[..end].parse() == Ok(SCHEMA_VERSION) && number[end..].trim_start().starts_with(',')
}

/// Refuses a text that is no JSON object of our version.
fn must_be_ours(text: &str) -> Result<(), ReadError> {
    if begins_with_version(text) {
        return Ok(());
    }
    if text.trim().is_empty() {
        return Err(ReadError::Empty);
    }
    if !text.trim_start().starts_with('{') {
        return Err(ReadError::Malformed("it is not a JSON object".to_owned()));
    }
    let head: Head = serde_json::from_str(text).map_err(|error| malformed(&error))?;
    let found = head.schema_version.ok_or(ReadError::NoVersion)?;
    match found.as_u64() == Some(u64::from(SCHEMA_VERSION)) {
        true => Ok(()),
        false => Err(ReadError::OtherVersion {
            found: plain_text(&found.to_string(), LONGEST_MESSAGE).into_owned(),
        }),
    }
}

fn malformed(error: &serde_json::Error) -> ReadError {
    // The disk was full, or a copy was interrupted.
    if error.is_eof() {
        return ReadError::Malformed(format!("it is truncated in line {}", error.line()));
    }
    // It may quote the file.
    ReadError::Malformed(plain_text(&error.to_string(), LONGEST_MESSAGE).into_owned())
}

/// The same of a text that nobody has: where in it something is wrong helps nobody.
fn malformed_elsewhere(error: &serde_json::Error) -> ReadError {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let error = error.to_string();
    let message = error.strip_suffix(&place).unwrap_or(&error);
    ReadError::Malformed(plain_text(message, LONGEST_MESSAGE).into_owned())
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
        must_be_ours(text)?;
        if texts::are_plain(text) {
            let (file, unknown) = typed(text).map_err(|error| malformed(&error))?;
            if !texts::are_many(&file) {
                return finished(file, unknown, text);
            }
        }
        let mut value = value(text)?;
        let written = texts::make_plain(&mut value).map_err(ReadError::Malformed)?;
        let text = value.to_string();
        let (file, unknown) = typed(&text).map_err(|error| malformed_elsewhere(&error))?;
        let mut file = finished(file, unknown, &text)?;
        file.unknown.extend(written);
        Ok(file)
    }

    /// Result with all texts in plain form, for a result that was converted from another tool's text.
    ///
    /// # Errors
    /// If two cells have the same coordinates afterwards: their places may differ only in the part that was cut.
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

    /// JSON text without indents and line ends.
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

fn value(text: &str) -> Result<Value, ReadError> {
    serde_json::from_str(text).map_err(|error| malformed(&error))
}

/// A file, and the paths of fields that its types do not have. Nothing else reads these types: compiled, they are a third of this crate.
fn typed(text: &str) -> Result<(ResultFile, Vec<Vec<Step>>), serde_json::Error> {
    let mut json = serde_json::Deserializer::from_str(text);
    let mut ignored = Vec::new();
    let file = serde_ignored::deserialize(&mut json, |path| ignored.push(steps(&path)))?;
    json.end()?;
    Ok((file, ignored))
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

/// The file with its unknown fields, which its text has, if it does not contradict itself.
fn finished(mut file: ResultFile, unknown: Vec<Vec<Step>>, text: &str) -> Result<ResultFile, ReadError> {
    if !unknown.is_empty() {
        let value = value(text)?;
        file.unknown = unknown.into_iter().filter_map(|path| UnknownField::of(path, &value)).collect();
        // The order must not depend on the order of members in the text.
        file.unknown.sort_by(|one, other| one.path().cmp(other.path()));
    }
    if file.engine.kind != file.origin.kind() && is_kind(&file.engine.kind) {
        let engine = file.engine.kind;
        return Err(ReadError::Contradiction { engine, origin: file.origin.kind() });
    }
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
