//! Sweeps as written: read and checked, with the locations of what only a machine can show to be wrong.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use zerohop_document::{
    At, ByText, Content, List, Plain, Problems, Read, Reader, Sort, Span, Text, TextProblem, Value,
    keys_as_read, suggest, tables, write_problems,
};
use zerohop_machine::Setting;
use zerohop_result::{Over, Query, Relation};

use super::points::{Dimension, Points};
use super::question::Sweep;
use super::run::SweepRun;
use super::selection::Selection;
use crate::named_coordinates::{KnownCoordinates, KnownMeasure};

tables! {
    /// A sweep: settings of a machine, point by point, and the runs at each point.
    SweepTable {
        /// The machine: the name of a built-in one, or the path to a machine file.
        machine: Text,
        /// Settings and their values: every combination is a point, and the last setting varies fastest.
        grid: Option<Values>,
        /// List of points, each with its settings. Instead of a grid.
        point: List<Values>,
        /// Runs by name: the command as typed after `zerohop run`, without `--on`.
        run: ByText<Text>,
        /// Values to report, in this order; by default the headline measures of each run.
        measure: List<MeasureTable>,
    }

    /// A value to report.
    MeasureTable {
        /// Name of the value; composed of its coordinates by default.
        name: Option<Text>,
        /// Name of the run.
        run: Text,
        /// The measure.
        measure: KnownMeasure,
        /// Coordinates of the cells.
        at: Option<KnownCoordinates>,
        /// Distance between initiator and memory; any distance by default.
        pairs: Option<Plain<Relation>>,
        /// Reduction of several cells to one value; the median by default.
        over: Option<Plain<Over>>,
    }
}

keys_as_read! {
    Values: Sort::Other("names and values");
}

/// Names and values of settings; keys of tables within are joined by dots.
#[derive(Debug, Clone)]
pub(crate) struct Values(Value);

impl Read for Values {
    const EXAMPLE: Option<&'static str> = Some("{ links = 3 }");

    fn read(reader: &mut Reader, at: &At<'_>) -> Option<Self> {
        if at.value.entries().is_none() {
            let message = format!("{} has names and values, and is not {}", at.name(), at.value.kind());
            reader.problems.add_with_hint(at.value.place, message, "write, for example, `links = 3`");
            return None;
        }
        Some(Self(at.value.clone()))
    }
}

/// A sweep, and the locations of its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SweepFile {
    /// The sweep. Its machine is as the file names it.
    pub sweep: Sweep,
    name: String,
    text: String,
    settings: Vec<(Setting, Span)>,
    runs: Vec<Span>,
}

/// An element of a sweep's file, at which a problem is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SweepElement<'a> {
    /// A value of something that is set.
    Setting(&'a Setting),
    /// The command of the run of that rank.
    Run(usize),
}

/// Reason why a text is not a sweep: every problem, with its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SweepFileError {
    /// Problems in the order of the text. Not empty.
    pub problems: Vec<TextProblem>,
}

impl std::error::Error for SweepFileError {}

impl fmt::Display for SweepFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_problems(&self.problems, f)
    }
}

impl SweepFile {
    /// Reads a sweep. `name` is that of its file, for messages.
    ///
    /// # Errors
    /// When the text is not a sweep: every problem, with its location.
    pub fn parse(name: &str, text: &str) -> Result<Self, SweepFileError> {
        const HINT: &str = "`zerohop schema sweep` prints the schema of a sweep";
        let wrong = |problems| SweepFileError { problems };
        let (table, problems) =
            zerohop_document::read::<SweepTable>("the sweep", HINT, name, text).map_err(wrong)?;
        let mut checked = Checked { problems, settings: Vec::new() };
        let points = checked.points(&table);
        let runs = checked.runs(&table);
        let measures = checked.measures(&table, &runs);
        if checked.problems.any() {
            return Err(wrong(checked.problems.into_list()));
        }
        Ok(Self {
            sweep: Sweep { machine: table.machine.text, points, runs, measures, faults: Vec::new() },
            name: name.to_owned(),
            text: text.to_owned(),
            settings: checked.settings,
            runs: table.run.iter().map(|run| run.value.place).collect(),
        })
    }

    /// A problem with an element of the sweep, shown where it is written.
    pub fn problem(&self, element: SweepElement<'_>, message: &str) -> TextProblem {
        let place = match element {
            SweepElement::Setting(setting) => {
                self.settings.iter().find_map(|(known, place)| (known == setting).then_some(*place))
            }
            SweepElement::Run(rank) => self.runs.get(rank).copied(),
        };
        let span = place.map_or(0..0, |place| place.start..place.end);
        TextProblem::new(&self.name, &self.text, span, message)
    }
}

