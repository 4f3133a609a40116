//! What the first screen of a result says, for a web page and for a ticket: the verdict, the findings, and the figures that matter.

use zerohop_diagnosis::{Diagnosis, Finding, Severity};
use zerohop_expectation::{Basis, Expectations, ExpectedCell, Kind, Standing};
use zerohop_result::{Completion, Measure, Relation};
use zerohop_units::counted;

use crate::assessed_result::AssessedResult;
use crate::headline::{Contrast, contrasts, fastest};
use crate::measure::shown_unit;
use crate::number::{percent_at_least, significant};
use crate::origin::{done, is_simulated, subject};
use crate::pages::{UNSTATED, asks_for_machine, cause, how, machine_in_short, near_and_far, soundness};
use crate::state::State;

/// Everything that a reader of a ticket needs first.
pub(crate) struct ResultSummary<'a> {
    /// The machine's name.
    pub(crate) title: String,
    /// The machine in a line.
    pub(crate) machine: String,
    /// When and how the result was obtained.
    pub(crate) how: String,
    pub(crate) state: State,
    /// The verdict in a few words, and its consequence in a sentence.
    pub(crate) verdict: [String; 2],
    /// What limits the verdict.
    pub(crate) limits: Vec<Limit>,
    pub(crate) cards: Vec<Card<'a>>,
    pub(crate) figures: Vec<Figure>,
}

/// A sentence on what a verdict does not cover.
pub(crate) struct Limit {
    /// Whether a fault may hide there.
    pub(crate) is_gap: bool,
    pub(crate) words: String,
}

/// A fault or a warning.
pub(crate) struct Card<'a> {
    pub(crate) state: State,
    /// Rank of the finding in the diagnosis.
    pub(crate) rank: usize,
    pub(crate) finding: &'a Finding,
    /// The likeliest cause, with its likelihood.
    pub(crate) cause: String,
}

/// A value that describes the machine.
pub(crate) struct Figure {
    pub(crate) label: &'static str,
    pub(crate) value: String,
    pub(crate) unit: &'static str,
    /// What to compare it with.
    pub(crate) notes: Vec<String>,
    /// Whether it is as expected, if something is expected.
    pub(crate) state: Option<State>,
}

impl<'a> ResultSummary<'a> {
    pub(crate) fn of(judged: &AssessedResult<'a>) -> Self {
        let AssessedResult { result, diagnosis, .. } = *judged;
        let (state, verdict) = verdict(diagnosis);
        let cards = diagnosis.into_iter().flat_map(|one| one.findings.iter().enumerate());
        let cards = cards.filter(|(_, finding)| finding.severity > Severity::Note);
        Self {
            title: subject(result),
            machine: machine_in_short(result),
            how: format!("{}, {}", how(result), result.produced_by),
            state,
            verdict,
            limits: limits(judged),
            cards: cards.map(|(rank, finding)| Card::of(rank, finding)).collect(),
            figures: figures(judged),
        }
    }
}

/// The verdict on the machine, and its consequence.
fn verdict(diagnosis: Option<&Diagnosis>) -> (State, [String; 2]) {
    let Some(diagnosis) = diagnosis else {
        return (State::Open, ["not judged".to_owned(), "no rules were applied to this result".to_owned()]);
    };
    let count = |severity| diagnosis.findings.iter().filter(|finding| finding.severity == severity).count();
    let kinds = [(Severity::Fault, "fault"), (Severity::Warning, "warning")];
    let kinds = kinds.map(|(severity, noun)| (count(severity), noun));
    let counts: Vec<String> =
        kinds.iter().filter(|(count, _)| *count > 0).map(|(count, noun)| counted(*count, noun)).collect();
    if !counts.is_empty() {
        let state = if diagnosis.has_fault() { State::Fault } else { State::Warning };
        return (state, [counts.join(", "), consequence(diagnosis)]);
    }
    if diagnosis.cannot_tell() {
        let words = soundness(diagnosis).unwrap_or_default();
        let reason = words.strip_prefix("cannot tell: ").unwrap_or(&words).to_owned();
        return (State::Open, ["cannot tell".to_owned(), reason]);
    }
    let notes = match diagnosis.findings.len() {
        0 => String::new(),
        notes => format!(", {}", counted(notes, "note")),
    };
    let rules = counted(diagnosis.told(), "rule");
    let found = format!("{rules} found no fault{notes}; {} lacked data", diagnosis.untold.len());
    (State::Sound, ["no fault found".to_owned(), found])
}

/// What the findings cost, at worst.
fn consequence(diagnosis: &Diagnosis) -> String {
    let worst = |larger_is_better: bool| {
        let sizes = diagnosis.alarms().filter_map(|finding| finding.size);
        let of_kind = sizes.filter(|size| size.measure.larger_is_better() == larger_is_better);
        of_kind.map(|size| size.loss).reduce(f64::max).filter(|loss| loss.is_finite())
    };
    let bandwidth = worst(true).map(|loss| format!("up to {:.0} % of the bandwidth is lost", 100.0 * loss));
    let latency = worst(false).map(|loss| match loss {
        loss if loss >= 1.0 => format!("latency is up to {:.1} times as high as it should be", 1.0 + loss),
        loss => format!("latency is up to {:.0} % too high", 100.0 * loss),
    });
    let both: Vec<String> = bandwidth.into_iter().chain(latency).collect();
    both.join(", ")
}

