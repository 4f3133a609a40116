//! The text form of sweeps: parsed and checked, with locations for mistakes that only a machine reveals.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use toml::Spanned;
use zerohop_document::TextProblem;
use zerohop_machine::Setting;
use zerohop_result::{Axis, Measure, Over, Query, Relation, Wanted};

use super::points::{Dimension, Points};
use super::question::Sweep;
use super::run::SweepRun;
use super::selection::Selection;
use crate::study::{Problem, text_problems, write_problems};

/// A sweep: a machine's settings, point by point, and the runs at each.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Written {
    /// The machine: the name of a built-in one, or the path of a machine file.
    machine: String,
    /// Settings and their values: every combination is a point, and the last setting varies fastest.
    #[schemars(with = "Option<Values>")]
    grid: Option<Spanned<Values>>,
    /// Points one by one, with the settings of each. Replaces a grid.
    #[serde(default)]
    #[schemars(with = "Vec<Values>")]
    point: Vec<Spanned<Values>>,
    /// Runs by name: the command as typed after `zerohop run`, without `--on`.
    #[schemars(with = "BTreeMap<String, String>")]
    run: BTreeMap<Spanned<String>, Spanned<String>>,
    /// Values to report, in this order; by default the headline measures of each run.
    #[serde(default)]
    measure: Vec<MeasureFile>,
}

/// A value to report.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MeasureFile {
    /// Its name; by default made of its coordinates.
    name: Option<String>,
    /// The name of the run.
    #[schemars(with = "String")]
    run: Spanned<String>,
    /// The measure.
    #[serde(deserialize_with = "zerohop_result::known")]
    measure: Measure,
    /// Coordinates of its cells.
    #[serde(default, deserialize_with = "zerohop_result::known")]
    at: BTreeMap<Axis, Wanted>,
    /// Distance of the memory from the initiator; any distance by default.
    pairs: Option<Relation>,
    /// How several cells are reduced to one value.
    #[serde(default)]
    over: Over,
}

/// A value of a setting, several of them, or a table of settings whose names begin alike.
#[derive(Debug)]
enum Values {
    One(String),
    List(Vec<Spanned<Values>>),
    Table(Vec<(Spanned<String>, Spanned<Values>)>),
}

/// A sweep, with the locations of its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SweepFile {
    /// The question. The machine has its name from the file.
    pub sweep: Sweep,
    name: String,
    text: String,
    settings: Vec<(Setting, Range<usize>)>,
    runs: Vec<Range<usize>>,
}

/// A part of a sweep's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part<'a> {
    /// A value of a setting.
    Setting(&'a Setting),
    /// The command of the run of that rank.
    Run(usize),
}

/// Why a text is not a sweep: all mistakes in it, each with its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SweepFileError {
    /// In the order of the text. Not empty.
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
    /// When the text is not a sweep: all mistakes in it, each with its location.
    pub fn parse(name: &str, text: &str) -> Result<Self, SweepFileError> {
        let wrong = |problems| SweepFileError { problems: text_problems(name, text, problems) };
        let written: Written = toml::from_str(text).map_err(|error| {
            wrong(vec![Problem {
                span: error.span().unwrap_or(0..text.len().min(1)),
                message: error.message().to_owned(),
                hint: Some("`zerohop schema sweep` prints the schema of a sweep".to_owned()),
            }])
        })?;
        let mut reader = Reader::default();
        let points = reader.points(&written);
        let (runs, spans) = reader.runs(&written);
        let measures = reader.measures(&written, &runs);
        if !reader.problems.is_empty() {
            return Err(wrong(reader.problems));
        }
        Ok(Self {
            sweep: Sweep { machine: written.machine, points, runs, measures },
            name: name.to_owned(),
            text: text.to_owned(),
            settings: reader.settings,
            runs: spans,
        })
    }

    /// A mistake in a part of it, shown at its location.
    pub fn problem(&self, part: Part<'_>, message: &str) -> TextProblem {
        let span = match part {
            Part::Setting(setting) => {
                self.settings.iter().find_map(|(known, span)| (known == setting).then(|| span.clone()))
            }
            Part::Run(rank) => self.runs.get(rank).cloned(),
        };
        TextProblem::new(&self.name, &self.text, span.unwrap_or(0..0), message)
    }
}

/// The sweep read so far, and its mistakes.
#[derive(Default)]
struct Reader {
    problems: Vec<Problem>,
    settings: Vec<(Setting, Range<usize>)>,
}

impl Reader {
    fn points(&mut self, written: &Written) -> Points {
        match (&written.grid, written.point.as_slice()) {
            (Some(_), [point, ..]) => {
                let hint = "leave one of them out";
                self.say(point.span(), "a sweep has a grid or a list of points, not both", Some(hint));
                Points::List(Vec::new())
            }
            (None, []) => {
                let hint = "write for example `[grid]` and under it `links = [3, 4]`";
                self.say(0..0, "nothing is set: there is no grid and no point", Some(hint));
                Points::List(Vec::new())
            }
            (Some(grid), []) => self.grid(grid),
            (None, points) => Points::List(points.iter().map(|point| self.point(point)).collect()),
        }
    }

