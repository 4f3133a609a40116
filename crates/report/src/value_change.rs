//! Values that changed from one result to another, each in a few words.

use serde::Serialize;
use zerohop_compare::{ComparedCell, ComparedNumber, ComparisonFile};
use zerohop_result::{Catalogue, Measure, ResultFile};

use crate::headline::{contrasts, fastest};
use crate::number::significant;
use crate::place::caption;

/// A value in two results.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ValueChange {
    /// `remote`, or the place of a cell.
    pub what: String,
    pub before: String,
    pub after: String,
    pub unit: &'static str,
    /// `+33 %`, or `no change`.
    pub change: String,
    /// Whether the second value is better; absent if they are as good.
    pub better: Option<bool>,
}

/// Smaller changes are none.
const LEAST: f64 = 5e-4;

impl ValueChange {
    fn of(what: String, measure: Measure, before: f64, after: f64) -> Self {
        let share = after / before - 1.0;
        let is_change = share.is_finite() && share.abs() >= LEAST;
        Self {
            what,
            before: significant(before),
            after: significant(after),
            unit: measure.unit(),
            change: if is_change { percent(share) } else { "no change".to_owned() },
            better: is_change.then_some((share > 0.0) == measure.larger_is_better()),
        }
    }
}

/// `+33 %`, `−4.2 %`.
fn percent(share: f64) -> String {
    let percent = 100.0 * share.abs();
    let sign = if share < 0.0 { '−' } else { '+' };
    if percent < 9.95 { format!("{sign}{percent:.1} %") } else { format!("{sign}{percent:.0} %") }
}

/// The headlines that both results have: near and far, and the highest bandwidth.
pub fn headline_changes(before: &ResultFile, after: &ResultFile, experiments: Catalogue) -> Vec<ValueChange> {
    let (old, new) = (values(before, experiments), values(after, experiments));
    let both = old.into_iter().filter_map(|(what, measure, before)| {
        let (.., after) = *new.iter().find(|(other, of, _)| *other == what && *of == measure)?;
        Some(ValueChange::of(what.to_owned(), measure, before, after))
    });
    both.collect()
}

fn values(file: &ResultFile, experiments: Catalogue) -> Vec<(&'static str, Measure, f64)> {
    let mut values = Vec::new();
    for contrast in contrasts(file, experiments).iter().filter(|contrast| contrast.has_values()) {
        let ends = [("local", contrast.local), ("remote", contrast.remote)];
        values.extend(ends.into_iter().filter_map(|(name, value)| Some((name, contrast.measure, value?))));
    }
    values.extend(fastest(file, experiments).map(|fastest| ("best", Measure::Bandwidth, fastest.value)));
    values
}

/// The values that changed most between the base of a comparison and its first other result, the largest change first; at most `most`.
pub fn largest_changes(file: &ComparisonFile, most: usize) -> Vec<ValueChange> {
    let size = |number: &ComparedNumber| libm::log(number.ratio.value.max(1e-12)).abs();
    let mut pairs: Vec<(&ComparedCell, &ComparedNumber)> =
        file.cells.iter().filter_map(|cell| Some((cell, cell.others.first()?))).collect();
    // Among equals, the order of the base remains.
    pairs.sort_by(|(_, one), (_, other)| size(other).total_cmp(&size(one)));
    let changes = pairs.into_iter().map(|(cell, number)| {
        let places = cell.at.0.iter().filter_map(|(axis, place)| caption(*axis, place));
        let what =
            std::iter::once(cell.measure.words().to_owned()).chain(places).collect::<Vec<_>>().join(", ");
        ValueChange::of(what, cell.measure, cell.base, number.value)
    });
    changes.filter(|change| change.better.is_some()).take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_better_in_the_direction_of_its_measure() {
        let change = |measure, after| ValueChange::of("remote".to_owned(), measure, 100.0, after);
        let faster = change(Measure::Bandwidth, 133.4);
        assert_eq!((faster.change.as_str(), faster.better), ("+33 %", Some(true)));
        let slower = change(Measure::Latency, 104.24);
        assert_eq!((slower.change.as_str(), slower.better), ("+4.2 %", Some(false)));
        assert_eq!(change(Measure::Latency, 100.01).better, None);
        assert_eq!(change(Measure::Bandwidth, 50.0).change, "−50 %");
    }
}