/// What the verdict does not cover.
fn limits(judged: &AssessedResult<'_>) -> Vec<Limit> {
    let AssessedResult { result, diagnosis, .. } = *judged;
    let fact = |words: String| Limit { is_gap: false, words };
    let gap = |words: &str| Limit { is_gap: true, words: format!("Not tested: {words}.") };
    let mut limits = Vec::new();
    if is_simulated(result) {
        limits.push(fact("Computed by a model: nothing of this was measured.".to_owned()));
    }
    let done = done(result);
    match result.completion {
        Completion::Complete => {}
        Completion::Interrupted => {
            limits.push(fact(format!("Interrupted: these are the values {done} until then.")));
        }
        Completion::Running => {
            limits.push(fact(format!("Still running, or aborted: these are the values {done} so far.")));
        }
    }
    let Some(diagnosis) = diagnosis else { return limits };
    if let Some(verdict) = &diagnosis.verdict {
        limits.push(fact(format!("Measurement: {}: {}.", verdict.grade, verdict.reason)));
    }
    limits.extend(diagnosis.not_tested().map(gap));
    limits.extend(asks_for_machine(diagnosis).then(|| gap(UNSTATED)));
    limits
}

impl<'a> Card<'a> {
    fn of(rank: usize, finding: &'a Finding) -> Self {
        Self { state: State::of(finding.severity), rank, finding, cause: cause(finding) }
    }
}

/// Local and remote latency and bandwidth, and the whole machine.
fn figures(judged: &AssessedResult<'_>) -> Vec<Figure> {
    let AssessedResult { result, experiments, expectations, .. } = *judged;
    let mut figures: Vec<Figure> = contrasts(result, experiments)
        .iter()
        .flat_map(|contrast| {
            let expected = expectations.map_or([None, None], |known| near_and_far(known, contrast.measure));
            let [near, far] = expected;
            [local(contrast, near, expectations), remote(contrast, far, expectations)]
        })
        .flatten()
        .collect();
    figures.extend(fastest(result, experiments).map(|fastest| {
        let share = fastest.theoretical.map(|peak| {
            format!("{} of the theoretical {}", percent_at_least(fastest.value / peak), significant(peak))
        });
        Figure {
            label: "whole machine",
            value: fastest.shown(),
            unit: "GB/s",
            notes: fastest.what.clone().into_iter().chain(share).collect(),
            state: fastest.is_doubtful.then_some(State::Open),
        }
    }));
    figures
}

const fn label(measure: Measure, is_local: bool) -> &'static str {
    match (measure.larger_is_better(), is_local) {
        (false, true) => "local latency",
        (false, false) => "remote latency",
        (true, true) => "local bandwidth",
        (true, false) => "remote bandwidth",
    }
}

fn local(
    contrast: &Contrast,
    expected: Option<String>,
    expectations: Option<&Expectations>,
) -> Option<Figure> {
    let value = contrast.local?;
    Some(Figure {
        label: label(contrast.measure, true),
        value: contrast.shown(value, contrast.certain[0]),
        unit: shown_unit(contrast.measure),
        notes: expected
            .into_iter()
            .map(|range| format!("expected {range}"))
            .chain(worst_own(contrast, expectations))
            .collect(),
        state: standing(contrast, true, expectations),
    })
}

fn remote(
    contrast: &Contrast,
    expected: Option<String>,
    expectations: Option<&Expectations>,
) -> Option<Figure> {
    let value = contrast.remote?;
    let both = contrast.local.filter(|_| contrast.has_values());
    let ratio = both.map(|local| format!("{:.2} × local", value / local));
    let worst = contrast
        .worst
        .filter(|worst| contrast.certain[1].is_none() && (worst.2 / value - 1.0).abs() > WORTH_A_NOTE);
    let worst = worst.map(|(from, to, worst)| format!("worst {}, node {from} → {to}", significant(worst)));
    Some(Figure {
        label: label(contrast.measure, false),
        value: contrast.shown(value, contrast.certain[1]),
        unit: shown_unit(contrast.measure),
        notes: expected
            .into_iter()
            .map(|range| format!("expected {range}"))
            .chain(ratio)
            .chain(worst)
            .collect(),
        state: standing(contrast, false, expectations),
    })
}

/// A worst pair that is closer to the usual one than this needs no note.
const WORTH_A_NOTE: f64 = 0.02;

/// The node whose own memory is farthest below what is expected of it.
fn worst_own(contrast: &Contrast, expectations: Option<&Expectations>) -> Option<String> {
    let cells = of_kind(contrast, true, expectations).filter(|cell| cell.standing == Standing::Worse);
    let worst = cells.max_by(|one, other| one.distance().total_cmp(&other.distance()))?;
    let (node, _) = worst.at.between_nodes()?;
    Some(format!("node {node}: {}", significant(worst.value)))
}

/// The expected cells of local or of remote pairs.
fn of_kind<'a>(
    contrast: &Contrast,
    is_local: bool,
    expectations: Option<&'a Expectations>,
) -> impl Iterator<Item = &'a ExpectedCell> {
    let measure = contrast.measure;
    expectations.into_iter().flat_map(|known| &known.cells).filter(move |cell| {
        let (Kind::IdleLatency(relation) | Kind::ReadBandwidth(relation)) = cell.kind else { return false };
        cell.measure == measure && (relation == Relation::Local) == is_local
    })
}

/// Whether the values of a kind are as expected; `None` if nothing is expected of them.
fn standing(contrast: &Contrast, is_local: bool, expectations: Option<&Expectations>) -> Option<State> {
    if contrast.is_doubtful {
        return Some(State::Open);
    }
    let judged: Vec<&ExpectedCell> =
        of_kind(contrast, is_local, expectations).filter(|cell| cell.standing != Standing::Open).collect();
    // That values are alike does not make them good.
    let is_absolute = judged.iter().any(|cell| cell.expected.basis != Basis::Sisters);
    match judged.iter().any(|cell| cell.standing == Standing::Worse) {
        true => Some(State::Warning),
        false => is_absolute.then_some(State::Sound),
    }
}
