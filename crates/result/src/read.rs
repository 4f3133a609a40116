//! Reading result files of every version, and keeping what this version has no meaning for.
//!
//! The version decides before anything else is looked at. A file of an older form is brought into today's as JSON, so that the types
//! know only one. What a later writer added within the same version (fields, experiments, measures, axes, warnings) is read, reported
//! and written again.

mod upgrade;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_ignored::Path;
use serde_json::Value;

use crate::unknown::{Step, UnknownField};
use crate::{Cell, Estimate, ResultFile, SCHEMA_VERSION};

/// The oldest version that is read.
pub const OLDEST_VERSION: u32 = 1;

/// Why a text is no result that can be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ReadError {
    /// There is nothing in it.
    #[error("it is empty")]
    Empty,
    /// It is no JSON, or not of a result's form.
    #[error("{0}")]
    Malformed(String),
    /// It does not say which version it has.
    #[error("it has no `schema_version`")]
    NoVersion,
    /// A version that is not read.
    #[error("its `schema_version` is {found}, where {OLDEST_VERSION} to {SCHEMA_VERSION} are read")]
    OtherVersion {
        /// As it stands in the file.
        found: String,
    },
    /// An experiment stands in it more than once.
    #[error("the experiment {0} stands in it twice")]
    SameExperiment(String),
    /// A cell whose interval does not hold its median.
    #[error("{0} is no estimate: its interval must be finite and hold its median")]
    Unsound(String),
    /// Its engine and its origin disagree.
    #[error("its engine is a {engine} and its origin a {origin}: where its numbers come from cannot be told")]
    Contradiction {
        /// What the engine says.
        engine: String,
        /// What the origin says.
        origin: &'static str,
    },
}

impl ReadError {
    /// What the user can do about it.
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::OtherVersion { .. } => "read it with the version of zerohop that wrote it, or a later one",
            Self::SameExperiment(_) | Self::Unsound(_) | Self::Contradiction { .. } => {
                "run the experiment again, or correct what wrote the file"
            }
            Self::Empty | Self::Malformed(_) | Self::NoVersion => {
                "name a file that `zerohop run … -o FILE` wrote, a survey's `result.json`, or a survey's directory"
            }
        }
    }
}

/// What decides how the rest is read.
#[derive(Deserialize)]
struct Head {
    schema_version: Option<Value>,
}

/// The version of a JSON text, if it is one that is read.
fn version(text: &str) -> Result<u32, ReadError> {
    if text.trim().is_empty() {
        return Err(ReadError::Empty);
    }
    let head: Head = serde_json::from_str(text).map_err(|error| malformed(&error))?;
    let found = head.schema_version.ok_or(ReadError::NoVersion)?;
    let known = found.as_u64().and_then(|version| u32::try_from(version).ok());
    known
        .filter(|version| (OLDEST_VERSION..=SCHEMA_VERSION).contains(version))
        .ok_or_else(|| ReadError::OtherVersion { found: found.to_string() })
}

fn malformed(error: &serde_json::Error) -> ReadError {
    // A disk that filled up, or a copy that broke off.
    if error.is_eof() {
        return ReadError::Malformed(format!("it ends in the middle, in line {}", error.line()));
    }
    ReadError::Malformed(error.to_string())
}

impl ResultFile {
    /// Reads a result file's text.
    ///
    /// # Errors
    /// When it is no result of a version that is read, or contradicts itself.
    pub fn read(text: &str) -> Result<Self, ReadError> {
        let current = version(text)? == SCHEMA_VERSION;
        let (file, unknown) = if current {
            let mut json = serde_json::Deserializer::from_str(text);
            let read = typed::<_, Self>(&mut json)?;
            json.end().map_err(|error| malformed(&error))?;
            read
        } else {
            let mut value: Value = serde_json::from_str(text).map_err(|error| malformed(&error))?;
            upgrade::from_first(&mut value);
            let read = typed(&value)?;
            return finished(read.0, read.1, || Ok(value));
        };
        finished(file, unknown, || serde_json::from_str(text).map_err(|error| malformed(&error)))
    }

    /// The text of its file: indented, members in the order of the types, what was read without a meaning in its place, ended by a
    /// newline.
    pub fn text(&self) -> String {
        // Maps here have only names for keys, and what is no number becomes null: nothing is left to fail.
        let written = if self.unknown.is_empty() {
            serde_json::to_string_pretty(self)
        } else {
            serde_json::to_value(self).and_then(|mut value| {
                self.unknown.iter().for_each(|field| field.put_back(&mut value));
                serde_json::to_string_pretty(&value)
            })
        };
        let mut text = written.expect("types of results have a JSON form");
        text.push('\n');
        text
    }
}

/// A value, and the paths of what its types have no place for.
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

/// The file with what it has no place for, if it does not contradict itself.
fn finished(
    mut file: ResultFile,
    unknown: Vec<Vec<Step>>,
    value: impl FnOnce() -> Result<Value, ReadError>,
) -> Result<ResultFile, ReadError> {
    if !unknown.is_empty() {
        let value = value()?;
        file.unknown = unknown.into_iter().filter_map(|path| UnknownField::of(path, &value)).collect();
        // Whatever the order of members in the text.
        file.unknown.sort_by(|one, other| one.path().cmp(other.path()));
    }
    if file.engine.kind != file.origin.kind() && is_kind(&file.engine.kind) {
        let engine = file.engine.kind;
        return Err(ReadError::Contradiction { engine, origin: file.origin.kind() });
    }
    for (rank, experiment) in file.experiments.iter().enumerate() {
        let name = &experiment.experiment;
        if file.experiments[..rank].iter().any(|other| other.experiment == *name) {
            return Err(ReadError::SameExperiment(name.to_string()));
        }
        if let Some(cell) = experiment.cells.iter().find(|cell| !cell.estimate.is_sound()) {
            return Err(ReadError::Unsound(format!("{name}: {}", words(cell))));
        }
    }
    Ok(file)
}

/// Whether an engine's kind is one that an origin has a name for.
fn is_kind(kind: &str) -> bool {
    ["host", "model", "imported"].contains(&kind)
}

fn words(cell: &Cell) -> String {
    let Estimate { median, low, high, .. } = cell.estimate;
    format!("{} at {}: {median}, {low} to {high}", cell.measure, cell.at)
}
