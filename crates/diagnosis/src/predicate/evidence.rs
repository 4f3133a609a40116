//! What values say about themselves: warnings, and latencies that no memory has.

use std::collections::BTreeMap;

use zerohop_result::{Estimate, Measure, Query};
use zerohop_workload::Warning;

use super::Told;
use crate::experiments::LATENCY_MATRIX;
use crate::facts::Facts;
use crate::truth::{Match, Truth};
use crate::words::{figure, percent};
use zerohop_statistics::median;

/// A share of cells, or the result as a whole, carries one of these warnings.
pub(crate) fn warned(facts: &Facts<'_>, names: &[String], share: f64, says: Option<&str>) -> Told {
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
            Ok(Truth::one(Match { names, margin: 2.0, ..Match::default() }.shown_by(what)))
        }
        _ => Ok(Truth::No),
    }
}

/// Other programs used CPUs beside the typical cell. Cells that do not say so count as undisturbed.
pub(crate) fn other_load(facts: &Facts<'_>, cpus: f64) -> Told {
    let cells = facts.file.experiments.iter().flat_map(|experiment| experiment.cells.iter());
    let load = median(cells.map(|cell| cell.evidence.other_load.unwrap_or(0.0))).unwrap_or(0.0);
    if load < cpus {
        return Ok(Truth::No);
    }
    let words = format!("programs other than zerohop used {load:.1} CPUs beside the typical value");
    Ok(Truth::one(Match { margin: load / cpus, ..Match::default() }.shown_by(words)))
}

/// Nodes' own memory has a higher idle latency than any memory should: even the lower ends of intervals show it.
pub(crate) fn local_latency_above(facts: &Facts<'_>, nanoseconds: f64) -> Told {
    let own = own_latencies(facts)?;
    let middle = |of: fn(&Estimate) -> f64| median(own.iter().map(of));
    let (near, least) = middle(|own| own.median).zip(middle(|own| own.low)).ok_or(NO_OWN)?;
    Ok(if least > nanoseconds { shown(near, least / nanoseconds) } else { Truth::No })
}

/// The own memory of some node has a lower idle latency than DRAM has: even the upper end of its interval shows it. What prefetchers do may
/// be set for each socket.
pub(crate) fn local_latency_below(facts: &Facts<'_>, nanoseconds: f64) -> Told {
    let own = own_latencies(facts)?;
    let least = own.into_iter().min_by(|one, other| one.high.total_cmp(&other.high)).ok_or(NO_OWN)?;
    Ok(if least.high < nanoseconds { shown(least.median, nanoseconds / least.high) } else { Truth::No })
}

const NO_OWN: &str = "a node's own memory in latency-matrix";

/// The idle latencies of nodes and their own memory, in ns.
fn own_latencies(facts: &Facts<'_>) -> Result<Vec<Estimate>, String> {
    let own = facts.pairs(LATENCY_MATRIX, &Query::of(Measure::Latency))?.local();
    Ok(own.into_iter().map(|(_, cell)| cell.estimate).collect())
}

fn shown(near: f64, margin: f64) -> Truth {
    let near = figure(near, Measure::Latency);
    let words = format!("latency-matrix: {near} from a node to its own memory");
    Truth::one(Match { names: BTreeMap::from([("near", near)]), margin, ..Match::default() }.shown_by(words))
}

/// The measurement is not good enough.
pub(crate) fn unfit(facts: &Facts<'_>) -> Told {
    let Some(reason) = &facts.unfit else { return Ok(Truth::No) };
    Ok(Truth::one(Match::fact([("reason", reason.clone())]).shown_by(reason.clone())))
}

/// A warning's name in files.
fn name_of(warning: &Warning) -> String {
    let value = serde_json::to_value(warning).unwrap_or_default();
    value.get("warning").and_then(|name| name.as_str()).unwrap_or_default().to_owned()
}
