//! Tests of a result's own evidence: warnings, and implausible latencies.

use std::collections::BTreeMap;

use zerohop_result::{Axis, Cell, Estimate, Measure, Query};
use zerohop_units::Bytes;
use zerohop_workload::Warning;

use super::PredicateResult;
use crate::experiments::{LATENCY_BY_SIZE, LATENCY_MATRIX};
use crate::facts::Facts;
use crate::test_outcome::{Match, TestOutcome};
use crate::words::{figure, percent};
use zerohop_statistics::median;

/// A share of cells, or the result as a whole, carries one of these warnings.
pub(crate) fn warned(facts: &Facts<'_>, names: &[String], share: f64, says: Option<&str>) -> PredicateResult {
    let meant = |warning: &&Warning| {
        names.contains(&name_of(warning))
            && says.is_none_or(|says| {
                warning.to_string().to_ascii_lowercase().contains(&says.to_ascii_lowercase())
            })
    };
    let file = facts.file;
    let of_experiments = file.experiments.iter().flat_map(|experiment| &experiment.warnings);
    let whole = file.warnings.iter().chain(of_experiments).find(meant);
    let cells = || file.experiments.iter().flat_map(|experiment| experiment.cells.iter());
    let count = cells().count();
    let carrying: Vec<&Warning> = cells().filter_map(|cell| cell.warnings.iter().find(meant)).collect();
    if count == 0 && whole.is_none() {
        return Err("any value".to_owned());
    }
    let found = carrying.len() as f64 / count.max(1) as f64;
    let gravest =
        carrying.iter().max_by(|one, other| one.gravity().total_cmp(&other.gravity())).copied().or(whole);
    match gravest {
        Some(warning) if whole.is_some() || (found > 0.0 && found >= share) => {
            let names = BTreeMap::from([("cells", carrying.len().to_string()), ("of", count.to_string())]);
            let what = if carrying.is_empty() {
                format!("{warning}")
            } else {
                format!("{} of {count} values ({}): {warning}", carrying.len(), percent(found))
            };
            Ok(TestOutcome::one(Match { names, margin: 2.0, ..Match::default() }.shown_by(what)))
        }
        _ => Ok(TestOutcome::No),
    }
}

/// Other programs used CPUs during the typical cell. Cells without this information count as undisturbed.
pub(crate) fn other_load(facts: &Facts<'_>, cpus: f64) -> PredicateResult {
    let cells = facts.file.experiments.iter().flat_map(|experiment| experiment.cells.iter());
    let load = median(cells.map(|cell| cell.evidence.other_load.unwrap_or(0.0))).unwrap_or(0.0);
    if load < cpus {
        return Ok(TestOutcome::No);
    }
    let words = format!("other programs used {load:.1} CPUs during the typical value");
    Ok(TestOutcome::one(Match { margin: load / cpus, ..Match::default() }.shown_by(words)))
}

/// What took CPU time must have used at least this share of what the workers lost: it is counted over the whole visit, of which the
/// timed window is a part.
const ACCOUNTS_FOR: f64 = 0.5;

/// A worker that ran for this share of the time had its CPU, and a hypervisor that stole less than the rest disturbed nothing.
const KEPT: f64 = 0.95;

/// Workers lost their CPUs, but neither other programs nor the hypervisor took as much time. A cell without the load of other programs contradicts
/// nothing.
pub(crate) fn lost_to_nobody(facts: &Facts<'_>) -> PredicateResult {
    let cells = || facts.file.experiments.iter().flat_map(|experiment| experiment.cells.iter());
    if cells().next().is_none() {
        return Err("any value".to_owned());
    }
    let lost: Vec<(f64, Option<f64>)> = cells()
        .filter_map(|cell| {
            let evidence = &cell.evidence;
            let lost = 1.0 - evidence.cpu_share.filter(|share| *share < KEPT)?;
            let taken = evidence.other_load.map(|load| load + evidence.steal_share.unwrap_or(0.0));
            Some((lost, taken))
        })
        .collect();
    let unexplained: Vec<(f64, f64)> = lost
        .iter()
        .filter_map(|(lost, taken)| Some((*lost, taken.filter(|taken| *taken < ACCOUNTS_FOR * lost)?)))
        .collect();
    if unexplained.len() * 2 <= lost.len() {
        return Ok(TestOutcome::No);
    }
    let most = |of: fn(&(f64, f64)) -> f64| unexplained.iter().map(of).fold(0.0, f64::max);
    let words = format!(
        "in {} of {} values, workers lost their CPUs for up to {} of a window, while other programs and \
                 the hypervisor used at most {:.1} % of a CPU",
        unexplained.len(),
        lost.len(),
        percent(most(|cell| cell.0)),
        most(|cell| cell.1) * 100.0
    );
    Ok(TestOutcome::one(Match { margin: 2.0, ..Match::default() }.shown_by(words)))
}