/// The problems so far, and the locations of settings.
struct Checked {
    problems: Problems,
    settings: Vec<(Setting, Span)>,
}

impl Checked {
    fn points(&mut self, table: &SweepTable) -> Points {
        match (&table.grid, table.point.0.as_slice()) {
            (Some(_), [point, ..]) => {
                let message = "a sweep has a grid or a list of points, not both";
                self.problems.add_with_hint(point.0.place, message, "omit one of them");
                Points::List(Vec::new())
            }
            (None, []) => {
                let hint = "write, for example, `[grid]` and under it `links = [3, 4]`";
                let message = "no settings: there is no grid and no point";
                self.problems.add_with_hint(table.table_place, message, hint);
                Points::List(Vec::new())
            }
            (Some(grid), []) => self.grid(&grid.0),
            (None, points) => Points::List(points.iter().map(|point| self.point(&point.0)).collect()),
        }
    }

    fn grid(&mut self, grid: &Value) -> Points {
        let mut dimensions = Vec::new();
        for (name, value) in flat(grid) {
            let list = match &value.content {
                Content::List(list) => list.iter().collect(),
                _ => vec![value],
            };
            for value in &list {
                self.settings.push((Setting::new(&name, typed(value)), value.place));
            }
            match Dimension::new(name, list.iter().map(|value| typed(value)).collect()) {
                Ok(dimension) => dimensions.push(dimension),
                Err(error) => self.problems.add(value.place, error.to_string()),
            }
        }
        Points::grid(dimensions).unwrap_or_else(|error| {
            self.problems.add(grid.place, error.to_string());
            Points::List(Vec::new())
        })
    }

    fn point(&mut self, point: &Value) -> Vec<Setting> {
        let mut settings: Vec<Setting> = Vec::new();
        for (name, value) in flat(point) {
            if settings.iter().any(|known| known.name == name) {
                self.problems.add(value.place, format!("`{name}` is set twice"));
            }
            let setting = Setting::new(name, typed(value));
            self.settings.push((setting.clone(), value.place));
            settings.push(setting);
        }
        settings
    }

    fn runs(&mut self, table: &SweepTable) -> Vec<SweepRun> {
        if table.run.0.is_empty() {
            let hint = "write, for example, `[run]` and under it `stream = \"stream --kernel triad\"`";
            self.problems.add_with_hint(table.table_place, "no runs", hint);
        }
        let runs = table.run.iter();
        runs.map(|run| SweepRun { name: run.name.clone(), command: run.value.text.clone() }).collect()
    }

    fn measures(&mut self, table: &SweepTable, runs: &[SweepRun]) -> Vec<Selection> {
        let mut measures: Vec<Selection> = Vec::new();
        for measure in table.measure.iter() {
            let Some(run) = runs.iter().position(|run| run.name == measure.run.text) else {
                let message = format!("no run `{}`", measure.run.text);
                let hint = suggest(&measure.run.text, runs.iter().map(|run| run.name.as_str()));
                self.problems.add_with_hint(measure.run.place, message, hint);
                continue;
            };
            let query = Query {
                measure: measure.measure.0,
                at: measure.at.as_ref().map_or_else(Default::default, |at| at.0.clone()),
                relation: measure.pairs.as_ref().map(|pairs| pairs.value),
                over: measure.over.as_ref().map_or_else(Over::default, |over| over.value),
            };
            let name = measure.name.as_ref().map(|name| name.text.clone());
            let selection = Selection { run, name, query };
            let same = |known: &&Selection| {
                (known.run, known.query.measure, known.what())
                    == (run, selection.query.measure, selection.what())
            };
            if measures.iter().find(same).is_some() {
                let message = "another measure has the same name";
                self.problems.add_with_hint(measure.run.place, message, "give one of them another `name`");
            }
            measures.push(selection);
        }
        measures
    }
}

/// Names and values of a table, in the order of the text; keys of tables within it are joined by dots.
fn flat(table: &Value) -> Vec<(String, &Value)> {
    let mut found = Vec::new();
    for entry in table.entries().into_iter().flatten() {
        match &entry.value.content {
            Content::Table(_) => {
                let inner = flat(&entry.value).into_iter();
                found.extend(inner.map(|(name, value)| (format!("{}.{name}", entry.key), value)));
            }
            _ => found.push((entry.key.clone(), &entry.value)),
        }
    }
    found.sort_by_key(|(_, value)| value.place);
    found
}

