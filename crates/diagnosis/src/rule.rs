//! A rule of the diagnosis.

use std::fmt;

use schemars::Schema;
use schemars::generate::SchemaSettings;
use zerohop_document::{Names, Text, TextProblem, write_problems};
use zerohop_machine::{Machine, Processor};
use zerohop_result::Axis;

use crate::condition::Condition;
use crate::finding::Severity;
use crate::remaining_bandwidth::RemainingBandwidth;
use crate::rule_file::{CauseTable, RemedyTable, RuleTable};

#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Name of the rule, which is that of its file.
    pub name: String,
    /// The problem, in one sentence with names in braces.
    pub title: String,
    /// Purpose of the rule.
    pub about: String,
    /// Severity of its findings.
    pub severity: Severity,
    pub when: Condition,
    /// Possible causes, as in the file.
    pub causes: Vec<Cause>,
    /// Remedies.
    pub remedies: Vec<Remedy>,
    /// Measurement or inspection that would confirm the cause.
    pub next: Option<String>,
    /// Aspect that was not tested if the rule cannot be decided, and the test for it.
    pub not_tested: Option<String>,
    /// Condition on the machine under which `not_tested` is shown.
    pub not_tested_if: Option<Condition>,
    /// Rules whose findings about the same nodes are consequences of this one.
    pub explains: Vec<String>,
    /// Rules whose findings about any nodes are consequences of this one.
    pub explains_anywhere: Vec<String>,
    /// Rules whose findings are at most warnings next to this one.
    pub doubts: Vec<String>,
    /// Source of the rule.
    pub source: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Cause {
    /// Description with names in braces.
    pub words: String,
    /// Prior likelihood, 0 to 1.
    pub likelihood: f64,
    /// Condition that changes the likelihood, and the likelihood if it holds.
    pub sign: Option<(Condition, f64)>,
    /// Bandwidth that remains with the cause: one of these. Any, if empty.
    pub leaves: Vec<RemainingBandwidth>,
    /// Condition that rules out the cause.
    pub unless: Option<Condition>,
    /// Observation that distinguishes the cause from the others.
    pub tells: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remedy {
    /// Description with names in braces.
    pub words: String,
    /// Indices of the causes that the remedy removes; all if empty.
    pub causes: Vec<usize>,
    /// Applies only to processors whose vendor or name contains one of these strings; any if empty.
    pub processors: Vec<String>,
    /// Applies only to machines whose vendor name contains one of these strings; any if empty.
    pub makers: Vec<String>,
    /// Whether only whoever runs the physical machine can do it.
    pub physical: bool,
}

/// Reason why a text is not a rule: every problem, with its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleError {
    /// Problems in the order of the text. Not empty.
    pub problems: Vec<TextProblem>,
}

impl std::error::Error for RuleError {}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_problems(&self.problems, f)
    }
}

impl Rule {
    /// Reads the rule of that name. `file` is for messages.
    ///
    /// # Errors
    /// When the text is not a rule: every problem, at its place.
    pub fn parse(name: &str, file: &str, text: &str) -> Result<Self, RuleError> {
        const HINT: &str = "`zerohop schema rule` prints the schema of a rule";
        let wrong = |problems| RuleError { problems };
        let (table, mut problems) =
            zerohop_document::read::<RuleTable>("the rule", HINT, file, text).map_err(wrong)?;
        if let Some(axis) = unknown_axis(&table.when.value) {
            problems.add(table.when.place, format!("unknown axis `{axis}`"));
        }
        for cause in table.cause.iter().filter(|cause| cause.when.is_some() != cause.then.is_some()) {
            problems.add(cause.table_place, "a cause needs both `when` and `then`, or neither".to_owned());
        }
        for remedy in &table.remedy.0 {
            let of = remedy.causes.iter().flat_map(|causes| &causes.value);
            if of.clone().any(|place| !(1..=table.cause.0.len()).contains(place)) {
                let most = table.cause.0.len();
                problems.add(
                    remedy.table_place,
                    format!("`causes` of a remedy must be numbers from 1 to {most}"),
                );
            }
        }
        if table.cause.0.is_empty() {
            problems.add(table.title.place, "a rule needs at least one `[[cause]]`".to_owned());
        }
        if problems.any() {
            return Err(wrong(problems.into_list()));
        }
        Ok(Self {
            name: name.to_owned(),
            title: table.title.text,
            about: table.about.text,
            severity: table.severity.value,
            when: table.when.value,
            causes: table.cause.0.into_iter().map(cause).collect(),
            remedies: table.remedy.0.into_iter().map(remedy).collect(),
            next: table.next.map(|next| next.text),
            not_tested: table.not_tested.map(|text| text.text),
            not_tested_if: table.not_tested_if.map(|when| when.value),
            explains: table.explains.map(names).unwrap_or_default(),
            explains_anywhere: table.explains_anywhere.map(names).unwrap_or_default(),
            doubts: table.doubts.map(names).unwrap_or_default(),
            source: table.source.text,
        })
    }
}

