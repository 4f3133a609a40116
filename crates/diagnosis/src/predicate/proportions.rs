//! One figure of a machine against another one.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_machine::NodeId;
use zerohop_result::{Measure, Over, Query};
use zerohop_statistics::median;

use super::PredicateResult;
use crate::experiments::{BANDWIDTH_MATRIX, LATENCY_MATRIX};
use crate::facts::{Facts, Pairs};
use crate::finding::{Evidence, Size};
use crate::resolved_values::{Bounds, Resolved};
use crate::test_outcome::{Match, TestOutcome};
use crate::words::{figure, percent, significant};

/// The worst pair of nodes against nodes and their local memory.
pub(crate) fn far_ratio(
    facts: &Facts<'_>,
    experiment: &str,
    query: &Query,
    bounds: Bounds,
    processors: &[String],
    at_most_packages: Option<usize>,
) -> PredicateResult {
    if !processors.is_empty() {
        let model = &facts.machine().processor.model;
        if model.is_empty() {
            return Err("the processor's name".to_owned());
        }
        if !processors.iter().any(|name| model.contains(name.as_str())) {
            return Ok(TestOutcome::No);
        }
    }
    let packages = match facts.machine().packages.len() {
        0 => facts.initiators().count(),
        packages => packages,
    };
    if at_most_packages.is_some_and(|most| packages > most) {
        return Ok(TestOutcome::No);
    }
    // A value that is far beyond its bound is so even if it is doubtful.
    let pairs = facts.pairs(experiment, query).or_else(|_| facts.pairs_in_doubt(experiment, query))?;
    let own = Resolved::of(pairs.local().into_iter().map(|(_, cell)| cell), Over::Median);
    let own = own.ok_or_else(|| format!("a node's local memory in {experiment}"))?;
    let remote = |(from, to): &(NodeId, NodeId)| {
        from != to
            && facts.has_cpus(*from)
            && facts.has_cpus(*to)
            && (facts.machine().packages.is_empty() || !facts.nodes.in_one_package((*from, *to)))
    };
    let other = pairs.cells.iter().filter(|(way, _)| remote(way)).map(|(_, cell)| *cell);
    let other = Resolved::of(other, Over::Median).ok_or_else(|| format!("two packages in {experiment}"))?;
    let (near, far, measure) = (own.value, other.value, query.measure);
    let compared = || {
        let (far, near) = (figure(far, measure), figure(near, measure));
        format!("{far} to another package over {near} to local memory in {experiment}")
    };
    let Some(bound) = other.over(own).crossed(bounds, compared)? else { return Ok(TestOutcome::No) };
    let names = BTreeMap::from([
        ("ratio", significant(far / near)),
        ("bound", significant(bound)),
        ("far", figure(far, measure)),
        ("near", figure(near, measure)),
    ]);
    let words = format!(
        "{experiment}: {} to another package, {} to local memory (ratio {})",
        figure(far, measure),
        figure(near, measure),
        significant(far / near)
    );
    let expected = near * bound;
    let margin = 1.0 + (far / expected - 1.0).abs() * 4.0;
    let place = Match { names, size: Some(Size::new(measure, far, expected)), margin, ..Match::default() };
    Ok(TestOutcome::one(place.shown_by(words)))
}

/// One value against another.
pub(crate) fn ratio(
    facts: &Facts<'_>,
    experiment: &str,
    of: &Query,
    to: &Query,
    bounds: Bounds,
) -> PredicateResult {
    let (resolved, base) = (facts.value(experiment, of)?, facts.value(experiment, to)?);
    let (one, other, measure) = (resolved.value, base.value, of.measure);
    if other <= 0.0 {
        return Err(format!("a value above zero of `{to}` in {experiment}"));
    }
    let compared = || {
        let (one, other) = (figure(one, measure), figure(other, to.measure));
        format!("{one} of `{of}` over {other} of `{to}` in {experiment}")
    };
    let Some(bound) = resolved.over(base).crossed(bounds, compared)? else { return Ok(TestOutcome::No) };
    let names = BTreeMap::from([
        ("found", figure(one, measure)),
        ("other", figure(other, to.measure)),
        ("ratio", significant(one / other)),
    ]);
    let (first, second) = (figure(one, measure), figure(other, to.measure));
    let words = format!("{experiment}, {of}: {first}; {to}: {second}");
    let size = (measure == to.measure).then(|| Size::new(measure, one, other * bound));
    let margin = 1.0 + (one / other / bound - 1.0).abs() * 4.0;
    Ok(TestOutcome::one(Match { names, size, margin, ..Match::default() }.shown_by(words)))
}

