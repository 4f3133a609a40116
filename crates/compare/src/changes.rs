//! Changes of machines over time: steps of their values, and the changes of the machine at those times.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_result::{Course, History, Measure, Reading, Role, Timestamp};
use zerohop_statistics::{CONFIDENCE, FEWEST, Observation, SHORTEST, Step, Steps, discoveries, steps};

use crate::history::{TraitChange, trait_changes};
use crate::unsettled_results::{self, counts};

/// Version of the form of [`ChangesFile`].
pub const CHANGES_VERSION: u32 = 1;

/// Of the steps that are reported of a machine, at most this share is expected to be none (Benjamini and Hochberg).
const FALSE_SHARE: f64 = 0.005;

/// Changes of machines over time.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ChangesFile {
    /// [`CHANGES_VERSION`] of the program that wrote the file.
    pub schema_version: u32,
    /// Smallest reported step, as a share; smaller steps are omitted.
    pub least: f64,
    /// The machines.
    pub machines: Vec<MachineChanges>,
}

/// Changes of one machine.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MachineChanges {
    /// Name of the machine.
    pub machine: String,
    /// Number of usable results.
    pub runs: usize,
    /// Number of series that were examined: headlines, and cells with enough results.
    pub series: usize,
    /// Changes in chronological order.
    pub changes: Vec<Change>,
    /// Values whose latest results are far from the earlier ones, with too few of them to distinguish a change from a burst.
    pub unsettled: Vec<Unsettled>,
    /// Values that cannot be judged in the latest results although they could be before.
    pub unjudged: Vec<String>,
    /// Number of omitted results: their clock was wrong, and they arrived together with others, so their order is unknown.
    pub unordered: usize,
    /// Headline values that have drifted gradually since their last step.
    pub drifts: Vec<Drift>,
}

/// A change: steps of several values at the same time.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Change {
    /// Last result before the change.
    pub before: ChangedRun,
    /// First result after the change.
    pub after: ChangedRun,
    /// Changes of the machine between the two results, as far as results show them.
    pub traits: Vec<ChangedTrait>,
    /// Values that stepped: headlines first, the largest step first.
    pub values: Vec<ChangedValue>,
}

/// A result before or after a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangedRun {
    /// Id of the result.
    pub id: String,
    /// Start time of the result.
    pub began_at: Option<Timestamp>,
}

/// A fact about the machine that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedTrait {
    /// Name of the fact (`firmware`).
    pub what: String,
    /// Value before the change.
    pub from: String,
    /// Value after the change.
    pub to: String,
}

/// Identification of a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NamedValue {
    /// The experiment.
    pub experiment: String,
    /// The measure.
    pub measure: Measure,
    /// Position of the value, in words.
    pub place: String,
    /// Whether the value is a headline of the experiment; otherwise it is one of the cells.
    pub headline: bool,
}

/// A value that stepped.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ChangedValue {
    /// The value.
    #[serde(flatten)]
    pub value: NamedValue,
    /// Ratio of the later level to the earlier one.
    pub ratio: f64,
    /// Lower end of the ratio's interval.
    pub low: f64,
    /// Upper end of the ratio's interval.
    pub high: f64,
    /// Whether the value improved.
    pub better: bool,
    /// Probability of a step this large in a series without any step.
    pub p: f64,
}

/// A value whose latest results are far from the earlier ones.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Unsettled {
    /// The value.
    #[serde(flatten)]
    pub value: NamedValue,
    /// Number of these latest results.
    pub runs: usize,
    /// Ratio of the latest value to the one before these results.
    pub ratio: f64,
    /// Whether the value improved.
    pub better: bool,
}

/// A headline value that drifted.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Drift {
    /// The value.
    #[serde(flatten)]
    pub value: NamedValue,
    /// Ratio of the latest level to the level after the last step.
    pub ratio: f64,
    /// Whether the value improved.
    pub better: bool,
}

/// A series that was examined.
struct Examined<'a> {
    course: &'a Course,
    /// Readings that count: rank of the run, value.
    readings: Vec<(usize, Observation)>,
    steps: Steps,
}

/// A step of a series.
#[derive(Clone, Copy)]
struct Found<'a> {
    examined: &'a Examined<'a>,
    step: Step,
    /// The rank of the first run after it.
    run: usize,
}

/// Changes of a machine. Steps smaller than the share `least` are omitted.
pub fn changes(history: &History, least: f64) -> MachineChanges {
    let unordered = unsettled_results::unordered(&history.runs);
    let examined: Vec<Examined<'_>> =
        history.courses.iter().filter_map(|course| examined(course, &unordered)).collect();
    let found: Vec<Found<'_>> = examined.iter().flat_map(found).collect();
    let p: Vec<f64> = found.iter().map(|found| found.step.p).collect();
    let is_real = discoveries(&p, examined.len().max(found.len()), FALSE_SHARE);
    let is_large = |found: &Found<'_>| is_at_least(found.step.size, least);
    let real = found.into_iter().zip(is_real).filter(|(found, real)| *real && is_large(found));
    let traits = trait_changes(&history.runs);
    let events = events(real.map(|(found, _)| found).collect()).into_iter();
    let counting = history.runs.iter().enumerate().filter(|(rank, _)| !unordered.contains(rank));
    let runs = counting.filter(|(_, run)| run.listed.unusable.is_none()).count();
    MachineChanges {
        machine: history.machine.clone(),
        runs,
        series: examined.len(),
        changes: events.filter_map(|event| change(&event, history, &traits)).collect(),
        unsettled: examined.iter().filter_map(|one| unsettled(one, least)).collect(),
        unjudged: unsettled_results::unjudged(history, &unordered),
        unordered: unordered.len(),
        drifts: examined.iter().filter_map(|one| drift(one, least)).collect(),
    }
}

