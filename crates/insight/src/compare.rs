//! Compares results of the same experiments.
//!
//! The comparison covers measures for which higher or lower is better: bandwidth, latency, time per line. It leaves out
//! redundant cells (bus traffic, times relative to another cell of the same result, statistics over cells), parts of
//! another cell's total, and machine internals. All means are over the cells that *all* results have, so that a result
//! cannot win by what it leaves out.

mod cells;
mod notes;
mod score;

use zerohop_result::{Estimate, Measure};

use crate::comparison::{
    COMPARISON_VERSION, ComparedCell, ComparedNumber, ComparisonFile, ExperimentScore, NamedOrigin, Ranked,
    Ratio,
};
use cells::{Cells, Key};
use notes::{contrasts, unmatched};
use score::score;

pub use cells::Named;

/// Why results cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// At least two results are needed.
    #[error("there is nothing to compare `{name}` with")]
    Alone {
        /// The only one.
        name: String,
    },
    /// No cell is in all of them.
    #[error("no value is in all of these results: {why}")]
    NothingInCommon {
        /// What each has instead.
        why: String,
    },
}

impl CompareError {
    /// What the user can do about it.
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Alone { .. } => "name two results or more; the first is the baseline",
            Self::NothingInCommon { .. } => {
                "run the same experiment with the same choices (kernel, nodes, effort) for each"
            }
        }
    }
}

/// Compares `results` with the first of them.
///
/// # Errors
/// When there is only one, or no cell is in all of them.
pub fn compare(results: &[Named<'_>]) -> Result<ComparisonFile, CompareError> {
    let [base, others @ ..] = results else {
        return Err(CompareError::Alone { name: String::new() });
    };
    if others.is_empty() {
        return Err(CompareError::Alone { name: base.name.to_owned() });
    }
    let all: Vec<Cells<'_>> = results.iter().map(Cells::of).collect();
    let common = common(base, &all);
    if common.is_empty() {
        let has = |named: &Named<'_>| {
            let experiments = named.result.experiments.iter().map(|one| one.experiment.as_str());
            format!("{} has {}", named.name, experiments.collect::<Vec<_>>().join(", "))
        };
        let why = results.iter().map(has).collect::<Vec<_>>().join("; ");
        return Err(CompareError::NothingInCommon { why });
    }
    let cells: Vec<ComparedCell> = common.iter().map(|key| compared(*key, &all)).collect();
    let mut ranking: Vec<Ranked> = results.iter().map(|named| ranked(named.name, &cells)).collect();
    ranking.sort_by(|one, other| other.overall.mean.value.total_cmp(&one.overall.mean.value));
    Ok(ComparisonFile {
        schema_version: COMPARISON_VERSION,
        base: base.name.to_owned(),
        origins: results.iter().map(origin).collect(),
        ranking,
        unmatched: unmatched(results, &all),
        differences: contrasts(results),
        cells,
    })
}

fn origin(named: &Named<'_>) -> NamedOrigin {
    NamedOrigin {
        name: named.name.to_owned(),
        origin: named.result.origin.clone(),
        machine: named.result.machine.name.clone(),
    }
}

/// The cells that all results have, in the order of the base.
fn common<'a>(base: &Named<'a>, all: &[Cells<'a>]) -> Vec<Key<'a>> {
    let experiments = base.result.experiments.iter();
    let keys =
        experiments.flat_map(|one| one.cells.iter().map(|cell| (&one.experiment, cell.measure, &cell.at)));
    keys.filter(|key| all.iter().all(|cells| cells.by_key.contains_key(key))).collect()
}

/// A cell that all have.
fn compared(key: Key<'_>, all: &[Cells<'_>]) -> ComparedCell {
    let (experiment, measure, at) = key;
    let estimate = |cells: &Cells<'_>| cells.by_key[&key].estimate;
    let base = estimate(&all[0]);
    let others = all[1..].iter().map(|cells| {
        let other = estimate(cells);
        let ratio = ratio(&other, &base, measure);
        ComparedNumber { name: cells.name.to_owned(), value: other.median, ratio, tendency: ratio.tendency() }
    });
    ComparedCell {
        experiment: experiment.clone(),
        at: at.clone(),
        measure,
        base: base.median,
        others: others.collect(),
    }
}

/// How many times as good `other` is as `base`.
fn ratio(other: &Estimate, base: &Estimate, measure: Measure) -> Ratio {
    let (over, under) = if measure.larger_is_better() { (other, base) } else { (base, other) };
    Ratio { value: over.median / under.median, low: over.low / under.high, high: over.high / under.low }
}

fn ranked(name: &str, cells: &[ComparedCell]) -> Ranked {
    // The base is not among a cell's others: its ratio to itself is 1.
    let of = |cell: &ComparedCell| {
        cell.others.iter().find(|other| other.name == name).map_or(Ratio::ONE, |other| other.ratio)
    };
    let mut experiments: Vec<ExperimentScore> = Vec::new();
    for cell in cells {
        if !experiments.iter().any(|known| known.experiment == cell.experiment) {
            let own = cells.iter().filter(|other| other.experiment == cell.experiment).map(of);
            experiments.push(ExperimentScore { experiment: cell.experiment.clone(), score: score(own) });
        }
    }
    // NaN ranks worst, so that it cannot hide behind a good value.
    let worse = |one: f64, other: f64| if one.is_nan() || one < other { one } else { other };
    let worst = cells.iter().map(|cell| of(cell).value).reduce(worse).unwrap_or(1.0);
    Ranked { name: name.to_owned(), overall: score(cells.iter().map(of)), experiments, worst }
}
