//! A study as written: read, with the location of everything that may be wrong, but not yet checked.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use zerohop_document::{
    At, ByText, List, Names, Plain, Problems, Read, Reader, Share, Sort, Text, TextProblem, keys_as_read,
    tables, words,
};

use zerohop_result::Relation;

use super::claim::Publication;
use crate::FigureGrade;
use crate::named_coordinates::{KnownAxis, KnownCoordinates, KnownMeasure};

tables! {
    /// A study: claims of a published document about a machine, and the runs of zerohop that should reproduce them.
    StudyTable {
        /// Name of the study, as typed after `zerohop reproduce`.
        name: Text,
        /// Summary of the study, in one sentence.
        title: Text,
        /// The machine: the name of a built-in one, or the path to a machine file.
        machine: Text,
        /// Properties of the machine that were assumed because the document does not state them: `wired links`.
        assumed: Option<Names>,
        /// The published document.
        document: Plain<Publication>,
        /// Runs by name: the command as typed after `zerohop run`, without `--on` and `--set`; and the settings.
        run: ByText<RunFile>,
        /// Places in the results of runs, by name.
        place: ByText<PlaceTable>,
        /// Figures and sections of the document, in its order.
        passage: List<PassageTable>,
    }

    /// A run on a machine with settings.
    SetRunTable {
        /// Command as typed after `zerohop run`, without `--on` and `--set`.
        command: Text,
        /// The values of `--set`, by name.
        set: ByText<Text>,
    }

    /// A place in a result.
    PlaceTable {
        /// Coordinates that distinguish the place from the others of the run.
        at: KnownCoordinates,
        /// Distance between initiator and memory; any distance by default.
        pairs: Option<Plain<Relation>>,
        /// Axis over which the matching cells are summed.
        sum: Option<KnownAxis>,
        /// Mean over all matching cells.
        mean: Option<MeanWord>,
        /// Latency at this share of the highest bandwidth on a loaded-latency curve.
        of_peak: Option<Share>,
        /// With `of_peak` and `right`: share of the peak at the published point below, from which a straight line leads to the published value. The
        /// run's curve is then read on the straight line between the same two shares.
        left: Option<Share>,
        /// Share of the peak at the published point above.
        right: Option<Share>,
    }

    /// A figure or a section of the document. Its `run`, `measure` and `tolerance` apply to all its claims that do not set their own.
    PassageTable {
        /// Name of the passage in the study, by which machine files refer to it (`fitted = ["amd-40555/fig-7"]`): lower-case letters, digits, dots
        /// and hyphens.
        id: Text,
        /// Label in the document: `Fig. 7`, `A.2.1`.
        label: Text,
        /// Pages of the document, if it has any.
        pages: Option<Text>,
        /// Subject of the passage.
        about: Text,
        /// Significance of agreement with the passage. Figures that a machine file names as fitted always count as fitted.
        grade: Plain<FigureGrade>,
        /// Reason for the grade, in a few words.
        reason: Text,
        /// The run.
        run: Option<Text>,
        /// The measure; relative time by default.
        measure: Option<KnownMeasure>,
        /// Tolerance of predictions: percentage points (`"6 pp"`) or percent of the published value (`"8 %"`).
        tolerance: Option<Text>,
        /// Claims about values.
        value: List<ValueTable>,
        /// Claims about orders.
        order: List<OrderTable>,
        /// Claims about ratios.
        ratio: List<RatioTable>,
        /// Claims about theoretical peaks of links or memory.
        peak: List<PeakTable>,
        /// Claims about equal values.
        equal: List<EqualTable>,
        /// Claims about gaps that shrink from run to run.
        shrinking: List<ShrinkingTable>,
    }

    /// A claim about a value.
    ValueTable {
        /// Description of the value; by default the name of the place.
        what: Option<Text>,
        /// Name of the place.
        at: Text,
        /// Published value with its unit: `"113 %"`, `"3.5 GB/s"`.
        published: Text,
        /// The run, if it differs from the passage's.
        run: Option<Text>,
        /// The measure, if it differs from the passage's.
        measure: Option<KnownMeasure>,
        /// Tolerance of the prediction, if it differs from the passage's.
        tolerance: Option<Text>,
    }

    /// A claim about the ratio of two values. A place is named alone, or with its run: `"remote in four-links"`.
    RatioTable {
        /// Description of the ratio.
        what: Text,
        /// Name of the numerator's place.
        of: Text,
        /// Name of the denominator's place.
        to: Text,
        /// Published ratio in percent: `"133 %"`.
        published: Text,
        /// Tolerance of the prediction, if it differs from the passage's.
        tolerance: Option<Text>,
    }

    /// A claim about a theoretical peak of a link or of a node's memory. It takes no run.
    PeakTable {
        /// Description of the peak.
        what: Text,
        /// Name of the link in the machine file.
        link: Option<Text>,
        /// Number of directions of the link that are counted: 1 (default) or 2.
        directions: Option<Plain<u8>>,
        /// Node whose memory channels are counted.
        node: Option<Plain<u32>>,
        /// Settings of the machine, by name.
        set: ByText<Text>,
        /// Published peak: `"460.8 GB/s"`.
        published: Text,
        /// Tolerance of the prediction, if it differs from the passage's.
        tolerance: Option<Text>,
    }

    /// A claim about an order.
    OrderTable {
        /// Description of the order.
        what: Text,
        /// Lists of place names: each place of a list is below each place of the next list.
        ascending: List<Names>,
    }

    /// A claim about equal values.
    EqualTable {
        /// Description of the claim.
        what: Text,
        /// Names of places.
        places: Names,
        /// Maximum excess of the largest over the smallest value, if it differs from the passage's tolerance.
        tolerance: Option<Text>,
    }

    /// A claim about gaps between a place and others that shrink from run to run.
    ShrinkingTable {
        /// Description of the claim.
        what: Text,
        /// Name of the higher place.
        above: Text,
        /// Names of the lower places: one gap for each.
        below: Names,
        /// Runs, in the order in which the gaps shrink.
        runs: Names,
    }
}

