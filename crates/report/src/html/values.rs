//! Every value of a result with its evidence: its samples as a strip, its interval, its expectation, and the command that repeats it.

use std::collections::BTreeMap;

use maud::{Markup, PreEscaped, html};
use zerohop_expectation::{Expectations, ExpectedCell, Standing};
use zerohop_machine::Machine;
use zerohop_result::{Cell, Coordinates, ExperimentResult, Measure, ResultFile};
use zerohop_workload::Origin;

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
    rows: Vec<Row>,
}

struct Row {
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

/// Values of each experiment that has any.
pub(crate) fn listed(result: &ResultFile, expectations: Option<&Expectations>) -> Vec<Listed> {
    let experiments = result.experiments.iter().filter(|experiment| !experiment.cells.is_empty());
    experiments.map(|experiment| Listed::of(result, expectations, experiment)).collect()
}

impl Listed {
    fn of(result: &ResultFile, expectations: Option<&Expectations>, experiment: &ExperimentResult) -> Self {
        let expected = expectations.map(|all| expected(all, experiment)).unwrap_or_default();
        let row = |cell: &Cell| Row::of(cell, expected.get(&(cell.measure, &cell.at)).copied());
        Self {
            name: experiment.experiment.to_string(),
            command: command(result, experiment),
            all: experiment.cells.len(),
            rows: experiment.cells.iter().take(MOST_VALUES).map(row).collect(),
        }
    }

    /// A list that opens by a click or a key, also without script.
    pub(super) fn markup(&self) -> Markup {
        let Self { name, command, all, rows } = self;
        html! {
            details {
                summary { (plain_line(name)) ": " (counted(*all, "value")) }
                @if let Some(command) = command { p.command { code { (plain_line(command)) } } }
                div.scroll tabindex="0" {
                    table.values {
                        thead { tr {
                            @for head in ["where", "value", "samples", "expected", "rests on"] { th scope="col" { (head) } }
                        } }
                        tbody { @for row in rows { (row.markup()) } }
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
            Some(format!("{run} --on {}{seed}", model_in_words(&file.machine)))
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
    fn of(cell: &Cell, expected: Option<&ExpectedCell>) -> Self {
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
            at: place(&cell.at),
            value: format!("{value}{margin} {}", cell.measure.unit()),
            strip: Strip::of(cell),
            is_odd: expected.is_some_and(|known| known.standing == Standing::Worse),
            expected: expected.map(|known| {
                let of = &known.expected;
                format!("{}: {}", ends(of.low, of.high), of.reason)
            }),
            evidence: facts.join(", "),
            warnings: cell.warnings.iter().map(ToString::to_string).collect(),
        }
    }

    fn markup(&self) -> Markup {
        let Self { at, value, strip, expected, is_odd, evidence, warnings } = self;
        html! {
            tr {
                th scope="row" { (plain_line(at)) }
                td.number { (plain_line(value)) }
                td { (strip.markup()) }
                td class=[is_odd.then_some("worst")] {
                    @if *is_odd { "not as expected: " }
                    @if let Some(expected) = expected { (plain_line(expected)) } @else { "–" }
                }
                td {
                    (plain_line(evidence))
                    @for warning in warnings { br; span.doubtful { "! " (plain_line(warning)) } }
                }
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
