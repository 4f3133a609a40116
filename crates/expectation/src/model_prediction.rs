//! Predictions of a model for the cells of a result.

use std::collections::HashMap;

use zerohop_result::{
    Axis, Cell, Coordinates, ExperimentName, ExperimentResult, Measure, Origin, ResultFile,
};

use super::curve::Curves;
use super::kind::Kind;

/// Above this share of the highest bandwidth, no prediction of a latency was ever validated.
const VALIDATED_LOAD: f64 = 0.905;

/// The results of a model, by experiment and by place: a result may have thousands of cells.
pub(super) struct Model<'a>(Vec<(&'a ExperimentName, Simulated<'a>)>);

/// The cells of an experiment.
struct Simulated<'a> {
    curves: Curves<'a>,
    /// The first cells by their place but for the size of the buffer, and but for the threads of a core.
    without_footprint: HashMap<(Measure, Coordinates), &'a Cell>,
    without_threads: HashMap<(Measure, Coordinates), &'a Cell>,
}

impl<'a> Model<'a> {
    /// Predictions from these results. An experiment without cells is ignored.
    pub(super) fn new(results: &'a [ExperimentResult]) -> Self {
        let with_cells = results.iter().filter(|result| !result.cells.is_empty());
        let simulated = |result: &'a ExperimentResult| {
            let first = |axis: Axis| {
                let mut first = HashMap::new();
                for cell in &*result.cells {
                    first.entry((cell.measure, without(&cell.at, axis))).or_insert(cell);
                }
                first
            };
            let simulated = Simulated {
                curves: Curves::new(result),
                without_footprint: first(Axis::Footprint),
                without_threads: first(Axis::ThreadsPerCore),
            };
            (&result.experiment, simulated)
        };
        Self(with_cells.map(simulated).collect())
    }

    fn of_name(&self, name: &ExperimentName) -> Option<&Simulated<'a>> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, simulated)| simulated)
    }
}

/// Prediction of a model for a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Predicted {
    pub(super) value: f64,
    /// For a loaded latency: the load as a share of the highest bandwidth.
    pub(super) load: Option<f64>,
    /// Whether predictions at this place are validated, if those of its kind are.
    pub(super) validated: bool,
}

/// The model's value for a cell of an experiment of `file`, whose curves are `measured`; or why it has none.
pub(super) fn predicted(
    file: &ResultFile,
    (experiment, measured): (&ExperimentName, &Curves<'_>),
    cell: &Cell,
    kind: Kind,
    model: &Model<'_>,
) -> Result<Predicted, String> {
    let Some(simulated) = model.of_name(experiment) else {
        return Err("the model has no such experiment".to_owned());
    };
    let exact = |value| Predicted { value, load: None, validated: true };
    match kind {
        Kind::LoadedLatency => under_load(measured, cell, &simulated.curves),
        Kind::PeakUnderLoad => peak(measured, cell, &simulated.curves).map(exact),
        _ => {
            let found = twin(file, cell, kind, simulated)
                .ok_or_else(|| "the model has no value at this place".to_owned())?;
            let (measured, simulated) = (cell.evidence.workers, found.evidence.workers);
            if measured != simulated && measured > 0 && simulated > 0 && !is_latency(cell) {
                return Err(format!(
                    "it was measured with {measured} threads, but the model has {simulated}"
                ));
            }
            Ok(exact(found.estimate.median))
        }
    }
    .and_then(|found| {
        let usable = found.value.is_finite() && found.value > 0.0;
        if usable { Ok(found) } else { Err("the model's value is not above zero".to_owned()) }
    })
}

fn is_latency(cell: &Cell) -> bool {
    cell.measure == Measure::Latency
}

/// The model's cell for one of a result.
fn twin<'a>(file: &ResultFile, cell: &Cell, kind: Kind, simulated: &Simulated<'a>) -> Option<&'a Cell> {
    // What another tool calls the bandwidth of a mix is what its memory bus carries: lines read for ownership and written back.
    let of_another_tool = matches!(file.origin, Origin::Imported(_)) && cell.at.get(Axis::Mix).is_some();
    let measure = if of_another_tool { Measure::BusTraffic } else { cell.measure };
    let first = |cells: &HashMap<(Measure, Coordinates), &'a Cell>, axis: Axis| {
        cells.get(&(measure, without(&cell.at, axis))).copied()
    };
    simulated.curves.cell(&cell.at, measure).or_else(|| match kind {
        // Buffers follow the caches, of which a model may have others.
        Kind::CacheLatency | Kind::IdleLatency(_) => {
            cell.at.get(Axis::Level)?;
            first(&simulated.without_footprint, Axis::Footprint)
        }
        Kind::CoreToCore => None,
        _ => first(&simulated.without_threads, Axis::ThreadsPerCore),
    })
}

fn without(at: &Coordinates, axis: Axis) -> Coordinates {
    let mut at = at.clone();
    at.0.remove(&axis);
    at
}

/// The latency at the same share of the highest bandwidth.
fn under_load(measured: &Curves<'_>, cell: &Cell, simulated: &Curves<'_>) -> Result<Predicted, String> {
    let no_curve = || "its curve of latency against bandwidth has no bandwidths".to_owned();
    let curve = measured.of(&cell.at).ok_or_else(no_curve)?;
    let bandwidth = measured.cell(&cell.at, Measure::Bandwidth).ok_or_else(no_curve)?.estimate.median;
    let load = bandwidth / curve.peak();
    let model = simulated.like(&cell.at).ok_or_else(|| "the model has no such curve".to_owned())?;
    let value = model.latency_at(load).ok_or_else(no_curve)?;
    Ok(Predicted { value, load: Some(load), validated: load <= VALIDATED_LOAD })
}

/// The highest bandwidth of the same curve, for the cell that has it.
fn peak(measured: &Curves<'_>, cell: &Cell, simulated: &Curves<'_>) -> Result<f64, String> {
    let lighter = || "lighter loads depend only on the delay".to_owned();
    let curve = measured.of(&cell.at).ok_or_else(lighter)?;
    if cell.measure != Measure::Bandwidth || cell.estimate.median < curve.peak() {
        return Err(lighter());
    }
    let model = simulated.like(&cell.at).ok_or_else(|| "the model has no such curve".to_owned())?;
    Ok(model.peak())
}