/// The workers of the typical cell ran all of the time, as far as cells say so.
pub(crate) fn cpus_kept(facts: &Facts<'_>) -> PredicateResult {
    let cells = || facts.file.experiments.iter().flat_map(|experiment| experiment.cells.iter());
    let ran = median(cells().filter_map(|cell| cell.evidence.cpu_share));
    let stolen = median(cells().filter_map(|cell| cell.evidence.steal_share)).unwrap_or(0.0);
    let Some(ran) = ran.filter(|ran| *ran >= KEPT && stolen <= 1.0 - KEPT) else {
        return Ok(TestOutcome::No);
    };
    let words = format!("workers had their CPUs for {} of the time", percent(ran));
    Ok(TestOutcome::one(Match { margin: 2.0, ..Match::default() }.shown_by(words)))
}

/// Nodes' own memory has a higher idle latency than any memory should: even the lower ends of intervals show it.
pub(crate) fn local_latency_above(facts: &Facts<'_>, nanoseconds: f64) -> PredicateResult {
    let own = own_latencies(facts)?;
    let middle = |of: fn(&Estimate) -> f64| median(own.iter().map(of));
    let (near, least) = middle(|own| own.median).zip(middle(|own| own.low)).ok_or(NO_OWN)?;
    Ok(if least > nanoseconds { shown(near, least / nanoseconds) } else { TestOutcome::No })
}

/// The own memory of some node has a lower idle latency than DRAM has: even the upper end of its interval shows it. What prefetchers do may
/// be set for each socket.
pub(crate) fn local_latency_below(facts: &Facts<'_>, nanoseconds: f64) -> PredicateResult {
    if let Some(found) = large_buffer_like_a_cache(facts) {
        return Ok(found);
    }
    let own = own_latencies(facts)?;
    let least = own.into_iter().min_by(|one, other| one.high.total_cmp(&other.high)).ok_or(NO_OWN)?;
    Ok(if least.high < nanoseconds { shown(least.median, nanoseconds / least.high) } else { TestOutcome::No })
}

/// The largest buffer of a series of sizes, where there is one that large.
fn large_buffer_like_a_cache(facts: &Facts<'_>) -> Option<TestOutcome> {
    /// Larger than any cache of the second level.
    const LARGE: u64 = 64 << 20;
    /// No cache of the third level answers as fast, and no DRAM: 10 ns and more are published for all of them.
    const FASTEST: f64 = 8.0;
    let cells = facts.cells(LATENCY_BY_SIZE, &Query::of(Measure::Latency)).ok()?;
    let size = |cell: &Cell| cell.at.number(Axis::Footprint).unwrap_or(0);
    let largest = cells.iter().map(|cell| size(cell)).max().filter(|&size| size >= LARGE)?;
    let of_it = cells.iter().filter(|cell| size(cell) == largest).map(|cell| cell.estimate);
    let least = of_it.min_by(|one, other| one.median.total_cmp(&other.median))?;
    if least.median >= FASTEST {
        return Some(TestOutcome::No);
    }
    let near = figure(least.median, Measure::Latency);
    let words = format!("{LATENCY_BY_SIZE}: {near} in a buffer of {}", Bytes(largest));
    let place =
        Match { names: BTreeMap::from([("near", near)]), margin: FASTEST / least.median, ..Match::default() };
    Some(TestOutcome::one(place.shown_by(words)))
}

const NO_OWN: &str = "a node's local memory in latency-matrix";

/// The idle latencies of nodes and their own memory, in ns.
fn own_latencies(facts: &Facts<'_>) -> Result<Vec<Estimate>, String> {
    let own = facts.pairs(LATENCY_MATRIX, &Query::of(Measure::Latency))?.local();
    Ok(own.into_iter().map(|(_, cell)| cell.estimate).collect())
}

fn shown(near: f64, margin: f64) -> TestOutcome {
    let near = figure(near, Measure::Latency);
    let words = format!("latency-matrix: {near} from a node to its local memory");
    TestOutcome::one(
        Match { names: BTreeMap::from([("near", near)]), margin, ..Match::default() }.shown_by(words),
    )
}

/// The measurement is not good enough.
pub(crate) fn unfit(facts: &Facts<'_>) -> PredicateResult {
    let Some(reason) = &facts.unfit else { return Ok(TestOutcome::No) };
    Ok(TestOutcome::one(Match::fact([("reason", reason.clone())]).shown_by(reason.clone())))
}

/// A warning's name in files.
fn name_of(warning: &Warning) -> String {
    let value = serde_json::to_value(warning).unwrap_or_default();
    value.get("warning").and_then(|name| name.as_str()).unwrap_or_default().to_owned()
}