    fn grid(&mut self, grid: &Spanned<Values>) -> Points {
        let mut dimensions = Vec::new();
        for (name, values) in self.flat(grid) {
            let list = match values.get_ref() {
                Values::List(list) => list.iter().collect(),
                _ => vec![values],
            };
            for value in &list {
                let setting = Setting::new(&name, value.get_ref().to_string());
                self.settings.push((setting, value.span()));
            }
            let texts = list.iter().map(|value| value.get_ref().to_string()).collect();
            match Dimension::new(name, texts) {
                Ok(dimension) => dimensions.push(dimension),
                Err(error) => self.say(values.span(), &error.to_string(), None),
            }
        }
        Points::grid(dimensions).unwrap_or_else(|error| {
            self.say(grid.span(), &error.to_string(), None);
            Points::List(Vec::new())
        })
    }

    fn point(&mut self, point: &Spanned<Values>) -> Vec<Setting> {
        let mut settings: Vec<Setting> = Vec::new();
        for (name, value) in self.flat(point) {
            if settings.iter().any(|known| known.name == name) {
                self.say(value.span(), &format!("`{name}` is set twice"), None);
            }
            let setting = Setting::new(name, value.get_ref().to_string());
            self.settings.push((setting.clone(), value.span()));
            settings.push(setting);
        }
        settings
    }

    /// Names and values of a table, in the order of the text; keys of tables within it are joined by dots.
    fn flat<'v>(&mut self, table: &'v Spanned<Values>) -> Vec<(String, &'v Spanned<Values>)> {
        let mut found = Vec::new();
        let Values::Table(entries) = table.get_ref() else {
            self.say(
                table.span(),
                "names and values are expected here",
                Some("write for example `links = 3`"),
            );
            return found;
        };
        for (key, value) in entries {
            match value.get_ref() {
                Values::Table(_) => {
                    let inner = self.flat(value).into_iter();
                    found.extend(inner.map(|(name, value)| (format!("{}.{name}", key.get_ref()), value)));
                }
                _ => found.push((key.get_ref().clone(), value)),
            }
        }
        found.sort_by_key(|(_, value)| value.span().start);
        found
    }

    /// The runs in the order of the text, and where their commands are.
    fn runs(&mut self, written: &Written) -> (Vec<SweepRun>, Vec<Range<usize>>) {
        let mut entries: Vec<_> = written.run.iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        if entries.is_empty() {
            let hint = "write for example `[run]` and under it `stream = \"stream --kernel triad\"`";
            self.say(0..0, "nothing is run", Some(hint));
        }
        let run = |(name, command): &(&Spanned<String>, &Spanned<String>)| SweepRun {
            name: name.get_ref().clone(),
            command: command.get_ref().clone(),
        };
        (entries.iter().map(run).collect(), entries.iter().map(|(_, command)| command.span()).collect())
    }

    fn measures(&mut self, written: &Written, runs: &[SweepRun]) -> Vec<Selection> {
        let mut measures: Vec<Selection> = Vec::new();
        for measure in &written.measure {
            let Some(run) = runs.iter().position(|run| run.name == *measure.run.get_ref()) else {
                let names: Vec<String> = runs.iter().map(|run| format!("`{}`", run.name)).collect();
                let hint = format!("there are {}", names.join(", "));
                self.say(measure.run.span(), &format!("no run `{}`", measure.run.get_ref()), Some(&hint));
                continue;
            };
            let query = Query {
                measure: measure.measure,
                at: measure.at.clone(),
                relation: measure.pairs,
                over: measure.over,
            };
            let selection = Selection { run, name: measure.name.clone(), query };
            let same = |known: &&Selection| {
                (known.run, known.query.measure, known.what())
                    == (run, selection.query.measure, selection.what())
            };
            if measures.iter().find(same).is_some() {
                let hint = "give one of them another `name`";
                self.say(measure.run.span(), "another measure has the same name", Some(hint));
            }
            measures.push(selection);
        }
        measures
    }

    fn say(&mut self, span: Range<usize>, message: &str, hint: Option<&str>) {
        self.problems.push(Problem { span, message: message.to_owned(), hint: hint.map(str::to_owned) });
    }
}

impl fmt::Display for Values {
    /// The value as typed after `NAME=`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(text) => f.write_str(text),
            Self::List(list) => {
                // A list within a list is one value: a list of names, as in machine files.
                let items: Vec<String> =
                    list.iter().map(|item| format!("{:?}", item.get_ref().to_string())).collect();
                write!(f, "[{}]", items.join(", "))
            }
            Self::Table(_) => f.write_str("{}"),
        }
    }
}

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Values;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value or a list of values")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Values, E> {
        Ok(Values::One(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Values, E> {
        Ok(Values::One(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Values, E> {
        Ok(Values::One(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Values, E> {
        Ok(Values::One(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Values, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Values::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Values, A::Error> {
        let mut table = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            table.push(entry);
        }
        Ok(Values::Table(table))
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
        let problem = file.problem(Part::Setting(&Setting::new("links", "4")), "`links` cannot be `4`");
        assert_eq!((problem.line, problem.column), (5, 13));
        assert_eq!(file.problem(Part::Run(1), "no").line, 12);
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
           = hint: there are `stream`, `matrix`
        "#);
    }

    #[test]
    fn a_sweep_needs_points_and_runs() {
        assert!(error("machine = \"m\"\n[run]\nhops = \"hops\"").contains("nothing is set"));
        assert!(error("machine = \"m\"\n[grid]\na = 1\n[run]\n").contains("nothing is run"));
        let both = "machine = \"m\"\n[grid]\na = 1\n[[point]]\na = 2\n[run]\nhops = \"hops\"";
        assert!(error(both).contains("not both"));
        assert!(error("machin = 1").contains("s.toml:1:1"));
        assert!(error("machine = \"m\"\n[grid]\na = []\n[run]\nhops = \"hops\"").contains("empty value"));
    }
}
