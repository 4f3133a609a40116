//! Compares results of the same experiments.
//!
//! The comparison covers measures for which higher or lower is better: bandwidth, latency, time per line. It omits redundant cells (bus traffic,
//! times relative to another cell of the same result, statistics over cells), parts of another cell's total, and machine internals. All means are
//! over the cells that *all* results have, so a result cannot gain from missing cells. A cell whose value may be wrong decides nothing.

mod alignment;
mod cells;
mod configuration;
mod correspondence;
mod curves;
mod difference;
mod judge;
mod notes;
mod placings;
mod repeated_cell;
mod score;
mod shifts;
mod traits;
mod value_matching;

use zerohop_result::{Axis, ResultFile};

use crate::comparison::{
    Alignment, COMPARISON_VERSION, CellScore, ComparedCell, ComparedNumber, ComparisonFile, ExperimentScore,
    NamedOrigin, Ranked, Ratio, Shift, Tendency,
};
use alignment::{alignment, renumbered};
use cells::{Cells, Key};
use curves::{Curves, ReadOff};
use difference::{Difference, difference, drifts};
use judge::{Judged, judge};
use notes::unmatched;
use placings::Alike;
use score::{score, smallest};
use shifts::shifts;
use traits::contrasts;

pub use traits::facts;
pub(crate) use traits::traits_in_words;

pub use configuration::Configuration;

/// Reason why results cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// At least two results are needed.
    #[error("nothing to compare `{name}` with")]
    Alone { name: String },
    /// No cell is in all of them.
    #[error("these results have no value in common: {why}")]
    NothingInCommon {
        /// Contents of each result, in words.
        why: String,
    },
}

impl CompareError {
    /// Hint for the user.
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Alone { .. } => "give at least two results; the first is the baseline",
            Self::NothingInCommon { .. } => {
                "run the same experiment with the same options (kernel, nodes, --full) for each"
            }
        }
    }
}

/// Mapping between the nodes of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbering {
    /// Nodes that are alike, even if their numbers differ.
    ByTopology,
    /// Nodes with the same number.
    AsGiven,
}

