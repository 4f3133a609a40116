//! The text form of a study: parsed, with locations for error messages, and not yet checked.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;
use zerohop_result::{Axis, Measure, Relation, Wanted};

use super::claim::Document;
use super::error::Problem;

/// A study: published figures of a machine, and the zerohop runs that should reproduce them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StudyFile {
    /// The name that is typed after `zerohop reproduce`.
    pub(crate) name: String,
    /// One sentence on it.
    pub(crate) title: String,
    /// The machine: the name of a built-in one, or the path of a machine file.
    pub(crate) machine: String,
    /// Where it was published.
    pub(crate) document: Document,
    /// Runs by name: the command as typed after `zerohop run`, without `--on` and `--set`, and the settings.
    #[schemars(with = "BTreeMap<String, RunFile>")]
    pub(crate) run: BTreeMap<Spanned<String>, RunFile>,
    /// Places in the results of runs, by name.
    #[schemars(with = "BTreeMap<String, PlaceFile>")]
    pub(crate) place: BTreeMap<Spanned<String>, PlaceFile>,
    /// The document's figures and sections, in its order.
    #[schemars(with = "Vec<PassageFile>")]
    pub(crate) passage: Vec<Spanned<PassageFile>>,
}

/// A run, on the machine unchanged or with settings.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum RunFile {
    /// On the unchanged machine.
    Plain(String),
    /// With settings.
    Set(SetRunFile),
}

/// A run on a machine with settings.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetRunFile {
    /// The command as typed after `zerohop run`, without `--on` and `--set`.
    pub(crate) command: String,
    /// Settings by name, as for `--set`.
    pub(crate) set: BTreeMap<String, String>,
}

/// The place of a value in a result.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlaceFile {
    /// Coordinates that distinguish it from the run's other values.
    #[serde(deserialize_with = "zerohop_result::known")]
    pub(crate) at: BTreeMap<Axis, Wanted>,
    /// Distance of the memory from the initiator; any distance, if absent.
    pub(crate) pairs: Option<Relation>,
    /// Cells that differ along this axis are added up.
    #[serde(default, deserialize_with = "zerohop_result::known")]
    pub(crate) sum: Option<Axis>,
    /// All cells that match are reduced to one value: their mean.
    pub(crate) mean: Option<MeanWord>,
}

/// A kind of mean.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum MeanWord {
    /// The geometric mean.
    Geometric,
}

/// A figure or a section of the document. Its `run`, `measure`, `at` and `tolerance` are the defaults for all its
/// claims.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PassageFile {
    /// Its label in the document: `Fig. 7`, `A.2.1`.
    #[schemars(with = "String")]
    pub(crate) label: Spanned<String>,
    /// Other figures or sections that say the same: a machine fitted to one of them is fitted to this one.
    #[serde(default)]
    pub(crate) also: Vec<String>,
    /// Pages of the document, where it has any.
    #[serde(default)]
    pub(crate) pages: String,
    /// What it is about.
    pub(crate) about: String,
    /// Whether models may be fitted to it. If so, it does not count.
    #[serde(default)]
    pub(crate) fitted: bool,
    /// The run.
    #[schemars(with = "Option<String>")]
    pub(crate) run: Option<Spanned<String>>,
    /// The measure; relative time by default.
    #[serde(default, deserialize_with = "zerohop_result::known")]
    pub(crate) measure: Option<Measure>,
    /// The tolerance of predictions: percentage points (`"6 pp"`) or percent of the published value (`"8 %"`).
    #[schemars(with = "Option<String>")]
    pub(crate) tolerance: Option<Spanned<String>>,
    /// Values.
    #[serde(default)]
    pub(crate) value: Vec<ValueFile>,
    /// Orders.
    #[serde(default)]
    #[schemars(with = "Vec<OrderFile>")]
    pub(crate) order: Vec<Spanned<OrderFile>>,
    /// Values as a share of others.
    #[serde(default)]
    pub(crate) ratio: Vec<RatioFile>,
    /// Theoretical peaks of links or memory.
    #[serde(default)]
    #[schemars(with = "Vec<PeakFile>")]
    pub(crate) peak: Vec<Spanned<PeakFile>>,
    /// Values that are equal.
    #[serde(default)]
    #[schemars(with = "Vec<EqualFile>")]
    pub(crate) equal: Vec<Spanned<EqualFile>>,
    /// Gaps that shrink from run to run.
    #[serde(default)]
    #[schemars(with = "Vec<ShrinkingFile>")]
    pub(crate) shrinking: Vec<Spanned<ShrinkingFile>>,
}

