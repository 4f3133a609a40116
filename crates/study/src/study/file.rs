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
    /// A study: what a document published of a machine, and which runs of zerohop should give the same.
    StudyTable {
        /// The name that is typed after `zerohop reproduce`.
        name: Text,
        /// One sentence on it.
        title: Text,
        /// The machine: the name of a built-in one, or the path of a machine file.
        machine: Text,
        /// What of the machine its document does not say, and was assumed: `wired links`.
        assumed: Option<Names>,
        /// Where it was published.
        document: Plain<Publication>,
        /// Runs by name: what is typed after `zerohop run`, without `--on` and `--set`; and what is set.
        run: ByText<RunFile>,
        /// Places in the results of runs, by name.
        place: ByText<PlaceTable>,
        /// The document's figures and sections, in its order.
        passage: List<PassageTable>,
    }

    /// A run on a machine of which something is set.
    SetRunTable {
        /// What is typed after `zerohop run`, without `--on` and `--set`.
        command: Text,
        /// The values of `--set`, by name.
        set: ByText<Text>,
    }

    /// Where a number stands in a result.
    PlaceTable {
        /// Coordinates that distinguish it from the others of the run.
        at: KnownCoordinates,
        /// How far the memory is from the initiator; any distance by default.
        pairs: Option<Plain<Relation>>,
        /// Cells that differ along this axis are added up.
        sum: Option<KnownAxis>,
        /// All cells that match make one number: their mean.
        mean: Option<MeanWord>,
        /// The latency at this share of the highest bandwidth of a curve of loaded latency.
        of_peak: Option<Share>,
        /// With `of_peak` and `right`: the share of the peak of the published point below, from which a straight line leads to the
        /// published value. The run's curve is then read on the straight line between the same two shares.
        left: Option<Share>,
        /// The share of the peak of the published point above.
        right: Option<Share>,
    }

    /// A figure or a section of the document. Its `run`, `measure` and `tolerance` hold for all its claims that have none of their own.
    PassageTable {
        /// Its name in the study, by which machine files refer to it (`fitted = ["amd-40555/fig-7"]`): lower-case letters, digits, dots and hyphens.
        id: Text,
        /// As the document calls it: `Fig. 7`, `A.2.1`.
        label: Text,
        /// Pages of the document, where it has any.
        pages: Option<Text>,
        /// What it is about.
        about: Text,
        /// What agreement with it proves. Figures that a machine file names as fitted are fitted, whatever stands here.
        grade: Plain<FigureGrade>,
        /// Why it has this grade, in a few words.
        reason: Text,
        /// The run.
        run: Option<Text>,
        /// What is measured; relative time by default.
        measure: Option<KnownMeasure>,
        /// How far a prediction may be from what was published: percentage points (`"6 pp"`) or percent of it (`"8 %"`).
        tolerance: Option<Text>,
        /// Numbers.
        value: List<ValueTable>,
        /// Orders.
        order: List<OrderTable>,
        /// Numbers as a share of others.
        ratio: List<RatioTable>,
        /// Theoretical peaks: what links or memory could carry.
        peak: List<PeakTable>,
        /// Numbers that are the same.
        equal: List<EqualTable>,
        /// Gaps that shrink from run to run.
        shrinking: List<ShrinkingTable>,
    }

    /// A number.
    ValueTable {
        /// In words; the name of the place by default.
        what: Option<Text>,
        /// The name of a place.
        at: Text,
        /// As published, with its unit: `"113 %"`, `"3.5 GB/s"`.
        published: Text,
        /// The run, if it is not the passage's.
        run: Option<Text>,
        /// What is measured, if it is not the passage's.
        measure: Option<KnownMeasure>,
        /// How far a prediction may be from it, if not as the passage has it.
        tolerance: Option<Text>,
    }

    /// A number as a share of another. A place is named alone, or with its run: `"remote in four-links"`.
    RatioTable {
        /// In words.
        what: Text,
        /// The name of a place.
        of: Text,
        /// The name of the place that it is divided by.
        to: Text,
        /// As published, in percent: `"133 %"`.
        published: Text,
        /// How far a prediction may be from it, if not as the passage has it.
        tolerance: Option<Text>,
    }

    /// A theoretical peak: of a link, or of a node's memory. It takes no run.
    PeakTable {
        /// In words.
        what: Text,
        /// The link, by its name in the machine file.
        link: Option<Text>,
        /// Directions of the link that are counted: 1, which is the default, or 2.
        directions: Option<Plain<u8>>,
        /// The node whose memory channels are meant.
        node: Option<Plain<u32>>,
        /// What is set of the machine, by name.
        set: ByText<Text>,
        /// As published: `"460.8 GB/s"`.
        published: Text,
        /// How far a prediction may be from it, if not as the passage has it.
        tolerance: Option<Text>,
    }

    /// An order.
    OrderTable {
        /// In words.
        what: Text,
        /// Lists of names of places: each place of a list lies below each of the next list.
        ascending: List<Names>,
    }

    /// Numbers that are the same.
    EqualTable {
        /// In words.
        what: Text,
        /// Names of places.
        places: Names,
        /// How far the largest may lie above the smallest, if not as the passage has it.
        tolerance: Option<Text>,
    }

    /// How far a place lies above others shrinks from run to run.
    ShrinkingTable {
        /// In words.
        what: Text,
        /// The name of the place that lies above.
        above: Text,
        /// Names of the places that lie below: a gap each.
        below: Names,
        /// Runs, in the order in which the gaps shrink.
        runs: Names,
    }
}

words! {
    /// A kind of mean.
    pub(crate) MeanWord {
        /// The root of their product.
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

/// Reads the text of a study; `name` is that of its file. The returned [`Problems`] are empty, and collect those that are
/// found later.
pub(super) fn read(name: &str, text: &str) -> Result<(StudyTable, Problems), Vec<TextProblem>> {
    const HINT: &str = "`zerohop schema published` prints the schema of a study";
    let (study, problems) = zerohop_document::read::<StudyTable>("the study", HINT, name, text)?;
    let StudyTable { mut run, mut place, .. } = study.clone();
    run.0.sort_by(|one, other| one.name.cmp(&other.name));
    place.0.sort_by(|one, other| one.name.cmp(&other.name));
    Ok((StudyTable { run, place, ..study }, problems))
}