impl Remedy {
    /// Whether it is for this machine, and for a cause that is likely enough. A processor or a maker that is not known may be any.
    pub(crate) fn suits(&self, machine: &Machine, likely: impl Fn(usize) -> bool) -> bool {
        if !self.causes.is_empty() && !self.causes.iter().any(|&rank| likely(rank)) {
            return false;
        }
        let Processor { vendor, model, .. } = &machine.processor;
        let maker = machine.platform.maker.as_deref().unwrap_or_default();
        let among = |names: &[String], texts: &[&str]| {
            let named = |name: &String| texts.iter().any(|text| text.contains(name.as_str()));
            names.is_empty() || texts.iter().all(|text| text.is_empty()) || names.iter().any(named)
        };
        among(&self.processors, &[vendor, model]) && among(&self.makers, &[maker])
    }
}

fn cause(table: CauseTable) -> Cause {
    let CauseTable { words, likelihood, when, then, unless, leaves, tells, table_place: _ } = table;
    Cause {
        words: words.text,
        likelihood: likelihood.value.0,
        sign: when.zip(then).map(|(when, then)| (when.value, then.value.0)),
        unless: unless.map(|unless| unless.value),
        leaves: leaves.map(|leaves| leaves.value).unwrap_or_default(),
        tells: tells.map(|tells| tells.text),
    }
}

fn remedy(table: RemedyTable) -> Remedy {
    let RemedyTable { words, causes, processors, makers, physical, table_place: _ } = table;
    let of = |list: Option<Names>| list.map(names).unwrap_or_default();
    let causes = causes.map(|causes| causes.value).unwrap_or_default();
    let causes = causes.into_iter().map(|place| place - 1).collect();
    let physical = physical.is_some_and(|physical| physical.value);
    Remedy { words: words.text, causes, processors: of(processors), makers: of(makers), physical }
}

fn names(names: Names) -> Vec<String> {
    names.names.into_iter().map(|Text { text, .. }| text).collect()
}

/// The first axis in a condition that no result has.
fn unknown_axis(condition: &Condition) -> Option<&str> {
    match condition {
        Condition::All { of } | Condition::Any { of } => of.iter().find_map(unknown_axis),
        Condition::Not { of } => unknown_axis(of),
        Condition::Falls { along, .. } => {
            Axis::ALL.iter().all(|axis| axis.name() != along).then_some(along.as_str())
        }
        _ => None,
    }
}

/// The JSON Schema of a rule's file, without its name.
pub fn rule_schema() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<RuleTable>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The schema said "at least" of `at_most_packages`.
    #[test]
    fn a_bound_is_described_as_what_its_name_says() {
        let schema = serde_json::to_string_pretty(&rule_schema()).unwrap();
        let mut lines = schema.lines();
        let mut seen = 0;
        while let Some(line) = lines.next() {
            for bound in ["at_most", "at_least"] {
                if line.trim().starts_with(&format!("\"{bound}")) && line.ends_with('{') {
                    let description = lines.find(|line| line.contains("\"description\"")).unwrap();
                    assert!(description.contains(&bound.replace('_', " ")), "{line} {description}");
                    seen += 1;
                }
            }
        }
        assert!(seen > 0);
    }
}