/// Whether the machine has enough results to detect a change.
pub const fn tells(machine: &MachineChanges) -> bool {
    machine.runs >= FEWEST && machine.series > 0
}

/// Whether a difference of logarithms is at least this share, up or down.
fn is_at_least(size: f64, share: f64) -> bool {
    size.abs() >= libm::log1p(share)
}

fn examined<'a>(course: &'a Course, without: &BTreeSet<usize>) -> Option<Examined<'a>> {
    let observation = |reading: &Reading| {
        let Reading { value, low, high, .. } = *reading;
        let half_width = if low > 0.0 && high >= low { libm::log(high / low) / 2.0 } else { 0.0 };
        counts(reading).then(|| Observation { value: libm::log(value), half_width })
    };
    let readings = course.readings.iter().filter(|(run, _)| !without.contains(run));
    let readings = readings.filter_map(|(run, reading)| Some((*run, observation(reading)?)));
    let readings: Vec<(usize, Observation)> = readings.collect();
    let values: Vec<Observation> = readings.iter().map(|(_, seen)| *seen).collect();
    Some(Examined { course, steps: steps(&values, CONFIDENCE)?, readings })
}

fn found<'a>(examined: &'a Examined<'a>) -> impl Iterator<Item = Found<'a>> {
    examined.steps.steps.iter().map(move |step| Found {
        examined,
        step: *step,
        run: examined.readings[step.at].0,
    })
}

/// Steps at one time are one event. Noise moves the place of one by a run or two, and no series has two steps that are so close.
fn events(mut found: Vec<Found<'_>>) -> Vec<Vec<Found<'_>>> {
    let mut events = Vec::new();
    // A p-value of zero is one that a floating-point number cannot hold.
    let weight = |found: &Found<'_>| -libm::log(found.step.p.max(f64::MIN_POSITIVE));
    while !found.is_empty() {
        let at = |run: usize| found.iter().filter(move |found| found.run == run).map(weight).sum::<f64>();
        let main = found
            .iter()
            .map(|found| found.run)
            .max_by(|&one, &other| at(one).total_cmp(&at(other)).then(other.cmp(&one)));
        let Some(main) = main else { break };
        let (mut event, others): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|found| found.run.abs_diff(main) < SHORTEST);
        // The first one says where.
        event.sort_by_key(|found| found.run.abs_diff(main));
        events.push(event);
        found = others;
    }
    events.sort_by_key(|event| event[0].run);
    events
}

fn change(event: &[Found<'_>], history: &History, traits: &[TraitChange]) -> Option<Change> {
    let first = event.first()?;
    let (at, readings) = (first.step.at, &first.examined.readings);
    let (before, after) = (readings[at - 1].0, readings[at].0);
    let run = |rank: usize| {
        let listed = &history.runs[rank].listed;
        ChangedRun { id: listed.id.clone(), began_at: listed.began_at }
    };
    let changed = traits.iter().filter(|one| before < one.run && one.run <= after);
    let mut values: Vec<ChangedValue> = event.iter().map(|found| changed_value(found)).collect();
    values.sort_by(|one, other| {
        let size = |value: &ChangedValue| libm::log(value.ratio).abs();
        other.value.headline.cmp(&one.value.headline).then(size(other).total_cmp(&size(one)))
    });
    Some(Change {
        before: run(before),
        after: run(after),
        traits: changed
            .map(|TraitChange { what, from, to, .. }| ChangedTrait {
                what: what.clone(),
                from: from.clone(),
                to: to.clone(),
            })
            .collect(),
        values,
    })
}

fn named(course: &Course) -> NamedValue {
    let series = &course.series;
    NamedValue {
        experiment: series.experiment.to_string(),
        measure: series.measure,
        place: series.place.clone(),
        headline: series.role == Role::Headline,
    }
}

/// How many times something is, of a difference of logarithms. One that no number is large or small enough for is cut.
fn ratio(size: f64) -> f64 {
    const LARGEST: f64 = 1e300;
    libm::exp(size).clamp(LARGEST.recip(), LARGEST)
}

fn changed_value(Found { examined, step, .. }: &Found<'_>) -> ChangedValue {
    let value = named(examined.course);
    ChangedValue {
        ratio: ratio(step.size),
        low: ratio(step.low),
        high: ratio(step.high),
        better: is_better(&value, step.size),
        p: step.p,
        value,
    }
}

fn is_better(value: &NamedValue, size: f64) -> bool {
    value.measure.larger_is_better() == (size > 0.0)
}

fn unsettled(examined: &Examined<'_>, least: f64) -> Option<Unsettled> {
    let runs = examined.steps.unsettled;
    let (before, last) = examined.readings.split_at(examined.readings.len() - runs);
    let size = last.last()?.1.value - before.last()?.1.value;
    let value = named(examined.course);
    is_at_least(size, least).then(|| Unsettled {
        runs,
        ratio: ratio(size),
        better: is_better(&value, size),
        value,
    })
}

/// Only what is plain to see: four times the noise of a value.
fn drift(examined: &Examined<'_>, least: f64) -> Option<Drift> {
    let Steps { drift, noise, .. } = examined.steps;
    let value = named(examined.course);
    (is_at_least(drift, least) && drift.abs() > 4.0 * noise && value.headline).then(|| Drift {
        ratio: ratio(drift),
        better: is_better(&value, drift),
        value,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_a_number_however_large() {
        for size in [1400.0, -1400.0, 0.0] {
            assert!(ratio(size).is_normal() && (ratio(size) * 100.0).is_finite(), "{size}");
        }
        assert!((ratio(libm::log(3.0)) - 3.0).abs() < 1e-12);
    }
}