/// A value as it is typed after `NAME=`.
fn typed(value: &Value) -> String {
    match &value.content {
        Content::Text(text) | Content::Other { text, .. } => text.clone(),
        Content::Integer(integer) => integer.to_string(),
        // A list within a list is one value: a list of names, as machine files have them.
        Content::List(items) => {
            let items: Vec<String> = items.iter().map(|item| format!("{:?}", typed(item))).collect();
            format!("[{}]", items.join(", "))
        }
        Content::Table(_) => "{}".to_owned(),
    }
}

impl JsonSchema for Values {
    fn schema_name() -> Cow<'static, str> {
        "Values".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let deeper = generator.subschema_for::<Self>();
        let value = json_schema!({ "type": ["string", "number", "boolean"] });
        json_schema!({
            "description": "Names and values; keys of tables within are joined by dots.",
            "type": "object",
            "additionalProperties": {
                "anyOf": [value, { "type": "array", "items": { "anyOf": [value, { "type": "array", "items": value }] } }, deeper]
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use zerohop_result::Axis;

    use super::*;

    const GOOD: &str = r#"
machine = "sr665-v3"

[grid]
links = [3, 4]
width = ["x4", "x16"]
nps = 1
coherence.lookup = ["20 ns"]

[run]
stream = "stream --kernel triad"
matrix = "bandwidth-matrix"

[[measure]]
run = "stream"
measure = "bandwidth_gbps"
at = { initiator = "all" }

[[measure]]
name = "far"
run = "matrix"
measure = "bandwidth_gbps"
pairs = "remote"
over = "lowest"
"#;

    fn error(text: &str) -> String {
        SweepFile::parse("s.toml", text).unwrap_err().to_string()
    }

    #[test]
    fn a_grid_keeps_the_order_of_its_file() {
        let SweepFile { sweep, .. } = SweepFile::parse("s.toml", GOOD).unwrap();
        assert_eq!(sweep.points.names(), ["links", "width", "nps", "coherence.lookup"]);
        assert_eq!(sweep.points.count(), 4);
        assert_eq!(sweep.points.settings(1).to_string(), "links=3, width=x16, nps=1, coherence.lookup=20 ns");
        assert_eq!(sweep.runs.iter().map(|run| run.name.as_str()).collect::<Vec<_>>(), ["stream", "matrix"]);
        assert_eq!(sweep.measures[0].query.at, [(Axis::Initiator, "all".into())].into());
        assert_eq!((sweep.measures[1].run, sweep.measures[1].query.relation), (1, Some(Relation::Remote)));
    }

    #[test]
    fn points_may_be_listed() {
        let text = "machine = \"m\"\n[[point]]\nlinks = 3\n[[point]]\nnode.0.channels.at = [\"a\", \"b\"]\n[run]\nhops = \"hops\"\n";
        let SweepFile { sweep, .. } = SweepFile::parse("s.toml", text).unwrap();
        assert_eq!((sweep.points.count(), sweep.points.names()), (2, vec!["links", "node.0.channels.at"]));
        assert_eq!(sweep.points.settings(1).to_string(), "node.0.channels.at=[\"a\", \"b\"]");
    }

    #[test]
    fn what_a_machine_does_not_have_is_shown_where_it_is_written() {
        let file = SweepFile::parse("s.toml", GOOD).unwrap();
        let problem =
            file.problem(SweepElement::Setting(&Setting::new("links", "4")), "`links` cannot be `4`");
        assert_eq!((problem.line, problem.column), (5, 13));
        assert_eq!(file.problem(SweepElement::Run(1), "no").line, 12);
    }

    #[test]
    fn all_that_is_wrong_is_told_with_its_place() {
        let text = GOOD.replace("run = \"matrix\"", "run = \"matrx\"").replace("[3, 4]", "[3, 3]");
        insta::assert_snapshot!(error(&text), @r#"
        `links=3,3` has the value `3` twice
         --> s.toml:5:9
          |
        5 | links = [3, 3]
          |         ^^^^^^

        error: no run `matrx`
          --> s.toml:21:7
           |
        21 | run = "matrx"
           |       ^^^^^^^
           |
           = hint: did you mean `matrix`?
        "#);
    }

    #[test]
    fn a_sweep_needs_points_and_runs() {
        assert!(error("machine = \"m\"\n[run]\nhops = \"hops\"").contains("no settings"));
        assert!(error("machine = \"m\"\n[grid]\na = 1\n[run]\n").contains("no runs"));
        let both = "machine = \"m\"\n[grid]\na = 1\n[[point]]\na = 2\n[run]\nhops = \"hops\"";
        assert!(error(both).contains("not both"));
        assert!(error("machin = 1").contains("s.toml:1:1"));
        assert!(error("machine = \"m\"\n[grid]\na = []\n[run]\nhops = \"hops\"").contains("empty value"));
    }
}
