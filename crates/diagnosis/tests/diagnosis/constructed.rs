//! Results that are put together, or changed in one respect.

use std::sync::LazyLock;

use zerohop_diagnosis::Diagnosis;
use zerohop_model::Solver;
use zerohop_result::{
    Axis, Cell, Cells, Completion, Coordinate, Coordinates, Estimate, Evidence, ExperimentName,
    ExperimentResult, Measure, ResultFile,
};
use zerohop_units::Seconds;
use zerohop_workload::Warning;

use crate::bench::{MATRICES, judged, machine, result};

/// The matrices of a sound machine of four packages.
pub(crate) fn healthy() -> ResultFile {
    static RESULT: LazyLock<ResultFile> =
        LazyLock::new(|| result(machine("cascade-lake-4s"), &MATRICES, Solver::Auto, 1));
    RESULT.clone()
}

/// What the rules say about a sound machine that is changed in one respect.
pub(crate) fn edited(change: impl FnOnce(&mut ResultFile)) -> Diagnosis {
    let mut file = healthy();
    change(&mut file);
    judged("edited", &file)
}

/// What they say about a machine of which nothing was measured.
pub(crate) fn unmeasured(change: impl FnOnce(&mut ResultFile)) -> Diagnosis {
    edited(|file| {
        file.experiments.clear();
        change(file);
    })
}

/// Gives all cells a warning.
pub(crate) fn warn(file: &mut ResultFile, warning: &Warning) {
    for experiment in &mut file.experiments {
        experiment
            .cells
            .change(|cells| cells.iter_mut().for_each(|cell| cell.warnings.push(warning.clone())))
            .unwrap();
    }
}

/// Replaces the values of a matrix: the new one from initiator, target and old value.
pub(crate) fn replace(file: &mut ResultFile, experiment: &str, of: impl Fn(u64, u64, f64) -> f64) {
    for experiment in file.experiments.iter_mut().filter(|one| one.experiment.as_str() == experiment) {
        let change = |cells: &mut Vec<Cell>| {
            for cell in cells {
                let ends = cell.at.number(Axis::Initiator).zip(cell.at.number(Axis::Target));
                let Some((from, to)) = ends else { continue };
                cell.estimate = exactly(of(from, to, cell.estimate.median));
            }
        };
        experiment.cells.change(change).unwrap();
    }
}

fn exactly(value: f64) -> Estimate {
    Estimate {
        median: value,
        low: value,
        high: value,
        min: value,
        max: value,
        mean: value,
        standard_deviation: 0.0,
    }
}

/// Adds an experiment of bandwidths along an axis, for all nodes together.
pub(crate) fn add_curve(
    file: &mut ResultFile,
    experiment: &'static str,
    axis: Axis,
    points: &[(Coordinate, f64)],
) {
    let cell = |(place, value): &(Coordinate, f64)| Cell {
        at: Coordinates::new().with(Axis::Initiator, "all").with(axis, place.clone()),
        measure: Measure::Bandwidth,
        estimate: exactly(*value),
        samples: vec![*value],
        evidence: Evidence::default(),
        warnings: Vec::new(),
    };
    file.experiments.push(ExperimentResult {
        experiment: ExperimentName::known(experiment),
        completion: Completion::Complete,
        elapsed: Seconds(0.0),
        cells: Cells::new(points.iter().map(cell).collect()).unwrap(),
        warnings: Vec::new(),
    });
}

/// What the rules say about a curve alone.
pub(crate) fn curve(experiment: &'static str, axis: Axis, points: &[(u64, f64)]) -> Diagnosis {
    let points: Vec<(Coordinate, f64)> =
        points.iter().map(|(place, value)| (Coordinate::Number(*place), *value)).collect();
    unmeasured(|file| add_curve(file, experiment, axis, &points))
}
