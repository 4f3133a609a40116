//! Every value of a result with its evidence: its samples as a strip, its interval, its expectation, and the command that repeats it.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, PreEscaped, html};
use zerohop_diagnosis::Diagnosis;
use zerohop_expectation::{Expectations, ExpectedCell, Standing};
use zerohop_machine::Machine;
use zerohop_result::{Cell, Coordinates, ExperimentName, ExperimentResult, Measure, ResultFile};
use zerohop_workload::{Origin, SolverName};

use crate::expected_words::place;
use crate::number::{counted, ends, figures_of, percent_at_least, significant};
use crate::printable::plain_line;

/// Values of one experiment that are listed; the page's JSON has all.
const MOST_VALUES: usize = 1500;

/// Width and height of a strip, in units of its own.
const STRIP: (f64, f64) = (120.0, 16.0);

/// The values of an experiment.
pub(crate) struct Listed {
    name: String,
    command: Option<String>,
    all: usize,
    /// Columns besides those of places and values.
    has: Has,
    rows: Vec<Row>,
}

/// What the rows of a list have.
#[derive(Debug, Clone, Copy, Default)]
struct Has {
    samples: bool,
    expected: bool,
    evidence: bool,
}

struct Row {
    /// Identifier, if something on the page leads to the row.
    id: Option<String>,
    at: String,
    value: String,
    strip: Strip,
    expected: Option<String>,
    is_odd: bool,
    evidence: String,
    warnings: Vec<String>,
}

/// Samples on a line from the least to the most, and where their median is.
struct Strip {
    path: String,
    median: f64,
    words: String,
}

/// Values of each experiment that has any. Rows of evidence of the diagnosis have identifiers that begin with `prefix`.
pub(crate) fn listed(
    result: &ResultFile,
    expectations: Option<&Expectations>,
    diagnosis: Option<&Diagnosis>,
    prefix: &str,
) -> Vec<Listed> {
    let evidence = diagnosis.into_iter().flat_map(|one| &one.findings).flat_map(|finding| &finding.evidence);
    let linked: BTreeSet<String> = evidence
        .filter_map(|shown| anchor(result, shown.experiment.as_ref()?, shown.measure?, shown.at.as_ref()?))
        .collect();
    let experiments = result.experiments.iter().enumerate().filter(|(_, one)| !one.cells.is_empty());
    let id = |experiment: usize, cell: usize| {
        let own = name_of_row(experiment, cell);
        linked.contains(&own).then(|| format!("{prefix}{own}"))
    };
    experiments
        .map(|(rank, experiment)| Listed::of(result, expectations, experiment, |cell| id(rank, cell)))
        .collect()
}

/// The identifier of a value's row on a page about one result; `None` if the value is not listed.
pub(super) fn anchor(
    result: &ResultFile,
    experiment: &ExperimentName,
    measure: Measure,
    at: &Coordinates,
) -> Option<String> {
    let rank = result.experiments.iter().position(|one| one.experiment == *experiment)?;
    let cells = result.experiments[rank].cells.iter().take(MOST_VALUES);
    let cell = cells.into_iter().position(|cell| cell.measure == measure && cell.at == *at)?;
    Some(name_of_row(rank, cell))
}

fn name_of_row(experiment: usize, cell: usize) -> String {
    format!("value-{}-{}", experiment + 1, cell + 1)
}

impl Listed {
    fn of(
        result: &ResultFile,
        expectations: Option<&Expectations>,
        experiment: &ExperimentResult,
        id: impl Fn(usize) -> Option<String>,
    ) -> Self {
        let expected = expectations.map(|all| expected(all, experiment)).unwrap_or_default();
        let is_measured = !result.origin.is_model();
        let row = |(rank, cell): (usize, &Cell)| {
            Row::of(cell, id(rank), expected.get(&(cell.measure, &cell.at)).copied(), is_measured)
        };
        let rows: Vec<Row> = experiment.cells.iter().take(MOST_VALUES).enumerate().map(row).collect();
        let has = Has {
            samples: experiment.cells.iter().any(|cell| cell.samples.len() > 1),
            expected: rows.iter().any(|row| row.expected.is_some()),
            evidence: rows.iter().any(|row| !row.evidence.is_empty() || !row.warnings.is_empty()),
        };
        Self {
            name: experiment.experiment.to_string(),
            command: command(result, experiment),
            all: experiment.cells.len(),
            has,
            rows,
        }
    }

    /// A list that opens by a click or a key, also without script.
    pub(super) fn markup(&self) -> Markup {
        let Self { name, command, all, has, rows } = self;
        let heads = [
            ("where", true),
            ("value", true),
            ("samples", has.samples),
            ("expected", has.expected),
            ("evidence", has.evidence),
        ];
        html! {
            details {
                summary { (plain_line(name)) ": " (counted(*all, "value")) }
                @if let Some(command) = command { p.command { code { (plain_line(command)) } } }
                div.scroll tabindex="0" {
                    table.values {
                        thead { tr {
                            @for (head, _) in heads.iter().filter(|(_, is_shown)| *is_shown) { th scope="col" { (head) } }
                        } }
                        tbody { @for row in rows { (row.markup(*has)) } }
                    }
                }
                @if *all > rows.len() { p.remark { "and " (counted(all - rows.len(), "value")) " in the page's JSON" } }
            }
        }
    }
}

