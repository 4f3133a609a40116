//! Values of a result that a sweep reports: a run, and a query on its result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_machine::Machine;
use zerohop_result::{Cell, ExperimentResult, Measure, Over, ParseQueryError, Query, Value, Wanted, Warning};

use super::run::SweepRun;

/// Selects cells of a run, and reduces them to one value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Selection {
    /// Index of the run.
    pub run: usize,
    /// Name of the value; composed of its coordinates if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Selects cells of the run's result.
    #[serde(flatten)]
    pub query: Query,
}

/// Reason why words do not select a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseSelectionError {
    /// The first word is not a run.
    #[error("it starts with `{word}`, which is not one of the experiments to run: {}", runs.join(", "))]
    NoRun { word: String, runs: Vec<String> },
    /// The rest is not a query.
    #[error(transparent)]
    Query(#[from] ParseQueryError),
}

/// A value selected from a result.
#[derive(Debug, Clone, PartialEq)]
pub struct Reported {
    /// The headline in words.
    pub what: String,
    /// The measure of its value.
    pub measure: Measure,
    /// The value with its interval.
    pub value: Value,
    /// Warnings of the selected cells.
    pub warnings: Vec<Warning>,
}

impl Selection {
    /// Reads words such as `stream bandwidth kernel=triad initiator=all`, or `far: bandwidth-matrix bandwidth remote
    /// lowest`: a name if wanted, a run, and a query.
    ///
    /// # Errors
    /// When a word has no meaning.
    pub fn parse(words: &[String], runs: &[SweepRun]) -> Result<Self, ParseSelectionError> {
        let mut words = words.iter().map(String::as_str).peekable();
        let name = words.next_if(|word| word.len() > 1 && word.ends_with(':'));
        let name = name.map(|name| name.trim_end_matches(':').to_owned());
        let word = words.next().unwrap_or_default();
        let run = runs.iter().position(|run| run.name == word);
        let run = run.ok_or_else(|| ParseSelectionError::NoRun {
            word: word.to_owned(),
            runs: runs.iter().map(|run| run.name.clone()).collect(),
        })?;
        Ok(Self { run, name, query: Query::parse(words)? })
    }

    /// The value that a result on that machine has for it, if any.
    pub(super) fn number(&self, result: &ExperimentResult, machine: &Machine) -> Option<Reported> {
        let value = self.query.value(&result.cells, machine).ok()?;
        Some(Reported::new(self.what(), &value, &self.query.cells(&result.cells, machine)))
    }

    /// Text that distinguishes the selection from others of its run and measure.
    pub fn what(&self) -> String {
        if let Some(name) = &self.name {
            return name.clone();
        }
        let Query { measure: _, at, relation, over } = &self.query;
        let places = at.values().filter(|wanted| **wanted != Wanted::Any).map(ToString::to_string);
        let relation = relation.map(|relation| relation.name().to_owned());
        let over = (*over != Over::default()).then(|| over.name().to_owned());
        places.chain(relation).chain(over).collect::<Vec<_>>().join(".")
    }
}

impl Reported {
    /// The value of these cells, if there are any; all have the same measure.
    pub(super) fn of(what: String, cells: &[&Cell], over: Over) -> Option<Self> {
        Some(Self::new(what, &Value::of(cells, over)?, cells))
    }

    fn new(what: String, value: &Value, cells: &[&Cell]) -> Self {
        let warnings = cells.iter().flat_map(|cell| &cell.warnings).cloned().collect();
        Self { what, measure: value.measure, value: *value, warnings }
    }
}

#[cfg(test)]
mod tests {
    use zerohop_result::{Axis, Relation};

    use super::*;

    fn runs() -> Vec<SweepRun> {
        ["stream", "bandwidth-matrix"]
            .map(|name| SweepRun { name: name.to_owned(), command: name.to_owned() })
            .to_vec()
    }

    fn parse(text: &str) -> Result<Selection, ParseSelectionError> {
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        Selection::parse(&words, &runs())
    }

    #[test]
    fn words_select_a_value() {
        let triad = parse("stream bandwidth kernel=triad initiator=all").unwrap();
        assert_eq!((triad.run, triad.what()), (0, "all.triad".to_owned()));
        let query = Query::of(Measure::Bandwidth).at(Axis::Initiator, "all").at(Axis::Kernel, "triad");
        assert_eq!(triad.query, query);
        let far = parse("far: bandwidth-matrix bandwidth_gbps remote lowest target=1").unwrap();
        assert_eq!((far.run, far.query.relation, far.query.over), (1, Some(Relation::Remote), Over::Lowest));
        assert_eq!((far.what(), far.query.at[&Axis::Target].clone()), ("far".to_owned(), Wanted::from(1u64)));
        assert_eq!(parse("stream bus-traffic channel=* sum").unwrap().what(), "sum");
    }

    #[test]
    fn words_that_mean_nothing_are_reported() {
        for (text, message) in [
            ("", "not one of the experiments"),
            ("ramp bandwidth", "`ramp`, which is not one"),
            ("stream speed", "`speed` is not a measure"),
            ("stream", "contains no measure"),
            ("stream bandwidth fastest", "invalid word `fastest`"),
            ("stream bandwidth core=1", "no axis `core`"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(message), "{text}: {error}");
        }
    }
}
