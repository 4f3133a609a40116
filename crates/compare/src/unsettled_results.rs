//! Open questions about the newest results of a machine: values that can no longer be judged, and results of unknown order.

use std::collections::BTreeSet;

use zerohop_result::{HistoricRun, History, Reading};

/// Whether a value counts: it has no warning of doubt, and is above zero.
pub(crate) fn counts(reading: &Reading) -> bool {
    !reading.doubtful && reading.value > 0.0 && reading.value.is_finite()
}

/// The ranks of results whose clock was wrong and that arrived together with others: where they belong is not known. An archive puts
/// them at one time, or a millisecond before the others.
pub(crate) fn unordered(runs: &[HistoricRun]) -> BTreeSet<usize> {
    let time = |run: &HistoricRun| run.listed.began_at.map(|time| time.get().as_millisecond());
    let times: Vec<Option<i64>> = runs.iter().map(time).collect();
    let is_near = |rank: usize, other: usize| match (times[rank], times[other]) {
        (Some(one), Some(other)) => one.abs_diff(other) <= 1,
        _ => false,
    };
    let is_guessed = |rank: &usize| {
        // Results are in the order of their times.
        let before = rank.checked_sub(1);
        let neighbours = before.into_iter().chain(Some(rank + 1).filter(|next| *next < runs.len()));
        runs[*rank].listed.clock().is_some() && neighbours.into_iter().any(|other| is_near(*rank, other))
    };
    (0..runs.len()).filter(is_guessed).collect()
}

/// Values that cannot be judged in the last result although they could be before, in words.
pub(crate) fn unjudged(history: &History, without: &BTreeSet<usize>) -> Vec<String> {
    let runs = &history.runs;
    let ranks: Vec<usize> = (0..runs.len()).filter(|rank| !without.contains(rank)).collect();
    let is_usable = |rank: &&usize| runs[**rank].listed.unusable.is_none();
    let Some(&last) = ranks.last() else { return Vec::new() };
    let uncounted = ranks.iter().rev().take_while(|rank| !is_usable(rank)).count();
    if let Some(why) = &runs[last].listed.unusable {
        let results = if uncounted == 1 {
            "the newest result is".to_owned()
        } else {
            format!("the newest {uncounted} results are")
        };
        let had_others = uncounted < ranks.len();
        return if had_others { vec![format!("{results} unusable: {why}")] } else { Vec::new() };
    }
    let mut groups: Vec<Group> = Vec::new();
    for course in &history.courses {
        let of = format!("{}, {}", course.series.experiment, course.series.measure);
        let rank = groups.iter().position(|group| group.of == of).unwrap_or_else(|| {
            groups.push(Group { of, ..Group::default() });
            groups.len() - 1
        });
        let group = &mut groups[rank];
        let is_known = course.readings.iter().any(|(run, reading)| *run < last && counts(reading));
        let newest = course.readings.iter().find(|(run, _)| *run == last).map(|(_, reading)| reading);
        group.was_judged |= is_known;
        group.is_judged |= newest.is_some_and(counts);
        group.is_measured |= newest.is_some()
            || runs[last].listed.experiments.iter().any(|name| *name == course.series.experiment.to_string());
        group.zeros += usize::from(is_known && newest.is_some_and(|reading| reading.value <= 0.0));
    }
    groups.iter().filter_map(Group::words).collect()
}

/// The values of one measure of an experiment.
#[derive(Default)]
struct Group {
    of: String,
    /// Whether a value of an earlier result counts.
    was_judged: bool,
    /// Whether a value of the last one does.
    is_judged: bool,
    /// Whether the last one has the experiment.
    is_measured: bool,
    /// Values of the last result that are not above zero, but were before.
    zeros: usize,
}

impl Group {
    fn words(&self) -> Option<String> {
        let Self { of, was_judged, is_judged, is_measured, zeros } = self;
        if *is_measured && *was_judged && !is_judged {
            return Some(format!("{of}: no value of the newest result can be judged"));
        }
        (*zeros > 0).then(|| format!("{of}: values of the newest result that are zero or negative: {zeros}"))
    }
}
