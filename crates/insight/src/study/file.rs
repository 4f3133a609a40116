//! A study as it is written: parsed, with the places of what may be wrong with it, and not yet checked.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;
use zerohop_result::{Axis, Measure, Relation, Wanted};

use super::claim::Document;
use super::error::Problem;

/// A study: what a document published of a machine, and which runs of zerohop should give the same.
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
    /// Runs by name: what is typed after `zerohop run`, without `--on` and `--set`; and what is set.
    #[schemars(with = "BTreeMap<String, RunFile>")]
    pub(crate) run: BTreeMap<Spanned<String>, RunFile>,
    /// Places in the results of runs, by name.
    #[schemars(with = "BTreeMap<String, PlaceFile>")]
    pub(crate) place: BTreeMap<Spanned<String>, PlaceFile>,
    /// The document's figures and sections, in its order.
    #[schemars(with = "Vec<PassageFile>")]
    pub(crate) passage: Vec<Spanned<PassageFile>>,
}

/// A run, on the machine as it is or with something set.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum RunFile {
    /// On the machine as it is.
    Plain(String),
    /// With something set.
    Set(SetRunFile),
}

/// A run on a machine of which something is set.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetRunFile {
    /// What is typed after `zerohop run`, without `--on` and `--set`.
    pub(crate) command: String,
    /// What `--set` says, by name.
    pub(crate) set: BTreeMap<String, String>,
}

/// Where in a result a number stands.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlaceFile {
    /// Coordinates that tell it from the others of the run.
    #[serde(deserialize_with = "zerohop_result::known")]
    pub(crate) at: BTreeMap<Axis, Wanted>,
    /// How far the memory is from the initiator; any distance, if absent.
    pub(crate) pairs: Option<Relation>,
    /// Cells that differ along this axis are added up.
    #[serde(default, deserialize_with = "zerohop_result::known")]
    pub(crate) sum: Option<Axis>,
    /// All cells that match make one number: their mean.
    pub(crate) mean: Option<MeanWord>,
}

/// A kind of mean.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum MeanWord {
    /// The root of their product.
    Geometric,
}

/// A figure or a section of the document. What it says of `run`, `measure`, `at` and `tolerance` holds for all its claims
/// that say nothing else.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PassageFile {
    /// As the document calls it: `Fig. 7`, `A.2.1`.
    #[schemars(with = "String")]
    pub(crate) label: Spanned<String>,
    /// Other figures or sections that say the same: who fits a machine to one of them has fitted it to this.
    #[serde(default)]
    pub(crate) also: Vec<String>,
    /// Pages of the document, where it has any.
    #[serde(default)]
    pub(crate) pages: String,
    /// What it is about.
    pub(crate) about: String,
    /// Whether models may be fitted to it. It then counts for nothing.
    #[serde(default)]
    pub(crate) fitted: bool,
    /// The run.
    #[schemars(with = "Option<String>")]
    pub(crate) run: Option<Spanned<String>>,
    /// What is measured; relative time if nothing is said.
    #[serde(default, deserialize_with = "zerohop_result::known")]
    pub(crate) measure: Option<Measure>,
    /// How far a prediction may be from what was published: percentage points (`"6 pp"`) or percent of it (`"8 %"`).
    #[schemars(with = "Option<String>")]
    pub(crate) tolerance: Option<Spanned<String>>,
    /// Numbers.
    #[serde(default)]
    pub(crate) value: Vec<ValueFile>,
    /// Orders.
    #[serde(default)]
    #[schemars(with = "Vec<OrderFile>")]
    pub(crate) order: Vec<Spanned<OrderFile>>,
    /// Numbers as a share of others.
    #[serde(default)]
    pub(crate) ratio: Vec<RatioFile>,
    /// Theoretical peaks: what links or memory could carry.
    #[serde(default)]
    #[schemars(with = "Vec<PeakFile>")]
    pub(crate) peak: Vec<Spanned<PeakFile>>,
    /// Numbers that are the same.
    #[serde(default)]
    #[schemars(with = "Vec<EqualFile>")]
    pub(crate) equal: Vec<Spanned<EqualFile>>,
    /// Gaps that shrink from run to run.
    #[serde(default)]
    #[schemars(with = "Vec<ShrinkingFile>")]
    pub(crate) shrinking: Vec<Spanned<ShrinkingFile>>,
}

/// A number.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ValueFile {
    /// In words; the name of the place if nothing is said.
    pub(crate) what: Option<String>,
    /// The name of a place.
    #[schemars(with = "String")]
    pub(crate) at: Spanned<String>,
    /// As published, with its unit: `"113 %"`, `"3.5 GB/s"`.
    #[schemars(with = "String")]
    pub(crate) published: Spanned<String>,
    /// The run, if it is not the passage's.
    #[schemars(with = "Option<String>")]
    pub(crate) run: Option<Spanned<String>>,
    /// What is measured, if it is not what the passage says.
    #[serde(default, deserialize_with = "zerohop_result::known")]
    pub(crate) measure: Option<Measure>,
    /// How far a prediction may be from it, if it is not what the passage says.
    #[schemars(with = "Option<String>")]
    pub(crate) tolerance: Option<Spanned<String>>,
}

/// A number as a share of another. A place is named alone, or with its run: `"remote in four-links"`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RatioFile {
    /// In words.
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
    /// How far a prediction may be from it, if it is not what the passage says.
    #[schemars(with = "Option<String>")]
    pub(crate) tolerance: Option<Spanned<String>>,
}

/// A theoretical peak: of a link, or of a node's memory. It takes no run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PeakFile {
    /// In words.
    pub(crate) what: String,
    /// The link, by its name in the machine file.
    pub(crate) link: Option<String>,
    /// Directions of the link that are counted: 1 if nothing is said, or 2.
    pub(crate) directions: Option<u8>,
    /// The node whose memory channels are meant.
    pub(crate) node: Option<u32>,
    /// What is set of the machine, by name.
    #[serde(default)]
    pub(crate) set: BTreeMap<String, String>,
    /// As published: `"460.8 GB/s"`.
    #[schemars(with = "String")]
    pub(crate) published: Spanned<String>,
    /// How far a prediction may be from it, if it is not what the passage says.
    #[schemars(with = "Option<String>")]
    pub(crate) tolerance: Option<Spanned<String>>,
}

/// An order.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OrderFile {
    /// In words.
    pub(crate) what: String,
    /// Lists of names of places: each place of a list lies below each of the next list.
    #[schemars(with = "Vec<Vec<String>>")]
    pub(crate) ascending: Vec<Vec<Spanned<String>>>,
}

/// Numbers that are the same.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EqualFile {
    /// In words.
    pub(crate) what: String,
    /// Names of places.
    #[schemars(with = "Vec<String>")]
    pub(crate) places: Vec<Spanned<String>>,
    /// How far the largest may lie above the smallest, if it is not what the passage says.
    #[schemars(with = "Option<String>")]
    pub(crate) tolerance: Option<Spanned<String>>,
}

/// How far a place lies above others shrinks from run to run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShrinkingFile {
    /// In words.
    pub(crate) what: String,
    /// The name of the place that lies above.
    #[schemars(with = "String")]
    pub(crate) above: Spanned<String>,
    /// Names of the places that lie below: a gap each.
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
        hint: Some("`zerohop schema published` prints what a study may hold".to_owned()),
    })
}