words! {
    /// A kind of mean.
    pub(crate) MeanWord {
        /// Geometric mean.
        Geometric = "geometric",
    }
}

keys_as_read! {
    RunFile: Sort::Other("command or table");
}

/// A run on the unchanged machine, or on one with settings.
#[derive(Debug, Clone)]
pub(crate) enum RunFile {
    /// On the unchanged machine.
    Plain(Text),
    Set(SetRunTable),
}

impl Read for RunFile {
    const EXAMPLE: Option<&'static str> = Some("\"stream --kernel triad\"");

    fn read(reader: &mut Reader, at: &At<'_>) -> Option<Self> {
        match at.value.entries() {
            Some(_) => SetRunTable::read(reader, at).map(Self::Set),
            None => Text::read(reader, at).map(Self::Plain),
        }
    }
}

impl JsonSchema for RunFile {
    fn schema_name() -> Cow<'static, str> {
        "RunFile".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (plain, set) = (generator.subschema_for::<Text>(), generator.subschema_for::<SetRunTable>());
        json_schema!({
            "description": "A run, on the machine as it is or with something set.",
            "anyOf": [plain, set],
        })
    }
}

/// Reads the text of a study; `name` is the name of its file. The returned [`Problems`] are empty, and collect problems that are found later.
pub(super) fn read(name: &str, text: &str) -> Result<(StudyTable, Problems), Vec<TextProblem>> {
    const HINT: &str = "`zerohop schema published` prints the schema of a study";
    let (study, problems) = zerohop_document::read::<StudyTable>("the study", HINT, name, text)?;
    let StudyTable { mut run, mut place, .. } = study.clone();
    run.0.sort_by(|one, other| one.name.cmp(&other.name));
    place.0.sort_by(|one, other| one.name.cmp(&other.name));
    Ok((StudyTable { run, place, ..study }, problems))
}
