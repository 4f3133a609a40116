//! Results of virtual machines whose CPUs were moved, compared where they were placed alike.
//!
//! Each cell has a value for every way in which a hypervisor had placed the CPUs. That which prevailed in one run may be rare in the other; where
//! both have a way in common, that is compared.

use std::collections::BTreeMap;

use zerohop_result::{Cell, Coordinates, ExperimentName, Measure, Placing, ResultFile, SystemNoise};

use super::configuration::Configuration;

type Key = (ExperimentName, Measure, Coordinates);

/// Results in which each cell has the value of a placing that all of them have.
pub(super) struct Alike {
    /// The runs of each configuration.
    runs: Vec<Vec<ResultFile>>,
    /// Number of cells with a value that is not the prevailing one of some run.
    pub(super) cells: usize,
}

impl Alike {
    /// `None` if there is nothing to choose.
    pub(super) fn of(results: &[Configuration<'_>]) -> Option<Self> {
        let all: Vec<&ResultFile> = results.iter().flat_map(Configuration::runs).collect();
        if !all.iter().any(|file| cells(file).any(|(_, cell)| !cell.evidence.placings.is_empty())) {
            return None;
        }
        let mut placings: BTreeMap<Key, Vec<Vec<Placing>>> = BTreeMap::new();
        for file in &all {
            for (experiment, cell) in cells(file) {
                let key = (experiment.clone(), cell.measure, cell.at.clone());
                placings.entry(key).or_default().push(placings_of(cell));
            }
        }
        let chosen: BTreeMap<Key, Vec<Placing>> = placings
            .into_iter()
            .filter(|(_, of_runs)| of_runs.len() == all.len())
            .filter_map(|(key, of_runs)| Some((key, common(&of_runs)?)))
            .collect();
        if chosen.is_empty() {
            return None;
        }
        let mut rank = 0;
        let mut changed = |file: &ResultFile| {
            let mut file = file.clone();
            for one in &mut file.experiments {
                let experiment = one.experiment.clone();
                let put = one.cells.change(|cells| {
                    for cell in cells {
                        let key = (experiment.clone(), cell.measure, cell.at.clone());
                        if let Some(placing) = chosen.get(&key).and_then(|runs| runs.get(rank)) {
                            put_in(cell, placing);
                        }
                    }
                });
                debug_assert!(put.is_ok(), "coordinates stay unique");
            }
            rank += 1;
            file
        };
        let runs = results.iter().map(|one| one.runs().map(&mut changed).collect()).collect();
        Some(Self { runs, cells: chosen.len() })
    }

    /// The configurations, with the names of the original ones.
    pub(super) fn configurations<'a>(&'a self, results: &[Configuration<'a>]) -> Vec<Configuration<'a>> {
        let named = results.iter().zip(&self.runs).filter_map(|(one, runs)| {
            let (result, repeats) = runs.split_first()?;
            Some(Configuration { name: one.name, result, repeats })
        });
        named.collect()
    }
}

fn cells(file: &ResultFile) -> impl Iterator<Item = (&ExperimentName, &Cell)> {
    file.experiments.iter().flat_map(|one| one.cells.iter().map(move |cell| (&one.experiment, cell)))
}

/// The ways in which the CPUs were placed, as far as they are known.
fn placings_of(cell: &Cell) -> Vec<Placing> {
    let evidence = &cell.evidence;
    if !evidence.placings.is_empty() {
        return evidence.placings.clone();
    }
    let only = evidence.apart_ns.map(|apart_ns| Placing {
        apart_ns,
        share: 1.0,
        estimate: cell.estimate,
        round_spread: evidence.round_spread,
    });
    only.into_iter().collect()
}

/// The placing of each run that all have in common, that whose smallest share is largest; `None` if it is the one that prevailed
/// everywhere, or if there is none.
fn common(of_runs: &[Vec<Placing>]) -> Option<Vec<Placing>> {
    let (first, others) = of_runs.split_first()?;
    let in_all = first.iter().filter_map(|placing| {
        let mut all = vec![(0, placing)];
        let alike = |other: &Placing| {
            (middle(other) - middle(placing)).abs() <= libm::log(SystemNoise::PLACED_UNLIKE)
        };
        for run in others {
            all.push(run.iter().enumerate().find(|(_, other)| alike(other))?);
        }
        all[0].0 = first.iter().position(|one| one == placing)?;
        Some(all)
    });
    let least =
        |all: &Vec<(usize, &Placing)>| all.iter().map(|(_, one)| one.share).fold(f64::INFINITY, f64::min);
    let best = in_all.max_by(|one, other| least(one).total_cmp(&least(other)))?;
    let is_usual = best.iter().all(|(rank, _)| *rank == 0);
    (!is_usual).then(|| best.into_iter().map(|(_, placing)| placing.clone()).collect())
}

/// The logarithm of the typical time between the CPUs.
fn middle(placing: &Placing) -> f64 {
    f64::midpoint(libm::log(placing.apart_ns.0), libm::log(placing.apart_ns.1))
}

/// Makes this placing the one that the cell is about.
fn put_in(cell: &mut Cell, placing: &Placing) {
    cell.estimate = placing.estimate;
    cell.evidence.apart_ns = Some(placing.apart_ns);
    cell.evidence.round_spread = placing.round_spread;
    // These are of another placing.
    cell.evidence.rounds.clear();
    cell.samples.clear();
    cell.evidence.let_in = 0;
}