/// A value below a bound in its own unit.
pub(crate) fn below(facts: &Facts<'_>, experiment: &str, query: &Query, bound: f64) -> PredicateResult {
    let resolved = facts.value(experiment, query)?;
    let bounds = Bounds { below: Some(bound), above: None };
    let named = || format!("`{query}` in {experiment}, in {},", query.measure.unit());
    if resolved.crossed(bounds, named)?.is_none() {
        return Ok(TestOutcome::No);
    }
    let (value, measure) = (resolved.value, query.measure);
    let names = BTreeMap::from([("found", figure(value, measure)), ("bound", figure(bound, measure))]);
    let words = format!("{experiment}, {query}: {}", figure(value, measure));
    Ok(TestOutcome::one(Match { names, margin: 1.0 + bound / value, ..Match::default() }.shown_by(words)))
}

/// Whether every node reaches every other node's memory as well as its own.
pub(crate) fn flat(facts: &Facts<'_>, within: f64) -> PredicateResult {
    let latency = facts.pairs(LATENCY_MATRIX, &Query::of(Measure::Latency))?;
    let (near, far) = near_and_far(facts, &latency);
    if far.is_empty() {
        return Err("two nodes with CPUs in latency-matrix".to_owned());
    }
    let near = median(near).ok_or("a node's local memory in latency-matrix")?;
    if far.iter().any(|value| (value / near - 1.0).abs() > within) {
        return Ok(TestOutcome::No);
    }
    let far = median(far).unwrap_or(near);
    let mut place = Match { margin: 2.0, ..Match::default() };
    place.names.insert("near", figure(near, Measure::Latency));
    place.names.insert("far", figure(far, Measure::Latency));
    let mut place = place.shown_by(format!(
        "latency-matrix: {} to local memory, {} to remote memory",
        figure(near, Measure::Latency),
        figure(far, Measure::Latency)
    ));
    let bandwidths = facts.pairs(BANDWIDTH_MATRIX, &Query::of(Measure::Bandwidth)).ok();
    if let Some((near, far)) = bandwidths.map(|pairs| near_and_far(facts, &pairs))
        && let (Some(near), Some(far)) = (median(near), median(far))
    {
        if (far / near - 1.0).abs() > 2.0 * within {
            return Ok(TestOutcome::No);
        }
        place = place.shown_by(format!(
            "bandwidth-matrix: {} from local memory, {} from remote memory",
            figure(near, Measure::Bandwidth),
            figure(far, Measure::Bandwidth)
        ));
    }
    Ok(TestOutcome::one(place))
}

/// Whether every node's bandwidth from the memory of other packages is at least `share` of its own, although the latency is longer by at least
/// `late`: then its own memory limits both.
pub(crate) fn own_memory_limits(facts: &Facts<'_>, share: f64, late: f64) -> PredicateResult {
    let latency = facts.pairs(LATENCY_MATRIX, &Query::of(Measure::Latency))?;
    let bandwidth = facts.pairs(BANDWIDTH_MATRIX, &Query::of(Measure::Bandwidth))?;
    // A part of a package has a part of its channels: there, links carry as much on sound machines.
    let (nodes, packages) = (facts.initiators().count(), facts.machine().packages.len());
    if nodes != if packages == 0 { 2 } else { packages } {
        return Ok(TestOutcome::No);
    }
    let (waits, rates) = (between_packages(facts, &latency), between_packages(facts, &bandwidth));
    let own = |pairs: &Pairs<'_>| median(pairs.local().into_iter().map(|(_, cell)| cell.estimate.median));
    let (Some(near), Some(own)) = (own(&latency), own(&bandwidth)) else {
        return Err("nodes and their local memory".to_owned());
    };
    if waits.is_empty() || rates.is_empty() {
        return Err("nodes of two packages in both matrices".to_owned());
    }
    let least = rates.iter().copied().fold(f64::INFINITY, f64::min);
    let soonest = waits.iter().copied().fold(f64::INFINITY, f64::min);
    // Beyond its own memory, nothing is limited by it.
    let most = rates.iter().copied().fold(0.0, f64::max);
    if least < share * own || most > own * 1.05 || soonest < near * (1.0 + late) {
        return Ok(TestOutcome::No);
    }
    let (far, wait) = (median(rates).unwrap_or(least), median(waits).unwrap_or(soonest));
    let names = BTreeMap::from([
        ("own", figure(own, Measure::Bandwidth)),
        ("share", percent(far / own)),
        ("times", significant(wait / near)),
    ]);
    let words = format!(
        "{BANDWIDTH_MATRIX}: {} from local memory, {} from another package's; {LATENCY_MATRIX}: {} and {}",
        figure(own, Measure::Bandwidth),
        figure(far, Measure::Bandwidth),
        figure(near, Measure::Latency),
        figure(wait, Measure::Latency)
    );
    Ok(TestOutcome::one(
        Match { names, margin: 1.0 + (far / own - share), ..Match::default() }.shown_by(words),
    ))
}

