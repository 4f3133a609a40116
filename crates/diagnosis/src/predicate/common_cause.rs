//! Causes that worsen several kinds of value alike, relative to the expectation.

use std::collections::BTreeMap;

use zerohop_expectation::{Expectations, ExpectedCell};
use zerohop_result::Measure;

use super::PredicateResult;
use super::expected::{UNSTATED, usable};
use crate::condition::ExpectedValues;
use crate::facts::Facts;
use crate::test_outcome::{Match, TestOutcome};
use crate::words::{figure, percent};
use zerohop_statistics::median;

/// The kinds of value that threads are measured by.
const KINDS: [ExpectedValues; 4] = [
    ExpectedValues::OwnLatency,
    ExpectedValues::FarLatency,
    ExpectedValues::OwnBandwidth,
    ExpectedValues::FarBandwidth,
];

/// Own memory and that of other nodes answer later than expected by the same time.
pub(crate) fn late_alike(facts: &Facts<'_>, within: f64) -> PredicateResult {
    let (expectations, _) = usable(facts)?;
    let later = |values| middle(facts, expectations, values, |cell| cell.value - cell.expected.value);
    let (own, far) = (later(ExpectedValues::OwnLatency)?, later(ExpectedValues::FarLatency)?);
    if own <= 0.0 || far <= 0.0 || (own - far).abs() > within * own.max(far) {
        return Ok(TestOutcome::No);
    }
    let [own, far] = [own, far].map(|time| figure(time, Measure::Latency));
    let words = format!(
        "the latency of local memory is {own} above the expected value, and that of remote memory {far}"
    );
    Ok(TestOutcome::one(Match { margin: 1.0, ..Match::default() }.shown_by(words)))
}

/// The kinds of value, or all of them without any, are worse than expected by about the same share.
pub(crate) fn worse_alike(
    facts: &Facts<'_>,
    kinds: Option<&[ExpectedValues]>,
    least: f64,
    within: f64,
) -> PredicateResult {
    let (expectations, is_stated) = usable(facts)?;
    if !is_stated {
        return Err(UNSTATED.to_owned());
    }
    let left = |cell: &ExpectedCell| {
        let ratio = cell.value / cell.expected.value;
        if cell.measure.larger_is_better() { ratio } else { 1.0 / ratio }
    };
    let mut losses = Vec::new();
    for &values in kinds.unwrap_or(&KINDS) {
        losses.push((1.0 - middle(facts, expectations, values, left)?, values));
    }
    let of =
        |losses: &[(f64, ExpectedValues)]| -> Vec<f64> { losses.iter().map(|(loss, _)| *loss).collect() };
    let smallest = of(&losses).into_iter().fold(f64::INFINITY, f64::min);
    let largest = of(&losses).into_iter().fold(f64::NEG_INFINITY, f64::max);
    if smallest < least || largest - smallest > within {
        return Ok(TestOutcome::No);
    }
    let loss = percent(median(of(&losses)).unwrap_or_default());
    let place =
        Match { names: BTreeMap::from([("loss", loss)]), margin: smallest / least, ..Match::default() };
    let words = losses
        .iter()
        .map(|(loss, values)| format!("{}: {} worse than expected", values.words(), percent(*loss)));
    Ok(TestOutcome::one(words.fold(place, Match::shown_by)))
}

/// Own memory gives as much as is expected of any other node's memory.
pub(crate) fn own_feeds_links(facts: &Facts<'_>) -> PredicateResult {
    let (expectations, _) = usable(facts)?;
    let own = middle(facts, expectations, ExpectedValues::OwnBandwidth, |cell| cell.value)?;
    let far = expectations.cells.iter().filter(|cell| ExpectedValues::FarBandwidth.has(facts, cell));
    let most = far.map(|cell| cell.expected.value).fold(0.0, f64::max);
    Ok(if most <= own {
        TestOutcome::one(Match { margin: 1.0, ..Match::default() })
    } else {
        TestOutcome::No
    })
}

/// The median of something of the values of a kind, or what is missing.
fn middle(
    facts: &Facts<'_>,
    expectations: &Expectations,
    values: ExpectedValues,
    of: impl Fn(&ExpectedCell) -> f64,
) -> Result<f64, String> {
    let of_kind = expectations.cells.iter().filter(|cell| values.has(facts, cell));
    median(of_kind.map(of)).ok_or_else(|| format!("{} with an expected value", values.words()))
}