/// What is expected of the values of an experiment, by measure and place.
fn expected<'a>(
    all: &'a Expectations,
    experiment: &ExperimentResult,
) -> BTreeMap<(Measure, &'a Coordinates), &'a ExpectedCell> {
    let own = all.cells.iter().filter(|known| known.experiment == experiment.experiment);
    own.map(|known| ((known.measure, &known.at), known)).collect()
}

/// The command that takes the values of an experiment again.
fn command(file: &ResultFile, experiment: &ExperimentResult) -> Option<String> {
    let run = format!("zerohop run {}", experiment.experiment);
    match &file.origin {
        Origin::Host(_) => Some(run),
        Origin::Model(model) => {
            let seed = model.seed.map_or(String::new(), |seed| format!(" --seed {seed}"));
            let solver = match &model.solver {
                // What the command takes without being told.
                SolverName::Event => String::new(),
                solver => format!(" --solver {}", solver.name()),
            };
            Some(format!("{run} --on {}{solver}{seed}", model_in_words(&file.machine)))
        }
        Origin::Imported(_) => None,
    }
}

/// A simulated machine as arguments: its name, its settings and its faults.
pub(crate) fn model_in_words(machine: &Machine) -> String {
    let settings = machine.settings.iter().map(|setting| format!(" --set '{setting}'"));
    let faults = machine.faults.iter().map(|fault| format!(" --fault '{fault}'"));
    std::iter::once(format!("'{}'", machine.name)).chain(settings).chain(faults).collect()
}

impl Row {
    fn of(cell: &Cell, id: Option<String>, expected: Option<&ExpectedCell>, is_measured: bool) -> Self {
        let (value, margin) = figures_of(cell);
        let margin = margin.map_or(String::new(), |margin| format!(" {margin}"));
        let evidence = &cell.evidence;
        let shares = [
            ("huge pages", evidence.backing.huge_share),
            ("on the requested node", evidence.backing.placed_share),
        ];
        let shares = shares
            .into_iter()
            .filter_map(|(what, share)| Some(format!("{} {what}", percent_at_least(share?))));
        let rounds = (!evidence.rounds.is_empty()).then(|| counted(evidence.rounds.len(), "round"));
        let disturbed = (evidence.disturbed > 0)
            .then(|| format!("{} taken again", counted(evidence.disturbed as usize, "sample")));
        let facts: Vec<String> = std::iter::once(counted(cell.samples.len(), "sample"))
            .chain(rounds)
            .chain(shares)
            .chain(disturbed)
            .collect();
        Self {
            id,
            at: place(&cell.at),
            value: format!("{value}{margin} {}", cell.measure.unit()),
            strip: Strip::of(cell),
            is_odd: expected.is_some_and(|known| known.standing == Standing::Worse),
            expected: expected.map(|known| {
                let of = &known.expected;
                format!("{}: {}", ends(of.low, of.high), of.reason)
            }),
            // Of a model, pages and rounds say nothing.
            evidence: if is_measured { facts.join(", ") } else { String::new() },
            warnings: cell.warnings.iter().map(ToString::to_string).collect(),
        }
    }

    fn markup(&self, has: Has) -> Markup {
        let Self { id, at, value, strip, expected, is_odd, evidence, warnings } = self;
        html! {
            tr id=[id.as_ref()] {
                th scope="row" { (plain_line(at)) }
                td.number { (plain_line(value)) }
                @if has.samples { td { (strip.markup()) } }
                @if has.expected { td class=[is_odd.then_some("worst")] {
                    @if *is_odd { "not as expected: " }
                    @if let Some(expected) = expected { (plain_line(expected)) } @else { "–" }
                } }
                @if has.evidence { td {
                    (plain_line(evidence))
                    @for warning in warnings { br; span.doubtful { "! " (plain_line(warning)) } }
                } }
            }
        }
    }
}

impl Strip {
    fn of(cell: &Cell) -> Self {
        let (least, most) =
            cell.samples.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), &sample| {
                (least.min(sample), most.max(sample))
            });
        let across = |value: f64| {
            let share = if most > least { (value - least) / (most - least) } else { 0.5 };
            2.0 + share.clamp(0.0, 1.0) * (STRIP.0 - 4.0)
        };
        let ticks = cell.samples.iter().map(|&sample| format!("M{:.0} 3v10", across(sample)));
        let words = match cell.samples.as_slice() {
            [] => "no samples".to_owned(),
            [one] => significant(*one),
            _ => ends(least, most),
        };
        Self { path: ticks.collect(), median: across(cell.estimate.median), words }
    }

    fn markup(&self) -> Markup {
        let Self { path, median, words } = self;
        html! {
            @if !path.is_empty() {
                svg.strip viewBox={ "0 0 " (STRIP.0) " " (STRIP.1) } role="img" aria-label=(words) {
                    path d=(PreEscaped(path)) {}
                    path.median d={ "M" (format!("{median:.0}")) " 0v16" } {}
                }
            }
            small { (words) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zerohop_machine::Setting;

    /// `--on` takes no settings behind a machine's name.
    #[test]
    fn a_model_is_named_with_its_settings_and_faults_apart() {
        let machine = Machine {
            name: "two".to_owned(),
            settings: vec![Setting::new("links", "3")],
            faults: vec!["link:0-1=down".to_owned()],
            ..Machine::default()
        };
        assert_eq!(model_in_words(&machine), "'two' --set 'links=3' --fault 'link:0-1=down'");
    }
}