/// Compares `results` with the first of them.
///
/// # Errors
/// When there is only one, or no cell is in all of them.
pub fn compare(results: &[Configuration<'_>], numbering: Numbering) -> Result<ComparisonFile, CompareError> {
    let [base, others @ ..] = results else {
        return Err(CompareError::Alone { name: String::new() });
    };
    if others.is_empty() {
        return Err(CompareError::Alone { name: base.name.to_owned() });
    }
    let aligned: Vec<Option<Aligned>> = match numbering {
        Numbering::AsGiven => results.iter().map(|_| None).collect(),
        Numbering::ByTopology => results.iter().map(|one| Aligned::of(one, base.result)).collect(),
    };
    let results: Vec<Configuration<'_>> = results
        .iter()
        .zip(&aligned)
        .map(|(given, aligned)| aligned.as_ref().map_or(*given, |aligned| aligned.configuration(given.name)))
        .collect();
    let alignments = aligned.iter().flatten().map(|aligned| aligned.alignment.clone()).collect();
    let alike = Alike::of(&results);
    let compared = alike.as_ref().map_or_else(|| results.clone(), |alike| alike.configurations(&results));
    let comparison = compare_by_number(&compared, alignments)?;
    Ok(ComparisonFile { other_placings: alike.map_or(0, |alike| alike.cells), ..comparison })
}

/// The runs of a configuration with the numbers of the base.
struct Aligned {
    alignment: Alignment,
    result: ResultFile,
    repeats: Vec<ResultFile>,
}

impl Aligned {
    /// `None` if the configuration has these numbers already.
    fn of(given: &Configuration<'_>, base: &ResultFile) -> Option<Self> {
        let alignment = alignment(given.name, base, given.result)?;
        let mut runs = given.runs().map(|run| renumbered(run, base, &alignment));
        let result = runs.next()??;
        let repeats = runs.collect::<Option<Vec<_>>>()?;
        Some(Self { alignment, result, repeats })
    }

    fn configuration<'a>(&'a self, name: &'a str) -> Configuration<'a> {
        Configuration { name, result: &self.result, repeats: &self.repeats }
    }
}

fn compare_by_number(
    results: &[Configuration<'_>],
    alignments: Vec<Alignment>,
) -> Result<ComparisonFile, CompareError> {
    let Some(base) = results.first() else {
        return Err(CompareError::Alone { name: String::new() });
    };
    let curves = Curves::of(results);
    let read_off: Vec<Vec<Vec<ReadOff<'_>>>> =
        results.iter().map(|one| one.runs().map(|file| curves.read_off(file)).collect()).collect();
    let cells = results.iter().zip(&read_off).map(|(one, read_off)| Cells::of(one, &curves, read_off));
    let all: Vec<Cells<'_>> = cells.collect();
    let common = common(base, &all);
    if common.is_empty() {
        let cells_of = |name: &str| all.iter().find(|cells| cells.name == name);
        let has = |named: &Configuration<'_>| {
            let with_values = named.result.experiments.iter().filter(|one| !one.cells.is_empty());
            let experiments: Vec<&str> = with_values.map(|one| one.experiment.as_str()).collect();
            let is_usable = cells_of(named.name).is_some_and(|cells| !cells.by_key.is_empty());
            match (experiments.as_slice(), is_usable) {
                ([], _) => format!("{} has no values", named.name),
                (_, false) => format!("{} has no usable values in {}", named.name, experiments.join(", ")),
                (_, true) => format!("{} has {}", named.name, experiments.join(", ")),
            }
        };
        let why = results.iter().map(has).collect::<Vec<_>>().join("; ");
        return Err(CompareError::NothingInCommon { why });
    }
    let (cells, shifts) = compared(&common, &all);
    let mut ranking: Vec<Ranked> = results.iter().map(|named| ranked(named.name, &cells)).collect();
    ranking.sort_by(|one, other| other.overall.mean.value.total_cmp(&one.overall.mean.value));
    Ok(ComparisonFile {
        schema_version: COMPARISON_VERSION,
        base: base.name.to_owned(),
        origins: results.iter().map(origin).collect(),
        alignments,
        ranking,
        shifts,
        other_placings: 0,
        unmatched: unmatched(results, &all),
        differences: contrasts(results, &cells),
        cells,
    })
}

/// The cells that all have, judged, and what many of them have in common.
fn compared(common: &[Key<'_>], all: &[Cells<'_>]) -> (Vec<ComparedCell>, Vec<Shift>) {
    let drifts = drifts(common, all);
    let [base, others @ ..] = all else { return Default::default() };
    let mut found = Vec::new();
    let mut judged: Vec<_> = others
        .iter()
        .map(|other| {
            let differences = common.iter().map(|key| {
                let (observed, base) = (&other.by_key[key], &base.by_key[key]);
                let drift = drifts.get(&(key.0, key.1)).copied();
                (difference(observed, base, key.1, drift), observed.is_incomparable(base))
            });
            let differences: Vec<(Difference, bool)> = differences.collect();
            found.extend(shifts(other.name, common, &differences));
            judge(&differences).into_iter()
        })
        .collect();
    let cells = common.iter().map(|key| {
        let numbers = others.iter().zip(&mut judged).filter_map(|(other, judged)| {
            let Judged { ratio, tendency, p, doubtful } = judged.next()?;
            let (name, value) = (other.name.to_owned(), other.by_key[key].value());
            Some(ComparedNumber { name, value, ratio, tendency, p, doubtful })
        });
        ComparedCell {
            experiment: key.0.clone(),
            at: key.2.clone(),
            measure: key.1,
            base: base.by_key[key].value(),
            others: numbers.collect(),
        }
    });
    (cells.collect(), found)
}

fn origin(named: &Configuration<'_>) -> NamedOrigin {
    NamedOrigin {
        name: named.name.to_owned(),
        origin: named.result.origin.clone(),
        machine: named.result.machine.name.clone(),
    }
}

/// The cells that all results have, in the order of the base, and last in each experiment what was read off curves.
fn common<'a>(base: &Configuration<'a>, all: &[Cells<'a>]) -> Vec<Key<'a>> {
    let Some(first) = all.first() else { return Vec::new() };
    let keys = base.result.experiments.iter().flat_map(|one| {
        let measured = one.cells.iter().map(|cell| (&one.experiment, cell.measure, &cell.at));
        let read_off = first.by_key.keys().filter(|(experiment, _, at)| {
            **experiment == one.experiment && at.get(Axis::LoadPercent).is_some()
        });
        measured.chain(read_off.copied()).collect::<Vec<_>>()
    });
    keys.filter(|key| all.iter().all(|cells| cells.by_key.contains_key(key))).collect()
}

fn ranked(name: &str, cells: &[ComparedCell]) -> Ranked {
    // The base is not among a cell's others: it is as good as itself.
    let itself = CellScore { ratio: Ratio::ONE, tendency: Tendency::Same, doubtful: false };
    let of = |cell: &ComparedCell| {
        cell.others.iter().find(|other| other.name == name).map_or(itself, ComparedNumber::score)
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
    let decides = |cell: &&ComparedCell| !of(cell).doubtful;
    let worst = cells.iter().filter(decides).map(|cell| of(cell).ratio.value).reduce(worse);
    let worst = worst.unwrap_or(1.0);
    let smallest = smallest(cells.iter().filter_map(|cell| cell.others.iter().find(|one| one.name == name)));
    Ranked { name: name.to_owned(), overall: score(cells.iter().map(of)), experiments, worst, smallest }
}
