//! Curves that fall after their peak.

use std::collections::BTreeMap;
use std::ops::Range;

use zerohop_result::{Axis, Coordinates, Query};

use super::PredicateResult;
use crate::facts::Facts;
use crate::finding::Size;
use crate::test_outcome::{Match, TestOutcome};
use crate::words::{figure, percent};

/// A curve has at least this many points.
const FEWEST: usize = 2;

/// Curves that lose a share within this range from their peak to their end.
pub(crate) fn falls(
    facts: &Facts<'_>,
    experiment: &str,
    query: &Query,
    along: &str,
    descending: bool,
    losses: &Range<f64>,
) -> PredicateResult {
    let axis = Axis::ALL.into_iter().find(|axis| axis.name() == along);
    let axis = axis.ok_or_else(|| format!("an axis `{along}`"))?;
    let cells = facts.cells(experiment, query)?;
    let mut curves: BTreeMap<Coordinates, Vec<(u64, f64)>> = BTreeMap::new();
    for cell in cells {
        let Some(place) = cell.at.number(axis) else { continue };
        let mut others = cell.at.clone();
        others.0.remove(&axis);
        curves.entry(others).or_default().push((place, cell.estimate.median));
    }
    curves.retain(|_, points| points.len() >= FEWEST);
    if curves.is_empty() {
        return Err(format!("a curve with {FEWEST} points in {experiment}"));
    }
    // What all nodes do together is the sum of what each does.
    if curves.keys().any(|at| at.is(Axis::Initiator, "all")) {
        curves.retain(|at, _| at.is(Axis::Initiator, "all"));
    }
    let measure = query.measure;
    let mut worst: Option<Match> = None;
    for (at, mut points) in curves {
        points.sort_by_key(|(place, _)| *place);
        if descending {
            points.reverse();
        }
        let peak = points.iter().copied().max_by(|one, other| one.1.total_cmp(&other.1));
        let (Some((peak_at, peak)), Some((end_at, end))) = (peak, points.last().copied()) else { continue };
        let size = Size::new(measure, end, peak);
        if !losses.contains(&size.loss)
            || worst.as_ref().and_then(|worst| worst.size).is_some_and(|worst| worst.loss >= size.loss)
        {
            continue;
        }
        let names = BTreeMap::from([
            ("peak", figure(peak, measure)),
            ("peak_at", peak_at.to_string()),
            ("end", figure(end, measure)),
            ("end_at", end_at.to_string()),
            ("loss", percent(size.loss)),
        ]);
        let axis = along.replace('_', " ");
        let whose = if at.0.is_empty() { String::new() } else { format!(", {at}") };
        let words = format!(
            "{experiment}{whose}: {} at {axis} {peak_at}, {} at {axis} {end_at} (-{})",
            figure(peak, measure),
            figure(end, measure),
            percent(size.loss)
        );
        let place = Match { names, size: Some(size), margin: size.loss / losses.start, ..Match::default() };
        worst = Some(place.shown_by(words));
    }
    Ok(worst.map_or(TestOutcome::No, TestOutcome::one))
}