/// Values from nodes with CPUs to nodes with CPUs of other packages; to all others, where packages are not known.
fn between_packages(facts: &Facts<'_>, pairs: &Pairs<'_>) -> Vec<f64> {
    let is_far = |way: &(NodeId, NodeId)| {
        way.0 != way.1
            && facts.has_cpus(way.0)
            && facts.has_cpus(way.1)
            && (facts.machine().packages.is_empty() || !facts.nodes.in_one_package(*way))
    };
    let far = pairs.cells.iter().filter(|(way, _)| is_far(way));
    far.map(|(_, cell)| cell.estimate.median).collect()
}

/// Whether it matters which node asks, and not whose memory it asks for: all memory is in one place.
pub(crate) fn rows_alike(facts: &Facts<'_>, within: f64, least: f64) -> PredicateResult {
    let mut place = Match { margin: 3.0, ..Match::default() };
    let (mut seen, mut differ) = (false, false);
    let mut missing = String::new();
    for (experiment, measure) in [(LATENCY_MATRIX, Measure::Latency), (BANDWIDTH_MATRIX, Measure::Bandwidth)]
    {
        let pairs = match facts.pairs(experiment, &Query::of(measure)) {
            Ok(pairs) => pairs,
            Err(what) => {
                missing = what;
                continue;
            }
        };
        let rows = rows(facts, &pairs);
        if rows.len() < 2 || rows.values().any(|row| row.len() < 2) {
            missing = format!("two nodes with CPUs and memory in {experiment}");
            continue;
        }
        let uneven = |row: &Vec<f64>| spread(row) > within;
        if rows.values().any(uneven) {
            return Ok(TestOutcome::No);
        }
        let of_rows: Vec<f64> = rows.values().filter_map(|row| median(row.clone())).collect();
        seen = true;
        // The cores of a node may reach as much over a link as of their own memory: then only latency shows who is near.
        if spread(&of_rows) < least {
            continue;
        }
        differ = true;
        // Its own memory is what a node reaches best.
        let best = |one: &(&NodeId, f64), other: &(&NodeId, f64)| {
            let order = one.1.total_cmp(&other.1);
            if measure.larger_is_better() { order } else { order.reverse() }
        };
        let medians = rows.iter().filter_map(|(node, row)| Some((node, median(row.clone())?)));
        if let Some((node, value)) = medians.max_by(best) {
            place.names.entry("node").or_insert_with(|| node.to_string());
            let others = of_rows.iter().filter(|other| **other != value).map(|other| figure(*other, measure));
            let mut words: Vec<String> = others.collect();
            words.dedup();
            place.evidence.push(Evidence {
                words: format!(
                    "{experiment}: node {node} has {} from every node's memory; other nodes have {}",
                    figure(value, measure),
                    words.join(", ")
                ),
                experiment: Some(pairs.experiment.experiment.clone()),
                at: None,
                measure: Some(measure),
                value: Some(value),
            });
        }
    }
    match (seen, differ) {
        (false, _) => Err(missing),
        (true, false) => Ok(TestOutcome::No),
        (true, true) => Ok(TestOutcome::one(place)),
    }
}

fn rows(facts: &Facts<'_>, pairs: &Pairs<'_>) -> BTreeMap<NodeId, Vec<f64>> {
    let targets: BTreeSet<NodeId> =
        pairs.cells.keys().map(|(_, to)| *to).filter(|to| facts.has_cpus(*to)).collect();
    let mut rows: BTreeMap<NodeId, Vec<f64>> = BTreeMap::new();
    for ((from, to), cell) in &pairs.cells {
        if targets.contains(to) {
            rows.entry(*from).or_default().push(cell.estimate.median);
        }
    }
    rows
}

/// Largest over smallest, less 1.
fn spread(values: &[f64]) -> f64 {
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    most / least - 1.0
}

/// Values of nodes with their own memory, and with that of other nodes that have CPUs.
fn near_and_far(facts: &Facts<'_>, pairs: &Pairs<'_>) -> (Vec<f64>, Vec<f64>) {
    let with_cpus = pairs.cells.iter().filter(|((_, to), _)| facts.has_cpus(*to));
    let (near, far): (Vec<_>, Vec<_>) = with_cpus.partition(|((from, to), _)| from == to);
    let values = |cells: Vec<(&(NodeId, NodeId), &&zerohop_result::Cell)>| {
        cells.into_iter().map(|(_, cell)| cell.estimate.median).collect()
    };
    (values(near), values(far))
}