/// A value.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ValueFile {
    /// Its description; by default the name of the place.
    pub(crate) what: Option<String>,
    /// The name of a place.
    #[schemars(with = "String")]
    pub(crate) at: Spanned<String>,
    /// As published, with its unit: `"113 %"`, `"3.5 GB/s"`.
    #[schemars(with = "String")]
    pub(crate) published: Spanned<String>,
    /// The run; by default the passage's.
    #[schemars(with = "Option<String>")]
    pub(crate) run: Option<Spanned<String>>,
    /// The measure; by default the passage's.
    #[serde(default, deserialize_with = "zerohop_result::known")]
    pub(crate) measure: Option<Measure>,
    /// The tolerance; by default the passage's.
    #[schemars(with = "Option<String>")]
    pub(crate) tolerance: Option<Spanned<String>>,
}

/// A value as a share of another. A place is named alone, or with its run: `"remote in four-links"`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RatioFile {
    /// Its description.
    pub(crate) what: String,
    /// The name of a place.
    #[schemars(with = "String")]
    pub(crate) of: Spanned<String>,
    /// The name of the place that it is divided by.
    #[schemars(with = "String")]
    pub(crate) to: Spanned<String>,
    /// As published, in percent: `"133 %"`.
    #[schemars(with = "String")]
    pub(crate) published: Spanned<String>,
    /// The tolerance; by default the passage's.
    #[schemars(with = "Option<String>")]
    pub(crate) tolerance: Option<Spanned<String>>,
}

/// A theoretical peak: of a link, or of a node's memory. It needs no run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PeakFile {
    /// Its description.
    pub(crate) what: String,
    /// The link, by its name in the machine file.
    pub(crate) link: Option<String>,
    /// Directions of the link that are counted: 1 (default) or 2.
    pub(crate) directions: Option<u8>,
    /// The node whose memory channels count.
    pub(crate) node: Option<u32>,
    /// Settings of the machine, by name.
    #[serde(default)]
    pub(crate) set: BTreeMap<String, String>,
    /// As published: `"460.8 GB/s"`.
    #[schemars(with = "String")]
    pub(crate) published: Spanned<String>,
    /// The tolerance; by default the passage's.
    #[schemars(with = "Option<String>")]
    pub(crate) tolerance: Option<Spanned<String>>,
}

/// An order.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OrderFile {
    /// Its description.
    pub(crate) what: String,
    /// Lists of names of places: each place of a list is below each of the next list.
    #[schemars(with = "Vec<Vec<String>>")]
    pub(crate) ascending: Vec<Vec<Spanned<String>>>,
}

/// Values that are equal.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EqualFile {
    /// Its description.
    pub(crate) what: String,
    /// Names of places.
    #[schemars(with = "Vec<String>")]
    pub(crate) places: Vec<Spanned<String>>,
    /// How far the largest may be above the smallest; by default the passage's tolerance.
    #[schemars(with = "Option<String>")]
    pub(crate) tolerance: Option<Spanned<String>>,
}

/// The gap between a place and others shrinks from run to run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShrinkingFile {
    /// Its description.
    pub(crate) what: String,
    /// The name of the higher place.
    #[schemars(with = "String")]
    pub(crate) above: Spanned<String>,
    /// Names of the lower places: one gap each.
    #[schemars(with = "Vec<String>")]
    pub(crate) below: Vec<Spanned<String>>,
    /// Runs, in the order in which the gaps shrink.
    #[schemars(with = "Vec<String>")]
    pub(crate) runs: Vec<Spanned<String>>,
}

/// Reads the text of a study.
pub(crate) fn parse(text: &str) -> Result<StudyFile, Problem> {
    toml::from_str(text).map_err(|error| Problem {
        span: error.span().unwrap_or(0..text.len().min(1)),
        message: error.message().to_owned(),
        hint: Some("`zerohop schema published` prints the schema of a study".to_owned()),
    })
}
